"""What was measured before: the list of runs, one of them again, what its words mean, and the machine's states."""

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any

from msgspec.structs import replace

from threadping.analysis.analyse import analyse, analyse_headlines, analyse_rates
from threadping.analysis.answer import Answer
from threadping.analysis.observe import FORM, observe
from threadping.analysis.standing import watched_pairs
from threadping.analysis.states import states_of, surveyed
from threadping.cli.answer import Output, give, print_answer, taken
from threadping.comparing.apart import FEWEST_LIKE, MOST_LIKE, with_like_runs
from threadping.errors import ProbeUnusable
from threadping.experiments import EXPERIMENTS, declared
from threadping.model.cases import Case
from threadping.model.run import Machine, Run, is_same
from threadping.model.trials import Observation
from threadping.probes.words import words
from threadping.store import Store, open_store
from threadping.views.export.as_json import runs_json, states_json
from threadping.views.terminal.lists import runs_table


def list_runs(limit: int, **given: Any) -> None:
    """Print the newest runs."""
    output = taken(Output, given)
    with open_store(output.location, create=False) as store:
        runs, damaged = store.listed(limit)
    give(output, {"json": runs_json}, runs_table, runs, damaged)


def show(which: str, **given: Any) -> None:
    """Print one run again."""
    from threadping.views.terminal.tables import Detail

    output = taken(Output, given)
    with open_store(output.location, create=False) as store:
        answer = beside_like_runs(store, answered(store, which))
    print_answer(answer, replace(output, detail=Detail(**given)))


def explain(term: str, which: str | None, location: str | None) -> None:
    """Print what a word of any output means, with a run's numbers where one is named."""
    from threadping.views.terminal.console import stdout
    from threadping.views.terminal.explanation import explanation

    answer = None
    if which is not None:
        with open_store(location, create=False) as store:
            answer = answered(store, which)
    with suppress(ProbeUnusable):  # without a probe nobody knows mechanisms, but all else has its words
        stdout().print(explanation(term, declared(), answer, words()))
        return
    stdout().print(explanation(term, declared(), answer))


def remove(which: Sequence[str], *, force: bool, location: str | None) -> None:
    """Remove runs, all of which must be there, and say so."""
    from threadping.views.terminal.console import stderr

    with open_store(location, create=False) as store:
        for number in [store.number(one) for one in which]:
            store.remove(number, force=force)
            stderr().print(f"Run {number} is removed.")


def answered(store: Store, which: str) -> Answer:
    """A stored run, analysed."""
    run = store.run(which)
    return analyse(run, _observations(store, run), store.pings(run), declared())


def beside_like_runs(store: Store, answer: Answer) -> Answer:
    """The same, whose rows say how the runs before it differ that are like it; of a matrix or a comparison as it is."""
    tonight = answer.run
    if tonight.matrix or tonight.comparison or not answer.rows:
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
    alike = earlier.comparison is None and earlier.imported == tonight.imported
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
    answer = analyse_headlines(run, _observations(store, run), store.pings(run), declared())
    rows = tuple(replace(row, case=shared[row.case]) for row in answer.rows if row.case in shared)
    return replace(answer, run=replace(run, cases=(), skipped=(), premises=None), rows=rows)


def _observations(store: Store, run: Run) -> list[Observation]:
    """What the run's trials say; made anew where they were stored by other readings than today's.

    An imported run has no results to be read again: it says what it said.
    """
    stored = store.observations(run)
    trials = [] if all(one.form == FORM for one in stored) else store.trials(run)
    if not trials:
        return stored
    return [  # one for every trial: pings are counted by trials
        observe(trial, EXPERIMENTS[trial.case.experiment].figures) if trial.case.experiment in EXPERIMENTS else one
        for trial, one in zip(trials, stored, strict=True)
    ]


def show_states(which: str | None, **given: Any) -> None:
    """Print the states of a run; where none is named, of this machine over all runs."""
    from threadping.views.states import specification, states_of_machine, states_of_run

    output = taken(Output, given)
    observations: Sequence[Observation] = ()
    with open_store(output.location, create=False) as store:
        if which is None:
            run, machine = None, _this_machine()
            pings = store.pings_of_machine(machine)
        else:
            run = store.run(which)
            machine, observations, pings = run.machine, store.observations(run), {run.id: store.pings(run)}
    of_runs = {run: surveyed(taken)[1] for run, taken in pings.items()}
    states, runs = states_of(*of_runs.values()), [run for run, taken in of_runs.items() for _ in taken]
    watched = watched_pairs(states, runs, machine.topology, observations)
    as_table = partial(states_of_run, run) if run else partial(states_of_machine, machine)
    give(output, {"json": states_json}, as_table, watched, chart=partial(specification, machine))


def _this_machine() -> Machine:
    from threadping.machine.identity import describe_machine
    from threadping.probes.description import read_lscpu, read_topology
    from threadping.probes.runtimes import find_cpp

    cpp = find_cpp(os.environ)
    return describe_machine(read_topology(cpp), read_lscpu())
