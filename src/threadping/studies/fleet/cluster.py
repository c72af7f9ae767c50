"""Find the hosts of a Dask scheduler's workers, measure on each, and run a measurement in a worker.

The worker's functions return bytes of a format of ours: nothing that a host sends is unpickled.
"""

import asyncio
import logging
import os
import platform
import re
import signal
import sys
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from ipaddress import ip_address
from queue import Empty, SimpleQueue
from typing import Any

import msgspec
import psutil  # distributed requires it
from distributed import Client, KilledWorker, get_worker
from msgspec.structs import replace

from threadping.model.base import Record
from threadping.model.errors import FleetLost, UsageError
from threadping.model.quantities import duration
from threadping.model.run import Host, Member
from threadping.model.text import digest_of
from threadping.probes.owner import holder, owner_of_this_process
from threadping.probes.process import NotStarted, run_bounded, temporary_folder

MOST_SENT = 64 << 20  # bytes of a run that travel at most

CONNECT_S, LOOK_S = 10.0, 30.0  # to wait for a scheduler, and for what a worker says of its host
TICK_S = 2.0  # between two searches for workers that were lost
PATIENCE_S = 60.0  # a host may take so much longer than its own limit to answer
CLOCK_S = 60.0  # a clock that differs by more is named

BEGIN = (
    "import os, sys; from threadping.probes.process import die_with; die_with(int(sys.argv.pop(1))); sys.argv.pop(0); "
    "os.environ['TMPDIR'] = os.getcwd(); from threadping.__main__ import main; main()"
)
"""Python that starts `threadping`, which ends with its worker, and leaves nothing outside its folder even if killed.

Its arguments are the worker's process and the words.
"""


class HostReport(Record, frozen=True):
    """The state of a host before it measures."""

    host: Host  # by the name that its worker gives it
    measuring: str | None  # what measures there now
    clock: float  # its time in seconds since 1970
    note: str | None = None  # what is kept with its run; the client sets it
    problem: str | None = None  # why it cannot measure; the client sets it


# ---- the worker ----


def look() -> bytes:
    """Return a `HostReport`, encoded."""
    here = owner_of_this_process()
    engine = f"dask {version('distributed')}, Python {platform.python_version()}"
    key, machine = digest_of(here.machine or here.hostname, here.boot_id), digest_of("threadping", here.boot_id)
    host = Host(key, machine, here.hostname, "", version("threadping"), engine)
    return msgspec.msgpack.encode(HostReport(host, holder(), time.time()))


def measure(words: Sequence[str], fleet: str, limit_s: float) -> bytes:
    """Carry out a command of threadping in a process of its own, within a limit in seconds.

    Return the run, as `--format run` writes it, and what threadping said if there is none; encoded.

    Meanwhile the worker's thread sleeps. The process has a session of its own, a store in a temporary folder, and ends
    when the worker does, with its probes.
    """
    sent, said = b"", ""
    try:
        # Dask clears the folders of workers that died.
        with temporary_folder(get_worker().local_directory) as folder:
            run = folder / "fleet.run"
            begin = [sys.executable, "-c", BEGIN, str(os.getpid()), _name(fleet)]
            command = [*begin, *words, "-o", str(run), "--store", str(folder / "runs.sqlite3")]
            ended = run_bounded(command, folder=folder, seconds=limit_s)
            if not run.exists():
                said = _said(ended.log, ended.status, limit_s)
            elif (size := run.stat().st_size) > MOST_SENT:
                said = f"its run has {size / 1e6:,.0f} MB, too much to send"
            else:
                sent = run.read_bytes()
    except NotStarted as error:
        said = str(error)
    return msgspec.msgpack.encode((sent, said))


def _said(log: str, status: int | None, limit_s: float) -> str:
    if status is None:
        return f"it was stopped, since it had not ended after {duration(limit_s)}"
    lines = [line.removeprefix("threadping: ") for line in log.splitlines() if line.startswith("threadping: ")]
    return lines[-1] if lines else " ".join(log.split()[-30:]) or f"it ended with {status} and said nothing"


def _name(fleet: str) -> str:
    """Name the host's own threadping where a second one is refused."""
    return f"threadping, fleet {fleet}:"


def stop(fleet: str) -> None:
    """End what this worker measures for a fleet, whatever it is doing: its run is interrupted, and goes no further."""
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):  # it has ended meanwhile
            if _name(fleet) in child.cmdline():
                child.send_signal(signal.SIGTERM)


# ---- the client ----


