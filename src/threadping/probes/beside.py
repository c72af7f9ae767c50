"""Processes beside trials: busy threads, the far end of a hop, and `probe hold`, which spares each trial a wait."""

import os
import re
import select
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import cycle, islice
from math import ceil
from pathlib import Path
from subprocess import DEVNULL, PIPE, STDOUT, Popen

from threadping.model.cases import Busy, Runtime
from threadping.model.trials import Failure
from threadping.probes.interrupts import held_back
from threadping.probes.process import NotStarted, describe_status
from threadping.probes.trial import Outcome

TRACING = Path("/sys/kernel/tracing/events")
"""There where tracefs is mounted, and the kernel lets us in."""

LISTEN_S = 10.0
"""So long a far end may take to open."""


@contextmanager
def holding_trace_points(cpp: Runtime) -> Iterator[None]:
    """Keep the kernel's trace points switched on: otherwise every trial that counts by them ends 190 ms later."""
    with ExitStack() as held:
        if TRACING.is_dir():
            with suppress(OSError):
                held.enter_context(_process((*cpp.command, "hold")))
        yield


def run_beside(
    cpp: Runtime,
    busy: Busy,
    trials: Callable[[], list[Outcome]],
    cpus: Collection[int] = (),
    there: Sequence[int] = (),
) -> list[Outcome]:
    """Run trials beside busy threads, which are gone afterwards.

    Args:
        cpp: the C++ probe, which is busy in the language that is measured too: all compete alike.
        busy: how many, and how nice.
        trials: runs them, at least one.
        cpus: those that the busy threads may use, beside this process's own.
        there: the trial's own, on which they stand in turn where they are to; anywhere where it has none.

    Returns:
        What came of each; a failure where a busy thread could not be started, and of all where one ended too soon.
    """
    command = (*cpp.command, "busy", *(("--nice", str(busy.nice)) if busy.nice else ()))
    try:
        with ExitStack() as all_of_them:
            with _also_on(cpus):
                pins = islice(cycle([("--cpu", str(cpu)) for cpu in there if busy.there] or [()]), busy.threads)
                started = [all_of_them.enter_context(_process((*command, *pin))) for pin in pins]
            outcomes = trials()
            ended = next((one.returncode for one in started if one.poll() is not None), None)
    except OSError as error:
        return [Outcome(None, Failure("not-busy", f"'{command[0]}' cannot be started: {error.strerror}."), "", 0)]
    if ended is None:
        return outcomes
    why = f"A busy thread ended before the trial did ({describe_status(ended)}): not all were beside it."
    return [Outcome(None, Failure("not-busy", why), one.log, one.wall_ns) for one in outcomes]


@contextmanager
def _also_on(cpus: Collection[int]) -> Iterator[None]:
    """What is started meanwhile may use these CPUs too: they were named, and may be outside of this process's mask."""
    mine = os.sched_getaffinity(0)
    if mine >= {*cpus}:
        yield
        return
    with suppress(OSError):  # a cpuset has shrunk meanwhile: what is left will do
        os.sched_setaffinity(0, mine | {*cpus})
    try:
        yield
    finally:
        with suppress(OSError):
            os.sched_setaffinity(0, mine)


@contextmanager
def serving(cpp: Runtime, address: str, limit_s: float, cpu: int) -> Iterator[str]:
    """Open the far end of a hop at an IP address, on this CPU and for so many seconds at most.

    Yields:
        Its port, and the number that a near end must know: "PORT NONCE".

    Raises:
        NotStarted: it does not open; what it says of that.
    """
    limits = ("--seconds", str(ceil(limit_s)), "--parent", str(os.getpid()))
    with _process((*cpp.command, "serve", "--host", address, *limits), stdout=PIPE) as process:
        with suppress(ProcessLookupError):  # it has ended already, and says why
            os.sched_setaffinity(process.pid, {cpu})
        assert process.stdout is not None
        there, _, _ = select.select([process.stdout], [], [], LISTEN_S)
        said = process.stdout.readline().decode().strip() if there else "it says nothing"
        if not re.fullmatch(r"\d+ \d+", said):
            raise NotStarted(said or "it ended at once")
        yield said


@contextmanager
def _process(command: tuple[str, ...], stdout: int = DEVNULL) -> Iterator["Popen[bytes]"]:
    """It ends when this process does, whatever happens: by the kernel's signal, or because its standard input closes.

    Ctrl-C in a terminal, which goes to the whole group, ends the trial first.
    """
    with held_back():  # never between the start of a process and the record of it
        process = Popen(command, stdin=PIPE, stdout=stdout, stderr=STDOUT, start_new_session=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()
