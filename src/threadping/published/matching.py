"""Which case of a run repeats what was published."""

import re
from functools import cache
from itertools import combinations

from threadping.contract import Topology
from threadping.model import ALONE, DEFAULT_WARMUP, Case, Run
from threadping.published.records import Repeating, articles
from threadping.relation import CPUS_APART, relation, usable


def repeats(wanted: Repeating, run: Run) -> Case | None:
    """The case of a run that repeats it; of several the one with the flags and the cache lines that are asked."""
    fitting = [case for case in run.cases if _fits(wanted, case, run.machine.topology)]
    return min(fitting, key=lambda case: _distance(wanted, case), default=None)


def place(wanted: Repeating, topology: Topology) -> str | None:
    """What its placement is called on this machine; None where there are no two such CPUs."""
    if wanted.place not in ("two-cpus", "two-cores"):
        return wanted.place
    ranked = sorted(_apart(topology), key=lambda name: (name == "smt", CPUS_APART.index(name)))
    return next((name for name in ranked if wanted.place == "two-cpus" or name != "smt"), None)


def _fits(wanted: Repeating, case: Case, topology: Topology) -> bool:
    return (
        (case.experiment, case.mechanism, case.threads) == (wanted.experiment, wanted.mechanism, wanted.threads)
        and " ".join(f"{name}={case.params[name]}" for name in case.varied) == wanted.params
        and _is_of(wanted, case.runtime)
        and case.placement.name == place(wanted, topology)
        and (case.placement.pin == wanted.pin or wanted.place == "unpinned")
        and case.warmup == DEFAULT_WARMUP
        and case.home is None
        and case.busy == ALONE
    )


def _is_of(wanted: Repeating, label: str) -> bool:
    """Whether it runs on the runtime of this label, whatever flags this has that matter to no case."""
    name, *given = label.split()
    flags = tuple(flag for flag in given if flag.partition("=")[0] in _flags())
    java = re.match(r"java-(\d+)", name)
    if not flags and wanted.since_java and java and int(java[1]) >= wanted.since_java:
        flags = wanted.flags
    return (name.partition("-")[0], flags) == (wanted.runtime, wanted.flags)


def _distance(wanted: Repeating, case: Case) -> tuple[bool, int]:
    lines = -case.lines if wanted.lines is None else abs(case.lines - wanted.lines)
    return not set(wanted.flags) <= set(case.runtime.split()), lines


@cache
def _flags() -> frozenset[str]:
    return frozenset(flag.partition("=")[0] for case in articles().cases.values() for flag in case.flags)


@cache
def _apart(topology: Topology) -> frozenset[str]:
    return frozenset(relation(*pair) for pair in combinations(usable(topology).values(), 2))
