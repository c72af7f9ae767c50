"""Declarations of experiments, the rows that have their figures, and the one reading of a figure in a trial or row.

A declaration and a row know each other: a row reads its headline from what its experiment declares, which declares
checks of rows.

Code that compares, ranks or prints a figure asks here, so that nothing compares what a table leaves out: a figure that
means nothing for a case, one that a finding hides, a percentile that the samples of a trial do not carry.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from threadping.analysis import percentiles
from threadping.analysis.checks import Check, Finding, sentences
from threadping.model import reading
from threadping.model.base import Record, gathered
from threadping.model.cases import GROUPS, Case
from threadping.model.contract import Distribution, Request, Result
from threadping.model.run import Machine, Observation

Unit = Literal["ns", "per_s", "share", "percent", "count", "index"]
Better = Literal["less", "more"]


class Column(Struct, frozen=True, forbid_unknown_fields=True):
    """The place of a figure in a table: where not all columns fit, those of the highest rank go first; rank 0 stays."""

    head: str
    rank: int = 0
    of_rows: bool = True
    of_trials: bool = True


class Figure(Struct, frozen=True, forbid_unknown_fields=True):
    """One number of one trial."""

    name: str  # its name in a row; a dot leads into an object: `latency_ns.typical`
    unit: Unit  # of the number
    # how it is read from a result: a function of `model.reading` with its other arguments, or `own`, that of its
    # experiment. None where no result alone knows it: of outliers, which need the policy of the request; a percentile
    read: tuple[str | int, ...] = ()
    column: Column | None = None  # its column in tables; None is in exports only
    better: Better | None = None  # which way is better; None where neither is
    over: percentiles.Summary = "median"  # how the values of several trials become one
    says: str = ""  # the name of its sentence in `words.toml`, if that is not its own

    @property
    def head(self) -> str:
        """The head of its column; its name where it has none."""
        return self.column.head if self.column else self.name

    @property
    def means(self) -> str:
        """Its meaning in a sentence; empty if none says so."""
        return sentences().figures.get(self.says or self.name, "")


Idle = Literal["", "own", "another"]


class Percentiles(Struct, frozen=True, forbid_unknown_fields=True):
    """A distribution, of what was timed one by one or of another number: min, p50, p90, p95, p99, p99.9 and max."""

    name: str  # its name in a row: `latency_ns` has `latency_ns.p50`
    noun: str  # what its samples are, in the plural
    of: str = ""  # its name in a result; empty for the only one
    unit: Unit = "ns"  # of its values; ns for what was timed
    head: str = ""  # the text before the percentile's name in heads: `wait` makes `wait p99`
    says: str = ""  # the name of its sentence in `words.toml`, if that is not its own
    # the group of figures that describes its outliers; empty where their causes are not looked for
    outliers: str = "outliers"
    # whose sleeping CPU makes one longer: that of the thread that times it and is woken (`own`), or that of another,
    # which its call wakes; empty where its thread may sleep for another reason as well
    idle: Idle = ""
    paced: bool = False  # whether a schedule says when each begins
    across: bool = False  # whether each begins by the clock of one thread and ends by that of another
    column: bool = True  # whether the table of cases has its percentiles
    optional: bool = False  # whether trials in which nothing was timed for it know nothing of it
    # the cases that it means something for; of others no figure of its group is shown
    threads: int = 0  # the minimum number of their threads
    param: str = ""  # a parameter that is above 0
    why_not: str = ""  # what it is of those others, and what to ask for instead, in a sentence

    @property
    def means(self) -> str:
        """Its meaning in a sentence; empty if none says so."""
        return sentences().figures.get(self.says or self.name, "")

    def figure(self, part: str) -> Figure:
        """A percentile of it, or how many samples it is of."""
        unit: Unit = self.unit if part in percentiles.PERCENTILE_NAMES else "count"
        return Figure(f"{self.name}.{part}", unit, column=Column(f"{self.head} {part}".strip()))

    def applies(self, case: Case) -> bool:
        """Return whether it means something for a case."""
        return case.threads >= self.threads and (not self.param or int(case.params.get(self.param, 0)) > 0)

    def read(self, result: Result) -> Distribution:
        return result.timed(self.of)

    def of_trials(self, trials: Sequence[Observation]) -> tuple[list[Distribution], float, list[float]]:
        """Return its distributions in trials, the coarsest clock step, and each sampling window that censored."""
        having = [trial for trial in trials if self.name in trial.distributions]
        found = [trial.distributions[self.name] for trial in having]
        if self.unit != "ns":
            return found, 1.0, [0.0] * len(found)
        step = max((trial.figures.get("counters.clock_step_ns", 1.0) for trial in trials), default=1.0)
        windows = [trial.figures.get("counters.sampling_window_ns", 0.0) for trial in having]
        return found, step, [ns if one.censored else 0.0 for one, ns in zip(found, windows, strict=True)]


class Question(Struct, frozen=True):
    """A question of a newcomer, and the cases that answer it: a line of the first screen.

    The screen derives the line's label from the mechanism and `params`, so that a label names all that it takes to
    select its cases.
    """

    # the operation, a heading over all lines that share it; `{number}` becomes `16`, `{groups}` `16
    # pairs`, `{workers}` for `15 workers`, the threads of a barrier without its coordinator
    operation: str
    mechanism: str  # the mechanism that answers it, in every runtime that has it
    params: Mapping[str, str] = {}  # its parameters that differ from the defaults, as text
    figure: str = ""  # its name; empty for the headline
    what: str = ""  # what its figure is, if it is not the operation's: `until the woken thread runs`
    groups: int | None = None  # how many threads, or pairs, are meant where several numbers were measured
    scales: bool = False  # whether it is answered for the fewest threads and for the most that have a CPU each
    unpinned: bool = False  # whether it is about threads that are not pinned; else of the closest CPUs
    rank: int = 0  # where the screen is too short for all, lines of the highest go first; 0 stays
    # the name of a figure that is printed with the row's regime, in place of the interval
    with_regime: str = ""


class Tradeoff(Struct, frozen=True):
    """Two figures in conflict, by name: less of one is often more of the other."""

    quick: str
    cheap: str


class CurveEntry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The words and names of a curve, as `experiments.toml` has them."""

    name: str  # of the chart's file, and over the column of what is varied
    title: str  # what it shows
    along: str  # what is varied, the title of the axis
    unit: Unit  # of that
    figures: tuple[str, ...]  # what is shown of each place; of `groups` the name inside the group
    param: str = ""  # the parameter by which rows of one line differ; empty where each row is a line
    # the figure whose double of what it is at the least place is marked, and what that means
    doubles: tuple[str, str] | None = None


