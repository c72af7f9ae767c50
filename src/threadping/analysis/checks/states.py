"""Whether the machine stood still while it was measured, and where its names say."""

from collections.abc import Iterator

from threadping import numbers, quantities
from threadping.analysis.declaration import Check, Evidence, Facts
from threadping.analysis.estimate import FEWEST_FOR_AN_INTERVAL
from threadping.analysis.states import alike
from threadping.model import State
from threadping.relation import CPUS_APART, relation, usable

UNTRUE = 1.5
"""CPUs that share the same things stand about equally far apart, whichever they are: across the mesh of one last-level
cache they differ by up to a third."""


def _moved(seen: Evidence) -> Facts | None:
    changes = {pair: times for pair, times in seen.states.changes.items() if times}
    if not changes:
        return None
    cpus = ", ".join(numbers.pair(pair) for pair in changes)
    of_them = [state.core_to_core_ns for pair in changes for state in seen.states.of_pair(pair)]
    return {"times": sum(changes.values()), "which": cpus, "near": min(of_them), "far": max(of_them)}


def _crossed(seen: Evidence) -> Facts | None:
    crossed = seen.row.crossed_trials
    severity = "info" if seen.counted else "error"
    return {"crossed": crossed, "trials": len(seen.ended), "severity": severity} if crossed else None


def _few(seen: Evidence) -> Facts | None:
    trials = seen.row.trials
    if not seen.row.one_of_several or trials >= FEWEST_FOR_AN_INTERVAL:
        return None
    apart, needed = seen.row.apart_ns or 0.0, seen.run.budget_s * FEWEST_FOR_AN_INTERVAL / trials
    return {"trials": trials, "apart": apart, "budget_s": needed}


def _other_names(seen: Evidence) -> Iterator[tuple[float, str, State, State]]:
    """Pairs of states of which the one is too far for what its CPUs are said to share, and by how much."""
    cpus = usable(seen.run.machine.topology)
    told = [*seen.states.found, *seen.states.known]
    placed = [(relation(*(cpus[cpu] for cpu in one.cpus)), one) for one in told if cpus.keys() >= set(one.cpus)]
    for name, far in placed:
        for other, near in placed:
            fold = far.core_to_core_ns / near.core_to_core_ns
            if far in seen.states.found and CPUS_APART.index(name) <= CPUS_APART.index(other) and fold > UNTRUE:
                yield fold, name if name == other else f"{name} and {other}", far, near


def _untrue(seen: Evidence) -> Facts | None:
    found = max(_other_names(seen), key=lambda one: one[0], default=None)
    if found is None:
        return None
    _, names, far, near = found
    who = numbers.pair(far.cpus) if far.cpus == near.cpus else f"{numbers.pair(far.cpus)} and {numbers.pair(near.cpus)}"
    return {"who": who, "names": names, "far": far.core_to_core_ns, "near": near.core_to_core_ns}


def _unseen(seen: Evidence) -> Facts | None:
    pairs = seen.states.pairs
    elsewhere = [
        one
        for one in seen.states.known
        if one.cpus in pairs
        and not any(alike(one.core_to_core_ns, state.core_to_core_ns) for state in seen.states.of_pair(one.cpus))
    ]
    if not elsewhere:
        return None
    here = [state.core_to_core_ns for one in elsewhere for state in seen.states.of_pair(one.cpus)]
    if not here:
        return None
    return {
        "which": ", ".join(dict.fromkeys(numbers.pair(one.cpus) for one in elsewhere)),
        "here": " / ".join(map(quantities.time, dict.fromkeys(here))),
        "elsewhere": " / ".join(quantities.time(one.core_to_core_ns) for one in elsewhere),
    }


CHECKS = (
    Check(
        code="crossed",
        severity="info",
        find=_crossed,
        always=True,
        brief="{crossed} of {trials} trials",
        means="{crossed} of {trials} trials are left out: their CPUs did not stand equally far apart before and after, "
        "so their figures are of no state. `threadping show RUN --trials` has them.",
    ),
    Check(
        code="few-in-state",
        severity="info",
        find=_few,
        brief="{trials}; an interval needs 6",
        means="The case was measured in several states, and {trials} of its trials fell into this one ({apart:time} "
        "apart): too few for an interval.",
        remedy="Give --budget {budget_s:budget}, or --state near to measure in one state only.",
    ),
    Check(
        code="moved",
        severity="warning",
        find=_moved,
        whole_machine=True,
        brief="{which}, {times} times, {near:time} to {far:time} apart",
        means="The machine changed its state {times} times while it was measured: {which} stood {near:time} to "
        "{far:time} apart. The hypervisor moves virtual CPUs. Rows are of one state each.",
        remedy="--state near measures in one state only; `threadping states RUN` shows when it changed.",
    ),
    Check(
        code="placement-untrue",
        severity="warning",
        find=_untrue,
        whole_machine=True,
        brief="{who}: {names} at {near:time} and {far:time}",
        means="{who} are called {names}, but stood {far:time} apart as well as {near:time}: what the system says they "
        "share cannot be true of both. Placements are what the guest was told.",
        remedy="Believe the pings; on a virtual machine have virtual CPUs pinned to cores.",
    ),
    Check(
        code="other-states",
        severity="info",
        find=_unseen,
        whole_machine=True,
        brief="{which} stood {elsewhere} apart in other runs, {here} in this one",
        means="{which} stood {here} apart in this run, and {elsewhere} in others on this machine: what was measured "
        "here is one of several states.",
        remedy="`threadping states` shows them all; `threadping ping` shows which one holds now.",
    ),
)
