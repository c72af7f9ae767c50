"""Simultaneous processes: Ctrl-C, several at once, and the order of their turns."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import pytest
from msgspec.structs import replace

from tests.conftest import is_alive
from threadping.model.cases import NOBODY_BUSY, Busy, Runtime
from threadping.probes import interrupts
from threadping.probes import process as scratch
from threadping.probes.interrupts import held_back
from threadping.probes.process import PREFIX, clear_abandoned, scratch_folder
from threadping.probes.trial import Outcome, holding_trace_points, run_under_load


@pytest.fixture
def came() -> Iterator[list[int]]:
    """Collect the signals that took effect; both raise KeyboardInterrupt."""
    came: list[int] = []

    def stop(number: int, _frame: FrameType | None) -> None:
        came.append(number)
        raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    yield came
    for number, handler in before.items():
        signal.signal(number, handler)


def test_what_came_takes_effect_at_the_end_unless_it_is_dropped(came: list[int]) -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), held_back():
        signal.raise_signal(signal.SIGTERM)
        done.append(list(came))
    assert (done, came) == ([[]], [signal.SIGTERM])
    with pytest.raises(KeyboardInterrupt):  # and the handlers are as before
        signal.raise_signal(signal.SIGINT)
    with held_back(dropped=True):
        signal.raise_signal(signal.SIGINT)
    assert came == [signal.SIGTERM, signal.SIGINT]  # and nothing that is dropped


@pytest.mark.parametrize("early", [True, False])
def test_the_first_is_let_through_and_the_next_one_waits_for_the_clearing_up(came: list[int], early: bool) -> None:
    cleared = []
    with pytest.raises(KeyboardInterrupt), held_back() as held:
        if early:
            signal.raise_signal(signal.SIGINT)
        try:
            with held.let_through():
                signal.raise_signal(signal.SIGINT)
                pytest.fail("it was not let through")
        finally:
            signal.raise_signal(signal.SIGTERM)
            cleared.append(list(came))
    assert (cleared, came) == ([[signal.SIGINT]], [signal.SIGINT])


def test_what_is_ignored_is_not_the_first(came: list[int]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with pytest.raises(KeyboardInterrupt), held_back() as held, held.let_through():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)
        pytest.fail("it was not let through")
    assert (came, signal.getsignal(signal.SIGINT)) == ([signal.SIGTERM], signal.SIG_IGN)


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """The time, to be changed; whatever a test does to the signals is undone."""
    before = {number: signal.getsignal(number) for number in interrupts.ENDS}
    time_of = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: time_of[0])
    yield time_of
    for number, handler in before.items():
        signal.signal(number, handler)


def test_what_comes_together_interrupts_once_and_what_is_ignored_stays_so(now: list[float]) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    with interrupts.as_interrupt():
        with interrupts.as_interrupt(), pytest.raises(KeyboardInterrupt):  # arranged already: it stays one
            signal.raise_signal(signal.SIGTERM)
        now[0] += interrupts.ONCE_S / 2
        for number in interrupts.ENDS:
            signal.raise_signal(number)
        now[0] += interrupts.ONCE_S
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    interrupts.ignore_from_now_on()
    signal.raise_signal(signal.SIGINT)


def test_a_terminal_closes_once_however_late_its_second_signal_comes(now: list[float]) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    with interrupts.as_interrupt():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGHUP)
        now[0] += 2 * interrupts.ONCE_S
        signal.raise_signal(signal.SIGHUP)


def test_in_another_thread_nothing_is_held_back() -> None:
    def hold() -> Any:
        with held_back() as held, held.let_through():
            return signal.getsignal(signal.SIGINT)

    with ThreadPoolExecutor() as executor:
        assert executor.submit(hold).result() == signal.getsignal(signal.SIGINT)


FINE = [Outcome(None, None, "fine", 7)]


@pytest.fixture
def marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which each busy thread leaves a file, named by its process and its niceness."""
    folder = tmp_path / "busy"
    folder.mkdir()
    monkeypatch.setenv("FAKE_BUSY", str(folder))
    return folder


def started(marks: Path, number: int) -> list[int]:
    """Wait until this number of busy processes is alive; return them."""
    while len(files := [one for one in marks.iterdir() if is_alive(int(one.stem))]) < number:
        pass
    return [int(one.stem) for one in files]


@pytest.mark.parametrize("busy", [Busy(3), Busy(2, nice=7), NOBODY_BUSY])
def test_busy_threads_run_during_a_trial_and_end_with_it(fake_runtime: Runtime, marks: Path, busy: Busy) -> None:
    processes: list[int] = []

    def trial() -> list[Outcome]:
        processes.extend(started(marks, busy.threads))
        return FINE

    assert run_under_load(fake_runtime, busy, trial) == FINE
    assert [one.suffix for one in marks.iterdir()] == [f".{busy.nice}"] * busy.threads
    assert not any(map(is_alive, processes))

    def interrupted() -> list[Outcome]:
        processes[:] = started(marks, busy.threads)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_under_load(fake_runtime, busy, interrupted)
    assert not any(map(is_alive, processes))


