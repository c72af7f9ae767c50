"""The figures that an experiment declares: how each is read, named and shown, and how they are laid out."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from threadping.analysis.checks import sentences
from threadping.analysis.percentiles import PERCENTILE_NAMES, Summary
from threadping.model.cases import Case
from threadping.model.contract import Distribution, Request, Result
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


class Question(Struct, frozen=True, kw_only=True):
    """What a newcomer asks, and what answers it: a line of the first screen.

    Attributes:
        ask: the question, which names the mechanism or goes on from one that does; `{groups}` stands for `16 pairs`,
            `{number}` for 16.
        mechanism: that answers it, in every runtime that has it: a line compares one mechanism over its columns.
        whole: the question where the one that it goes on from was not measured; empty where it goes on from none.
        params: theirs that differ from the defaults, as text.
        figure: its name; empty for the headline.
        groups: how many threads, or pairs, are meant where several numbers were measured.
        scales: whether it is answered for the fewest threads and for the most that have a CPU each.
        unpinned: whether it is about threads that are not pinned; else of the closest CPUs.
        rank: where the screen has no room for all, lines of the highest go first; 0 stays, and no line goes on from
            one that may go.
        beside: a figure that stands beside the answer, with the regime of its row, in place of how sure that is; by its
            name.
    """

    ask: str
    mechanism: str
    whole: str = ""
    params: Mapping[str, str] = {}
    figure: str = ""
    groups: int | None = None
    scales: bool = False
    unpinned: bool = False
    rank: int = 0
    beside: str = ""


class Tradeoff(Struct, frozen=True):
    """Two figures, of which less of one is often more of the other, by name."""

    quick: str
    cheap: str


class Curve(Struct, frozen=True, kw_only=True):
    """Figures over something that is varied, as lines of numbers and as a chart.

    Attributes:
        name: of the chart's file, and over the column of what is varied.
        title: what it shows.
        along: what is varied, as it stands below the axis.
        unit: of that.
        figures: what is shown of each place; of `groups` the name inside the group.
        param: the parameter by which rows of one line differ; empty where each row is a line.
        groups: the group of figures at each place, of which a row has several, and is a line, or one.
        beneath: what must be known of the machine to read it, in a sentence; empty where nothing.
        doubles: the figure whose double of what it is at the least place is marked, and what that means.
        concludes: what follows from the first figure of each trial at each place of a line, in sentences.
    """

    name: str
    title: str
    along: str
    unit: Unit
    figures: tuple[str, ...]
    param: str = ""
    groups: Mapping[float, str] = {}
    beneath: Callable[[Machine], str] = lambda _: ""
    doubles: tuple[str, str] | None = None
    concludes: Callable[[Mapping[float, Sequence[float]]], Iterable[str]] = lambda _: ()

    def whole(self, figure: str) -> str:
        """A figure's whole name, of groups that of the first place: what it is called and its unit are alike in all."""
        return f"{next(iter(self.groups.values()))}.{figure}" if self.groups else figure
