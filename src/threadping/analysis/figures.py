"""The figures, distributions and shares that an experiment declares: each how it is read, named and shown."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct

from threadping.analysis.estimate import Summary
from threadping.analysis.percentiles import PERCENTILE_NAMES
from threadping.analysis.sentences import sentences
from threadping.contract import Distribution, Request, Result
from threadping.model.cases import Case
from threadping.model.run import Machine
from threadping.model.trials import Observation

Unit = Literal["ns", "per_s", "share", "percent", "count", "index"]
Better = Literal["less", "more"]


class Column(Struct, frozen=True):
    """Where a figure stands in a table.

    `head` stands over it. Where not all columns fit, those of the highest `rank` go first; rank 0 stays. `of_rows` and
    `of_trials` say in which tables it stands.
    """

    head: str
    rank: int = 0
    of_rows: bool = True
    of_trials: bool = True


class Figure(Struct, frozen=True):
    """One number of one trial.

    Attributes:
        name: where it stands in a row; a dot leads into an object: `latency_ns.typical`.
        unit: of the number.
        read: how it is read from a result; None where this result does not have it.
        column: where it stands in tables; None is in exports only.
        better: which way is better; None where neither is.
        over: how the values of several trials become one.
        says: the name of its sentence in `words.toml`, if that is not its own.
        asked: how it is read from the request instead, where it was asked for and not measured.
    """

    name: str
    unit: Unit
    read: Callable[[Result], float | None]
    column: Column | None = None
    better: Better | None = None
    over: Summary = "median"
    says: str = ""
    asked: Callable[[Request], float | None] | None = None

    @property
    def head(self) -> str:
        """What stands over its column; its name where it has none."""
        return self.column.head if self.column else self.name

    @property
    def means(self) -> str:
        """What it is, in a sentence; empty if none says so."""
        return sentences().figures.get(self.says or self.name, "")


def not_in_result(_: Result) -> None:
    """Reads a figure that no result alone knows: of outliers, which need the policy of the request; a percentile."""


Idle = Literal["", "own", "another"]


class Percentiles(Struct, frozen=True, kw_only=True):
    """A distribution, of what was timed one by one or of another number: min, p50, p90, p95, p99, p99.9 and max.

    Attributes:
        name: where it stands in a row: `latency_ns` has `latency_ns.p50`, ...
        of: its name in a result; empty for the only one.
        unit: of its values; ns for what was timed.
        noun: what its samples are, in the plural.
        head: what stands before the percentile's name over its columns: `wait` makes `wait p99`.
        says: the name of its sentence in `words.toml`, if that is not its own.
        outliers: the group of figures that describes its outliers; empty where their causes are not looked for.
        idle: whose sleeping CPU makes one longer: that of the thread that times it and is woken (`own`), or that of
            another, which its call wakes; empty where its thread may sleep for another reason as well.
        across: whether each begins by the clock of one thread and ends by that of another.
        column: whether percentiles of it stand in the table of cases.
        optional: whether trials in which nothing was timed for it know nothing of it.
        applies: of which cases it means something; of others neither it nor another figure of its group is shown.
        why_not: what it is of those others, and what to ask for instead, in a sentence.
    """

    name: str
    of: str = ""
    unit: Unit = "ns"
    noun: str
    head: str = ""
    says: str = ""
    outliers: str = "outliers"
    idle: Idle = ""
    across: bool = False
    column: bool = True
    optional: bool = False
    applies: Callable[[Case], bool] = lambda _: True
    why_not: str = ""

    @property
    def means(self) -> str:
        """What it is, in a sentence; empty if none says so."""
        return sentences().figures.get(self.says or self.name, "")

    def figure(self, part: str) -> Figure:
        """A percentile of it, or how many samples it is of."""
        unit: Unit = self.unit if part in PERCENTILE_NAMES else "count"
        return Figure(f"{self.name}.{part}", unit, not_in_result, Column(f"{self.head} {part}".strip()))

    def read(self, result: Result) -> Distribution:
        """The distribution of a result, in its unit."""
        return result.timed(self.of)

    def of_trials(self, trials: Sequence[Observation]) -> tuple[list[Distribution], float, list[float]]:
        """What trials have of it; the coarsest step of their clocks, and the sampling window of each that censored."""
        having = [trial for trial in trials if self.name in trial.distributions]
        found = [trial.distributions[self.name] for trial in having]
        if self.unit != "ns":
            return found, 1.0, [0.0] * len(found)
        step = max((trial.figures.get("counters.clock_step_ns", 1.0) for trial in trials), default=1.0)
        windows = [trial.figures.get("counters.sampling_window_ns", 0.0) for trial in having]
        return found, step, [ns if one.censored else 0.0 for one, ns in zip(found, windows, strict=True)]


class Shares(Struct, frozen=True):
    """Among which things, that a machine names, the samples of a distribution divide.

    Attributes:
        name: where the shares stand in a row, in per cent by name.
        of: the distribution's name in a result.
        names: of its values from 0 on; empty where the machine does not name them.
        says: the name of its sentence in `words.toml`.
    """

    name: str
    of: str
    names: Callable[[Machine], Sequence[str]]
    says: str

    @property
    def means(self) -> str:
        """What they are, in a sentence."""
        return sentences().figures[self.says]

    def read(self, result: Result) -> Distribution:
        """The distribution of a result."""
        return result.timed(self.of)

    def over(self, trials: Sequence[Observation], machine: Machine) -> dict[str, float]:
        """Each share of the samples of all trials together; empty where there is none."""
        counts: Counter[int] = Counter()
        for found in (trial.distributions[self.name] for trial in trials if self.name in trial.distributions):
            counts.update(dict(zip(found.values, found.counts, strict=True)))
        all_of_it = counts.total()
        return {name: 100 * counts[at] / all_of_it for at, name in enumerate(self.names(machine))} if all_of_it else {}