@pytest.mark.parametrize(
    ("there", "on", "asked"),
    [
        (True, (2, 5), ["--nice 19 --cpu 2", "--nice 19 --cpu 2", "--nice 19 --cpu 5"]),
        (True, (), ["--nice 19"] * 3),  # of a trial that is not pinned
        (False, (2, 5), ["--nice 19"] * 3),
    ],
)
def test_busy_threads_alternate_between_the_trials_own_cpus_on_request(
    fake_runtime: Runtime, marks: Path, there: bool, on: tuple[int, ...], asked: list[str]
) -> None:
    def trial() -> list[Outcome]:
        while len(started(marks, 3)) < 3 or not all(one.read_text() for one in marks.iterdir()):
            pass
        return FINE

    assert run_under_load(fake_runtime, Busy(3, nice=19, there=there), trial, (), on) == FINE
    assert sorted(one.read_text() for one in marks.iterdir()) == asked


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one CPU only")
def test_busy_threads_may_use_cpus_that_were_named_outside_of_the_mask(fake_runtime: Runtime, marks: Path) -> None:
    mine = os.sched_getaffinity(0)
    seen: list[set[int]] = []

    def trial() -> list[Outcome]:
        seen.extend(os.sched_getaffinity(one) for one in (*started(marks, 1), 0))
        return FINE

    os.sched_setaffinity(0, {min(mine)})
    try:
        run_under_load(fake_runtime, Busy(1), trial, mine)
        assert seen == [mine, {min(mine)}]
    finally:
        os.sched_setaffinity(0, mine)


def test_trace_points_are_held_where_there_are_any_and_no_longer_than_trials_run(
    fake_runtime: Runtime, marks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("threadping.probes.trial.TRACING", tmp_path / "unmounted")
    with holding_trace_points(fake_runtime):
        pass
    monkeypatch.setattr("threadping.probes.trial.TRACING", tmp_path)
    with holding_trace_points(fake_runtime):
        [process] = started(marks, 1)
    assert [one.stem for one in marks.iterdir()] == [str(process)]
    assert not is_alive(process)
    with holding_trace_points(replace(fake_runtime, command=("/nowhere/probe",))):
        pass  # what cannot be held only takes longer


def test_a_trial_without_all_its_busy_threads_fails(fake_runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    children: list[subprocess.Popen[bytes]] = []

    class Popen(subprocess.Popen[bytes]):
        def __init__(self, *args: object, **kwargs: object) -> None:
            super().__init__(*args, **kwargs)  # type: ignore[call-overload]
            children.append(self)

    monkeypatch.setattr("threadping.probes.trial.Popen", Popen)
    quits = replace(fake_runtime, command=(sys.executable, "-c", "raise SystemExit(3)"))
    (outcome,) = run_under_load(quits, Busy(1), lambda: [FINE[children[0].wait() - 3]])
    assert outcome.failure is not None
    assert "(exit status 3): not all of them competed with it." in outcome.failure.message
    (outcome,) = run_under_load(replace(fake_runtime, command=("/nowhere/probe",)), Busy(1), lambda: FINE)
    assert outcome.failure is not None
    assert outcome.failure.message == "'/nowhere/probe' cannot be started: there is no such file or folder."


# ---- temporary folders: gone with their process, or cleared by the next one ----
HOLD = "import sys; from threadping.probes.process import scratch_folder\nwith scratch_folder(sys.argv[1]) as folder:\n"
HOLD += " (folder / 'log').touch(); print(folder, flush=True); sys.stdin.read()"


@contextmanager
def holding(parent: Path) -> Iterator[tuple["subprocess.Popen[str]", Path]]:
    """Another process with a folder of its own, and that."""
    command = [sys.executable, "-c", HOLD, str(parent)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield process, Path(process.stdout.readline().strip())
        process.kill()


@pytest.fixture
def new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch, "_cleared", set())


def test_a_folder_is_gone_afterwards_whatever_it_holds(tmp_path: Path) -> None:
    with scratch_folder(str(tmp_path)) as folder:
        (folder / "0").mkdir()
        (folder / "0" / "log").write_text("a line")
        assert [*tmp_path.iterdir()] == [folder]
    assert [*tmp_path.iterdir()] == []


@pytest.mark.usefixtures("new_process")
@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGQUIT])
def test_what_a_killed_process_left_is_cleared_and_what_lives_is_not(tmp_path: Path, end: signal.Signals) -> None:
    with holding(tmp_path) as (killed, left), holding(tmp_path) as (_, kept):
        killed.send_signal(end)
        killed.wait()
        assert left.exists()
        with scratch_folder(str(tmp_path)) as mine:
            assert {*tmp_path.iterdir()} == {kept, mine}
        assert (kept / "log").exists()


@pytest.mark.usefixtures("new_process")
def test_links_other_names_and_files_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").touch()
    (tmp_path / f"{PREFIX}1-link").symlink_to(precious)
    (tmp_path / f"{PREFIX}1-file").touch()
    (tmp_path / "threadping-older").mkdir()
    (abandoned := tmp_path / f"{PREFIX}1-folder").mkdir()
    (abandoned / "link").symlink_to(precious)
    before = {*tmp_path.iterdir()}
    with monkeypatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: os.getuid() + 1)  # of another user
        clear_abandoned(tmp_path)
    assert {*tmp_path.iterdir()} == before
    clear_abandoned(tmp_path)
    assert {*tmp_path.iterdir()} == before - {abandoned}
    assert (precious / "file").exists()


@pytest.mark.usefixtures("new_process")
@pytest.mark.parametrize(("of", "step"), [(os, "open"), (fcntl, "flock")])
def test_a_folder_that_was_taken_for_abandoned_before_it_was_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of: ModuleType, step: str
) -> None:
    usual, taken = getattr(of, step), iter(range(99))

    def late(*arguments: Any, **named: Any) -> Any:
        if next(taken) == 0:
            clear_abandoned(tmp_path)
        return usual(*arguments, **named)

    scratch._cleared.add(tmp_path)
    monkeypatch.setattr(of, step, late)
    with scratch_folder(str(tmp_path)) as folder:
        assert [*tmp_path.iterdir()] == [folder]