class Curve(CurveEntry, frozen=True, kw_only=True):
    """Figures over something that is varied, as lines of numbers and as a chart."""

    # the group of figures at each place; a row that has several is a line
    groups: Mapping[float, str] = {}
    # what must be known of the machine to read it, in a sentence; empty where nothing
    beneath: Callable[[Machine], str] = lambda _: ""
    # what follows from the first figure of each trial at each place of a line, in sentences
    concludes: Callable[[Mapping[float, Sequence[float]]], Iterable[str]] = lambda _: ()

    def whole(self, figure: str) -> str:
        """A figure's whole name, of groups that of the first place: what it is called and its unit are alike in all."""
        return f"{next(iter(self.groups.values()))}.{figure}" if self.groups else figure


class OtherHeadline(Struct, frozen=True):
    """The headline of cases that ask another question than most of an experiment's."""

    applies: Callable[[Case], bool]
    metric: str  # what it is, behind its figure in a sentence
    figure: str
    mixed: str = ""  # in its place where the scheduler may put the threads on one CPU or on several


LATE_HEADLINE = "headline_late"
"""The headline of a trial's last third, as `observe` reads it; of a row where it differs significantly."""
RowCheck = Check["Row"]  # It looks at a row whose findings are still to come


# parts of each distribution in a row
OF_DISTRIBUTIONS = (*percentiles.PERCENTILE_NAMES, "samples", "censored", "negative")
OF_GROUPS = tuple(f"{name}s" for name in GROUPS.values())


class TrialFigures(Struct, frozen=True, forbid_unknown_fields=True):
    """The numbers that are read from an experiment's trials, as `figures.json` has them."""

    # its own, in the order in which they are shown; those that every experiment has come behind them
    figures: tuple[Figure, ...]
    # what is timed one by one, and others; the first is shown next to the headline
    distributions: tuple[Percentiles, ...] = ()


