"""Whatever ends threadping, or its probes."""

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from fcntl import ioctl
from functools import partial
from termios import TIOCSCTTY
from typing import Any

import pytest

from tests.end_to_end.conftest import Done
from tests.end_to_end.faults.fault import (
    MEASURE,
    NONE_TWICE,
    NOTHING,
    STORED,
    UNCHANGED,
    Bench,
    How,
    Kept,
    Way,
    case_trials,
    read_faults,
    trials,
    without_failures,
)
from threadping.model.errors import ThreadpingError
from threadping.store.store import Store, open_store

HEADING = "Ctrl-C, signals, and probes that hang"
ABOUT = "Every trial is stored as it ends, so whatever ends threadping costs only the trial that ran."


def stored(bench: Bench) -> int:
    """How many trials of the last run are stored."""
    try:
        with open_store(str(bench.store), create=False) as store:
            return len(store.observations(store.run("last")))
    except ThreadpingError:
        return 0


def wait_for_trials(bench: Bench, fewest: int = 2) -> None:
    """Until so many are stored."""
    for _ in range(1200):
        if stored(bench) >= fewest:
            return
        time.sleep(0.05)
    pytest.fail("no trial was stored")


def ended_by(end: signal.Signals, to_group: bool = False, times: int = 1) -> Way:
    """The process, or its group, gets a signal once two trials are stored."""

    def run(bench: Bench, command: str) -> Done:
        bench.env["FAKE_PAUSE"] = "0.3"
        process = bench.start(command, start_new_session=to_group)
        wait_for_trials(bench)
        for _ in range(times):
            with suppress(ProcessLookupError):  # it may have ended after the first
                (os.killpg if to_group else os.kill)(process.pid, end)
            time.sleep(0.05 * (times - 1))
        stdout, stderr = process.communicate(timeout=60)
        assert ("100 ns" in stdout) == (end != signal.SIGKILL)  # the answer, as far as it came
        return Done(process.returncode, stdout, stderr)

    return run


def with_its_terminal(bench: Bench, command: str) -> Done:
    """The terminal that it runs in is closed."""
    (left := bench.folder / "temporary").mkdir()
    bench.env |= {"TMPDIR": str(left), "FAKE_PAUSE": "0.3"}
    master, terminal = os.openpty()
    streams: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), terminal)
    process = bench.start(command, **streams, start_new_session=True, preexec_fn=lambda: ioctl(terminal, TIOCSCTTY))
    os.close(terminal)
    wait_for_trials(bench)
    os.close(master)
    code = process.wait(60)
    assert [*left.iterdir()] == []
    return Done(code, "", "")


def before_the_first_trial(end: signal.Signals) -> Way:
    """A signal while the probe is asked what it can do."""

    def run(bench: Bench, command: str) -> Done:
        begun = bench.folder / "begun"
        bench.probe(f"touch {begun}; exec sleep 60")
        process = bench.start(command)
        while not begun.exists():
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(end)
        stdout, stderr = process.communicate(timeout=60)
        begun.unlink()
        return Done(process.returncode, stdout, stderr)

    return run


def while_it_imports(bench: Bench, command: str) -> Done:
    """Ctrl-C in the middle of an import."""
    bench.write("click.py", "import os, signal; os.kill(os.getpid(), signal.SIGINT); import time; time.sleep(9)")
    bench.env["PYTHONPATH"] = str(bench.folder)
    stdout, stderr = (process := bench.start(command)).communicate(timeout=60)
    return Done(process.returncode, stdout, stderr)


def interrupted(bench: Bench) -> None:
    """A run in which Ctrl-C came after two of three trials."""
    add, stored_ones = Store.add_batch, iter(range(1000))

    def ended(*arguments: object) -> None:
        add(*arguments)  # type: ignore[arg-type]
        if next(stored_ones) == 1:
            os.kill(os.getpid(), signal.SIGINT)

    with bench.patch.context() as patch:
        patch.setattr(Store, "add_batch", ended)
        assert bench.run(MEASURE).returncode == 130
    assert stored(bench) == 2


