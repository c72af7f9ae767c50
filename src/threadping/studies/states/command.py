"""The command `states`: of a run, or of this machine over all runs."""

import os
from collections.abc import Sequence
from functools import partial
from typing import Any

from threadping.analysis.states import states_of, watched_pairs, watching
from threadping.conduct.showing import present_sheets
from threadping.conduct.streams import fail
from threadping.conduct.study import Output, pop_fields
from threadping.model.run import Observation
from threadping.probes.machine import describe_machine
from threadping.probes.runtimes import find_cpp, read_lscpu, read_topology
from threadping.store.store import open_store
from threadping.studies.states.study import over_time_of, pair_sheet, states_of_machine, states_of_run


def states(which: str | None, **given: Any) -> int:
    """Print the states of a run; where none is named, of this machine over all runs; the exit code."""
    output = pop_fields(Output, given)
    observations: Sequence[Observation] = ()
    with open_store(output.location, create=False) as store:
        if which is None:
            run, machine = None, describe_machine(read_topology(find_cpp(os.environ)), read_lscpu())
            pings, damaged = store.pings_of_machine(machine)
            for said in dict.fromkeys(str(one) for one in (*store.listed()[1], *damaged)):
                fail(said, 0)
        else:
            run = store.run(which)
            machine, observations, pings = run.machine, store.observations(run), {run.id: store.pings(run)}
    resumed = run.resumed if run else ()
    of_runs = [(number, of) for number, taken in pings.items() for of in watching(taken, resumed)]
    found, runs = states_of(*(of for _, of in of_runs)), [number for number, of in of_runs for _ in of]
    watched = watched_pairs(found, runs, machine.topology, observations)
    as_block = partial(states_of_run, run, watched) if run else partial(states_of_machine, machine, watched)
    return present_sheets(output, as_block, pair_sheet(watched), chart=partial(over_time_of, machine, watched))
