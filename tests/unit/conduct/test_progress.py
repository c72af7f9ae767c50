"""Progress: what it says, when, and that it never works while a probe measures."""

import io
import re
import threading
from collections.abc import Mapping

import pytest
from msgspec.structs import replace
from rich.console import Console

from tests.conftest import make_request
from tests.golden.fixture import APART, BRACKETS, CASES, HUNG
from threadping.conduct.execution import Progress
from threadping.model.cases import Case, WarmupPolicy
from threadping.model.run import Failure, Observation, PingTaken, ReferencePing, Trial, TrialBegins, TrialEnded


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def said(self) -> str:
        """What was written since the last time, without control codes."""
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


def test_no_thread_works_beside_the_probe_and_the_terminal_is_given_back_clean() -> None:
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
    assert text == (
        "round 1 of 3: 0 of up to 6 trials, about 30 s left\n"
        "round 2 of 3: 2 of up to 6 trials, about 20 s left\n"
        "round 3 of 3: 4 of up to 6 trials, about 10 s left\n"
    )


def test_waiting_for_a_state_is_shown_each_time_on_a_terminal_and_once_elsewhere() -> None:
    waits = [PingTaken(ReferencePing((0, 1), 1.0, 0, ns), waits=True) for ns in (26.0, 31.0, None)]
    file, terminal = io.StringIO(), Terminal()
    with Progress(Console(file=file, width=40)) as lines, Progress(on_terminal(terminal)) as bar:
        for ping in waits:
            lines.saw(ping)
            bar.saw(ping)
    assert file.getvalue() == "waiting for the state that was asked for: CPUs 0,1 26.0 ns core to core\n"
    said = terminal.said()
    assert "waiting: CPUs 0,1 31.0 ns core to core" in said
    assert "waiting: CPUs 0,1 cannot be pinged" in said
