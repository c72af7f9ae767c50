"""The states of the machine over time: of one run, or of all that the store knows of this machine."""

import os
from collections.abc import Sequence
from functools import partial
from typing import Any

from threadping.analysis.states import states_of, surveyed
from threadping.analysis.watched import watched_pairs
from threadping.cli.answer import Output, give, taken
from threadping.machine.identity import describe_machine
from threadping.model import Machine, Observation
from threadping.probes.description import read_topology
from threadping.probes.lscpu import read_lscpu
from threadping.probes.runtimes import find_runtimes
from threadping.store import open_store
from threadping.views.charts.states import specification
from threadping.views.export.listings import states_json
from threadping.views.terminal.states import states_of_machine, states_of_run


def show_states(which: str | None, **given: Any) -> None:
    """Print the states of a run; where none is named, of this machine over all runs."""
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
    cpp = find_runtimes(os.environ).cpp()
    return describe_machine(read_topology(cpp), read_lscpu())
