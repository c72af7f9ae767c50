"""What is known of a run while it is measured: a row for each case from its first trial on, none of them final."""

from statistics import median

from rich.text import Text

from threadping.experiments import EXPERIMENTS
from threadping.model.cases import Case
from threadping.model.events import Event, PingTaken, TrialEnded
from threadping.model.trials import Observation
from threadping.numbers import pair
from threadping.quantities import time
from threadping.sheets import cells
from threadping.sheets.grid import Block, column, grid, named
from threadping.sheets.names import plain


class SoFar:
    """The latest core-to-core latency, and of each case the median headline of its trials until now."""

    def __init__(self) -> None:
        """Know nothing."""
        self._apart: tuple[str, str] | None = None
        self._figures: dict[Case, list[float]] = {}

    def saw(self, event: Event) -> None:
        """Learn what a ping or a trial has found; a trial that failed still gives its case a row."""
        match event:
            case PingTaken(ping) if ping.ns is not None:
                self._apart = f"core to core, {pair(ping.cpus)}", time(ping.ns)
            case TrialEnded(_, observation):
                self._figures.setdefault(observation.case, []).extend(_headline(observation))

    def rows(self, most: int) -> Block | None:
        """At `most` so many rows, of the cases that came last; None while nothing is known."""
        cases = list(self._figures)[-most:]
        found = [(self._apart[0], Text(self._apart[1]), "")] if self._apart else []
        found += [(plain(case.title), _middle(case, of), str(len(of))) for case in cases if (of := self._figures[case])]
        if not found:
            return None
        titles, figures, trials = zip(*found[-most:], strict=True)
        return grid(named("so far", titles), column("median", figures), column("trials", trials, "dim"), rule=False)


def _headline(seen: Observation) -> list[float]:
    found = seen.figures.get(EXPERIMENTS[seen.case.experiment].figures.headline_of(seen.case))
    return [] if found is None else [found]


def _middle(case: Case, values: list[float]) -> Text:
    declared = EXPERIMENTS[case.experiment].figures
    return cells.figure(declared.figure(declared.headline_of(case)).unit, median(values))
