"""Stored runs, analysed: one, or beside those before it that are like it."""

from collections.abc import Sequence
from itertools import islice

from msgspec.structs import replace

from threadping.analysis.analyse import analyse, analyse_headlines, analyse_rates
from threadping.analysis.answer import Answer
from threadping.analysis.observe import FORM
from threadping.analysis.runs import FEWEST_LIKE, MOST_LIKE, with_like_runs
from threadping.conduct.registry import study_of
from threadping.experiments import EXPERIMENTS, declared
from threadping.model.cases import Case
from threadping.model.run import Run, is_same
from threadping.model.trials import Observation
from threadping.store.database import open_store
from threadping.store.store import Store


def stored_answer(location: str | None, which: str) -> Answer:
    """A run of the store at this place, analysed."""
    with open_store(location, create=False) as store:
        return answered(store, which)


def answered(store: Store, which: str) -> Answer:
    """A stored run, analysed."""
    run = store.run(which)
    return analyse(run, observations_of(store, run), store.pings(run), declared())


def beside_like_runs(store: Store, answer: Answer) -> Answer:
    """The same, whose rows say how the runs before it differ that are like it; of a matrix or a comparison as it is."""
    tonight = answer.run
    if tonight.study.stands_alone or not tonight.cases or not answer.rows:
        return answer
    earlier = islice(store.earlier(tonight.id), MOST_LOOKED_AT)
    like = islice((one for one in earlier if is_like(one, tonight) and _is_by_the_same(one, tonight)), MOST_LIKE - 1)
    seen = [(one, store.observations(one)) for one in like]  # results are not read again: that takes long
    known = [(one, trials) for one, trials in seen if all(trial.form == FORM for trial in trials)]
    others = [analyse_rates(one, trials, store.pings(one), declared()) for one, trials in known]
    return with_like_runs(answer, others) if len(others) >= FEWEST_LIKE - 1 else answer


MOST_LOOKED_AT = 50
"""Runs before it among which like ones are looked for."""


def is_like(earlier: Run, tonight: Run) -> bool:
    """Whether a run can be set beside tonight's: of this machine, with a case in common, and no comparison.

    What was imported is of no machine here: it stands beside what was imported alone.
    """
    alike = not earlier.study.stands_alone and earlier.imported == tonight.imported
    alike = alike and is_same(earlier.machine, tonight.machine)
    return alike and not set(tonight.cases).isdisjoint(earlier.cases)


def _is_by_the_same(earlier: Run, tonight: Run) -> bool:
    """Whether both were measured by one version, with the same runtimes of the same versions."""
    (then, runtimes), (now, others) = (
        (one.version, {two.label: two.version for two in one.runtimes}) for one in (earlier, tonight)
    )
    return then == now and all(others.get(label, version) == version for label, version in runtimes.items())


def with_headlines(store: Store, run: Run, cases: Sequence[Case]) -> Answer:
    """A stored run with the headlines of these cases alone, so that a thousand of them fit into memory."""
    shared = {case: case for case in cases}
    answer = analyse_headlines(run, observations_of(store, run), store.pings(run), declared())
    rows = tuple(replace(row, case=shared[row.case]) for row in answer.rows if row.case in shared)
    return replace(answer, run=replace(run, cases=(), skipped=(), premises=None), rows=rows)


def observations_of(store: Store, run: Run) -> list[Observation]:
    """What the run's trials say; made anew where they were stored by other readings than today's.

    An imported run has no results to be read again: it says what it said.
    """
    stored = store.observations(run)
    trials = [] if all(one.form == FORM for one in stored) else store.trials(run)
    if not trials:
        return stored
    return [  # one for every trial: pings are counted by trials
        study_of(run).observe(trial) if trial.case.experiment in EXPERIMENTS else one
        for trial, one in zip(trials, stored, strict=True)
    ]
