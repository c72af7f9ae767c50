"""The client's side: which hosts a scheduler's workers stand on, and one measurement on each of them."""

import asyncio
import logging
import re
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
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
from threadping.model.fleet import Host, Member
from threadping.studies.fleet.host import MOST_SENT, Look, Sent, close, listen, look, measure, stop
from threadping.studies.fleet.jobs import Came, FleetHosts, Job
from threadping.studies.fleet.unpickling import wary

CONNECT_S, LOOK_S, TICK_S = 10.0, 30.0, 2.0
"""How long to wait for a scheduler and for what a worker says of its host; how often lost workers are looked for."""

PATIENCE_S = 60.0
"""So much longer than its own limit a host may take to answer."""

CLOCK_S = 60.0
"""A clock that differs by more is named."""


class Connection:
    """A connection to a scheduler; `connected` makes one."""

    def __init__(
        self,
        client: Any,
        look: Callable[[], bytes] = look,
        measure: Callable[..., bytes] = measure,
        listen: Callable[..., bytes] = listen,
    ) -> None:
        """Wrap Dask's client; `look`, `measure` and `listen` are what the workers do."""
        self.client = client
        self._look, self._measure, self._listen = look, measure, listen

    def hosts(self, *, anyway: bool = False) -> FleetHosts:
        """Ask every worker for its host; one that measures something else is a problem unless `anyway`.

        Raises FleetLost where there is no worker, or the scheduler does not answer.
        """
        workers = self._workers()
        if not workers:
            raise FleetLost("The scheduler has no workers. Start one on each host: dask worker ADDRESS --nthreads 1.")
        looks = self.client.sync(self._looks, workers)
        seen: dict[str, tuple[Host, str]] = {}
        cpus: dict[str, tuple[int, ...]] = {}
        notes: dict[str, str] = {}
        problems: list[tuple[Host, str]] = []
        for address, found in zip(workers, looks, strict=True):
            if isinstance(found, str):
                problems.append((Host(address, address, address, address, "", ""), found))
                continue
            host, ip = replace(found.host, address=address, name=found.host.name[:255]), workers[address]
            if host.key in seen:
                if seen[host.key][1] != ip:
                    notes[host.key] = f"{seen[host.key][1]} and {ip} have one machine id and boot: measured once"
                continue
            seen[host.key], cpus[host.key] = (host, ip), found.cpus
            if (skew := abs(found.clock - time.time())) > CLOCK_S:
                notes[host.key] = f"its clock differs from this one's by {quantities.duration(skew)}"
            if host.version != version("threadping"):
                said = f"it has threadping {host.version}, and this is {version('threadping')}: install the same there"
                problems.append((host, said))
            elif found.measuring and not anyway:
                problems.append((host, f"another threadping is measuring there: {found.measuring}"))
        bad = {host.key for host, _ in problems}
        return FleetHosts(
            tuple(host for key, (host, _) in seen.items() if key not in bad), notes, tuple(problems), cpus
        )

    def measured(self, jobs: Sequence[Job], fleet: str, limit_s: float) -> Generator[Came, None, None]:
        """Carry out each job on its host, those of one machine one after the other; each comes as it ends.

        Raises FleetLost where the scheduler is gone. Closing the iterator early ends what still measures.
        """
        waiting, busy = [*jobs], set[str]()
        ended: SimpleQueue[Any] = SimpleQueue()
        running: dict[str, tuple[Job, Any, float]] = {}

        def begin() -> None:
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
                come: list[tuple[str, str | None]] = []
                try:
                    come.append((ended.get(timeout=TICK_S).key, None))
                except Empty:
                    come += self._lost(running)
                for key, problem in come:
                    if key in running:
                        job, future, _ = running.pop(key)
                        came = Came(job.member, None, problem) if problem else self._came(job.member, future)
                        self._close_far_ends([job])
                        busy.difference_update(job.member.machines)
                        begin()
                        yield came
        finally:
            if running and self.client.status == "running":
                with suppress(Exception):  # whatever is wrong with the cluster, this is the end
                    left = [job for job, _, _ in running.values()]
                    self.client.cancel([future for _, future, _ in running.values()])
                    self._close_far_ends(left)
                    self.client.sync(self._called, [(job.member.host.address, stop, fleet) for job in left])

    def _begun(self, job: Job, fleet: str, limit_s: float) -> Any:
        """Begin a job: of a pair the far end first, on whose opening the near end waits."""
        member, far_end = job.member, dict[str, Any]()
        # Its name is what a second fleet reads. Pinned to one worker, and never taken from a cache.
        if member.peer:
            address, together = urlsplit(member.peer.address).hostname, len(member.machines) == 1
            opened = self._at(member.peer, self._listen, member.key, address, limit_s, job.far_cpu, anyway=together)
            far_end = {"far_end": opened, "not_on": job.far_cpu if together else None}
        return self._at(member.host, self._measure, job.words, fleet, limit_s, **far_end)

    def _at(self, host: Host, call: Callable[..., bytes], *arguments: Any, **named: Any) -> Any:
        pinned = {"workers": [host.address], "allow_other_workers": False, "pure": False}
        return self.client.submit(call, *arguments, **named, **pinned)

    def _close_far_ends(self, jobs: Sequence[Job]) -> None:
        """End the far ends of these, of which some may be lost."""
        peers = [(job.member.peer.address, job.member.key) for job in jobs if job.member.peer]
        if peers:
            there = self._workers()
            with suppress(TimeoutError):  # it ends by itself
                self.client.sync(self._called, [(address, close, key) for address, key in peers if address in there])

    def _came(self, member: Member, future: Any) -> Came:
        try:
            if future.status != "finished":
                return Came(member, None, self._why(future))
            sizes = self.client.nbytes([future.key], summary=False)
            if sum(sizes.values()) > 2 * MOST_SENT:
                return Came(member, None, "it sent more than any run has")
            sent = msgspec.msgpack.decode(future.result(timeout=PATIENCE_S), type=Sent)
        except (msgspec.MsgspecError, TypeError, ValueError, OSError) as error:
            return Came(member, None, f"what it sent cannot be read ({error})")
        return Came(member, sent.run, None) if sent.run else Came(member, None, sent.said)

    def _why(self, future: Any) -> str:
        """Why a host has nothing to send; FleetLost where that is true of all."""
        if future.status != "error":
            self._workers()
            return "it was cancelled"
        error = future.exception(timeout=LOOK_S)
        if "deserialization of the task graph" in str(error):
            raise FleetLost(
                f"The scheduler does not know what it is sent: pip install 'threadping[fleet]=={version('threadping')}'"
                " there too, and start it again."
            )
        return "its worker died" if isinstance(error, KilledWorker) else f"its worker could not measure: {error}"

    def _lost(self, running: dict[str, tuple[Job, Any, float]]) -> list[tuple[str, str]]:
        there = self._workers()
        lost = []
        for key, (job, _, _) in running.items():
            gone = [one for one in (job.member.host, job.member.peer) if one and one.address not in there]
            whose = f"the worker of {gone[0].name}" if gone and job.member.peer else "its worker"
            lost += [(key, f"{whose} was lost")] if gone else []
        late = [(key, "it does not answer any more") for key, of in running.items() if time.monotonic() > of[2]]
        return lost + [one for one in late if one[0] not in dict(lost)]

    def _workers(self) -> dict[str, str]:
        """The address of each worker, and that of its host."""
        if self.client.status != "running":  # it would tell what it knew before
            raise FleetLost("The scheduler has gone away.")
        try:
            workers = self.client.scheduler_info(n_workers=-1)["workers"]
        except (OSError, TimeoutError) as error:
            raise FleetLost("The scheduler has gone away.") from error
        return {address: str(of["host"]) for address, of in sorted(workers.items())}

    async def _looks(self, workers: Sequence[str]) -> list[Look | str]:
        async def one(address: str) -> Look | str:
            try:
                asked = self.client.run(self._look, workers=[address], on_error="return")
                answer = (await asyncio.wait_for(asked, LOOK_S))[address]
                # Dask wraps what the worker's import said.
                if isinstance(answer, Exception) and re.search("No module named|has no attribute", str(answer)):
                    return "it has no threadping that knows fleets: pip install 'threadping[fleet]' there"
                if isinstance(answer, Exception):
                    return f"it could not say which host it is: {answer}"
                return msgspec.msgpack.decode(answer, type=Look)
            except TimeoutError:
                return f"it did not answer within {quantities.duration(LOOK_S)}"
            except Exception as error:  # a worker that dies meanwhile, or sends what is no look
                return f"it could not be asked: {type(error).__name__} {error}"

        return list(await asyncio.gather(*map(one, workers)))

    async def _called(self, calls: Sequence[tuple[str, Callable[[str], None], str]]) -> None:
        """On the worker of each address call that with what follows it."""
        asked = (self.client.run(call, what, workers=[at], on_error="ignore") for at, call, what in calls)
        await asyncio.wait_for(asyncio.gather(*asked, return_exceptions=True), LOOK_S)


