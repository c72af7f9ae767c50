"""Where any number of threads stands."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.machine.test_machine_placements import BLANK, CLUSTERS, MACHINES, SERVER, TWO_CORES, related, topology
from threadping.contract import Cpu, Topology
from threadping.errors import UsageError
from threadping.machine.crews import around, one_core_each, placements_of_threads
from threadping.machine.placements import PLACEMENT_NAMES, placements
from threadping.model import Placement, Skipped
from threadping.relation import CPUS_APART, usable

ONE_SOCKET = topology(*(Cpu(number, number % 4, number % 4, 0, 0, 0) for number in range(8)))
"""Four cores of two threads; siblings are four apart."""


def named(machine: Topology, threads: int, *names: str) -> list[tuple[str, tuple[int | None, ...]]]:
    return [(place.name, place.cpus) for place in placements_of_threads(machine, [threads], names)[0]]


@pytest.mark.parametrize(
    ("machine", "name", "cpus"),
    [
        (ONE_SOCKET, "same-cpu", (1,)),
        (ONE_SOCKET, "same-l3", (1, 2, 3)),
        (ONE_SOCKET, "same-l3", (1, 2, 3, 4)),  # CPU 4 shares CPU 0's core, but takes no interrupts
        (ONE_SOCKET, "same-l3", (1, 2, 3, 4, 5)),
        (ONE_SOCKET, "same-l3", (*range(8), 0, 1)),
        (SERVER, "same-l3", (1, 8)),
        (SERVER, "same-node", (1, 2, 3, 8)),
        (SERVER, "cross-node", (1, 2, 3, 4, 8)),
        (SERVER, "cross-node", (1, 2, 3, 4, 5, 6, 7, 8, 9)),
        (TWO_CORES, "same-l3", (0, 1, 0, 1)),
        (topology(*TWO_CORES.cpus, allowed=[0]), "same-cpu", (0, 0, 0)),
        (BLANK, "same-node", (0, 1, 2, 3)),  # a machine that tells no cores has one for each CPU
    ],
)
def test_the_closest_cores_come_first_then_siblings_and_too_many_threads_go_round(
    machine: Topology, name: str, cpus: tuple[int, ...]
) -> None:
    assert one_core_each(machine, len(cpus)) == Placement(name, cpus)


def test_two_threads_at_a_named_placement_stand_where_those_of_signal_stand() -> None:
    signal = {(place.name, frozenset(place.cpus)) for place in placements(SERVER)[0]}
    assert {(name, frozenset(cpus)) for name, cpus in named(SERVER, 2, *PLACEMENT_NAMES)} == signal


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
    assert absent == [Skipped("smt", "no two of the CPUs 0-1 that may be used share a core")]


def test_given_cpus_are_gone_round_in_their_order() -> None:
    assert around(SERVER, (8, 0), 3) == Placement("smt", (8, 0, 8))
    assert around(SERVER, (0, 4), 1) == Placement("same-cpu", (0,))
    with pytest.raises(UsageError, match=r"Unknown CPU '7'\. Known: 0-1\."):
        around(TWO_CORES, (0, 7), 1)


@given(MACHINES, st.integers(1, 20))
def test_on_any_machine_threads_are_spread_evenly_and_named_rightly(machine: Topology, threads: int) -> None:
    found, absent = placements_of_threads(machine, [threads], PLACEMENT_NAMES)
    apart = {name for name in CPUS_APART if name not in {item.what for item in absent}}
    assert apart == related(machine)
    for place in [one_core_each(machine, threads), *(place for place in found if place.name != "unpinned")]:
        counts = Counter(place.cpus)
        assert sum(counts.values()) == threads == place.threads
        assert max(counts.values()) - min(counts.values()) <= 1
        used = topology(*machine.cpus, allowed=[number for number in counts if number is not None])
        assert place.name == max(related(used), key=CPUS_APART.index, default="same-cpu")
    if threads > 1:
        assert {place.name for place in found} == apart | {"same-cpu", "unpinned"}
    assert len(set(one_core_each(machine, threads).cpus)) == min(threads, len(usable(machine)))
