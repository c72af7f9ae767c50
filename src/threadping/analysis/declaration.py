"""What an experiment declares of its figures. Everything that shows, exports or compares is a loop over this."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from threadping.analysis.states import NO_STATES, States
from threadping.contract import Distribution, Result
from threadping.model import Case, Observation, Row, Run, Severity

Unit = Literal["ns", "per_s", "share", "count", "index"]
Better = Literal["less", "more"]

Summary = Literal["typical", "mean", "total", "least", "most"]
"""How the values of trials become one: the median trial (of an even number the lower of the two in the middle, so that
it is always one that was measured), their mean or sum, the least or the most."""


class Column(Struct, frozen=True):
    """Where a figure stands in a table.

    `head` stands over it. Where not all columns fit, those of the highest `rank` go first; rank 0 stays. `of_rows` and
    `of_trials` say in which tables it stands.
    """

    head: str
    rank: int = 0
    of_rows: bool = True
    of_trials: bool = True


class Figure(Struct, frozen=True, kw_only=True):
    """One number of one trial.

    Attributes:
        name: where it stands in a row; a dot leads into an object: `latency_ns.typical`.
        unit: of the number.
        read: how it is read from a result; None where this result does not tell it.
        over: how the values of several trials become one.
        better: which way is better; None where neither is.
        interval: whether it comes with its interval over trials.
        column: where it stands in tables; None is in exports only.
        means: what it is, in a sentence, for `threadping explain`.
    """

    name: str
    unit: Unit
    read: Callable[[Result], float | None]
    over: Summary = "typical"
    better: Better | None = None
    interval: bool = False
    column: Column | None = None
    means: str = ""


def of_no_result(_: Result) -> None:
    """Reads a figure that no result tells: it comes from the pings around the trial, when these are known."""


class Percentiles(Struct, frozen=True, kw_only=True):
    """A distribution, of what was timed one by one or of another number: min, p50, p90, p95, p99, p99.9 and max.

    Attributes:
        name: where it stands in a row: `latency_ns` has `latency_ns.p50`, ...
        of: its name in a result; empty for the only one.
        unit: of its values; ns for what was timed.
        parts: by what each of its times is divided: 2 makes one-way latencies of round trips.
        noun: what its samples are, in the plural.
        head: what stands before the percentile's name over its columns: `wait` makes `wait p99`.
        means: what it is, in a sentence.
        outliers: where in a row stands what became of those that took long.
        across: whether each begins by the clock of one thread and ends by that of another.
    """

    name: str
    of: str = ""
    unit: Unit = "ns"
    parts: int = 1
    noun: str
    head: str = ""
    means: str = ""
    outliers: str = "outliers"
    across: bool = False

    def read(self, result: Result) -> Distribution:
        """The distribution of a result, in its unit."""
        return result.timed(self.of)


Fact = float | str
Facts = Mapping[str, Fact]


class Evidence(Struct, frozen=True):
    """What a check may look at.

    Attributes:
        case: what was measured.
        row: its figures over trials; the verdicts are still to come.
        ended: every trial of the case that ended, failed ones and those of other states too.
        counted: those of them that the row is made of.
        run: in which they were measured, with its machine and budget.
        declared: the experiment's figures.
        states: those of the run.
    """

    case: Case
    row: Row
    ended: Sequence[Observation]
    counted: Sequence[Observation]
    run: Run
    declared: "Declaration"
    states: States = NO_STATES

    def over_trials(self, figure: str) -> list[float]:
        """A figure of every counted trial that tells it."""
        return [one.figures[figure] for one in self.counted if figure in one.figures]


class Check(Struct, frozen=True, kw_only=True):
    """Something that may be wrong with a figure, and the words for it.

    Attributes:
        code: its name, for good.
        severity: how grave it is; `find` may give a graver or a lesser one as the fact `severity`.
        find: the facts of a case of which it is true, else None. Asked of cases with at least one counted trial, unless
            `always`.
        brief: the facts in a few words, behind the code; `{fact:spec}` as `figures.words` writes them.
        means: what it means for the figure, in sentences; the facts may stand in it too.
        remedy: what to do about it.
        whole_machine: whether it is true of every case alike, because it is about the machine; asked always.
    """

    code: str
    severity: Severity
    find: Callable[[Evidence], Facts | None]
    brief: str = ""
    means: str
    remedy: str = ""
    always: bool = False
    whole_machine: bool = False


class Declaration(Struct, frozen=True, kw_only=True):
    """All that an experiment declares of its figures.

    Attributes:
        title: what stands over its table: what is measured, one-way or round trip.
        headline: the figure by which rows are ordered, with an interval.
        figures: its own, in the order in which they are shown; those that every experiment has come behind them.
        distributions: what is timed one by one, and others; the first is shown beside the headline.
        checks: its own; those that every experiment has are made too.
        op: what one operation is called.
        measures: what a latency is the latency of; None where the mechanism says it.
        along: the dimension along which its rows are set side by side: `threads`, `pairs`, or none.
        beside: the parameters of which the same is done with those rows that differ in nothing else.
        histograms: whether what is timed is shown as small histograms too.
        notes: what must be known to read the table, a sentence each.
        ours: how often its coordinator takes the CPU from a thread, in each window.
    """

    title: str
    headline: str
    figures: tuple[Figure, ...]
    distributions: tuple[Percentiles, ...]
    checks: tuple[Check, ...] = ()
    op: str
    measures: str | None = None
    along: Literal["threads", "pairs"] | None = None
    beside: tuple[str, ...] = ()
    histograms: bool = False
    notes: tuple[str, ...] = ()
    ours: int = 0

    @property
    def timed(self) -> tuple[Percentiles, ...]:
        """Those of its distributions that are of durations."""
        return tuple(one for one in self.distributions if one.unit == "ns")

    def figure(self, name: str) -> Figure:
        """The figure of this name; KeyError if it is not declared."""
        return {one.name: one for one in self.figures}[name]


Declared = Mapping[str, Declaration]
"""The declaration of each experiment, by its name."""
