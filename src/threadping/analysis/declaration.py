"""What an experiment declares of its figures. Everything that shows, exports or compares is a loop over this."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from msgspec import Struct

from threadping.analysis.estimate import Summary
from threadping.analysis.percentiles import NAMES
from threadping.analysis.sentences import Wording, sentences
from threadping.contract import Distribution, Request, Result
from threadping.model import GROUPS, Case, Machine, Observation

if TYPE_CHECKING:
    from threadping.analysis.answer import Level, Row

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


def of_no_result(_: Result) -> None:
    """Reads a figure that no result alone knows: of outliers, which need the policy of the request; a percentile."""


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
        across: whether each begins by the clock of one thread and ends by that of another.
        column: whether percentiles of it stand in the table of cases.
        was: its name in observations of FORM 5 and before; empty where it was the same.
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
    across: bool = False
    column: bool = True
    was: str = ""
    applies: Callable[[Case], bool] = lambda _: True
    why_not: str = ""

    @property
    def means(self) -> str:
        """What it is, in a sentence; empty if none says so."""
        return sentences().figures.get(self.says or self.name, "")

    def figure(self, part: str) -> Figure:
        """A percentile of it, or how many samples it is of."""
        unit: Unit = self.unit if part in NAMES else "count"
        return Figure(f"{self.name}.{part}", unit, of_no_result, Column(f"{self.head} {part}".strip()))

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


Fact = float | str
Facts = Mapping[str, Fact]


Subject = TypeVar("Subject")


class Check(Struct, Generic[Subject], frozen=True):
    """Something that may be wrong with a figure (or with a machine, or a run).

    Attributes:
        code: its name, for good.
        level: `error`: the figure is not what it is called; `warning`: something changed this figure, by a test;
            `note`: what must be known to read it. `find` may give another one as the fact `level`.
        find: the facts where it is true, else None.
        always: whether it is checked for rows without a trial too.
        comparable: False where the figure is of something else than those of other rows, so that it leads nothing.
        regime: the regime that a row is in where it is true, in a word: rows of different mechanisms are compared
            only where they are in the same one.
        words: its own; None if they stand in `words.toml`.
        explains: the codes of findings, with facts of theirs, that say no more than this one: left out beside it.
        hides: the figures, and groups of figures, that are left out where it is true, and that checks behind it do not
            see: `latency_ns` is `latency_ns.p99` and all others of that group.
        by_chance: of how many rows that are like this one it is true, at most, where nothing is wrong.
    """

    code: str
    level: "Level"
    find: Callable[[Subject], Facts | None]
    always: bool = False
    comparable: bool = True
    regime: str = ""
    words: Wording | None = None
    explains: Mapping[str, Facts] = {}
    hides: tuple[str, ...] = ()
    by_chance: Callable[[Subject], float] = lambda _: 0.0


RowCheck = Check["Row"]
"""It looks at a row whose findings are still to come."""


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
        groups: of a line that is a row the group of figures at each place.
        beneath: what must be known of the machine to read it, in a sentence; empty where nothing.
        doubles: the figure whose double of what it is at the least place is marked, and what that means.
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

    def whole(self, figure: str) -> str:
        """A figure's whole name, of groups that of the first place: what it is called and its unit are alike in all."""
        return f"{next(iter(self.groups.values()))}.{figure}" if self.groups else figure


OF_DISTRIBUTIONS = (*NAMES, "samples", "censored", "negative")
"""What a row has of each distribution."""

OF_GROUPS = tuple(f"{name}s" for name in GROUPS.values())


def split_unless_blocking(case: Case) -> bool:
    """States of the machine make no difference to threads that sleep: the scheduler takes a hundred times as long."""
    return not case.blocking


