"""Whatever ends threadping, or its probes."""

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from fcntl import ioctl
from termios import TIOCSCTTY

import pytest

from tests.end_to_end.conftest import Done
from tests.end_to_end.faults.fault import (
    ANSWER,
    MEASURE,
    NOTHING,
    SILENCE,
    UNCHANGED,
    Bench,
    Fault,
    Kept,
    Way,
    case_trials,
    trials,
)
from threadping.model.errors import ThreadpingError
from threadping.store.store import Store, open_store

HEADING = "Ctrl-C, signals, and probes that hang"
ABOUT = "Every trial is stored as it ends, so whatever ends threadping costs only the trial that ran."

LONG = "run signal --placement same-l3 --budget 60s"
SLOW = {"FAKE_PAUSE": "0.1"}


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
    bench.env["TMPDIR"] = str(left)
    master, terminal = os.openpty()
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), terminal)
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


def _keeps_what_ended(bench: Bench) -> None:
    with open_store(str(bench.store), create=False) as store:
        run = store.run("last")
        found = store.observations(run)
    assert (run.status, len(found) >= 2, all(one.failure is None for one in found)) == ("interrupted", True, True)


ENDED = Kept("every trial that had ended; the run is marked interrupted", _keeps_what_ended)

FAULTS = (
    *(
        Fault(
            f"the clock is at the year {year}",
            MEASURE,
            1,
            f"The clock of this machine is wrong: it shows the year {year}. Set it, such as by `timedatectl set-ntp "
            "true`, then measure again.",
            NOTHING,
            clock_at(year),
        )
        for year in (1970, 2100)
    ),
    Fault(
        "the clock is at a year that Python does not have",
        MEASURE,
        1,
        "The clock of this machine is wrong: it shows the year 9999. Set it, such as by `timedatectl set-ntp "
        "true`, then measure again.",
        NOTHING,
        clock_beyond_python,
    ),
    Fault(
        "Ctrl-C",
        LONG,
        130,
        "Interrupted; what was measured until then is stored and shown. `threadping runs resume 1` resumes it.",
        ENDED,
        run=ended_by(signal.SIGINT),
        env=SLOW,
    ),
    Fault(
        "Ctrl-C for the probe too, as a terminal sends it",
        LONG,
        130,
        "Interrupted; what was measured until then is stored and shown. `threadping runs resume 1` resumes it.",
        ENDED,
        run=ended_by(signal.SIGINT, to_group=True),
        env=SLOW,
    ),
    Fault(
        "SIGTERM",
        LONG,
        130,
        "Interrupted; what was measured until then is stored and shown. `threadping runs resume 1` resumes it.",
        ENDED,
        run=ended_by(signal.SIGTERM),
        env=SLOW,
    ),
    Fault("SIGKILL", LONG, -9, SILENCE, ENDED, run=ended_by(signal.SIGKILL), env=SLOW),
    Fault("the terminal is closed", LONG, 1, SILENCE, ENDED, run=with_its_terminal, env=SLOW),
    Fault("a dumb terminal is closed", LONG, 1, SILENCE, ENDED, run=with_its_terminal, env={**SLOW, "TERM": "dumb"}),
    Fault(
        "Ctrl-C before anything is measured",
        LONG,
        130,
        "Interrupted.",
        NOTHING,
        run=before_the_first_trial(signal.SIGINT),
    ),
    Fault("Ctrl-C while the end is stored", MEASURE, 0, ANSWER, trials(3), while_the_end_is_stored),
    Fault(
        "a probe that never ends, nor its child",
        "run signal --placement same-l3 --budget 1.5s --mechanism steady,hangs",
        1,
        "The probe was killed: it had not ended \N{HORIZONTAL ELLIPSIS} s after its start, beyond its bound.",
        case_trials(steady=3, hangs=0),
        impatient,
        env={"FAKE_MECHANISMS": "steady,hangs"},
    ),
    Fault(
        "Ctrl-C twice",
        LONG,
        130,
        "Interrupted; what was measured until then is stored and shown. `threadping runs resume 1` resumes it.",
        ENDED,
        run=ended_by(signal.SIGINT, times=2),
        env=SLOW,
    ),
    Fault(
        "SIGTERM before the first trial", LONG, 130, "Interrupted.", NOTHING, run=before_the_first_trial(signal.SIGTERM)
    ),
    Fault("Ctrl-C while Python still imports", "runs list", 130, "Interrupted.", NOTHING, run=while_it_imports),
    Fault(
        "a run that was interrupted goes on",
        "runs resume last",
        0,
        ANSWER,
        Kept("all 3 trials, none twice", trials(3).holds),
        interrupted,
    ),
    Fault(
        "to go on with a run that is whole",
        "runs resume last",
        2,
        "Run 1 is complete: nothing is left to measure. `threadping show 1` shows it.",
        UNCHANGED,
        whole,
    ),
    Fault(
        "to go on with a run that is not there",
        "runs resume 7",
        2,
        "There is no run '7' in the store \N{HORIZONTAL ELLIPSIS}/runs.sqlite3, which holds run 1. Write such a "
        "number, or last.",
        UNCHANGED,
        Bench.store_a_run,
    ),
    Fault(
        "to go on with a run of another machine",
        "runs resume 1",
        2,
        "Run 1 was measured on another machine: it had 2 CPUs in another arrangement. A run is resumed where it "
        "began; measure again.",
        UNCHANGED,
        an_interrupted_run_of_another_machine,
    ),
    Fault("a probe leaves a child in a session of its own", MEASURE, 0, ANSWER, trials(3), leaves_a_child),
    Fault("the clock steps back an hour", MEASURE, 0, ANSWER, trials(3), clock_steps),
)