def whole(bench: Bench) -> None:
    """A run that was measured to its end."""
    assert bench.run(MEASURE).returncode == 0


def an_interrupted_run_of_another_machine(bench: Bench) -> None:
    """A run that was begun where the store was before."""
    interrupted(bench)
    bench.env["FAKE_CPUS"] = "4"


def leaves_a_child(bench: Bench) -> None:
    """Every trial leaves a process in a session of its own."""
    bench.probe('[ "$1" = run ] && setsid sleep 60 & exec $works "$@"')


def clock_steps(bench: Bench) -> None:
    """Somebody sets the clock while it is measured."""
    add = Store.add_batch

    def stepped(*arguments: object) -> None:
        add(*arguments)  # type: ignore[arg-type]
        bench.patch.setattr("time.time", lambda: 0.0)

    bench.patch.setattr(Store, "add_batch", stepped)


def clock_at(year: int) -> Callable[[Bench], None]:
    """The machine's clock was never set, or wrongly."""
    there = time.struct_time((year, 1, 2, 3, 4, 5, 0, 2, 0))
    return lambda bench: bench.patch.setattr("threadping.model.base.gmtime", lambda: there)


def clock_beyond_python(bench: Bench) -> None:
    """A clock of which Python cannot tell the time."""

    def read() -> None:
        raise OverflowError("timestamp too large to convert to C _PyTime_t")

    clock_at(9999)(bench)
    bench.patch.setattr("threadping.conduct.conduct.find_runtimes", lambda _, **__: read())


def while_the_end_is_stored(bench: Bench) -> None:
    """Ctrl-C when all trials are there, and only the end of the run is to be written."""
    finish = Store.finish

    def interrupted(*arguments: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        finish(*arguments)  # type: ignore[arg-type]

    bench.patch.setattr(Store, "finish", interrupted)


def impatient(bench: Bench) -> None:
    """A trial has half a second beyond its bound; two that hang are enough."""
    bench.patch.setattr("threadping.conduct.runner.START_SECONDS", 0.3)
    bench.patch.setattr("threadping.conduct.runner.HOPELESS_AFTER", 1)


ENDED = Kept(
    "every trial that had ended; the run is marked interrupted",
    partial(without_failures, status="interrupted", least=2),
)

FAULTS = read_faults(
    __file__,
    {
        "the clock is at the year 1970": How(NOTHING, clock_at(1970)),
        "the clock is at the year 2100": How(NOTHING, clock_at(2100)),
        "the clock is at a year that Python does not have": How(NOTHING, clock_beyond_python),
        "Ctrl-C": How(ENDED, run=ended_by(signal.SIGINT)),
        "Ctrl-C for the probe too, as a terminal sends it": How(ENDED, run=ended_by(signal.SIGINT, to_group=True)),
        "SIGTERM": How(ENDED, run=ended_by(signal.SIGTERM)),
        "SIGKILL": How(ENDED, run=ended_by(signal.SIGKILL)),
        "the terminal is closed": How(ENDED, run=with_its_terminal),
        "a dumb terminal is closed": How(ENDED, run=with_its_terminal),
        "Ctrl-C before anything is measured": How(NOTHING, run=before_the_first_trial(signal.SIGINT)),
        "Ctrl-C while the end is stored": How(trials(3), while_the_end_is_stored),
        "a probe that never ends, nor its child": How(case_trials(steady=3, hangs=0), impatient),
        "Ctrl-C twice": How(ENDED, run=ended_by(signal.SIGINT, times=2)),
        "SIGTERM before the first trial": How(NOTHING, run=before_the_first_trial(signal.SIGTERM)),
        "Ctrl-C while Python still imports": How(NOTHING, run=while_it_imports),
        "a run that was interrupted goes on": How(NONE_TWICE, interrupted),
        "to go on with a run that is whole": How(UNCHANGED, whole),
        "to go on with a run that is not there": STORED,
        "to go on with a run of another machine": How(UNCHANGED, an_interrupted_run_of_another_machine),
        "a probe leaves a child in a session of its own": How(trials(3), leaves_a_child),
        "the clock steps back an hour": How(trials(3), clock_steps),
    },
)
