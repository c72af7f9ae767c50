"""Placements: who shares what with whom, on machines small enough to check by eye, and on random ones."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadping.contract import SCHEMA, Cpu, Topology
from threadping.errors import UnknownName, UsageError
from threadping.machine.placements import PLACEMENT_NAMES, placement_for_cpus, placements
from threadping.machine.relation import nodes, relation, usable


def topology(*cpus: Cpu, allowed: Sequence[int] | None = None) -> Topology:
    return Topology("test", cpus, tuple(cpu.cpu for cpu in cpus) if allowed is None else tuple(allowed), SCHEMA)


def cpu(number: int, core: int | None, l2: int | None, l3: int | None, node: int | None) -> Cpu:
    return Cpu(number, core, l2, l3, node, node)


TWO_CORES = topology(cpu(0, 0, 0, 0, 0), cpu(1, 1, 1, 0, 0))

SERVER = topology(
    # Two nodes of two L3s of two cores of two threads; siblings are eight apart, as Linux numbers them.
    *(cpu(number, core, core, core // 2, core // 4) for number in range(16) for core in [number % 8])
)

CLUSTERS = topology(*(cpu(number, number, number // 4, None, 0) for number in range(8)))
"""Arm boards and Intel's efficient cores: an L2 for four cores."""


def by_name(machine: Topology, roles: int = 2) -> dict[str, tuple[int | None, ...]]:
    return {placement.name: placement.cpus for placement in placements(machine, roles)[0]}


def reasons(machine: Topology, roles: int = 2) -> dict[str, str]:
    return {skipped.what: skipped.reason for skipped in placements(machine, roles)[1]}


def test_a_server_has_every_relation_and_cpu_0_is_left_alone() -> None:
    assert by_name(SERVER) == {
        "same-cpu": (1, 1),
        "smt": (1, 9),
        "same-l3": (1, 8),
        "same-node": (1, 2),
        "cross-node": (1, 4),
        "unpinned": (None, None),
    }
    assert reasons(SERVER) == {"same-l2": "those of the CPUs 0-15 that share an L2 also share a core, which is closer"}


def test_two_cores_have_an_l3_only_and_say_why_the_rest_is_absent() -> None:
    assert by_name(TWO_CORES) == {"same-cpu": (1, 1), "same-l3": (0, 1), "unpinned": (None, None)}
    assert reasons(TWO_CORES) == {
        "smt": "no two of the CPUs 0-1 that may be used share a core",
        "same-l2": "no two of the CPUs 0-1 that may be used share an L2",
        "same-node": "those of the CPUs 0-1 that share a NUMA node also share an L3, which is closer",
        "cross-node": "the CPUs 0-1 that may be used are all on one NUMA node",
    }


def test_a_cluster_shares_an_l2_and_an_untold_l3_falls_through_to_the_node() -> None:
    assert by_name(CLUSTERS)["same-l2"] == (1, 2)
    assert by_name(CLUSTERS)["same-node"] == (1, 4)
    assert reasons(CLUSTERS)["same-l3"] == "this machine does not tell which of the CPUs 0-7 share an L3"


def test_a_machine_that_tells_nothing_is_one_node() -> None:
    blank = topology(*(cpu(number, None, None, None, None) for number in range(4)))
    assert by_name(blank) == {"same-cpu": (1, 1), "same-node": (1, 2), "unpinned": (None, None)}
    assert all("does not tell" in reasons(blank)[name] for name in ("smt", "same-l2", "same-l3"))


def test_only_allowed_cpus_are_used() -> None:
    some = topology(*SERVER.cpus, allowed=[0, 3, 11, 12, 99])
    assert by_name(some) == {
        "same-cpu": (3, 3),
        "smt": (3, 11),
        "same-node": (0, 3),
        "cross-node": (3, 12),
        "unpinned": (None, None),
    }
    assert reasons(some)["same-l3"] == "those of the CPUs 0,3,11-12 that share an L3 also share a core, which is closer"


def test_every_node_has_those_of_its_cpus_that_may_be_used() -> None:
    machine = topology(*(cpu(number, number, None, None, number % 2) for number in range(6)), allowed=(0, 2, 4, 5))
    assert nodes(machine) == {"0": (0, 2, 4), "1": (5,)}
    assert nodes(topology(cpu(0, 0, None, None, 1), cpu(1, 1, None, None, 0), allowed=(0,))) == {"1": (0,)}
    assert nodes(topology(cpu(0, None, None, None, None), cpu(1, None, None, None, None))) == {"0": (0, 1)}


