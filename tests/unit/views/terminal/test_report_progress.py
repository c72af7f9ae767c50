"""Progress: what it says, when, and that it never works while a probe measures."""

import io
import re
import threading
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace
from rich.console import Console

from tests.conftest import make_request
from tests.golden.fixture import APART, BRACKETS, CASES, HUNG
from threadping.model import Case, Failure, Observation, Trial, TrialBegins, TrialEnded, WarmupPolicy
from threadping.views.terminal.progress import Progress


class Schedule(Struct, frozen=True):
    """A plan of three rounds of two cases; a round takes ten seconds, seven of them the first case's."""

    cases: Sequence[Case] = CASES[:2]
    start_s: Sequence[float] = (5.0, 1.0)
    rounds: int = 3
    trial_s: float = 2.0

    @property
    def round_s(self) -> float:
        return sum(self.start_s) + len(self.cases) * self.trial_s


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def said(self) -> str:
        """What was written since the last time, without control codes."""
        text = re.sub(r"\x1b\[[?\d;]*[A-Za-z]", "", self.getvalue())
        self.seek(0)
        self.truncate()
        return " ".join(text.split())


def ended(case: Case, round_number: int, failure: Failure | None = None) -> TrialEnded:
    trial = Trial(round_number, 0, case, make_request(), None, failure, "", "2026-03-01T09:30:00+00:00", 1)
    return TrialEnded(trial, Observation(round_number, 0, case, failure, 1))


def on_terminal(file: io.StringIO) -> Console:
    return Console(file=file, width=140, force_terminal=True, _environ={"TERM": "xterm"})


def test_a_terminal_shows_case_trials_and_the_time_that_the_plan_still_holds() -> None:
    terminal = Terminal()
    with Progress(Schedule(), on_terminal(terminal)) as progress:
        progress.saw(TrialBegins(CASES[0], 1))
        assert re.search(r" round 1 of 3 condition java-17 same-l3 \S+ 0/6 trials about 30 s left$", terminal.said())
        progress.saw(ended(CASES[0], 1))
        assert terminal.said() == ""  # what was counted shows when the next trial begins
        progress.saw(TrialBegins(CASES[1], 1))
        assert "1/6 trials about 23 s left" in terminal.said()
        progress.saw(ended(CASES[1], 1, HUNG))
        progress.saw(TrialBegins(CASES[1], 2))
        assert "2/6 trials, 1 failed about 20 s left" in terminal.said()


def test_a_trial_is_named_with_all_that_is_unusual_in_it_and_steers_nothing() -> None:
    pinned = replace(BRACKETS, mechanism="[bold]\x1b[2J", placement=replace(APART, pin="process"))
    case = replace(pinned, params={"wait": "pause"}, varied=("wait",), warmup=WarmupPolicy(1, 9))
    terminal = Terminal()
    with Progress(Schedule(cases=[case, CASES[0]]), on_terminal(terminal)) as progress:
        progress.saw(TrialBegins(case, 1))
    assert "round 1 of 3 [bold]\\x1b[2J wait=pause cpp same-l3 process 1x9 " in terminal.said()


def test_trials_that_a_round_left_out_do_not_count_as_time_left() -> None:
    terminal = Terminal()
    with Progress(Schedule(), on_terminal(terminal)) as progress:
        progress.saw(TrialBegins(CASES[1], 1))
        progress.saw(ended(CASES[1], 1))
        terminal.said()
        progress.saw(TrialBegins(CASES[1], 3))
        assert "1/6 trials about 10 s left" in terminal.said()


def test_no_thread_works_beside_the_probe_and_the_terminal_is_given_back_clean() -> None:
    before, terminal = threading.enumerate(), Terminal()
    with Progress(Schedule(), on_terminal(terminal)) as progress:
        progress.saw(TrialBegins(CASES[0], 1))
        assert threading.enumerate() == before
    assert terminal.getvalue().rstrip().endswith("\x1b[2K")  # the line is erased
    assert "\x1b[?25h" in terminal.getvalue()  # and the cursor is back


def test_elsewhere_there_is_a_line_a_round() -> None:
    file = io.StringIO()
    with Progress(Schedule(), Console(file=file, width=40)) as progress:
        for round_number in (1, 2, 3):
            for case in CASES[:2]:
                progress.saw(TrialBegins(case, round_number))
                progress.saw(ended(case, round_number))
    assert file.getvalue() == (
        "round 1 of 3: 0/6 trials, about 30 s left\n"
        "round 2 of 3: 2/6 trials, about 20 s left\n"
        "round 3 of 3: 4/6 trials, about 10 s left\n"
    )


def test_a_pipe_that_is_told_to_have_colour_has_lines_all_the_same() -> None:
    file = io.StringIO()
    with Progress(Schedule(), on_terminal(file)) as progress:
        progress.saw(TrialBegins(CASES[0], 1))
    assert file.getvalue().count("\n") == 1
    assert "\x1b[?25l" not in file.getvalue()
