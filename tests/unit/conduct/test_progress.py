"""The progress display during a run, and at its end."""

import errno
import io
import os
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec.structs import replace
from rich.console import Console

from tests.conftest import make_request, make_result
from tests.golden.fixture import ANSWER, APART, BRACKETS, CASES, HUNG
from tests.unit.conduct.simulation import Clock
from threadping.analysis.states import parse_state, states_of
from threadping.conduct import conduct, pings, streams, study
from threadping.conduct.pings import Watch
from threadping.conduct.presenting import Output
from threadping.conduct.progress import Progress
from threadping.model.cases import Case, Pair, WarmupPolicy
from threadping.model.contract import PingResult
from threadping.model.errors import Interrupted, OutputUnwritable, StoreError, ThreadpingError, Undecided, UsageError
from threadping.model.run import (
    Failure,
    Observation,
    PingTaken,
    ReferencePing,
    RunEnded,
    State,
    Trial,
    TrialBegins,
    TrialEnded,
)
from threadping.studies.survey import STUDY, SurveyStudy


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def said(self) -> str:
        """Return the text written since the last call, without control codes."""
        text = re.sub(r"\x1b\[[?\d;]*[A-Za-z]", "", self.getvalue())
        self.seek(0)
        self.truncate()
        return " ".join(text.split())


def ended(
    case: Case, round_number: int, failure: Failure | None = None, figures: Mapping[str, float] | None = None
) -> TrialEnded:
    trial = Trial(round_number, 0, case, make_request(), None, failure, "", "2026-03-01T09:30:00+00:00", 1)
    return TrialEnded(trial, Observation(round_number, 0, case, failure, 1, figures={**(figures or {})}))


def begins(case: Case, number: int, done: int, left_s: float, trials: int = 6) -> TrialBegins:
    return TrialBegins(case, number, rounds=3, done=done, trials=trials, left_s=left_s)


def on_terminal(file: io.StringIO, width: int = 140, height: int = 30) -> Console:
    return Console(file=file, width=width, height=height, force_terminal=True, _environ={"TERM": "xterm"})


def test_a_terminal_shows_case_trials_and_a_time_left_that_never_grows() -> None:
    terminal = Terminal()
    with Progress(on_terminal(terminal)) as progress:
        progress.saw(begins(CASES[0], 1, 0, 30))
        assert re.search(r" 0 of up to 6 trials about 30 s left \S+ condition java-17 same-l3$", terminal.said())
        progress.saw(ended(CASES[0], 1))
        assert terminal.said() == ""  # what was counted shows when the next trial begins
        progress.saw(begins(CASES[1], 1, 1, 23))
        assert "1 of up to 6 trials about 23 s left" in terminal.said()
        progress.saw(ended(CASES[1], 1, HUNG))
        progress.saw(begins(CASES[1], 2, 2, 40))
        assert "2 of up to 6 trials, 1 failed about 23 s left" in terminal.said()


def test_the_number_of_trials_never_grows_but_to_one_more_than_there_were() -> None:
    terminal = Terminal()
    with Progress(on_terminal(terminal)) as progress:
        for done, trials, shown in ((0, 20, 20), (1, 25, 20), (2, 9, 9), (3, 30, 9), (9, 12, 10)):
            terminal.said()
            progress.saw(begins(CASES[0], 1, done, 30, trials))
            assert f"{done} of up to {shown} trials" in terminal.said()


def test_a_trial_is_named_with_all_that_is_unusual_in_it_and_steers_nothing() -> None:
    pinned = replace(BRACKETS, mechanism="[bold]\x1b[2J", placement=replace(APART, pin="process"))
    case = replace(pinned, params={"wait": "pause"}, varied=("wait",), warmup=WarmupPolicy(1, 9))
    terminal = Terminal()
    with Progress(on_terminal(terminal)) as progress:
        progress.saw(begins(case, 1, 0, 30))
    assert "━ [bold]\\x1b[2J wait=pause cpp same-l3 process 1x9" in terminal.said()


def test_no_thread_works_during_a_trial_and_the_terminal_is_restored() -> None:
    before, terminal = threading.enumerate(), Terminal()
    with Progress(on_terminal(terminal)) as progress:
        progress.saw(begins(CASES[0], 1, 0, 30))
        assert threading.enumerate() == before
    assert terminal.getvalue().rstrip().endswith("\x1b[2K")  # the line is erased
    assert "\x1b[?25h" in terminal.getvalue()  # and the cursor is back


