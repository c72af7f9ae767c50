"""Busy threads beside a trial: as many as were asked for, and none afterwards."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.conftest import is_alive
from threadping.model.cases import NOBODY_BUSY, Busy, Runtime
from threadping.probes.trial import Outcome, holding_trace_points, run_beside

FINE = [Outcome(None, None, "fine", 7)]


@pytest.fixture
def marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where each busy thread leaves a file, named by its process and its niceness."""
    folder = tmp_path / "busy"
    folder.mkdir()
    monkeypatch.setenv("FAKE_BUSY", str(folder))
    return folder


def started(marks: Path, number: int) -> list[int]:
    """The processes of so many, all of them alive."""
    while len(files := list(marks.iterdir())) < number:
        pass
    processes = [int(one.stem) for one in files]
    assert all(map(is_alive, processes))
    return processes


@pytest.mark.parametrize("busy", [Busy(3), Busy(2, nice=7), NOBODY_BUSY])
def test_a_trial_is_beside_so_many_busy_threads_and_they_are_gone_afterwards(
    fake_runtime: Runtime, marks: Path, busy: Busy
) -> None:
    processes: list[int] = []

    def trial() -> list[Outcome]:
        processes.extend(started(marks, busy.threads))
        return FINE

    assert run_beside(fake_runtime, busy, trial) == FINE
    assert [one.suffix for one in marks.iterdir()] == [f".{busy.nice}"] * busy.threads
    assert not any(map(is_alive, processes))


@pytest.mark.parametrize(
    ("there", "on", "asked"),
    [
        (True, (2, 5), ["--nice 19 --cpu 2", "--nice 19 --cpu 2", "--nice 19 --cpu 5"]),
        (True, (), ["--nice 19"] * 3),  # of a trial that is not pinned
        (False, (2, 5), ["--nice 19"] * 3),
    ],
)
def test_busy_threads_stand_on_the_trials_own_cpus_in_turn_where_they_are_to(
    fake_runtime: Runtime, marks: Path, there: bool, on: tuple[int, ...], asked: list[str]
) -> None:
    def trial() -> list[Outcome]:
        started(marks, 3)
        while not all(one.read_text() for one in marks.iterdir()):
            pass
        return FINE

    assert run_beside(fake_runtime, Busy(3, nice=19, there=there), trial, (), on) == FINE
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
        run_beside(fake_runtime, Busy(1), trial, mine)
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


def test_they_are_gone_where_the_trial_is_interrupted(fake_runtime: Runtime, marks: Path) -> None:
    processes: list[int] = []

    def interrupted() -> list[Outcome]:
        processes.extend(started(marks, 2))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_beside(fake_runtime, Busy(2), interrupted)
    assert len(processes) == 2
    assert not any(map(is_alive, processes))


def after(seen: Callable[[], object]) -> Callable[[], list[Outcome]]:
    def trial() -> list[Outcome]:
        seen()
        return FINE

    return trial


def test_a_trial_failed_that_was_not_beside_all_of_them(fake_runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    children: list[subprocess.Popen[bytes]] = []

    class Popen(subprocess.Popen[bytes]):
        def __init__(self, *args: object, **kwargs: object) -> None:
            super().__init__(*args, **kwargs)  # type: ignore[call-overload]
            children.append(self)

    monkeypatch.setattr("threadping.probes.trial.Popen", Popen)
    quits = replace(fake_runtime, command=(sys.executable, "-c", "raise SystemExit(3)"))
    (outcome,) = run_beside(quits, Busy(1), after(lambda: children[0].wait()))
    assert outcome.failure is not None
    assert "(exit status 3): not all were beside it." in outcome.failure.message
    (outcome,) = run_beside(replace(fake_runtime, command=("/nowhere/probe",)), Busy(1), after(lambda: None))
    assert outcome.failure is not None
    assert outcome.failure.message == "'/nowhere/probe' cannot be started: No such file or directory."
