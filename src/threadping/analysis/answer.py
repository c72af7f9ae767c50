"""An analysed run. Every view is a function of an `Answer`, and nothing else leads from a store to a view."""

from collections.abc import Mapping, Sequence

from threadping.analysis.at_once import Parallel
from threadping.analysis.checks import Finding
from threadping.analysis.declaration import Declaration, Row
from threadping.analysis.standing import Standing
from threadping.analysis.states import NO_STATES, States
from threadping.model.bounds import Record
from threadping.model.run import Run, Stored
from threadping.model.trials import Observation, ReferencePing


class Observed(Record, frozen=True):
    """A trial of the run: what it says, and how its CPUs stood meanwhile."""

    observation: Observation
    standing: Standing = Standing()


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
        at_once: how trials that were measured at once compare with those alone; None where none were.
    """

    run: Run
    trials: tuple[Observed, ...]
    rows: tuple[Row, ...]
    declared: Mapping[str, Declaration]
    states: States = NO_STATES
    findings: tuple[Finding, ...] = ()
    survey: Sequence[ReferencePing] = ()
    at_once: Parallel | None = None

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
