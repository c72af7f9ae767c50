"""The client's side of Dask: which hosts a scheduler's workers are on, and one measurement on each of them."""

import asyncio
import logging
import re
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from ipaddress import ip_address
from queue import Empty, SimpleQueue
from typing import Any
from urllib.parse import urlsplit

import msgspec
from distributed import Client, KilledWorker
from msgspec.structs import replace

from threadping.model import quantities
from threadping.model.errors import FleetLost, UsageError
from threadping.model.run import Host, Member
from threadping.studies.fleet.host import MOST_SENT, close, listen, look, measure, stop
from threadping.studies.fleet.jobs import HostReport, HostResult, Job

CONNECT_S, LOOK_S = 10.0, 30.0  # to wait for a scheduler, and for what a worker says of its host
TICK_S = 2.0  # between two searches for workers that were lost
PATIENCE_S = 60.0  # a host may take so much longer than its own limit to answer
CLOCK_S = 60.0  # a clock that differs by more is named


class Connection:
    """A connection to a scheduler by Dask's client; `look`, `measure` and `listen` are what the workers do."""

    def __init__(
        self,
        client: Any,
        look: Callable[[], bytes] = look,
        measure: Callable[..., bytes] = measure,
        listen: Callable[..., bytes] = listen,
    ) -> None:
        self.client = client
        self._look, self._measure, self._listen = look, measure, listen

    def hosts(self, *, anyway: bool = False) -> list[HostReport]:
        """Ask every worker for its host; one that measures something else is a problem unless `anyway`.

        Raises FleetLost where there is no worker, or the scheduler does not answer.
        """
        workers = self._workers()
        if not workers:
            raise FleetLost("The scheduler has no workers. Start one on each host: dask worker ADDRESS --nthreads 1.")
        found: dict[str, HostReport] = {}
        for address, seen in zip(workers, self.client.sync(self._looks, workers), strict=True):
            host = replace(seen.host, address=address, name=seen.host.name[:255])
            if first := found.get(host.key):
                one, other = workers[first.host.address], workers[address]
                if one != other:
                    twice = f"{one} and {other} have one machine id and boot: measured once"
                    found[host.key] = replace(first, note=twice)
                continue
            problem, ours = seen.problem, version("threadping")
            if not problem and host.version != ours:
                problem = f"it has threadping {host.version}, and this is {ours}: install the same there"
            elif seen.measuring and not anyway:
                problem = f"another threadping is measuring there: {seen.measuring}"
            skew = 0.0 if problem else abs(seen.clock - time.time())
            note = f"its clock differs from this one's by {quantities.duration(skew)}" if skew > CLOCK_S else None
            found[host.key] = replace(seen, host=host, note=note, problem=problem)
        return [*found.values()]

    def measured(
        self, jobs: Sequence[Job], fleet: str, limit_s: float
    ) -> Generator[tuple[Member, bytes | None], None, None]:
        """Carry out each job on its host, those of one machine one after the other; each comes as it ends.

        A member comes with its run, not yet validated, or with its problem. Raises FleetLost where the scheduler is
        gone. Closing the iterator early ends what still measures.
        """
        waiting, running = [*jobs], dict[str, tuple[Job, Any, float]]()
        ended: SimpleQueue[Any] = SimpleQueue()

        def begin() -> None:
            busy = {machine for job, _, _ in running.values() for machine in job.member.machines}
            for job in [*waiting]:
                if busy.isdisjoint(job.member.machines):
                    waiting.remove(job)
                    busy.update(job.member.machines)
                    future = self._begun(job, fleet, limit_s)
                    running[future.key] = (job, future, time.monotonic() + limit_s + PATIENCE_S)
                    future.add_done_callback(ended.put)

        try:
            begin()
            while running:
                try:
                    come = {ended.get(timeout=TICK_S).key: ""}
                except Empty:
                    come = self._lost(running)
                for key in come.keys() & running.keys():
                    job, future, _ = running.pop(key)
                    run, problem = (None, come[key]) if come[key] else self._result(future)
                    self._tell([(job.member.peer, close, job.member.key)])
                    begin()
                    yield replace(job.member, problem=problem), run
        finally:
            if running and self.client.status == "running":
                with suppress(Exception):  # whatever is wrong with the cluster, this is the end
                    left = [job.member for job, _, _ in running.values()]
                    self.client.cancel([future for _, future, _ in running.values()])
                    self._tell((one.peer, close, one.key) for one in left)
                    self._tell((one.host, stop, fleet) for one in left)

    def _begun(self, job: Job, fleet: str, limit_s: float) -> Any:
        """Begin a job: of a pair the far end first, on whose opening the near end waits."""
        member, far_end = job.member, dict[str, Any]()
        # Its name is what a second fleet reads. Pinned to one worker, and never taken from a cache.
        if member.peer:
            address = urlsplit(member.peer.address).hostname
            far_end["far_end"] = self._at(member.peer, self._listen, member.key, address, limit_s, job.far_cpu)
        return self._at(member.host, self._measure, job.words, fleet, limit_s, **far_end)

    def _at(self, host: Host, call: Callable[..., bytes], *arguments: Any, **named: Any) -> Any:
        pinned = {"workers": [host.address], "allow_other_workers": False, "pure": False}
        return self.client.submit(call, *arguments, **named, **pinned)

    def _tell(self, calls: Iterable[tuple[Host | None, Callable[[str], None], str]]) -> None:
        """On each host whose worker is still there, call that with what follows it; elsewhere it ends by itself."""
        there = self._workers()
        wanted = [(host.address, call, what) for host, call, what in calls if host and host.address in there]

        async def called() -> None:
            asked = (self.client.run(call, what, workers=[at], on_error="ignore") for at, call, what in wanted)
            await asyncio.wait_for(asyncio.gather(*asked, return_exceptions=True), LOOK_S)

        if wanted:
            with suppress(TimeoutError):
                self.client.sync(called)

    def _result(self, future: Any) -> tuple[bytes | None, str | None]:
        """Return the run that a host sent, or why it has none; FleetLost where that is true of all."""
        if future.status == "error":
            error = future.exception(timeout=LOOK_S)
            if "deserialization of the task graph" in str(error):
                install = f"pip install 'threadping[fleet]=={version('threadping')}'"
                raise FleetLost(
                    f"The scheduler does not know what it is sent: {install} there too, and start it again."
                )
            return None, "its worker died" if isinstance(
                error, KilledWorker
            ) else f"its worker could not measure: {error}"
        if future.status != "finished":
            self._workers()
            return None, "it was cancelled"
        try:
            if sum(self.client.nbytes([future.key], summary=False).values()) > 2 * MOST_SENT:
                return None, "it sent more than any run has"
            sent = msgspec.msgpack.decode(future.result(timeout=PATIENCE_S), type=HostResult)
        except (msgspec.MsgspecError, TypeError, ValueError, OSError) as error:
            return None, f"what it sent cannot be read ({error})"
        return (sent.run, None) if sent.run else (None, sent.said)

    def _lost(self, running: dict[str, tuple[Job, Any, float]]) -> dict[str, str]:
        """Return by job why it is given up: a worker has gone, or does not answer any more."""
        there, lost = self._workers(), dict[str, str]()
        for key, (job, _, limit) in running.items():
            gone = [one for one in (job.member.host, job.member.peer) if one and one.address not in there]
            if gone:
                lost[key] = f"{f'the worker of {gone[0].name}' if job.member.peer else 'its worker'} was lost"
            elif time.monotonic() > limit:
                lost[key] = "it does not answer any more"
        return lost

    def _workers(self) -> dict[str, str]:
        """Return the address of each worker, and that of its host."""
        if self.client.status != "running":  # it would tell what it knew before
            raise FleetLost("The scheduler has gone away.")
        try:
            workers = self.client.scheduler_info(n_workers=-1)["workers"]
        except (OSError, TimeoutError) as error:
            raise FleetLost("The scheduler has gone away.") from error
        return {address: str(of["host"]) for address, of in sorted(workers.items())}

    async def _looks(self, workers: Iterable[str]) -> list[HostReport]:
        async def one(address: str) -> HostReport:
            try:
                asked = self.client.run(self._look, workers=[address], on_error="return")
                answer = (await asyncio.wait_for(asked, LOOK_S))[address]
                if not isinstance(answer, Exception):
                    return msgspec.msgpack.decode(answer, type=HostReport)
                # Dask wraps what the worker's import said.
                problem = f"it could not say which host it is: {answer}"
                if re.search("No module named|has no attribute", str(answer)):
                    problem = "it has no threadping that knows fleets: pip install 'threadping[fleet]' there"
            except TimeoutError:
                problem = f"it did not answer within {quantities.duration(LOOK_S)}"
            except Exception as error:  # a worker that dies meanwhile, or sends what is no look
                problem = f"it could not be asked: {type(error).__name__} {error}"
            return HostReport(Host(address, address, address, address, "", ""), None, 0.0, problem=problem)

        return list(await asyncio.gather(*map(one, workers)))


