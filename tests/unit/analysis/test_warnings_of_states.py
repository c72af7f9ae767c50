"""What is said where CPUs moved: found where it is planted, and not just below."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from tests.unit.analysis.examples import DECLARED, MACHINE, RUN, SIGNAL, TOPOLOGY, codes, observed, result
from tests.unit.analysis.givens import SLEEPING
from threadping.analysis.analyse import analyse
from threadping.analysis.answer import Answer
from threadping.analysis.checks import Fact, Facts
from threadping.model.cases import Case, Pair
from threadping.model.contract import Cpu
from threadping.model.run import ReferencePing


class Stood(NamedTuple):
    """Trials of one case, of `typical` ns each, and how far its CPUs stood apart before, between and after them.

    `beside` are pings of other pairs; CPU 6 is the sibling of CPU 7, and on a node
    of its own with it.
    """

    apart: Sequence[float]
    typical: Sequence[float] = ()
    beside: Mapping[Pair, float] = {}
    of: Case = SIGNAL

    @property
    def answer(self) -> Answer:
        pairs = {(0, 1): self.apart, **{pair: [ns] * 2 for pair, ns in self.beside.items()}}
        pings = [ReferencePing(pair, n, n, ns) for pair, levels in pairs.items() for n, ns in enumerate(levels)]
        quiet = observed(self.of, result(self.of))
        typical = self.typical or self.apart[1:]
        seen = [replace(quiet, figures=quiet.figures | {"latency_ns.typical": ns}) for ns in typical]
        cpus = (*TOPOLOGY.cpus[:6], *(Cpu(cpu, 6, 6, 1, 1, 1) for cpu in (6, 7)))
        run = replace(RUN, cases=(self.of,), machine=replace(MACHINE, topology=replace(TOPOLOGY, cpus=cpus)))
        return analyse(run, seen, pings, DECLARED)

    @property
    def facts(self) -> dict[str, Facts]:
        return {one.code: one.facts for one in self.answer.findings}


N, F = 26.0, 127.0
STILL = Stood([N] * 7)
CROSSED = Stood([N] * 7 + [F] * 7)
BOTH: dict[str, Fact] = {"who": "CPUs 0,1", "names": "same-l3", "far": F, "near": N}


def beside(pair: Pair, ns: float) -> Stood:
    return STILL._replace(beside={pair: ns})


MOVES: tuple[tuple[str, Stood, Facts | None], ...] = (
    ("crossed", CROSSED, {"crossed": 1, "trials": 13}),
    ("crossed", Stood([N, N, F, F]), {"crossed": 1, "trials": 3}),
    ("crossed", Stood([N, N, F, F, 60, 60], [1.0] * 5), {"crossed": 2, "trials": 5}),  # though rows are one
    ("moved", CROSSED, {"times": 1, "which": "CPUs 0,1", "near": N, "far": F}),
    ("moved", Stood([N, N, F, F, N, N]), {"times": 2, "which": "CPUs 0,1", "near": N, "far": F}),
    ("moved", Stood([N, N, 60, N, N]), None),  # disturbed
    ("placement-untrue", CROSSED, BOTH),
    ("placement-untrue", beside((2, 3), 39.1), BOTH | {"who": "CPUs 2,3 and CPUs 0,1", "far": 39.1}),
    ("placement-untrue", beside((2, 3), 39.0), None),
    ("placement-untrue", beside((5, 6), 500.0), None),  # across nodes it is farther
    (
        "placement-untrue",
        beside((5, 6), 5.0),
        BOTH | {"who": "CPUs 0,1 and CPUs 5,6", "far": N, "near": 5.0, "names": "same-l3 and cross-node"},
    ),
    ("placement-untrue", beside((6, 7), 5.0), None),  # siblings are nearer
    (
        "placement-untrue",
        beside((6, 7), 40.0),
        BOTH | {"who": "CPUs 6,7 and CPUs 0,1", "far": 40.0, "names": "smt and same-l3"},
    ),
    ("placement-untrue", beside((8, 9), 500.0), None),  # the machine does not tell of these
)


@pytest.mark.parametrize(("code", "stood", "facts"), MOVES, ids=[code for code, *_ in MOVES])
def test_a_check_of_states_finds_what_is_planted_and_not_what_is_just_below(
    code: str, stood: Stood, facts: Facts | None
) -> None:
    assert stood.facts.get(code) == facts


@pytest.mark.parametrize(
    ("kinds", "listed", "untrue"),
    [
        (("P", "P", "P", "P"), True, True),
        (("P", "P", "E", "E"), True, False),
        (("P", "P", "P", "E"), True, False),
        ((None,) * 4, True, True),
        ((None,) * 4, False, False),
    ],
)
def test_a_pair_is_compared_with_listed_ones_on_its_kinds_of_core(
    kinds: Sequence[str | None], listed: bool, untrue: bool
) -> None:
    """CPUs 2 and 3 stand far from each other, and share an L3 as 0 and 1 do."""
    stood = beside((2, 3), 500.0).answer
    cpus = [Cpu(cpu, cpu, cpu, 0, 0, 0, kind) for cpu, kind in enumerate(kinds)]
    told = (*cpus[:2], *(cpus[2:] if listed else [Cpu(cpu, None, None, None, None, None) for cpu in (2, 3)]))
    machine = replace(stood.run.machine, topology=replace(TOPOLOGY, cpus=told, allowed=(0, 1, 2, 3)))
    found = analyse(replace(stood.run, machine=machine), (), stood.states.pings, DECLARED).findings
    assert ("placement-untrue" in {one.code for one in found}) == untrue


def test_where_the_machine_stands_still_nothing_is_said() -> None:
    assert (STILL.facts, codes(STILL.answer.rows[0])) == ({}, [])


def test_a_state_of_a_moment_makes_no_row_and_its_trials_are_counted() -> None:
    """Two pings bear out that the CPUs moved, and no more."""
    (near,) = Stood([N] * 7 + [F] * 2).answer.rows
    assert (near.state and near.state.core_to_core_ns, len(near.trials), near.crossed) == (N, 6, 2)
    _, far = Stood([N] * 7 + [F] * 3).answer.rows
    assert (far.state and far.state.core_to_core_ns, len(far.trials), far.crossed) == (F, 2, 1)


def test_where_every_trial_crossed_that_is_an_error() -> None:
    (row,) = Stood([N, F]).answer.rows
    assert (row.trials, row.figures, codes(row)) == ((), {}, [("all-crossed", "error")])


def test_threads_that_sleep_are_in_one_row_whatever_the_state() -> None:
    (row,) = Stood([N] * 7 + [F] * 7, of=SLEEPING).answer.rows
    assert (len(row.trials), row.state, row.crossed) == (13, None, 0)