@contextmanager
def connected(address: str) -> Iterator[Connection]:
    """Connect to a scheduler, by TLS if Dask is configured so; raises FleetLost, UsageError for no address."""
    if not re.fullmatch(r"(tcp|tls)://\S+:\d{1,5}|inproc://\S+", address):
        raise UsageError(f"--on '{address}' is no address of a scheduler. Write tcp://HOST:8786, or tls://HOST:8786.")
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)  # Dask reports to a log what we say in a sentence
    try:
        # A scheduler inside of this process reads pickles with it, of which all are its own.
        with nullcontext() if address.startswith("inproc:") else wary():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of versions that differ: `hosts` compares them
                client = _client(address)
            try:
                yield Connection(client)
            finally:
                with suppress(Exception):
                    client.close(timeout=CONNECT_S)
    finally:
        logging.disable(before)


def _client(address: str) -> Any:
    try:
        # What workers send is read without pickles. Some messages of a scheduler are pickled all the same: see `wary`.
        return Client(  # type: ignore[no-untyped-call]
            address, timeout=CONNECT_S, set_as_default=False, name="threadping", deserializers=["dask", "msgpack"]
        )
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise FleetLost(
            f"The scheduler {address} cannot be reached: {said.rstrip('.')}. Start it with `dask scheduler`, and give "
            "the address that it prints."
        ) from error


def is_open(address: str) -> bool:
    """Whether anybody on the network may join: no TLS, at an address beyond this host."""
    protocol, _, rest = address.rpartition("://")
    host = rest.rpartition(":")[0].strip("[]")
    try:
        return protocol == "tcp" and not ip_address(host).is_loopback
    except ValueError:
        return host != "localhost"
