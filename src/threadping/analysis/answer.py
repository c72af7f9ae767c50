"""An analysed run. Every view is a function of an `Answer`, and nothing else leads from a store to a view."""

from collections.abc import Mapping, Sequence
from typing import Literal

from threadping.analysis.declaration import Declaration, Facts, Figure
from threadping.analysis.estimate import Estimate
from threadping.analysis.standing import Standing
from threadping.analysis.states import NO_STATES, States
from threadping.contract import Distribution
from threadping.model import Case, Observation, Record, ReferencePing, Run, Stored

Level = Literal["error", "warning", "note"]

LATE = "headline_late"
"""The headline of a trial's last third, as `observe` reads it."""

LEVELS: tuple[Level, ...] = ("error", "warning", "note")
"""The gravest first."""


class Finding(Record, frozen=True):
    """What must be known to believe a figure: a check's code, its level, and the facts that its words are made with."""

    code: str
    level: Level
    facts: Facts


class Observed(Record, frozen=True):
    """A trial of the run: what it says, and how its CPUs stood meanwhile."""

    observation: Observation
    standing: Standing = Standing()


class RowState(Record, frozen=True):
    """The state in which a row's trials were measured; over several pairs of CPUs the means.

    Attributes:
        core_to_core_ns: one way, by the reference pings of the state.
        range: of those pings.
        share: of the time in which the pairs were watched.
    """

    core_to_core_ns: float
    range: tuple[float, float]
    share: float


class BetweenRuns(Record, frozen=True):
    """How a row's headline differs from run to run: this one, and those before it that are like it.

    Attributes:
        runs: how many have the row.
        low: the least of their headlines.
        high: the most of them.
        scatter: how many times as far they are from each other as their trials explain, 1 where runs are alike: the
            root of the F of an analysis of variance of the trials' logarithms by runs; None with too few trials.
    """

    runs: int
    low: float
    high: float
    scatter: float | None


class Row(Record, frozen=True):
    """One case in one state.

    Attributes:
        case: what was measured.
        declared: the figures of its experiment.
        trials: those that count, themselves, in the order in which they ended.
        ended: all of the case: also failed ones, those of other states, and those whose state changed meanwhile.
        figures: by name, over the trials; absent is not known.
        findings: of this row alone, the gravest first.
        state: in which they were measured; None where the case is not split by state, or no pair was pinged.
        of_several: whether its CPUs were in other states too.
        leads: whether they were in none of these for longer.
        crossed: how many trials of the case are in no row: the state changed meanwhile, or held for a moment only.
        isolated: CPUs that its threads may be given and among which the scheduler moves none.
        comparable: whether the figure is of the same as those of other rows.
        regime: the regime that its check names, by which it is compared with other mechanisms; empty where none does.
        place: in the tables, from 1, by which it is named; 0 of what stands in none.
        between_runs: None where the store was not looked at, or has too few like runs.
    """

    case: Case
    declared: Declaration
    trials: tuple[Observation, ...]
    ended: tuple[Observation, ...]
    figures: Mapping[str, Estimate] = {}
    findings: tuple[Finding, ...] = ()
    state: RowState | None = None
    of_several: bool = False
    leads: bool = True
    crossed: int = 0
    isolated: tuple[int, ...] = ()
    comparable: bool = True
    regime: str = ""
    place: int = 0
    between_runs: BetweenRuns | None = None

    def value(self, figure: str) -> float | None:
        """A figure's value; None where it is not known."""
        found = self.figures.get(figure)
        return None if found is None else found.value

    def number(self, figure: str, unknown: float = 0.0) -> float:
        """A figure's value, or another number where it is not known."""
        found = self.value(figure)
        return unknown if found is None else found

    def over_trials(self, figure: str) -> list[float]:
        """A figure of every trial that knows it."""
        return [one.figures[figure] for one in self.trials if figure in one.figures]

    @property
    def headline(self) -> Estimate | None:
        """The figure by which it is ordered, compared and judged."""
        return self.figures.get(self.declared.headline_of(self.case))

    @property
    def leading(self) -> Figure:
        """What its headline is called, and its unit."""
        return self.declared.figure(self.declared.headline_of(self.case))

    @property
    def called(self) -> str:
        """What its headline is, where it is another figure than those of most rows: `mean`; else empty."""
        return "" if self.leading == self.declared.leading else self.leading.head

    @property
    def mixes(self) -> bool:
        """Whether its operations may be of two kinds, as the scheduler puts its threads: its headline is a mean."""
        return self.declared.mixes(self.case)

    @property
    def late(self) -> Estimate | None:
        """The headline of its trials' last thirds, where it is surely another one; it stands beside the headline."""
        return self.figures.get(LATE)

    @property
    def core_to_core_ns(self) -> float | None:
        """How far its CPUs were apart; None where it has no state."""
        return self.state.core_to_core_ns if self.state else None

    @property
    def warned(self) -> tuple[str, ...]:
        """The codes of what disturbed it, each once, without notes."""
        return tuple(dict.fromkeys(one.code for one in self.findings if one.level != "note"))

    def timed(self, name: str) -> list[Distribution]:
        """What its trials timed of a distribution, as far as they timed anything; none where it is absent."""
        if f"{name}.samples" not in self.figures:
            return []
        return [one for trial in self.trials if (one := trial.distributions.get(name)) and one.counts]

    @property
    def failed(self) -> int:
        """How many trials of the case have no figures."""
        return sum(not one.figures for one in self.ended)


class Answer(Record, frozen=True):
    """A run, analysed.

    Attributes:
        run: what was carried out.
        trials: every trial that ended, in that order.
        states: those of the run's own reference pings.
        rows: in the order of the experiments and of the run's cases.
        findings: of the machine and of the run as a whole.
        declared: what each experiment declares of its figures, by its name.
        survey: pings of pairs that no trial used: they show how the machine is built, and no states.
    """

    run: Run
    trials: tuple[Observed, ...]
    rows: tuple[Row, ...]
    declared: Mapping[str, Declaration]
    states: States = NO_STATES
    findings: tuple[Finding, ...] = ()
    survey: Sequence[ReferencePing] = ()

    @property
    def observations(self) -> tuple[Observation, ...]:
        """What every trial says."""
        return tuple(one.observation for one in self.trials)

    @property
    def stored(self) -> Stored:
        """What it was made from."""
        return Stored(self.run, self.observations, (*self.survey, *self.states.pings))

    @property
    def known(self) -> list[tuple[Observed, Declaration]]:
        """The trials of experiments that this threadping knows, each with what its experiment declares."""
        found = ((one, self.declared.get(one.observation.case.experiment)) for one in self.trials)
        return [(one, declared) for one, declared in found if declared]


def gravest_first(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """In the order of their levels, otherwise as they were found."""
    return tuple(sorted(findings, key=lambda one: LEVELS.index(one.level)))
