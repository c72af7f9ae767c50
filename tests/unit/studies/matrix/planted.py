"""Machines whose latencies are known, and what a run on one of them leaves behind."""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from math import exp
from random import Random

from msgspec.structs import replace

from tests.golden.fixture import RUN
from threadping.analysis import analyse, answer, latency_map
from threadping.experiments import declared
from threadping.model.cases import Case, Pair, Placement
from threadping.model.contract import SCHEMA, Cpu, Topology
from threadping.model.run import Observation, Pairing, ReferencePing
from threadping.studies.matrix.tournament import CELL_LATENCY, cases_of

LATENCIES = {"same core": 9.0, "same L2": 14.0, "same L3": 24.0, "other L3": 87.0, "other node": 120.0}
LATENCIES |= {"other package": 190.0, "same node": 50.0}


def machine(cpus: int, of_l3: int, of_package: int, *, siblings: bool = False) -> Topology:
    """Return CPUs with `of_l3` per L3 and `of_package` per package; like Linux, siblings are half of all CPUs apart."""
    cores = cpus // 2 if siblings else cpus
    share = 2 if siblings else 1

    def cpu(number: int) -> Cpu:
        core = number % cores
        package = core * share // of_package
        return Cpu(number, core, core, core * share // of_l3, package, package)

    return Topology("planted", tuple(map(cpu, range(cpus))), tuple(range(cpus)), SCHEMA)


def planted(topology: Topology, pair: Pair) -> str:
    """Return what two CPUs truly share."""
    return latency_map.system_says(topology.cpus[pair[0]], topology.cpus[pair[1]])


def pairing(cpus: Sequence[int], homes: Sequence[str] = ("first",), *, directions: bool = False) -> Pairing:
    case = Case("signal", "cas-one-line", {}, "cpp", Placement("same-l3", (cpus[0], cpus[1])), False, 256)
    return Pairing(case, tuple(cpus), tuple(homes), directions)


def answer_of(
    topology: Topology,
    *,
    trials: int = 3,
    noise: float = 0.02,
    moves: float = 0.0,
    claimed: Topology | None = None,
    figure: Callable[[Case, float], float | None] = lambda _, ns: ns,
    latencies: Mapping[str, float] = LATENCIES,
) -> answer.Answer:
    """Return a run of passes; with chance `moves`, a pair has four times its latency while it is measured.

    The system reports `claimed` in place of what is planted.
    """
    chance, of = Random(1), pairing([cpu.cpu for cpu in topology.cpus])
    observations: list[Observation] = []
    pings: list[ReferencePing] = []
    for number in range(1, trials + 1):
        for case in cases_of(of, claimed or topology):
            pair = (min(case.placement.used), max(case.placement.used))
            far = 4.0 if chance.random() < moves else 1.0
            ns = latencies[planted(topology, pair)] * far
            at = len(observations) * 0.05
            for after in (0, 1):
                ping = ns * exp(chance.gauss(0, noise / 4))
                pings.append(ReferencePing(pair, at + after * 0.03, len(observations) + after, ping))
            value = figure(case, ns * exp(chance.gauss(0, noise)))
            figures = {} if value is None else {CELL_LATENCY: value, "lines_spread": 0.13, "counters.cpus": 2.0}
            observations.append(Observation(number, len(observations), case, None, 10**7, figures))
    seen = replace(RUN.machine, topology=claimed or topology)
    run = replace(RUN, machine=seen, cases=(), study=of, rounds=trials)
    return analyse.analyse(run, observations, pings, declared())


def pairs_by_kind(topology: Topology) -> dict[str, int]:
    found: dict[str, int] = {}
    for pair in combinations([cpu.cpu for cpu in topology.cpus], 2):
        kind = planted(topology, pair)
        found[kind] = found.get(kind, 0) + 1
    return found
