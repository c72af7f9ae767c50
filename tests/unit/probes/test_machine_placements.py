"""Placements: which CPUs share what, on machines small enough to check by eye, and on random ones."""

import os
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.recorded import RK3588, ULTRA_155H, ULTRA_225U
from threadping.model.cases import Placement, Skipped
from threadping.model.contract import SCHEMA, Cpu, Topology
from threadping.model.errors import ThreadpingError, UsageError
from threadping.probes.placements import (
    NOT_HELD,
    PLACEMENT_NAMES,
    REFUSED,
    around,
    ask_kernel,
    name_of,
    nodes,
    one_core_each,
    outside_of_mask,
    permit,
    placement_for_cpus,
    placements,
    relation,
    usable,
)


def topology(*cpus: Cpu, allowed: Sequence[int] | None = None) -> Topology:
    return Topology("test", cpus, tuple(cpu.cpu for cpu in cpus) if allowed is None else tuple(allowed), SCHEMA)


def cpu(number: int, core: int | None, l2: int | None, l3: int | None, node: int | None) -> Cpu:
    return Cpu(number, core, l2, l3, node, node)


TWO_CORES = topology(cpu(0, 0, 0, 0, 0), cpu(1, 1, 1, 0, 0))

SERVER = topology(*(cpu(number, core, core, core // 2, core // 4) for number in range(16) for core in [number % 8]))
"""Two nodes of two L3s of two cores of two threads; siblings are eight apart, as Linux numbers them."""

CLUSTERS = topology(*(cpu(number, number, number // 4, None, 0) for number in range(8)))
"""Arm boards and Intel's efficient cores: an L2 for four cores."""


MACHINES = st.builds(
    lambda cpus, some: topology(*(cpu(number, *of) for number, of in enumerate(cpus)), allowed=sorted(some | {0})),
    st.lists(st.tuples(*[st.none() | st.integers(0, 2)] * 4), min_size=1, max_size=7),
    st.sets(st.integers(0, 8)) | st.just(set(range(9))),
)


def by_name(machine: Topology, threads: int = 2, names: Sequence[str] = PLACEMENT_NAMES) -> dict[str, Sequence[object]]:
    """The CPUs of each placement but of the one that is everywhere."""
    found: dict[str, Sequence[object]] = {one.name: one.cpus for one in placements(machine, [threads], names)[0]}
    assert found.pop("unpinned", (None,) * threads) == (None,) * threads
    return found


def related(machine: Topology, *, least: int = 0) -> set[str]:
    """Return the relations between any two of its CPUs from this number on."""
    return {relation(*two) for two in combinations(usable(machine).values(), 2) if two[0].cpu >= least}


def reasons(machine: Topology) -> dict[str, str]:
    return {skipped.what: skipped.reason for skipped in placements(machine)[1]}


def test_a_server_has_every_relation_and_cpu_0_is_left_alone() -> None:
    expected = {"same-cpu": (1, 1), "smt": (1, 9), "same-l3": (1, 8), "same-node": (1, 2), "cross-node": (1, 4)}
    assert by_name(SERVER) == expected
    assert reasons(SERVER) == {"same-l2": "those of the CPUs 0-15 that share an L2 also share a core, which is closer"}


def test_two_cores_have_an_l3_only_and_say_why_the_rest_is_absent() -> None:
    assert by_name(TWO_CORES) == {"same-cpu": (1, 1), "same-l3": (0, 1)}
    assert reasons(TWO_CORES) == {
        "smt": "no two of the CPUs 0-1 that may be used share a core",
        "same-l2": "no two of the CPUs 0-1 that may be used share an L2",
        "same-node": "those of the CPUs 0-1 that share a NUMA node also share an L3, which is closer",
        "cross-node": "the CPUs 0-1 that may be used are all on one NUMA node",
    }


def test_a_cluster_shares_an_l2_and_an_unknown_l3_falls_through_to_the_node() -> None:
    assert by_name(CLUSTERS)["same-l2"] == (1, 2)
    assert by_name(CLUSTERS)["same-node"] == (1, 4)
    assert reasons(CLUSTERS)["same-l3"] == "this machine does not tell which of the CPUs 0-7 share an L3"


def test_only_allowed_cpus_are_used() -> None:
    some = topology(*SERVER.cpus, allowed=[0, 3, 11, 12, 99])
    assert by_name(some) == {"same-cpu": (3, 3), "smt": (3, 11), "same-node": (0, 3), "cross-node": (3, 12)}
    assert reasons(some)["same-l3"] == "those of the CPUs 0,3,11-12 that share an L3 also share a core, which is closer"
    one = topology(*SERVER.cpus, allowed=[3])
    assert by_name(one) == {"same-cpu": (3, 3)}
    assert set(reasons(one).values()) == {"only CPU 3 may be used, so two threads cannot run on different CPUs"}


def test_every_node_has_those_of_its_cpus_that_may_be_used() -> None:
    machine = topology(*(cpu(number, number, None, None, number % 2) for number in range(6)), allowed=(0, 2, 4, 5))
    assert nodes(machine) == {"0": (0, 2, 4), "1": (5,)}
    assert nodes(topology(cpu(0, 0, None, None, 1), cpu(1, 1, None, None, 0), allowed=(0,))) == {"1": (0,)}
    assert nodes(topology(cpu(0, None, None, None, None), cpu(1, 1, None, None, 1))) == {"1": (1,)}


def test_cores_of_one_kind_come_first() -> None:
    rows: list[tuple[Topology, str]] = [  # as it numbers them P and E cores of the first would share an L3 first
        (ULTRA_155H, "same-cpu 1,1 P; smt 10,11 P-P; same-l2 2,3 E-E; same-l3 1,10 P-P; same-node 1,20 P-LP-E"),
        (ULTRA_225U, "same-cpu 1,1 P; smt 2,3 P-P; same-l2 4,5 E-E; same-l3 1,2 P-P; same-node 1,12 P-LP-E"),
        (RK3588, "same-cpu 4,4 big; same-l3 4,5 big-big"),
    ]
    for machine, expected in rows:
        found = [place for place in placements(machine)[0] if place.name != "unpinned"]
        said = (f"{one.name} {','.join(map(str, one.cpus))} {one.kinds}" for one in found)
        assert "; ".join(said) == expected


def test_threads_have_a_core_each_the_most_capable_first() -> None:
    rows: list[tuple[int, tuple[int, ...], str]] = [
        (4, (1, 10, 12, 14), "P"),
        (8, (1, 2, 3, 10, 12, 14, 16, 18), "6 P + 2 E"),
        (17, (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 21), "7 P + 8 E + 2 LP-E"),
    ]
    for threads, cpus, kinds in rows:
        place = one_core_each(ULTRA_155H, threads)
        assert (place.cpus, place.kinds) == (cpus, kinds)
        if threads == 4:
            assert by_name(ULTRA_155H, 4)["same-l3"] == cpus


def test_a_placement_that_is_given_says_the_kinds_of_its_cores_in_the_order_of_its_threads() -> None:
    assert placement_for_cpus(ULTRA_155H, (2, 1)).title == "same-l3 E-P"
    assert placement_for_cpus(SERVER, (0, 1)).title == "same-l3"


def test_an_unknown_cpu_may_be_on_any_node() -> None:
    """As in a container whose /sys lists CPU 0 alone (lxcfs)."""
    partial = topology(cpu(0, 0, 0, 0, 0), cpu(1, None, None, None, None))
    assert by_name(partial) == {"same-cpu": (1, 1), "same-node": (0, 1)}
    assert name_of(partial, (0, 1)) == "same-node"
    assert reasons(partial)["smt"] == "this machine does not tell which of the CPUs 0-1 share a core"
    assert reasons(partial)["cross-node"] == "this machine does not tell on which NUMA nodes all of the CPUs 0-1 are"
    three = topology(*partial.cpus, cpu(2, 1, 1, 1, 1))
    assert by_name(three) == {"same-cpu": (1, 1), "same-node": (1, 2), "cross-node": (0, 2)}
    unlisted = topology(*partial.cpus, allowed=(1,))
    assert by_name(unlisted) == {"same-cpu": (1, 1)}


def test_a_cpu_whose_node_alone_is_not_known_is_on_no_other_one() -> None:
    """Its node is offline (open-mpi/hwloc#450)."""
    machine = topology(Cpu(4, 0, 0, 0, None, 0), Cpu(6, 1, 1, 0, None, 0), Cpu(5, 2, 2, 1, 1, 1))
    assert by_name(machine) == {"same-cpu": (4, 4), "same-l3": (4, 6), "cross-node": (4, 5)}
    assert nodes(machine) == {"1": (5,)}


def test_nodes_inside_one_cache_are_no_reason_to_call_their_cpus_far() -> None:
    sub_numa = topology(cpu(0, 0, 0, 0, 0), cpu(1, 1, 1, 0, 1))
    assert by_name(sub_numa)["same-l3"] == (0, 1)
    expected = "those of the CPUs 0-1 that are on different NUMA nodes share something closer"
    assert reasons(sub_numa)["cross-node"] == expected


def test_more_threads_are_spread_over_what_they_share_and_too_many_go_round() -> None:
    assert by_name(SERVER, 4)["same-l3"] == (2, 3, 10, 11)
    assert by_name(SERVER, 5)["smt"] == (1, 9, 1, 9, 1)
    assert by_name(SERVER, 9)["same-node"] == (4, 5, 6, 7, 12, 13, 14, 15, 4)
    assert by_name(CLUSTERS, 3)["same-l2"] == (1, 2, 3)
    assert by_name(SERVER, 3, ["same-cpu", "unpinned"]) == {"same-cpu": (1, 1, 1)}
    siblings_side_by_side = topology(*(cpu(number, number // 2, number // 2, 0, 0) for number in range(8)))
    assert by_name(siblings_side_by_side, 3)["same-l3"] == (1, 2, 4)


def test_one_thread_alone_uses_each_cpu_of_the_placement_once() -> None:
    found, absent = placements(TWO_CORES, [1, 4], ["smt", "same-l3", "same-cpu"])
    assert [place.cpus for place in found] == [(1,), (0, 1, 0, 1), (1, 1, 1, 1)]
    assert absent == [Skipped("smt", "no two of the CPUs 0-1 that may be used share a core")]


ONE_SOCKET = topology(*(cpu(number, number % 4, number % 4, 0, 0) for number in range(8)))
"""Four cores of two threads; siblings are four apart."""


def test_the_closest_cores_come_first_and_then_siblings() -> None:
    rows: list[tuple[Topology, str, tuple[int, ...]]] = [
        (ONE_SOCKET, "same-cpu", (1,)),
        (ONE_SOCKET, "same-l3", (1, 2, 3)),
        (ONE_SOCKET, "same-l3", (1, 2, 3, 4)),  # CPU 4 shares CPU 0's core, but takes no interrupts
        (ONE_SOCKET, "same-l3", (1, 2, 3, 4, 5)),
        (ONE_SOCKET, "same-l3", (*range(8), 0, 1)),
        (SERVER, "same-l3", (1, 8)),
        (SERVER, "same-node", (1, 2, 3, 8)),
        (SERVER, "cross-node", (1, 2, 3, 4, 5, 6, 7, 8, 9)),
        (TWO_CORES, "same-l3", (0, 1, 0, 1)),
        (topology(*TWO_CORES.cpus, allowed=[0]), "same-cpu", (0, 0, 0)),
        (topology(*(cpu(n, None, None, None, None) for n in range(4))), "same-node", (0, 1, 2, 3)),  # it tells no cores
    ]
    for machine, name, cpus in rows:
        assert one_core_each(machine, len(cpus)) == Placement(name, cpus)


@given(MACHINES, st.integers(1, 20))
def test_on_any_machine_no_pair_is_overlooked_and_threads_are_spread_evenly(machine: Topology, threads: int) -> None:
    found, absent = placements(machine, [threads])
    pairs, names = by_name(machine), [place.name for place in found]
    assert (
        set(pairs)
        == related(machine) | {"same-cpu"}
        == set(PLACEMENT_NAMES) - {one.what for one in absent} - {"unpinned"}
    )
    assert all(0 not in pairs[name] for name in related(machine, least=1))
    assert threads == 1 or names == [name for name in PLACEMENT_NAMES if name in {*pairs, "unpinned"}]
    for place in [one_core_each(machine, threads), *found[:-1]]:
        counts = Counter(number for number in place.cpus if number is not None)
        assert sum(counts.values()) == threads == place.threads
        assert max(counts.values()) - min(counts.values()) <= 1
        assert name_of(machine, [*counts]) == place.name
    assert len(set(one_core_each(machine, threads).cpus)) == min(threads, len(usable(machine)))


@pytest.mark.parametrize(
    ("l3s", "nodes", "name"), [(1, 1, "same-l3"), (64, 1, "same-node"), (64, 8, "cross-node"), (8, 64, "cross-node")]
)
def test_of_4096_cpus_not_all_pairs_are_read(l3s: int, nodes: int, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[tuple[Cpu, Cpu]] = []
    large = topology(*(cpu(at, at, at, at * l3s // 4096, at * nodes // 4096) for at in range(4096)))

    def counted(one: Cpu, other: Cpu) -> str:
        looked.append((one, other))
        return relation(one, other)

    monkeypatch.setattr("threadping.probes.placements.relation", counted)
    assert name_of(large, range(4096)) == name
    assert len(looked) < 4096


def test_given_cpus_are_gone_round_in_their_order() -> None:
    assert around(SERVER, (8, 0), 3) == Placement("smt", (8, 0, 8))
    assert around(SERVER, (0, 4), 1) == Placement("same-cpu", (0,))
    with pytest.raises(UsageError, match=r"^CPU 7 does not exist here\."):
        around(TWO_CORES, (0, 7), 1)


def test_cpus_that_are_not_there_or_too_few_are_refused_with_those_there_are() -> None:
    rows: list[tuple[list[int], str]] = [
        ([2, 16], r"^CPU 16 does not exist here\. Write --cpus 2\. This process may use CPUs 2-3\.$"),
        ([2, 4], r"^CPU 4 is outside this process's mask\. Write --cpus 2\. This process may use CPUs 2-3\.$"),
        ([3], r"^--cpus needs 2 CPUs, one for each thread, not 1\. Write --cpus 2,3\.$"),
    ]
    for cpus, sentence in rows:
        with pytest.raises(UsageError, match=sentence):
            placement_for_cpus(topology(*SERVER.cpus, allowed=[2, 3]), cpus)


# ---- the kernel's answer for each named CPU ----
MACHINE = Topology(
    "test", tuple(Cpu(cpu, cpu, cpu, 0, 0, 0) for cpu in (0, 1, 3, 4, 6, 7)), (0, 1), SCHEMA, (2, 5), (4, 6)
)
"""CPUs 2 and 5 are offline, 4 and 6 isolated; the mask has 0 and 1."""


class Kernel:
    """A kernel that permits some CPUs, and remembers the requested ones."""

    def __init__(self, *permitted: int, **said: str) -> None:
        """Permit these CPUs; answer for others as `said` (by names such as `cpu7`), or refuse them."""
        self.permitted, self.said = permitted, said
        self.asked: list[int] = []

    def __call__(self, cpus: Collection[int]) -> Mapping[int, str]:
        self.asked += cpus
        return {cpu: "" if cpu in self.permitted else self.said.get(f"cpu{cpu}", REFUSED) for cpu in cpus}


def test_what_the_kernel_permits_may_be_used_although_it_is_outside_of_the_mask() -> None:
    kernel = Kernel(3, 7, 9)
    assert permit(MACHINE, (1, 0), ask=kernel) == permit(MACHINE, (), ask=kernel) == MACHINE
    assert kernel.asked == []
    assert permit(MACHINE, (7, 1, 3), ask=kernel) == replace(MACHINE, allowed=(0, 1, 3, 7))
    cpus = usable(permit(MACHINE, (0, 9), ask=kernel))
    assert [*cpus] == [0, 1, 9] and cpus[9] == Cpu(9, None, None, None, None, None)
    assert not cpus[9].is_listed  # so nothing is known about it


def test_one_line_says_which_are_outside_of_the_mask() -> None:
    rows: list[tuple[tuple[int, ...], str]] = [
        ((0, 1), ""),
        ((0, 3), "CPU 3 is outside this process's mask, CPUs 0-1; the kernel permits it."),
        ((4, 6), "CPUs 4,6 (isolated) are outside this process's mask, CPUs 0-1; the kernel permits them."),
        ((3, 4), "CPUs 3-4 (CPU 4 isolated) are outside this process's mask, CPUs 0-1; the kernel permits them."),
    ]
    for named, sentence in rows:
        assert outside_of_mask(MACHINE, permit(MACHINE, named, ask=Kernel(3, 4, 6))) == sentence


CPUSET = r"\(add {} to its cpuset\.cpus: AllowedCPUs= of systemd, --cpuset-cpus of docker\)"


def test_all_that_are_refused_are_named_with_their_reason() -> None:
    rows: list[tuple[tuple[int, ...], str, str]] = [
        ((0, 5), "--cpus", r"CPU 5 is offline\. Write --cpus 0\. This process may use CPUs 0-1\."),
        (
            tuple(range(6)),
            "--cpus",
            rf"CPUs 2,5 are offline and a cpuset keeps CPU 4 from this process {CPUSET.format('it')}\. "
            r"Write --cpus 0-1,3\. This process may use CPUs 0-1\.",
        ),
        ((2, 5), "ping", r"CPUs 2,5 are offline\. Name others\. This process may use CPUs 0-1\."),
        (
            (2, 4, 6, 20, 21),
            "--cpus",
            rf"CPU 2 is offline, a cpuset keeps CPUs 4,6 from this process {CPUSET.format('them')} and "
            r"CPUs 20-21 do not exist here\. Name others\. This process may use CPUs 0-1\.",
        ),
        ((0, 8), "--cpus", rf"This process may not be pinned to CPU 8 \({NOT_HELD}\)\. Write --cpus 0\. .*"),
        (tuple(range(65_536)), "--cpus", r"CPUs 2,5 are .* CPUs 9-65535 do not exist here\. Write --cpus 0-1,3\..*"),
    ]
    for named, option, sentence in rows:
        kernel = Kernel(3, cpu7="Operation not permitted", cpu8=NOT_HELD)
        with pytest.raises(UsageError, match=f"^{sentence}$"):
            permit(MACHINE, named, option, kernel)


def test_the_kernel_is_asked_by_a_thread_of_its_own() -> None:
    mine = os.sched_getaffinity(0)
    assert ask_kernel([max(mine), 65_535]) == {max(mine): "", 65_535: REFUSED}
    assert os.sched_getaffinity(0) == mine


def test_where_no_thread_can_be_started_a_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Thread, "start", refused)
    with pytest.raises(ThreadpingError, match=r"^No thread could be started that asks the kernel for CPU 3: a limit"):
        ask_kernel([3])


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one CPU only")
def test_a_narrowed_mask_is_no_refusal() -> None:
    mine = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(mine)})
        assert ask_kernel([max(mine)]) == {max(mine): ""}
        assert os.sched_getaffinity(0) == {min(mine)}
    finally:
        os.sched_setaffinity(0, mine)
