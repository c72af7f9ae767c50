"""An analysed run, of which every view is a function, and which of its trials count."""

from collections.abc import Mapping, Sequence

from threadping.analysis.at_once import PairTrial, Parallel, parallel
from threadping.analysis.checks import Finding
from threadping.analysis.declaration import Declaration, Row
from threadping.analysis.states import NO_STATES, Standing, States
from threadping.model.bounds import Record
from threadping.model.cases import Case
from threadping.model.run import Observation, ReferencePing, Run, Stored


class Observed(Record, frozen=True):
    """A trial of the run: what it says, and how its CPUs stood meanwhile."""

    observation: Observation
    standing: Standing = Standing()


class Answer(Record, frozen=True):
    """A run, analysed."""

    run: Run  # what was carried out
    trials: tuple[Observed, ...]  # every trial that ended, in that order
    rows: tuple[Row, ...]  # in the order of the experiments and of the run's cases
    declared: Mapping[str, Declaration]  # what each experiment declares of its figures, by its name
    states: States = NO_STATES  # those of the run's own reference pings
    findings: tuple[Finding, ...] = ()  # of the machine and of the run as a whole
    # pings of pairs that no trial used: they show how the machine is built, and no states
    survey: Sequence[ReferencePing] = ()
    # how trials that were measured at once compare with those alone; None where none were
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


def compared(by_case: Mapping[Case, Sequence[Observed]], declared: Mapping[str, Declaration]) -> Parallel | None:
    """Compare those trials of a run's cases that had others beside them with those alone; None where none had."""
    if not any(one.observation.beside for trials in by_case.values() for one in trials):
        return None
    headlines = {case: of.headline_of(case) for case in by_case if (of := declared.get(case.experiment))}
    return parallel(
        [
            [
                PairTrial.of(one.observation, headline, one.standing.core_to_core_ns)
                for one in by_case[case]
                if headline in one.observation.figures and not one.standing.crossed
            ]
            for case, headline in headlines.items()
        ]
    )


def counting(trials: Sequence[Observed], found: Parallel | None) -> Sequence[Observed]:
    """Those trials of a case that count: with others beside them only if that changes nothing.

    Where nobody can tell whether it does, they count for a case that was never measured alone: better than nothing.
    """
    if found is None or found.is_used:
        return trials
    alone = [one for one in trials if not one.observation.beside or not one.observation.figures]
    is_known = any(one.observation.figures for one in alone)
    return alone if is_known or found.alike == "no" else trials