def test_at_80_columns_a_long_name_gives_way_to_how_many_trials_and_how_long() -> None:
    case, terminal = replace(CASES[0], mechanism="a-very-long-name-of-a-mechanism", runtime="java-17 -Xint"), Terminal()
    with Progress(on_terminal(terminal, width=80)) as progress:
        terminal.said()
        progress.saw(TrialBegins(case, 3, rounds=12, done=1203, trials=14400, left_s=3599))
        line = terminal.said()
    assert re.fullmatch(r"1203 of up to 14400 trials about 59 min 59 s left \S+ a-very\S*…", line), line
    assert len(line) <= 80


def test_figures_are_shown_as_they_become_known_and_are_gone_with_the_bar() -> None:
    terminal = Terminal()
    with Progress(on_terminal(terminal)) as progress:
        progress.saw(PingTaken(ReferencePing((0, 1), 1.0, 0, 26.0)))
        assert "so far median trials core to core, CPUs 0,1 26.0 ns" in terminal.said()
        for ns in (100.0, 300.0, 120.0):
            progress.saw(ended(CASES[1], 1, figures={"latency_ns.typical": ns}))
        progress.saw(ended(CASES[0], 1, HUNG))
        terminal.said()
        progress.saw(begins(CASES[0], 1, 3, 23))
        assert terminal.said().endswith(f"core to core, CPUs 0,1 26.0 ns {CASES[1].title} 120 ns 3")
    assert terminal.getvalue().rstrip().endswith("\x1b[2K")


def test_of_more_cases_than_a_terminal_has_lines_those_that_came_last_are_shown() -> None:
    terminal = Terminal()
    cases = [replace(CASES[1], mechanism=f"mechanism-{number}") for number in range(20)]
    with Progress(on_terminal(terminal, height=10)) as progress:
        for case in cases:
            progress.saw(ended(case, 1, figures={"latency_ns.typical": 100.0}))
        progress.saw(begins(CASES[0], 1, 20, 23))
        assert re.findall(r"mechanism-\d+", terminal.said()) == ["mechanism-17", "mechanism-18", "mechanism-19"]


