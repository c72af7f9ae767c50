"""The figures that an experiment declares: how each is read, named and shown, and how they are laid out."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from threadping.analysis.checks import sentences
from threadping.analysis.percentiles import PERCENTILE_NAMES, Summary
from threadping.model.cases import Case
from threadping.model.contract import Distribution, Request, Result
from threadping.model.run import Machine, Observation

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
    """One number of one trial."""

    name: str  # where it stands in a row; a dot leads into an object: `latency_ns.typical`
    unit: Unit  # of the number
    read: Callable[[Result], float | None]  # how it is read from a result; None where this result does not have it
    column: Column | None = None  # where it stands in tables; None is in exports only
    better: Better | None = None  # which way is better; None where neither is
    over: Summary = "median"  # how the values of several trials become one
    says: str = ""  # the name of its sentence in `words.toml`, if that is not its own
    # how it is read from the request instead, where it was asked for and not measured
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
    """A distribution, of what was timed one by one or of another number: min, p50, p90, p95, p99, p99.9 and max."""

    name: str  # where it stands in a row: `latency_ns` has `latency_ns.p50`
    of: str = ""  # its name in a result; empty for the only one
    unit: Unit = "ns"  # of its values; ns for what was timed
    noun: str  # what its samples are, in the plural
    head: str = ""  # what stands before the percentile's name over its columns: `wait` makes `wait p99`
    says: str = ""  # the name of its sentence in `words.toml`, if that is not its own
    # the group of figures that describes its outliers; empty where their causes are not looked for
    outliers: str = "outliers"
    # whose sleeping CPU makes one longer: that of the thread that times it and is woken (`own`), or that of another,
    # which its call wakes; empty where its thread may sleep for another reason as well
    idle: Idle = ""
    across: bool = False  # whether each begins by the clock of one thread and ends by that of another
    column: bool = True  # whether percentiles of it stand in the table of cases
    optional: bool = False  # whether trials in which nothing was timed for it know nothing of it
    # of which cases it means something; of others neither it nor another figure of its group is shown
    applies: Callable[[Case], bool] = lambda _: True
    why_not: str = ""  # what it is of those others, and what to ask for instead, in a sentence

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
    """Among which things, that a machine names, the samples of a distribution divide."""

    name: str  # where the shares stand in a row, in per cent by name
    of: str  # the distribution's name in a result
    names: Callable[[Machine], Sequence[str]]  # of its values from 0 on; empty where the machine does not name them
    says: str  # the name of its sentence in `words.toml`

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


class Question(Struct, frozen=True, kw_only=True):
    """What a newcomer asks, and what answers it: a line of the first screen."""

    # the question, which names the mechanism or goes on from one that does; `{groups}` stands for `16 pairs`,
    # `{number}` for 16
    ask: str
    mechanism: str  # that answers it, in every runtime that has it: a line compares one mechanism over its columns
    # the question where the one that it goes on from was not measured; empty where it goes on from none
    whole: str = ""
    params: Mapping[str, str] = {}  # theirs that differ from the defaults, as text
    figure: str = ""  # its name; empty for the headline
    groups: int | None = None  # how many threads, or pairs, are meant where several numbers were measured
    scales: bool = False  # whether it is answered for the fewest threads and for the most that have a CPU each
    unpinned: bool = False  # whether it is about threads that are not pinned; else of the closest CPUs
    # where the screen has no room for all, lines of the highest go first; 0 stays, and no line goes on from one that
    # may go
    rank: int = 0
    # a figure that stands beside the answer, with the regime of its row, in place of how sure that is; by its name
    beside: str = ""


class Tradeoff(Struct, frozen=True):
    """Two figures, of which less of one is often more of the other, by name."""

    quick: str
    cheap: str


class Curve(Struct, frozen=True, kw_only=True):
    """Figures over something that is varied, as lines of numbers and as a chart."""

    name: str  # of the chart's file, and over the column of what is varied
    title: str  # what it shows
    along: str  # what is varied, as it stands below the axis
    unit: Unit  # of that
    figures: tuple[str, ...]  # what is shown of each place; of `groups` the name inside the group
    param: str = ""  # the parameter by which rows of one line differ; empty where each row is a line
    # the group of figures at each place, of which a row has several, and is a line, or one
    groups: Mapping[float, str] = {}
    # what must be known of the machine to read it, in a sentence; empty where nothing
    beneath: Callable[[Machine], str] = lambda _: ""
    # the figure whose double of what it is at the least place is marked, and what that means
    doubles: tuple[str, str] | None = None
    # what follows from the first figure of each trial at each place of a line, in sentences
    concludes: Callable[[Mapping[float, Sequence[float]]], Iterable[str]] = lambda _: ()

    def whole(self, figure: str) -> str:
        """A figure's whole name, of groups that of the first place: what it is called and its unit are alike in all."""
        return f"{next(iter(self.groups.values()))}.{figure}" if self.groups else figure
