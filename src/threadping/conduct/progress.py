"""Progress of a run on stderr: a bar and the figures so far on a terminal, elsewhere a line for each round."""

import math
from collections.abc import Iterable
from operator import itemgetter
from statistics import median

from rich.console import Console, RenderableType
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bar
from rich.table import Column
from rich.text import Text

from threadping.experiments import EXPERIMENTS
from threadping.model.cases import Case
from threadping.model.quantities import duration, pair, time
from threadping.model.run import Event, PingTaken, TrialBegins, TrialEnded
from threadping.model.text import plain, verbosity
from threadping.output import layout
from threadping.output.printing import Rendered, stderr

AROUND = 7  # lines of a terminal below the figures so far: earlier output, the bar, two headings and the prompt


class Progress(Bar):
    """The progress of one run on stderr: on a terminal a bar and the figures so far, elsewhere a line for each round.

    In the bar a long title gives way to all else. Below it are the latest core-to-core latency, and of each case the
    median headline of its trials until now.

    Neither the time left nor the number of trials grows: where trials take longer than expected they stay as they are.
    No thread refreshes the bar: it moves when a trial begins, before its process is started.
    """

    def __init__(self, console: Console | None = None) -> None:
        self._console = console = console or stderr()
        self._waiting = False
        self._failed = self._round = 0
        self._whole_s, self._left_s, self._trials = 0.0, math.inf, math.inf
        self._shown = console.is_interactive and console.file.isatty()
        self._most = max(1, console.height - AROUND)  # as many rows as the terminal has lines for
        self._apart: list[tuple[str, Text, str]] = []
        self._figures: dict[Case, list[float]] = {}
        super().__init__(
            TextColumn("{task.fields[count]}", markup=False, table_column=Column(no_wrap=True)),
            TextColumn("{task.fields[left]}", style="dim", markup=False, table_column=Column(no_wrap=True)),
            BarColumn(bar_width=12, table_column=Column(no_wrap=True)),
            TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, ratio=1)),
            console=console,
            disable=not self._shown,
            auto_refresh=False,
            transient=True,
            expand=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = self.add_task("", total=1, count="", left="")

    def saw(self, event: Event) -> None:
        """Show that a trial begins, or what a ping found; what a trial found, or that it failed, the next one shows."""
        match event:
            case TrialBegins():
                self._waiting = False
                self._left_s = min(self._left_s, event.left_s)
                self._whole_s = self._whole_s or event.left_s or 1.0
                failed = f", {self._failed} failed" if self._failed else ""
                self._trials = max(event.done + 1, min(self._trials, event.trials))
                count = f"{event.done} of up to {self._trials} trials{failed}"
                about, what = ("at most", "block") if event.side else ("about", "round")
                left = f"{about} {duration(max(1.0, self._left_s))} left"
                where = f"{what} {event.round} of {event.rounds}"
                title, done = plain(event.case.title), 1 - self._left_s / self._whole_s
                self.update(self._task, description=title, completed=done, count=count, left=left)
                self.refresh()
                if verbosity() > 0:
                    self._console.print(f"{where}: {event.case.experiment} {title}", soft_wrap=True)
                if event.round > self._round and not self._shown:
                    self._console.print(f"{where}: {count}, {left}", soft_wrap=True)
                self._round = event.round
            case PingTaken(ping, waits):
                if ping.ns is not None:
                    self._apart = [(f"core to core, {pair(ping.cpus)}", Text(time(ping.ns)), "")]
                if waits:
                    distance = "cannot be pinged" if ping.ns is None else f"{time(ping.ns)} core to core"
                    self.update(self._task, description=f"waiting: {pair(ping.cpus)} {distance}")
                    if not self._waiting and not self._shown:
                        line = f"waiting for the state that was asked for: {pair(ping.cpus)} {distance}"
                        self._console.print(line, soft_wrap=True)
                    self._waiting = True
                self.refresh()
            case TrialEnded(_, observation):  # one that failed still gives its case a row
                self._failed += observation.failure is not None
                figures = self._figures.setdefault(observation.case, [])
                headline = EXPERIMENTS[observation.case.experiment].figures.headline_of(observation.case)
                figures.extend([observation.figures[headline]] if headline in observation.figures else [])

    def get_renderables(self) -> Iterable[RenderableType]:
        """Yield the bar, and below it the rows of the latest cases."""
        yield from super().get_renderables()
        found = [*self._apart]
        for case in list(self._figures)[-self._most :]:
            declared = EXPERIMENTS[case.experiment].figures
            if values := self._figures[case]:
                middle = layout.figure(declared.figure(declared.headline_of(case)).unit, median(values))
                found.append((plain(case.title), middle, str(len(values))))
        if found:
            figures = layout.column("median", itemgetter(1)), layout.column("trials", itemgetter(2), "dim")
            so_far = layout.grid(found[-self._most :], layout.named("so far", itemgetter(0)), *figures, rule=False)
            yield Rendered(so_far)