@pytest.mark.parametrize("colour", [True, False])
def test_elsewhere_there_is_a_line_a_round(colour: bool) -> None:
    file = io.StringIO()
    with Progress(on_terminal(file) if colour else Console(file=file, width=40)) as progress:
        for done in range(6):
            progress.saw(begins(CASES[done % 2], done // 2 + 1, done, 30 - 5 * done))
            progress.saw(ended(CASES[done % 2], done // 2 + 1))
    text = re.sub(r"\x1b\[[\d;]*m", "", file.getvalue())
    lines = (f"round {n} of 3: {2 * n - 2} of up to 6 trials, about {40 - 10 * n} s left\n" for n in (1, 2, 3))
    assert text == "".join(lines)


def test_waiting_for_a_state_is_shown_each_time_on_a_terminal_and_once_elsewhere() -> None:
    file, terminal = io.StringIO(), Terminal()
    with Progress(Console(file=file, width=40)) as lines, Progress(on_terminal(terminal)) as bar:
        for ns, shown in product((26.0, 31.0, None), (lines, bar)):
            shown.saw(PingTaken(ReferencePing((0, 1), 1.0, 0, ns), waits=True))
    assert file.getvalue() == "waiting for the state that was asked for: CPUs 0,1 26.0 ns core to core\n"
    said = terminal.said()
    assert "waiting: CPUs 0,1 31.0 ns core to core" in said
    assert "waiting: CPUs 0,1 cannot be pinged" in said


N, F = 26.0, 127.0
PAIR = (0, 1)


class Machine(Clock):
    """A machine whose pings take a second, and report the planted values one after the other."""

    planted: Iterator[float | None] = iter(())

    def ping(self, pairs: Sequence[Pair], trials: int) -> list[ReferencePing]:
        found = []
        for pair, ns in ((pair, next(self.planted, N)) for pair in pairs):
            self.now += 1
            found.append(ReferencePing(pair, self.now, trials, ns, wall_ns=10**9, failure=None if ns else "it is off"))
        return found


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Machine:
    clock = Machine()
    monkeypatch.setattr(pings, "time", clock)
    return clock


def begun(clock: Machine, *planted: float | None, state: str | None = None, known: Sequence[State] = ()) -> Watch:
    clock.planted = iter(planted)
    return Watch(clock.ping, parse_state(state), known)


def taken(events: Iterator[PingTaken]) -> list[tuple[Pair, int, float | None]]:
    return [(event.ping.cpus, event.ping.trials, event.ping.ns) for event in events]


def test_pairs_that_share_no_cpu_are_pinged_at_once_and_those_unlike_before_once_more(clock: Machine) -> None:
    asked: list[list[Pair]] = []
    planted = iter([N, N, N, N, F, F, N])

    def ping(pairs: Sequence[Pair], trials: int) -> list[ReferencePing]:
        asked.append([*pairs])
        return [ReferencePing(pair, 0.0, trials, next(planted)) for pair in pairs]

    found = Watch(ping)
    assert len([*found.ping([(0, 1), (1, 2), (2, 3)], 0), *found.ping([(0, 1), (1, 2), (2, 3)], 1)]) == 7
    assert asked == [[(0, 1), (2, 3)], [(1, 2)], [(0, 1), (2, 3)], [(2, 3)], [(1, 2)]]
    assert found.levels([(0, 1), (1, 2), (2, 3)]) == (N, N, F)


def test_one_ping_serves_the_trials_on_both_its_sides(clock: Machine) -> None:
    found = begun(clock)
    assert taken(found.ping([PAIR, (1, 2)], 0)) == [(PAIR, 0, N), ((1, 2), 0, N)]
    assert taken(found.ping([PAIR, (2, 3)], 0)) == [((2, 3), 0, N)]
    assert taken(found.ping([PAIR], 1)) == [(PAIR, 1, N)]
    assert [(one.cpus, one.trials) for one in found.pings] == [(PAIR, 0), ((1, 2), 0), ((2, 3), 0), (PAIR, 1)]
    assert (found.levels([PAIR, (1, 2)]), found.levels([PAIR, (1, 3)]), found.levels([])) == ((N, N), (), ())
    clock.planted = iter([None])
    list(found.ping([PAIR], 2))
    assert found.levels([PAIR, (1, 2)]) == ()  # only where every pair has one


@pytest.mark.parametrize(
    ("planted", "expected"),
    [
        ([N, 29], [29]),
        ([N, 29.1, F], [29.1, F]),  # it is taken once more, and no more than that
        ([N, F, F], [F, F]),
        ([F, N, F], [N, F]),
        ([N, None], [None]),
        ([None, N], [N]),
    ],
)
def test_an_unlike_ping_is_repeated(clock: Machine, planted: list[float | None], expected: list[float | None]) -> None:
    found = begun(clock, *planted)
    assert taken(found.ping([PAIR], 0)) == [(PAIR, 0, planted[0])]
    assert taken(found.ping([PAIR], 1)) == [(PAIR, 1, ns) for ns in expected]


def within(trials: int, ns: float) -> ReferencePing:
    return ReferencePing(PAIR, 0.0, trials, ns, within=True)


def test_what_a_trial_pings_itself_is_not_pinged_between_trials(clock: Machine) -> None:
    found = begun(clock)
    assert taken(found.ping([PAIR], 0)) == [(PAIR, 0, N)]
    assert taken(found.took([within(0, N), within(1, F)])) == [(PAIR, 0, N), (PAIR, 1, F)]
    assert taken(found.ping([PAIR], 1)) == []
    assert (found.levels([PAIR], 0), found.levels([PAIR], 1, after=True)) == ((N,), (F,))
    list(found.took([within(1, N), within(2, N)]))  # a ping before the next trial says nothing of the one before
    assert found.levels([PAIR], 1, after=True) == (F,)


def test_pings_of_a_trial_are_of_its_side_and_time_and_have_a_figure() -> None:
    cpus, at_ns = (1, 0), 5_000_000_000
    each: Any = [("before", 27.5), ("after", 28.5), ("after", None), ("before", 0)]
    result = make_result(make_request(), pings=tuple(PingResult(cpus, when, at_ns, ns) for when, ns in each))
    found = [pings.taken_within([result], when, 3) for when in ("before", "after")]
    expected = ReferencePing((0, 1), pings.STARTED + 5, 3, 27.5, within=True)
    assert found == [[expected], [replace(expected, ns=28.5)]]
    assert pings.taken_within([None], "after", 3) == []


def test_while_it_waits_every_pair_is_pinged_again_after_a_pause_and_that_is_reported(clock: Machine) -> None:
    found = begun(clock, state="high")
    list(found.ping([PAIR], 0))
    before = clock.now
    events = list(found.wait([PAIR, (1, 2)], 0))
    assert taken(iter(events)) == [(PAIR, 0, N), ((1, 2), 0, N)]
    assert all(event.waits for event in events)
    assert clock.now == before + pings.WAIT_S + 2


@pytest.mark.parametrize(
    ("state", "planted", "known", "holds"),
    [
        (None, F, [], True),
        *(("low", F, [N], False), ("high", F, [N], True)),  # known from other runs
        ("low", F, [], True),  # what is known of another pair is nothing to this one
        ("low", None, [], False),
    ],
)
def test_a_state_holds_as_far_as_the_last_ping_tells(
    clock: Machine, state: str | None, planted: float | None, known: list[float], holds: bool
) -> None:
    others = [State(PAIR, ns, (ns, ns), 1.0, 9) for ns in known] + [State((1, 2), 5.0, (5, 5), 1.0, 9)]
    found = begun(clock, planted, state=state, known=others)
    list(found.ping([PAIR], 0))
    assert found.holds([PAIR]) is holds


def test_a_state_holds_where_it_holds_for_every_pair_and_this_run_tells_what_is_near(clock: Machine) -> None:
    found = begun(clock, N, N, F, F, F, state="low")
    assert not found.holds([PAIR])  # never pinged
    for trials, holds in enumerate((True, True, False)):
        list(found.ping([PAIR], trials))
        assert found.holds([PAIR]) is holds
    list(found.ping([(1, 2)], 2))
    assert (found.holds([(1, 2)]), found.holds([PAIR, (1, 2)]), found.holds([])) == (True, False, True)


def test_a_far_state_is_waited_for_where_one_is_known_and_its_absence_says_so(clock: Machine) -> None:
    found = begun(clock, N, N, F, F, state="high")
    list(found.ping([PAIR], 0))
    assert not found.holds([PAIR])
    problem = str(found.never_came())
    assert "CPUs 0,1 were 26.0 ns core to core in 1 ping, and no other state of them is known." in problem
    for _ in range(3):
        list(found.wait([PAIR], 0))
    assert found.holds([PAIR])
    assert found.never_came() is None


def test_a_state_that_never_came_is_reported_with_what_was_seen_in_its_place(clock: Machine) -> None:
    found = begun(clock, N, None, N, state="100-130")
    list(found.ping([PAIR, (1, 2)], 0))
    list(found.wait([PAIR], 0))
    assert not found.holds([PAIR])
    problem = found.never_came()
    assert problem and problem.exit_code == 1
    assert "'100-130' did not come within" in str(problem) and "CPUs 0,1 were 26" in str(problem)
    assert "CPUs 1,2 could not be pinged (it is off) in 1 ping." in str(problem)


def test_states_are_found_anew_only_where_pings_change_them(clock: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []

    def counted(*runs: Sequence[ReferencePing]) -> object:
        looked.append(sum(map(len, runs)))
        return states_of(*runs)

    monkeypatch.setattr(pings, "states_of", counted)
    found = begun(clock, *[N, 26.5] * 200, F, F, F, state="low")
    for trials in range(400):
        list(found.ping([PAIR], trials))
        assert found.holds([PAIR])
    assert len(looked) < 100 and max(looked) <= 400
    before = len(looked)
    for trials in range(400, 402):
        list(found.ping([PAIR], trials))
        assert not found.holds([PAIR])
    assert len(looked) > before  # what was never seen is looked at
    ranged = begun(clock, N, state="20-30")
    list(ranged.ping([PAIR], 0))
    before = len(looked)
    assert ranged.holds([PAIR]) and len(looked) == before


COMMAND = "`threadping runs resume 12 --budget 60s --store /tmp/of/mine.db`"
SENTENCE = f"The run is complete. Give it more time with {COMMAND}, or measure another one in its place."


def said(sentence: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the text of a terminal that is stderr, read from its other end."""
    master, slave = os.openpty()
    with os.fdopen(slave, "w") as stream:
        monkeypatch.setattr("sys.stderr", stream)
        assert streams.fail(sentence, 2) == 2
        text = os.read(master, 10_000).decode()
    os.close(master)
    return text.replace("\r\n", "\n")


def test_lines_end_between_words_and_in_no_command_and_go_on_without_a_width(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("os.get_terminal_size", lambda _: os.terminal_size((40, 20)))
    lines = said(SENTENCE, monkeypatch).splitlines()
    assert " ".join(lines) == f"threadping: {SENTENCE}"
    assert [line for line in lines if len(line) > 40] == [f"{COMMAND},"]

    def fails(_number: int) -> os.terminal_size:
        raise OSError(25, "Inappropriate ioctl for device")

    monkeypatch.setattr("os.get_terminal_size", fails)
    assert " ".join(said(SENTENCE, monkeypatch).splitlines()) == f"threadping: {SENTENCE}"


INTERRUPTED = Interrupted("Interrupted.")


def ends(problem: ThreadpingError | None, monkeypatch: pytest.MonkeyPatch, **how: Any) -> int:
    monkeypatch.setattr(conduct, "keep_series", lambda *_: None)
    monkeypatch.setattr(conduct, "beside_like_runs", lambda _, answer: answer)
    seen = tuple(one.observation for one in ANSWER.trials)
    return conduct.show_ended(cast(Any, None), STUDY, RunEnded(ANSWER.run, seen, (), problem), None, Output(**how))


def test_the_problem_of_a_run_comes_before_a_doubt_and_after_its_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(SurveyStudy, "fault", lambda *_: Undecided("--strict"))
    with pytest.raises(Undecided):
        ends(None, monkeypatch, strict=True)
    with pytest.raises(Interrupted):
        ends(INTERRUPTED, monkeypatch, strict=True, files=(tmp_path / "a.json",))
    assert (tmp_path / "a.json").stat().st_size > 1000 and "17 cases" in capsys.readouterr().out


def test_any_figure_that_is_enough_leaves_the_store_its_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SurveyStudy, "any_is_enough", True)
    assert ends(ThreadpingError("1 of 2 cases could not be measured."), monkeypatch) == 0
    with pytest.raises(StoreError):
        ends(StoreError("The disk is full."), monkeypatch)


def test_every_other_file_and_the_table_come_where_one_file_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ends(None, monkeypatch, files=(tmp_path / "gone" / "a.json", tmp_path / "a.csv")) == 1
    said = capsys.readouterr()
    assert "17 cases" in said.out and "threadping: The output could not be written to" in said.err
    assert (tmp_path / "a.csv").exists()


@pytest.mark.parametrize(("while_shown", "code"), [(OutputUnwritable("closed"), 1), (UsageError("no p99"), 130)])
def test_what_could_not_be_printed_counts_and_no_question_is_wrong_once_it_was_measured(
    monkeypatch: pytest.MonkeyPatch, while_shown: ThreadpingError, code: int
) -> None:
    def fails(*_: object) -> int:
        raise while_shown

    monkeypatch.setattr(conduct, "show", fails)
    with pytest.raises(ThreadpingError) as raised:
        ends(INTERRUPTED, monkeypatch)
    assert raised.value.exit_code == code
    if isinstance(while_shown, UsageError):
        with pytest.raises(ThreadpingError, match="no p99") as raised:
            ends(None, monkeypatch)
        assert raised.value.exit_code == 1


def test_files_are_written_before_the_table_is_printed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Full:
        def print(self, *_: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(study, "stdout", Full)
    output = Output(files=(tmp_path / "a.json", tmp_path / "a.csv"))
    with pytest.raises(OSError, match="No space"):
        study.show(STUDY, ANSWER, None, output)
    assert {one.name for one in tmp_path.iterdir()} == {"a.json", "a.csv"}


def test_a_run_without_any_figure_could_not_be_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = replace(ANSWER, rows=tuple(replace(row, figures={}) for row in ANSWER.rows))
    assert ends(None, monkeypatch) == 0
    monkeypatch.setattr(conduct, "analyse", lambda *_: bare)
    with pytest.raises(ThreadpingError, match=r"^No case has a figure \(.*--budget \d+") as raised:
        ends(None, monkeypatch)
    assert raised.value.exit_code == 1
    monkeypatch.setattr(conduct, "analyse", lambda *_: replace(bare, rows=(ANSWER.rows[0], *bare.rows[1:])))
    assert ends(None, monkeypatch) == 0