class DeclarationEntry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The words and names of an experiment's declaration, as `experiments.toml` has them."""

    title: str  # the heading of its table: what is measured, one-way or round trip
    headline: str  # the figure by which rows are ordered
    metric: str  # what that is, behind its figure in a sentence: `one way`
    conditions: tuple[str, ...] = ()  # parameters that say what is measured, and not how a mechanism does it
    # the figure in its place where the scheduler may put the threads on one CPU or on several, a mean, of trials too:
    # an operation then is one of two kinds, and a median is of one of them, by chance. Empty where that makes no kinds.
    mixed: str = ""
    questions: tuple[Question, ...] = ()  # what the first screen answers, the most wanted first
    op: str  # what one operation is called
    measures: str | None = None  # what a latency is the latency of; None where the mechanism says it
    # the dimension along which its rows are set side by side: `threads`, `pairs`, a parameter, or none
    along: str | None = None
    also_along: tuple[str, ...] = ()  # parameters along which rows that differ in nothing else are set side by side too
    # the figures that are set side by side, and drawn, along all of these besides the headline
    pivoted: tuple[str, ...] = ()
    # the rows that no other beats in both lead, at each place of that dimension. Its figures stay in tables
    # where not all columns fit.
    tradeoff: Tradeoff | None = None
    stays: tuple[str, ...] = ()  # further figures that do
    curves: tuple[CurveEntry, ...] = ()  # what is shown over something that is varied
    notes: tuple[str, ...] = ()  # what must be known to read the table, a sentence each
    # what follows where threads share CPUs: for operations of a name, where they block, and where they spin or for all
    without_cpu: Mapping[str, str] = {}


class Declaration(DeclarationEntry, frozen=True, kw_only=True):
    """All that an experiment declares of its figures."""

    other: OtherHeadline | None = None  # the headline of cases that ask something else
    figures: tuple[Figure, ...]  # as `TrialFigures` has them
    distributions: tuple[Percentiles, ...]
    timed: tuple[Percentiles, ...] = ()  # those of them that are of what was timed one by one
    # the parameter along which rows are set side by side; empty where it is a number of threads, or nothing
    param: str = ""
    # the parameters along which rows are set side by side; an empty one is the number of threads, or pairs
    dimensions: tuple[str, ...] = ()
    # reads the figures, by name, that `model.reading` does not
    own: Callable[[Result, Request], Mapping[str, float | None]] = lambda _, __: {}
    checks: tuple[RowCheck, ...] = ()  # of its rows: its own, and those that every experiment has
    curves: tuple[Curve, ...] = ()
    # what to type next behind `threadping`, with the labels of runtimes, and what that shows
    follows: Callable[[Sequence["Row"]], Mapping[tuple[str, ...], str]] = lambda _: {}
    answers: Callable[[Sequence["Row"]], Iterable[str]] = lambda _: ()  # what its rows say together, in a sentence each
    ours: int = 0  # how often its coordinator takes the CPU from a thread, in each window
    # whether a case's rows are split by the machine's state: where operations move cache lines between CPUs that stay
    # awake, not of threads that sleep: the scheduler takes a hundred times as long. It is declared, because a test on
    # the outcome splits equal trials too.
    by_state: Callable[[Case], bool] = lambda case: not case.blocking

    def read(self, figure: Figure, result: Result, request: Request) -> Mapping[str, float | None]:
        """Return a figure of a trial, and those that are read with it, by name; None where this result lacks one."""
        if not figure.read:
            return {figure.name: None}
        name, *given = figure.read
        found = self.own(result, request) if name == "own" else getattr(reading, str(name))(result, *given)
        return found if isinstance(found, Mapping) else {figure.name: found}

    def title_of(self, cases: Iterable[Case]) -> str:
        """Return what rows of these cases, at least one, are about."""
        return f"latency {self.other.metric}" if self.other and all(map(self.other.applies, cases)) else self.title

    def headline_of(self, case: Case) -> str:
        """The name of the figure that a row of this case is ordered, compared and judged by."""
        if self.other and self.other.applies(case):
            return self.other.mixed if self.mixes(case) else self.other.figure
        return self.mixed if self.mixes(case) else self.headline

    def mixes(self, case: Case) -> bool:
        """Return whether operations of this case may be of two kinds: threads on one CPU, if the scheduler chooses."""
        place = case.placement
        if not self.mixed or len(place.cpus) < 2:
            return False
        return len(place.used) != 1 if place.pin == "process" else {*place.cpus} == {None}

    def summaries(self, case: Case) -> dict[str, percentiles.Summary]:
        """Return how the values of a case's trials become one, by figure; without one that says nothing of this case.

        Of two kinds of operation the usual headline says nothing. The time of all trials is divided by their
        operations. Trials last equally long, so that is the mean of rates, and the harmonic mean of times: the plain
        mean of times is that of the trials in which the slower kind prevailed.
        """
        leads = self.headline_of(case)
        usual = self.other.figure if self.other and leads in (self.other.figure, self.other.mixed) else self.headline
        found = {one.name: one.over for one in self.figures if one.name != usual or usual == leads}
        if self.mixed in found and self.mixes(case):
            found[self.mixed] = "harmonic" if self.figure(self.mixed).unit == "ns" else "mean"
        return found

    @property
    def leading(self) -> Figure:
        """The headline: what it is called, and its unit."""
        return self.figure(self.headline)

    def place(self, case: Case) -> int:
        """Return the place of a case along its dimension."""
        return int(case.params.get(self.param, 0)) if self.param else case.groups

    def figure(self, name: str) -> Figure:
        """The figure of this name, be it a percentile; KeyError if it is not declared."""
        if found := next((one for one in self.figures if one.name == name), None):
            return found
        of_parts = {f"{one.name}.{part}": (one, part) for one in self.distributions for part in OF_DISTRIBUTIONS}
        one, part = of_parts[name]
        return one.figure(part)


