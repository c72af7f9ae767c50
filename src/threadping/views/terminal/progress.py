"""How far a run has come: said between trials only, so that nothing but the probe works while it measures."""

from collections.abc import Sequence
from typing import Protocol, Self

from rich.console import Console
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bar

from threadping.model import Case, Event, PingTaken, ReferencePing, TrialBegins, TrialEnded
from threadping.numbers import pair
from threadping.quantities import duration, time
from threadping.views.terminal.console import stderr
from threadping.views.terminal.names import plain


class Schedule(Protocol):
    """What must be known of a plan: its cases, what each one's process start takes, and how long the rest is."""

    @property
    def cases(self) -> Sequence[Case]:
        """What one round measures."""

    @property
    def start_s(self) -> Sequence[float]:
        """For each case the seconds that its process takes besides the trial."""

    @property
    def rounds(self) -> int:
        """How often every case is measured."""

    @property
    def trial_s(self) -> float:
        """The seconds that a trial takes."""

    @property
    def round_s(self) -> float:
        """The seconds that a round takes."""


class Progress:
    """The progress of one run on stderr: a bar on a terminal, elsewhere a line for each round.

    The time left is what the plan still holds, not what the past lets one guess. No thread refreshes the bar: it moves
    when a trial begins, before its process is started.
    """

    def __init__(self, plan: Schedule, console: Console | None = None) -> None:
        """Take the plan; nothing is shown before the first trial begins."""
        self._plan = plan
        self._waiting = False
        self._total_s = self._left_s = max(plan.rounds * plan.round_s, 1e-9)
        self._trials = self._failed = self._round = 0
        self._console = console or stderr()
        live = self._console.is_interactive and self._console.file.isatty()
        self._bar = _bar(self._console) if live else None
        self._task = self._bar.add_task("", total=self._total_s, count="", left="") if self._bar else None

    def __enter__(self) -> Self:
        """Take the last line of the terminal."""
        if self._bar:
            self._bar.start()
        return self

    def __exit__(self, *_error: object) -> None:
        """Give it back, empty."""
        if self._bar:
            self._bar.stop()

    def saw(self, event: Event) -> None:
        """Say that a trial begins; count one that has ended, which shows when the next one begins."""
        match event:
            case TrialBegins(case, round_number):
                self._begins(case, round_number)
            case PingTaken(ping, waits=True):
                self._waits(ping)
            case TrialEnded(_, observation):
                self._trials += 1
                self._failed += observation.failure is not None
                self._left_s = max(0.0, self._left_s - self._planned_s(observation.case))

    def _waits(self, ping: ReferencePing) -> None:
        """Say that a state is waited for: on a terminal how far CPUs stand apart meanwhile, elsewhere once."""
        apart = "cannot be pinged" if ping.ns is None else f"stand {time(ping.ns)} apart"
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, description=f"waiting: {pair(ping.cpus)} {apart}")
            self._bar.refresh()
        elif not self._waiting:
            self._console.print(f"waiting for the state that was asked for: {pair(ping.cpus)} {apart}", soft_wrap=True)
        self._waiting = True

    def _begins(self, case: Case, round_number: int) -> None:
        self._waiting = False
        self._left_s = min(self._left_s, (self._plan.rounds - round_number + 1) * self._plan.round_s)
        failed = f", {self._failed} failed" if self._failed else ""
        count = f"{self._trials}/{self._plan.rounds * len(self._plan.cases)} trials{failed}"
        left = f"about {duration(max(1.0, self._left_s))} left"
        where = f"round {round_number} of {self._plan.rounds}"
        if self._bar is not None and self._task is not None:
            done_s = self._total_s - self._left_s
            title = f"{where}  {plain(case.title)}"
            self._bar.update(self._task, description=title, completed=done_s, count=count, left=left)
            self._bar.refresh()
        elif round_number != self._round:
            self._console.print(f"{where}: {count}, {left}", soft_wrap=True)
        self._round = round_number

    def _planned_s(self, case: Case) -> float:
        starts = (start for known, start in zip(self._plan.cases, self._plan.start_s, strict=True) if known == case)
        return next(starts, 0.0) + self._plan.trial_s


def _bar(console: Console) -> Bar:
    return Bar(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[count]}", markup=False),
        TextColumn("{task.fields[left]}", style="dim", markup=False),
        console=console,
        auto_refresh=False,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
