"""What was measured before: the list of runs, one of them again, what its words mean, and the machine's states."""

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from threadping.analysis.standing import watched_pairs
from threadping.analysis.states import states_of, surveyed
from threadping.conduct.conduct import show as show_answer
from threadping.conduct.output import Output, pop_fields
from threadping.conduct.present import present
from threadping.conduct.registry import study_of
from threadping.conduct.stored import answered, beside_like_runs
from threadping.errors import ProbeUnusable, UsageError
from threadping.experiments import declared
from threadping.model.run import Machine
from threadping.model.studies import Pairing
from threadping.model.trials import Observation
from threadping.probes.words import words
from threadping.rows.lists import runs_table
from threadping.rows.tables import Detail, Shown
from threadping.sheets.console import stderr, stdout
from threadping.store.database import open_store
from threadping.studies.survey.study import STUDY as SURVEY
from threadping.views.export.as_json import runs_json, states_json


def list_runs(limit: int, **given: Any) -> None:
    """Print the newest runs."""
    output = pop_fields(Output, given)
    with open_store(output.location, create=False) as store:
        runs, damaged = store.listed(limit)
    present(output, {"json": runs_json}, runs_table, runs, damaged)


def show(which: str, **options: Any) -> int:
    """Print one run again: what its study answered, and every row."""
    output = pop_fields(Output, options)
    shown = Shown(trials=options.pop("trials"), detail=Detail(**options))
    with open_store(output.location, create=False) as store:
        answer = beside_like_runs(store, answered(store, which))
    study = study_of(answer.run)
    if isinstance(answer.run.study, Pairing):
        if shown != Shown(detail=Detail()) or output.file or output.form in ("hgrm", "hlog", "run"):
            what = "it is written to stdout as a whole, as a table, as json or as csv"
            raise UsageError(f"Run {answer.run.id} is a matrix: {what}.")
        show_answer(study, answer, None, output)
        return 0
    if output.form == "table":
        for block in study.lead(answer):
            stdout().print(block)
    show_answer(SURVEY, answer, shown, output)
    return 0


def explain(term: str, which: str | None, location: str | None) -> None:
    """Print what a word of any output means, with a run's numbers where one is named."""
    from threadping.rows.explanation import explanation
    from threadping.sheets.console import stdout

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
    with open_store(location, create=False) as store:
        for number in [store.number(one) for one in which]:
            store.remove(number, force=force)
            stderr().print(f"Run {number} is removed.")


def show_states(which: str | None, **given: Any) -> None:
    """Print the states of a run; where none is named, of this machine over all runs."""
    from threadping.views.states import specification, states_of_machine, states_of_run

    output = pop_fields(Output, given)
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
    present(output, {"json": states_json}, as_table, watched, chart=partial(specification, machine))


def _this_machine() -> Machine:
    from threadping.machine.identity import describe_machine
    from threadping.probes.description import read_lscpu, read_topology
    from threadping.probes.runtimes import find_cpp

    cpp = find_cpp(os.environ)
    return describe_machine(read_topology(cpp), read_lscpu())