Declared = Mapping[str, Declaration]  # The declaration of each experiment, by its name


class RowState(Record, frozen=True):
    """The state in which a row's trials were measured; over several pairs of CPUs the means."""

    core_to_core_ns: float  # one way, by the reference pings of the state
    range: tuple[float, float]  # of those pings
    share: float  # of the time in which the pairs were watched


class BetweenRuns(Record, frozen=True):
    """The difference of a row's headline from run to run: this one, and those before it that are like it."""

    runs: int  # how many have the row
    low: float  # the least of their headlines
    high: float  # the most of them
    ci95: tuple[float, float]  # of the figure over runs, around this run's, and never narrower than its own interval

    @property
    def ends(self) -> tuple[float, float]:
        return self.low, self.high


class Row(Record, frozen=True):
    """One case in one state."""

    case: Case  # what was measured
    declared: Declaration  # the figures of its experiment
    trials: tuple[Observation, ...]  # those that count, themselves, in the order in which they ended
    # all of the case: also failed ones, those of other states, and those whose state changed meanwhile
    ended: tuple[Observation, ...]
    figures: Mapping[str, percentiles.Estimate] = {}  # by name, over the trials; absent is not known
    findings: tuple[Finding, ...] = ()  # of this row alone, the gravest first
    # in which they were measured; None where the case is not split by state, or no pair was pinged
    state: RowState | None = None
    # for each of its trials the mean of the reference pings around it (ns); empty where the case is not split by state
    pinged: tuple[float | None, ...] = ()
    of_several: bool = False  # whether its CPUs were in other states too
    leads: bool = True  # whether they were in none of these for longer
    # how many trials of the case are in no row: the state changed meanwhile, or held for a moment only
    state_changed: int = 0
    isolated: tuple[int, ...] = ()  # CPUs that its threads may be given and among which the scheduler moves none
    # findings of the whole run that say whether this row may be used (`analysis.validity`)
    of_run: tuple[Finding, ...] = ()
    # the regime that its check names, by which it is compared with other mechanisms; empty where none does
    regime: str = ""
    place: int = 0  # in the tables, from 1, by which it is named; 0 outside tables
    between_runs: BetweenRuns | None = None  # None where the store was not looked at, or has too few like runs

    def value(self, figure: str) -> float | None:
        """A figure's value; None where it is not known."""
        found = self.figures.get(figure)
        return None if found is None else found.value

    def number(self, figure: str, unknown: float = 0.0) -> float:
        """A figure's value, or another number where it is not known."""
        found = self.value(figure)
        return unknown if found is None else found

    def over_trials(self, figure: str) -> list[float]:
        return [one.figures[figure] for one in self.trials if figure in one.figures]

    @property
    def headline(self) -> percentiles.Estimate | None:
        """The figure by which it is ordered, compared and judged."""
        return self.figures.get(self.declared.headline_of(self.case))

    @property
    def leading(self) -> Figure:
        return self.declared.figure(self.declared.headline_of(self.case))

    def as_time(self, value: float) -> float:
        """A value of its headline as a time (ns): of a rate how long one operation takes; 0 is unchanged."""
        return 1e9 / value if value and self.leading.better == "more" else value

    def time_of(self, trial: Observation) -> float | None:
        """The headline of a trial as a time; None where it has none."""
        value = trial.figures.get(self.leading.name)
        return None if value is None else self.as_time(value)

    @property
    def times(self) -> list[float]:
        """The headline of each trial as a time, where it has one."""
        leading = self.leading
        values = self.over_trials(leading.name)
        return [1e9 / one if one else one for one in values] if leading.better == "more" else values

    @property
    def called(self) -> str:
        """The name of its headline, where it is another figure than those of most rows: `mean`; else empty."""
        return "" if self.leading == self.declared.leading else self.leading.head

    @property
    def core_to_core_ns(self) -> float | None:
        """The distance of its CPUs (ns, one way); None where it has no state."""
        return self.state.core_to_core_ns if self.state else None

    @property
    def warned(self) -> tuple[str, ...]:
        """The codes of what disturbed it, each once, without notes."""
        return tuple(dict.fromkeys(one.code for one in self.findings if one.level != "note"))

    def timed(self, name: str) -> list[Distribution]:
        """Return the distributions of its trials that have samples; none where the figure is absent."""
        if f"{name}.samples" not in self.figures:
            return []
        return [one for trial in self.trials if (one := trial.distributions.get(name)) and one.counts]

    @property
    def failed(self) -> int:
        """The number of trials of the case that have no figures."""
        return sum(not one.figures for one in self.ended)