class Connection:
    """A connection to a scheduler by Dask's client; `look` and `measure` are what the workers do."""

    def __init__(self, client: Any, look: Callable[[], bytes] = look, measure: Callable[..., bytes] = measure) -> None:
        self.client, self._look, self._measure = client, look, measure

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
            note = f"its clock differs from this one's by {duration(skew)}" if skew > CLOCK_S else None
            found[host.key] = replace(seen, host=host, note=note, problem=problem)
        return [*found.values()]

    def measured(
        self, members: Sequence[Member], words: Sequence[str], fleet: str, limit_s: float
    ) -> Generator[tuple[Member, bytes | None], None, None]:
        """Carry out a command on each host, on those of one machine one after the other; each comes as it ends.

        A member comes with its run, not yet validated, or with its problem. Raises FleetLost where the scheduler is
        gone. Closing the iterator early ends what still measures.
        """
        waiting, running = [*members], dict[str, tuple[Member, Any, float]]()
        ended: SimpleQueue[Any] = SimpleQueue()

        def begin() -> None:
            busy = {member.host.machine for member, _, _ in running.values()}
            for member in [*waiting]:
                if member.host.machine not in busy:
                    waiting.remove(member)
                    busy.add(member.host.machine)
                    # Pinned to one worker, and never taken from a cache. The fleet's name is what a second one reads.
                    pinned = {"workers": [member.host.address], "allow_other_workers": False, "pure": False}
                    future = self.client.submit(self._measure, words, fleet, limit_s, **pinned)
                    running[future.key] = (member, future, time.monotonic() + limit_s + PATIENCE_S)
                    future.add_done_callback(ended.put)

        try:
            begin()
            while running:
                try:
                    come = {ended.get(timeout=TICK_S).key: ""}
                except Empty:
                    come = self._lost(running)
                for key in come.keys() & running.keys():
                    member, future, _ = running.pop(key)
                    run, problem = (None, come[key]) if come[key] else self._result(future)
                    begin()
                    yield replace(member, problem=problem), run
        finally:
            if running and self.client.status == "running":
                with suppress(Exception):  # whatever is wrong with the cluster, this is the end
                    self.client.cancel([future for _, future, _ in running.values()])
                    self._stop({member.host.address for member, _, _ in running.values()}, fleet)

    def _stop(self, addresses: Iterable[str], fleet: str) -> None:
        """End what workers measure, where they are still there; elsewhere it ends by itself."""
        there = self._workers().keys() & {*addresses}

        async def stopped() -> None:
            asked = (self.client.run(stop, fleet, workers=[at], on_error="ignore") for at in there)
            await asyncio.wait_for(asyncio.gather(*asked, return_exceptions=True), LOOK_S)

        if there:
            self.client.sync(stopped)

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
            run, said = msgspec.msgpack.decode(future.result(timeout=PATIENCE_S), type=tuple[bytes, str])
        except (msgspec.MsgspecError, TypeError, ValueError, OSError) as error:
            return None, f"what it sent cannot be read ({error})"
        return (run, None) if run else (None, said)

    def _lost(self, running: dict[str, tuple[Member, Any, float]]) -> dict[str, str]:
        """Return by job why it is given up: its worker has gone, or does not answer any more."""
        there, lost = self._workers(), dict[str, str]()
        for key, (member, _, limit) in running.items():
            if member.host.address not in there:
                lost[key] = "its worker was lost"
            elif time.monotonic() > limit:
                lost[key] = "it does not answer any more"
        return lost

    def _workers(self) -> dict[str, str]:
        """Return the address of each worker, and that of its host."""
        with suppress(OSError):
            if self.client.status == "running":  # else it would tell what it knew before
                workers = self.client.scheduler_info(n_workers=-1)["workers"]
                return {address: str(of["host"]) for address, of in sorted(workers.items())}
        raise FleetLost("The scheduler has gone away.")

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
                problem = f"it did not answer within {duration(LOOK_S)}"
            except Exception as error:  # a worker that dies meanwhile, or sends what is no look
                problem = f"it could not be asked: {type(error).__name__} {error}"
            return HostReport(Host(address, address, address, address, "", ""), None, 0.0, problem=problem)

        return list(await asyncio.gather(*map(one, workers)))


@contextmanager
def connected(address: str) -> Iterator[Connection]:
    """Connect to a scheduler, by TLS if Dask is configured so; raises FleetLost, UsageError for no address."""
    if not re.fullmatch(r"(tcp|tls)://\S+:\d{1,5}|inproc://\S+", address):
        raise UsageError(
            f"--on must be the address of a scheduler, not '{address}'. Write tcp://HOST:8786, or tls://HOST:8786."
        )
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