def test_one_cpu_leaves_two_placements_and_one_reason() -> None:
    one = topology(*SERVER.cpus, allowed=[3])
    assert by_name(one) == {"same-cpu": (3, 3), "unpinned": (None, None)}
    assert set(reasons(one).values()) == {"only CPU 3 may be used, so two threads cannot stand on different CPUs"}


def test_nodes_inside_one_cache_are_no_reason_to_call_their_cpus_far() -> None:
    sub_numa = topology(cpu(0, 0, 0, 0, 0), cpu(1, 1, 1, 0, 1))
    assert by_name(sub_numa)["same-l3"] == (0, 1)
    expected = "those of the CPUs 0-1 that are on different NUMA nodes share something closer"
    assert reasons(sub_numa)["cross-node"] == expected


def test_more_threads_are_spread_over_what_they_share() -> None:
    assert by_name(SERVER, 4)["same-l3"] == (2, 3, 10, 11)
    assert by_name(SERVER, 3)["same-node"] == (1, 2, 3)
    assert reasons(SERVER, 3)["smt"] == "no three of the CPUs 0-15 that may be used share a core"
    assert by_name(SERVER, 3)["unpinned"] == (None, None, None)
    siblings_side_by_side = topology(*(cpu(number, number // 2, number // 2, 0, 0) for number in range(8)))
    assert by_name(siblings_side_by_side, 3)["same-l3"] == (1, 2, 4)


CPUS = st.builds(cpu, st.just(0), *[st.none() | st.integers(0, 2)] * 4)


@given(st.lists(CPUS, min_size=1, max_size=7), st.sets(st.integers(0, 8), min_size=1), st.integers(2, 4))
def test_on_any_machine_a_placement_is_what_its_name_says(cpus: list[Cpu], allowed: set[int], roles: int) -> None:
    numbered = [Cpu(number, c.core, c.l2, c.l3, c.node, c.package) for number, c in enumerate(cpus)]
    machine = topology(*numbered, allowed=sorted(allowed | {0}))
    found, absent = placements(machine, roles)
    assert sorted([*(p.name for p in found), *(s.what for s in absent)]) == sorted(PLACEMENT_NAMES)
    assert [p.name for p in found] == [name for name in PLACEMENT_NAMES if name in {p.name for p in found}]
    for placement in found[:-1]:
        numbers = [number for number in placement.cpus if number is not None]
        assert len(numbers) == roles
        assert set(numbers) <= set(machine.allowed)
        assert placement_for_cpus(machine, numbers, roles) == placement


@given(st.lists(CPUS, min_size=2, max_size=6))
def test_no_pair_is_overlooked(cpus: list[Cpu]) -> None:
    numbered = [Cpu(number, c.core, c.l2, c.l3, c.node, c.package) for number, c in enumerate(cpus)]
    machine = topology(*numbered)
    pairs = {relation(a, b) for a in numbered for b in numbered if a.cpu < b.cpu}
    without_0 = {relation(a, b) for a in numbered for b in numbered if 0 < a.cpu < b.cpu}
    found = by_name(machine)
    assert set(found) == pairs | {"same-cpu", "unpinned"}
    assert all(0 not in found[name] for name in without_0)


def test_given_cpus_are_named_by_what_they_share() -> None:
    names = {cpus: placement_for_cpus(SERVER, cpus).name for cpus in [(0, 0), (8, 0), (0, 1), (0, 2), (5, 3)]}
    assert list(names.values()) == ["same-cpu", "smt", "same-l3", "same-node", "cross-node"]
    assert placement_for_cpus(SERVER, (8, 0)).cpus == (8, 0)


def test_a_cpu_that_is_not_there_is_unknown() -> None:
    with pytest.raises(UnknownName, match=re.escape("Unknown CPU '7'. Known: 0-1.")):
        placement_for_cpus(TWO_CORES, (0, 7))


def test_a_cpu_that_may_not_be_used_is_refused_with_those_that_may() -> None:
    some = topology(*SERVER.cpus, allowed=[2, 3])
    with pytest.raises(UsageError, match=r"CPU 4 is there, but this process may not use it .* It may use CPUs 2-3\."):
        placement_for_cpus(some, (2, 4))
    assert list(usable(some)) == [2, 3]


@pytest.mark.parametrize(
    ("cpus", "sentence"),
    [
        ((1,), "each of the two threads, but 1 CPU was given (1). Write --cpus 0,1;"),
        ((0, 1, 1), "3 CPUs were given (0,1,1)"),
    ],
)
def test_there_must_be_a_cpu_for_each_thread(cpus: tuple[int, ...], sentence: str) -> None:
    with pytest.raises(UsageError, match=re.escape(sentence)):
        placement_for_cpus(TWO_CORES, cpus)
