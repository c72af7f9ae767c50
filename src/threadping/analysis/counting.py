"""Which trials of a case count, where some had others beside them that were measured at the same time."""

from collections.abc import Mapping, Sequence

from threadping.analysis.answer import Observed
from threadping.analysis.at_once import PairTrial, Parallel, parallel
from threadping.analysis.declaration import Declaration
from threadping.model.cases import Case


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