class Declaration(Struct, frozen=True, kw_only=True):
    """All that an experiment declares of its figures.

    Attributes:
        title: what stands over its table: what is measured, one-way or round trip.
        headline: the figure by which rows are ordered.
        mixed: the figure in its place where the scheduler may put the threads on one CPU or on several, a mean, of
            trials too: an operation then is one of two kinds, and a median is of one of them, by chance. Empty where
            that makes no kinds.
        figures: its own, in the order in which they are shown; those that every experiment has come behind them.
        distributions: what is timed one by one, and others; the first is shown beside the headline.
        shares: what is counted by names that the machine has.
        checks: of its rows: its own, and those that every experiment has.
        questions: what the first screen answers, the most wanted first.
        op: what one operation is called.
        measures: what a latency is the latency of; None where the mechanism says it.
        along: the dimension along which its rows are set side by side: `threads`, `pairs`, a parameter, or none.
        beside: the parameters of which the same is done with those rows that differ in nothing else.
        tradeoff: of which rows those lead, at each place of that dimension, that no other beats in both.
        curves: what is shown over something that is varied.
        histograms: whether what is timed is shown as small histograms too.
        notes: what must be known to read the table, a sentence each.
        follows: commands that go on from rows, each with what it shows.
        ours: how often its coordinator takes the CPU from a thread, in each window.
        by_state: whether a case's rows are split by the machine's state: where operations move cache lines between
            CPUs that stay awake. It is declared, because a test on the outcome splits equal trials too.
    """

    title: str
    headline: str
    mixed: str = ""
    figures: tuple[Figure, ...]
    distributions: tuple[Percentiles, ...]
    shares: tuple[Shares, ...] = ()
    checks: tuple[RowCheck, ...] = ()
    questions: tuple[Question, ...] = ()
    op: str
    measures: str | None = None
    along: str | None = None
    beside: tuple[str, ...] = ()
    tradeoff: Tradeoff | None = None
    curves: tuple[Curve, ...] = ()
    histograms: bool = False
    notes: tuple[str, ...] = ()
    follows: Callable[[Sequence["Row"]], Mapping[str, str]] = lambda _: {}
    ours: int = 0
    by_state: Callable[[Case], bool] = split_unless_blocking

    @property
    def timed(self) -> tuple[Percentiles, ...]:
        """Those of its distributions that are of durations."""
        return tuple(one for one in self.distributions if one.unit == "ns")

    def headline_of(self, case: Case) -> str:
        """The name of the figure that a row of this case is ordered, compared and judged by."""
        return self.mixed if self.mixes(case) else self.headline

    def mixes(self, case: Case) -> bool:
        """Whether operations of this case may be of two kinds, as the scheduler puts its threads."""
        return bool(self.mixed) and case.placement.may_share

    def over_trials(self, figure: Figure, case: Case) -> Summary:
        """How the values of a case's trials become one.

        Of two kinds of operation the time of all trials is divided by their operations. Trials last equally long, so
        that is the mean of rates, and the harmonic mean of times: the plain mean of times is that of the trials in
        which the slower kind prevailed.
        """
        if not self.mixes(case) or figure.name != self.mixed:
            return figure.over
        return "harmonic" if figure.unit == "ns" else "mean"

    def tells(self, figure: str, case: Case) -> bool:
        """Whether a figure says something of this case: of two kinds of operation the usual headline does not."""
        return figure != self.headline or self.headline_of(case) == figure

    @property
    def leading(self) -> Figure:
        """The headline: what it is called, and its unit."""
        return self.figure(self.headline)

    @property
    def param(self) -> str:
        """The parameter along which rows are set side by side; empty where it is a number of threads, or nothing."""
        return self.along if self.along and self.along not in OF_GROUPS else ""

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The parameters along which rows are set side by side; an empty one is the number of threads, or pairs."""
        along = (self.param,) if self.along else ()
        return (*along, *self.beside)

    def place(self, case: Case) -> int:
        """Where a case stands along its dimension."""
        return int(case.params.get(self.param, 0)) if self.param else case.groups

    def figure(self, name: str) -> Figure:
        """The figure of this name, be it a percentile; KeyError if it is not declared."""
        if found := next((one for one in self.figures if one.name == name), None):
            return found
        of_parts = {f"{one.name}.{part}": (one, part) for one in self.distributions for part in OF_DISTRIBUTIONS}
        one, part = of_parts[name]
        return one.figure(part)


Declared = Mapping[str, Declaration]
"""The declaration of each experiment, by its name."""
