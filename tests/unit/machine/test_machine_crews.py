"""Where any number of threads stands."""

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.machine.test_machine_placements import CLUSTERS, CPUS, SERVER, TWO_CORES, cpu, topology
from threadping.contract import Cpu, Topology
from threadping.errors import UnknownName, UsageError
from threadping.machine.crews import around, one_core_each, placements_of_threads, unpinned
from threadping.machine.placements import PLACEMENT_NAMES, placements
from threadping.machine.relation import CPUS_APART, relation, usable
from threadping.model import Placement

ONE_SOCKET = topology(*(cpu(number, number % 4, number % 4, 0, 0) for number in range(8)))
"""Four cores of two threads; siblings are four apart."""


def named(machine: Topology, threads: int, *names: str) -> list[tuple[str, tuple[int | None, ...]]]:
    return [(place.name, place.cpus) for place in placements_of_threads(machine, [threads], names)[0]]


@pytest.mark.parametrize(
    ("threads", "name", "cpus"),
    [
        (1, "same-cpu", (1,)),
        (2, "same-l3", (1, 2)),
        (3, "same-l3", (1, 2, 3)),
        (4, "same-l3", (1, 2, 3, 4)),  # CPU 4 is the other thread of CPU 0's core, which interrupts leave alone
        (5, "same-l3", (1, 2, 3, 4, 5)),
        (8, "same-l3", (0, 1, 2, 3, 4, 5, 6, 7)),
        (10, "same-l3", (0, 1, 2, 3, 4, 5, 6, 7, 0, 1)),
    ],
)
def test_cores_come_before_siblings_and_too_many_threads_go_round(
    threads: int, name: str, cpus: tuple[int, ...]
) -> None:
    assert one_core_each(ONE_SOCKET, threads) == Placement(name, cpus)


def test_the_closest_cores_come_first_and_the_furthest_relation_is_the_name() -> None:
    assert one_core_each(SERVER, 2) == Placement("same-l3", (1, 8))
    assert one_core_each(SERVER, 3) == Placement("same-node", (1, 2, 8))
    assert one_core_each(SERVER, 4) == Placement("same-node", (1, 2, 3, 8))
    assert one_core_each(SERVER, 5) == Placement("cross-node", (1, 2, 3, 4, 8))
    assert one_core_each(SERVER, 8) == Placement("cross-node", (1, 2, 3, 4, 5, 6, 7, 8))
    assert one_core_each(SERVER, 9) == Placement("cross-node", (1, 2, 3, 4, 5, 6, 7, 8, 9))


def test_two_cpus_hold_what_there_is() -> None:
    assert [one_core_each(TWO_CORES, threads).cpus for threads in (1, 2, 4)] == [(1,), (0, 1), (0, 1, 0, 1)]
    assert one_core_each(topology(*TWO_CORES.cpus, allowed=[0]), 3) == Placement("same-cpu", (0, 0, 0))


def test_a_machine_that_tells_no_cores_has_one_for_each_cpu() -> None:
    blank = topology(*(cpu(number, None, None, None, None) for number in range(3)))
    assert one_core_each(blank, 3) == Placement("same-node", (0, 1, 2))


def test_two_threads_at_a_named_placement_stand_where_those_of_signal_stand() -> None:
    signal = {place.name: place.cpus for place in placements(SERVER)[0]}
    found = dict(named(SERVER, 2, *PLACEMENT_NAMES))
    assert {name: sorted(map(str, cpus)) for name, cpus in found.items()} == {
        name: sorted(map(str, cpus)) for name, cpus in signal.items()
    }


def test_a_named_placement_holds_its_threads_together() -> None:
    assert named(SERVER, 4, "same-l3") == [("same-l3", (2, 3, 10, 11))]
    assert named(SERVER, 5, "smt") == [("smt", (1, 9, 1, 9, 1))]
    assert named(SERVER, 9, "same-node") == [("same-node", (4, 5, 6, 7, 12, 13, 14, 15, 4))]
    assert named(CLUSTERS, 3, "same-l2") == [("same-l2", (1, 2, 3))]
    assert named(SERVER, 3, "same-cpu", "unpinned") == [("same-cpu", (1, 1, 1)), ("unpinned", (None,) * 3)]


def test_one_thread_alone_stands_on_a_cpu_of_the_placement_once() -> None:
    assert named(TWO_CORES, 1, "same-l3", "same-cpu") == [("same-cpu", (1,))]


def test_what_is_not_there_is_absent_with_signals_reason() -> None:
    found, absent = placements_of_threads(TWO_CORES, [1, 4], ["smt", "same-l3"])
    assert [place.cpus for place in found] == [(1,), (0, 1, 0, 1)]
    assert [(item.what, item.reason) for item in absent] == [
        ("smt", "no two of the CPUs 0-1 that may be used share a core")
    ]


def test_given_cpus_are_gone_round_in_their_order() -> None:
    assert around(SERVER, (8, 0), 3) == Placement("smt", (8, 0, 8))
    assert around(SERVER, (0, 4), 1) == Placement("same-cpu", (0,))
    with pytest.raises(UnknownName, match=re.escape("Unknown CPU '7'. Known: 0-1.")):
        around(TWO_CORES, (0, 7), 1)
    with pytest.raises(UsageError, match="this process may not use it"):
        around(topology(*TWO_CORES.cpus, allowed=[1]), (0,), 2)


@given(st.lists(CPUS, min_size=1, max_size=7), st.sets(st.integers(0, 8)), st.integers(1, 20))
def test_on_any_machine_threads_are_spread_evenly_and_named_rightly(
    cpus: list[Cpu], allowed: set[int], threads: int
) -> None:
    numbered = [Cpu(number, c.core, c.l2, c.l3, c.node, c.package) for number, c in enumerate(cpus)]
    machine = topology(*numbered, allowed=sorted(allowed | {0}))
    able = usable(machine)
    found, absent = placements_of_threads(machine, [threads], PLACEMENT_NAMES)
    apart = {name for name in CPUS_APART if name not in {item.what for item in absent}}
    assert apart == {relation(a, b) for a in able.values() for b in able.values() if a.cpu < b.cpu}
    for place in [one_core_each(machine, threads), *(place for place in found if place.name != "unpinned")]:
        counts = Counter(place.cpus)
        assert sum(counts.values()) == threads == place.threads
        assert max(counts.values()) - min(counts.values()) <= 1
        used = [able[number] for number in counts if number is not None]
        relations = {relation(a, b) for a in used for b in used if a.cpu < b.cpu}
        assert place.name == (max(relations, key=CPUS_APART.index) if relations else "same-cpu")
    if threads > 1:
        assert {place.name for place in found} == apart | {"same-cpu", "unpinned"}
    assert len(set(one_core_each(machine, threads).cpus)) == min(threads, len(able))


def test_nothing_is_pinned_unpinned() -> None:
    assert unpinned(3) == Placement("unpinned", (None, None, None))