def by_experiment(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Return the rows of each experiment, in their order; each knows what its experiment declares."""
    return gathered((row.case.experiment, row) for row in rows)


class Metric(Record, frozen=True):
    """A figure of an experiment."""

    figure: str  # its name among those of the experiment
    unit: Unit  # of its values
    higher_is_better: bool  # whether more of it is faster
    declared: Declaration  # the figures of its experiment

    @property
    def samples(self) -> int:
        """The number of samples that a trial needs to carry it; 0 unless it is a percentile."""
        found = self._percentile
        quantile = percentiles.QUANTILES.get(found[1]) if found else None
        return 0 if quantile is None else round(percentiles.CARRYING_SAMPLES / (1 - quantile))

    @property
    def _percentile(self) -> tuple[Percentiles, str] | None:
        """Return the distribution of a percentile, and its name there; None for another figure."""
        parts = ((one, self.figure.removeprefix(f"{one.name}.")) for one in self.declared.distributions)
        return next(((one, part) for one, part in parts if part in percentiles.PERCENTILE_NAMES), None)

    def why_not(self, case: Case) -> str | None:
        """Why cases such as this one have no such figure, in a sentence; None where they have it."""
        group = self.figure.partition(".")[0]
        of_group = (one for one in self.declared.distributions if group in (one.name, one.outliers))
        return next((one.why_not for one in of_group if not one.applies(case)), None)

    def of_trial(self, trial: Observation) -> float | None:
        """Its value in a trial; None where that failed, or does not carry it."""
        if trial.failure or self.why_not(trial.case):
            return None
        if found := self._percentile:
            timed, step, windows = found[0].of_trials([trial])
            return percentiles.percentiles(timed, step, windows).get(found[1])
        return trial.figures.get(self.figure)

    def of_row(self, row: Row) -> Sequence[float]:
        """Return its value in each trial of a row that shows it; of a percentile none unless every trial carries it."""
        if self.figure not in row.figures:
            return ()
        if found := self._percentile:
            timed, step, windows = found[0].of_trials(row.trials)
            return percentiles.of_each_trial(timed, step, windows).get(found[1], ())
        return row.over_trials(self.figure)

    def hidden_by(self, row: Row) -> str | None:
        """The code of what was found of a row and hides this figure of it; None where nothing does."""
        group = self.figure.partition(".")[0]
        hiding = {code for check in self.declared.checks if group in check.hides for code in check.codes}
        return next((one.code for one in row.findings if one.code in hiding), None)


def metric_of(figure: str, declared: Declaration) -> Metric:
    """The metric of a figure's name; KeyError where the experiment does not declare it."""
    found = declared.figure(figure)
    return Metric(figure, found.unit, found.better == "more", declared)


def metric(asked: str, declared: Declaration, *cases: Case) -> Metric | None:
    """Return the metric asked for, or None; of unlike headlines the mean, which all cases have.

    A handoff is compared by its rate, there and back, in which nobody reads a clock.
    """
    handoffs = {declared.other.figure, declared.other.mixed} if declared.other else set()
    headlines = {declared.headline_of(case) for case in cases} - {declared.headline, *handoffs}
    names = {"mean": "latency_ns.mean", "cpu": "cpu_ns_per_op", "rate": "ops_per_s"}
    names |= {part: f"{of.name}.{part}" for of in declared.timed[:1] for part in percentiles.PERCENTILE_NAMES}
    try:
        return metric_of(names.get(asked, min(headlines, default=declared.headline)), declared)
    except KeyError:
        return None