@contextmanager
def connected(address: str) -> Iterator[Connection]:
    """Connect to a scheduler, by TLS if Dask is configured so; raises FleetLost, UsageError for no address."""
    if not re.fullmatch(r"(tcp|tls)://\S+:\d{1,5}|inproc://\S+", address):
        raise UsageError(f"--on '{address}' is no address of a scheduler. Write tcp://HOST:8786, or tls://HOST:8786.")
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)  # Dask reports to a log what we say in a sentence
    # What workers send is read without pickles; a scheduler can send some all the same, so it is to be trusted.
    options: Any = {"set_as_default": False, "name": "threadping", "deserializers": ["dask", "msgpack"]}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of versions that differ: `hosts` compares them
            client = Client(address, timeout=CONNECT_S, **options)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        logging.disable(before)
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise FleetLost(
            f"The scheduler {address} cannot be reached: {said.rstrip('.')}. Start it with `dask scheduler`, and give "
            "the address that it prints."
        ) from error
    try:
        yield Connection(client)
    finally:
        with suppress(Exception):
            client.close(timeout=CONNECT_S)  # type: ignore[no-untyped-call]
        logging.disable(before)


def is_open(address: str) -> bool:
    """Return whether anybody on the network may join: no TLS, at an address beyond this host."""
    protocol, _, rest = address.rpartition("://")
    host = rest.rpartition(":")[0].strip("[]")
    try:
        return protocol == "tcp" and not ip_address(host).is_loopback
    except ValueError:
        return host != "localhost"
