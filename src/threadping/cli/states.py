"""The states of the machine over time: of one run, or of all that the store knows of this machine."""

import os
from bisect import bisect
from collections.abc import Mapping, Sequence
from pathlib import Path

from threadping.analysis.standing import standings
from threadping.analysis.states import States, states_of, surveyed
from threadping.cli.options import Listing
from threadping.contract import Topology
from threadping.machine.identity import describe_machine
from threadping.model import Machine, Observation, Pair, ReferencePing
from threadping.probes.description import read_topology
from threadping.probes.lscpu import read_lscpu
from threadping.probes.runtimes import find_runtimes
from threadping.relation import relation
from threadping.store import open_store
from threadping.views.terminal.states import Taken, Watched


def show_states(location: str | None, which: str | None, output: Listing, chart: Path | None) -> None:
    """Print the states of a run; where none is named, of this machine over all runs."""
    observations: Sequence[Observation] = ()
    with open_store(location, create=False) as store:
        if which is None:
            run, machine = None, _this_machine()
            pings = store.pings_of_machine(machine)
        else:
            run = store.run(which)
            machine, observations, pings = run.machine, store.observations(run), {run.id: store.pings(run)}
    watched = _watched(pings, observations, machine.topology)
    if output == "json":
        from threadping.views.export.listings import states_json

        print(states_json(watched), end="")
    else:
        from threadping.views.terminal.console import stdout
        from threadping.views.terminal.states import states_of_machine, states_of_run

        stdout().print(states_of_run(run, watched) if run else states_of_machine(machine, watched))
    if chart is not None:
        from threadping.views.charts import write_picture
        from threadping.views.charts.states import specification

        write_picture(specification(machine, watched), chart)


def _this_machine() -> Machine:
    cpp = find_runtimes(os.environ).cpp()
    return describe_machine(read_topology(cpp), read_lscpu())


def _watched(
    of_runs: Mapping[int, Sequence[ReferencePing]], observations: Sequence[Observation], topology: Topology
) -> list[Watched]:
    """Each pair with its states and pings; observations are those of the run, where there is one."""
    watched = {run: surveyed(pings)[1] for run, pings in of_runs.items()}
    states = states_of(*watched.values())
    cpus_found = [state.cpus for state in states.found]
    series: dict[Pair, list[Taken]] = {pair: [] for pair in states.pairs}
    runs = (run for run, pings in watched.items() for _ in pings)
    for run, one, place in zip(runs, states.pings, states.of, strict=True):
        state = None if place is None else place - cpus_found.index(one.cpus)
        series[one.cpus].append(Taken(run, one.at, one.ns, state, one.failure))
    crossed = _crossed(observations, states) if observations else {}
    cpus = {cpu.cpu: cpu for cpu in topology.cpus}
    return [
        Watched(
            cpus=pair,
            placement=relation(*(cpus[cpu] for cpu in pair)) if cpus.keys() >= set(pair) else None,
            changes=states.changes.get(pair, 0),
            pings=len(taken),
            between=sum(one.ns is not None and one.state is None for one in taken),
            failed=sum(one.ns is None for one in taken),
            states=states.of_pair(pair),
            series=taken,
            crossed=crossed.get(pair, ()),
        )
        for pair, taken in series.items()
    ]


def _crossed(observations: Sequence[Observation], states: States) -> dict[Pair, list[float]]:
    """For each pair when the trials on it ended that crossed: at the first ping that knows of their end."""
    of_pairs: dict[Pair, list[ReferencePing]] = {}
    for ping in states.pings:
        of_pairs.setdefault(ping.cpus, []).append(ping)
    found: dict[Pair, list[float]] = {}
    for number, (one, standing) in enumerate(zip(observations, standings(observations, states), strict=True)):
        if standing.crossed and not one.failure:
            for pair in of_pairs.keys() & set(one.case.placement.pairs):
                taken = of_pairs[pair]
                after = bisect(taken, number, key=lambda ping: ping.trials)
                found.setdefault(pair, []).append(taken[min(after, len(taken) - 1)].at)
    return found
