"""Among which CPUs threads are placed, on machines of every kind; and how far those are apart that nobody pinged."""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.golden.fixture import MACHINE
from tests.recorded import ULTRA_155H
from tests.unit.analysis.test_questions import RECORDED, recorded
from tests.unit.planning.examples import inventory, mechanism, offer, queue, topology
from tests.unit.studies.matrix.planted import machine
from threadping.experiments import case_defaults
from threadping.model.cases import Pair
from threadping.model.contract import MechanismDescription, Topology
from threadping.model.errors import ThreadpingError, Unreadable, UsageError
from threadping.model.run import ReferencePing
from threadping.planning.selection import Inventory, Selection
from threadping.probes.placements import relation, usable
from threadping.studies.options import DECLARED
from threadping.studies.recommend_cpus import cases
from threadping.studies.recommend_cpus.study import choose_cpus

NS = {"smt": 9.0, "same-l2": 22.0, "same-l3": 30.0, "same-node": 90.0, "cross-node": 180.0}
PRODUCING = cases.THREAD_SHAPES["producer-consumer"]
SIBLINGS = machine(16, 4, 8, siblings=True)
"""Two packages of two L3s of two cores of two CPUs; siblings are eight apart."""


class Pings:
    """Planted pings of each pair, and the pairs pinged together."""

    def __init__(self, topology: Topology) -> None:
        self.listed, self.together = usable(topology), list[Sequence[Pair]]()

    def __call__(self, pairs: Sequence[Pair]) -> list[ReferencePing]:
        self.together.append(pairs)
        return [ReferencePing(pair, 0.0, 0, NS[relation(self.listed[pair[0]], self.listed[pair[1]])]) for pair in pairs]


def placed(topology: Topology, shape: str, threads: int) -> list[int]:
    among = cases.considered(topology, threads, None)
    known = cases.ping_now(Pings(topology), topology, among.cpus, 30.0)
    return [*choose_cpus(cases.THREAD_SHAPES[shape], threads, among.cpus, known, topology, seed=1).cpus]


def test_every_core_has_one_thread_as_long_as_there_are_enough() -> None:
    few, many = cases.considered(SIBLINGS, 4, None), cases.considered(SIBLINGS, 12, None)
    assert sorted(few.cpus) == [1, 2, 3, 4, 5, 6, 7, 8], "the other CPU of core 0, as CPU 0 takes interrupts"
    assert few.cpus[-1] == 8 and few.notes == (
        "A core for each thread; --siblings lets two share one, which is nearer and slows both.",
    )
    assert len(many.cpus) == 16 and many.cpus[-1] == 0
    assert many.notes == ("8 cores for 12 threads: some share one, and its time.",)
    assert len(cases.considered(SIBLINGS, 4, None, siblings=True).cpus) == 16


def test_the_most_capable_cores_come_first_unless_others_are_named() -> None:
    capable = cases.considered(ULTRA_155H, 4, None)
    assert {usable(ULTRA_155H)[cpu].kind for cpu in capable.cpus} == {"P"}
    assert capable.notes[0].startswith("Left out as less capable cores: CPUs ")
    assert {usable(ULTRA_155H)[cpu].kind for cpu in cases.considered(ULTRA_155H, 14, None).cpus} >= {"P", "E"}
    named = cases.considered(ULTRA_155H, 2, (2, 3, 20))
    assert (sorted(named.cpus), named.notes) == ([2, 3, 20], ())


def test_cpus_with_many_interrupts_are_avoided_as_long_as_enough_are_left() -> None:
    four = machine(4, 4, 4)
    loud = {0: 900.0, 1: 0.5, 2: 40.0, 3: 0.0}
    found = cases.considered(four, 2, None, interrupts_per_s=loud)
    assert found.cpus == (1, 3)
    assert found.notes == ("Avoided for their interrupts: CPU 0 (900 a second), CPU 2 (40 a second).",)
    three = cases.considered(four, 3, None, interrupts_per_s=loud)
    said = "Without CPU 2 there would be too few CPUs, though devices interrupt there often."
    assert (sorted(three.cpus), three.notes[-1]) == ([1, 2, 3], said)
    even = cases.considered(four, 2, None, interrupts_per_s=dict.fromkeys(range(4), 3.0))
    assert len(even.cpus) == 4 and even.notes[0].startswith("No CPU takes many more interrupts")
    assert cases.considered(four, 2, None, interrupts_per_s={}).notes[0].endswith("/proc/interrupts cannot be read.")


def test_isolated_cpus_are_named_whether_they_are_considered_or_not() -> None:
    inside = replace(machine(4, 4, 4), isolated=(2, 3))
    assert cases.considered(inside, 2, None).notes[0].startswith("Isolated: CPUs 2-3.")
    outside = replace(inside, allowed=(0, 1))
    assert cases.considered(outside, 2, None).notes == (
        "Isolated and outside this process's mask: CPUs 2-3. --cpus considers them.",
    )


@pytest.mark.parametrize("name", RECORDED)
@pytest.mark.parametrize("shape", ["all-to-all", "pipeline"])
def test_on_recorded_machines_of_5_to_384_cpus_threads_come_as_close_as_the_topology_permits(
    name: str, shape: str
) -> None:
    topology = recorded(name)
    listed = usable(topology)
    threads = 4 if len(listed) > 5 else 2
    cpus = placed(topology, shape, threads)
    assert len({*cpus}) == threads
    l3s: dict[object, set[int | None]] = {}
    for cpu in cases.considered(topology, threads, None).cpus:
        l3s.setdefault(listed[cpu].l3 if listed[cpu].l3 is not None else ("node", listed[cpu].node), set()).add(cpu)
    if max(map(len, l3s.values())) >= threads:
        assert any({*cpus} <= of for of in l3s.values())
    elif (nodes := {listed[cpu].node for cpu in cpus}) != {None} and all(len(of) < threads for of in l3s.values()):
        assert len(nodes) <= 2


def test_a_pipeline_walks_through_one_l3_before_the_next() -> None:
    stages = placed(machine(8, 4, 8), "pipeline", 8)
    assert sum((one < 4) is not (other < 4) for one, other in pairwise(stages)) == 1


def test_the_shapes_that_the_option_names_are_those_that_there_are() -> None:
    assert DECLARED["recommend cpus"][1]["type"] == ["one_of", *cases.THREAD_SHAPES]


def test_a_coordinator_is_placed_among_its_workers_and_a_consumer_behind_its_producers() -> None:
    assert {cpu < 4 for cpu in placed(machine(8, 4, 8), "barrier", 4)} in ({True}, {False})
    assert [PRODUCING.role(at, 3) for at in range(3)] == ["producer", "producer", "consumer"]
    assert PRODUCING.pairs((4, 5, 6)) == [(6, 4), (6, 5)]
    assert cases.THREAD_SHAPES["barrier"].pairs((4, 5, 6)) == [(4, 5), (4, 6)]


def test_of_alike_latencies_those_are_nearer_whose_cpus_share_more() -> None:
    topology = machine(8, 2, 8)
    known = cases.KnownLatencies({(a, b): 50.0 + 0.1 * (a + b) % 0.3 for b in range(8) for a in range(b)}, "a test")
    among = cases.considered(topology, 2, None).cpus
    one, other = choose_cpus(cases.THREAD_SHAPES["all-to-all"], 2, among, known, topology, seed=1).cpus
    assert one // 2 == other // 2


def test_pings_go_in_rounds_and_of_many_cpus_the_rest_is_as_its_like() -> None:
    topology = recorded("192em64t-24n8c2t")
    among = cases.considered(topology, 4, None).cpus
    pings = Pings(topology)
    known = cases.ping_now(pings, topology, among, 30.0)
    assert all(len({cpu for pair in pairs for cpu in pair}) == 2 * len(pairs) for pairs in pings.together)
    assert known.number_among(among) < len(among) * (len(among) - 1) // 2
    made, listed = cases.as_array(known, topology, among), usable(topology)
    pairs = ((a, b) for a in range(len(among)) for b in range(a))
    assert all(made[a, b] == NS[relation(listed[among[a]], listed[among[b]])] for a, b in pairs)


def test_a_ping_that_fails_leaves_a_pair_as_its_like_and_all_that_fail_are_an_error() -> None:
    topology = machine(4, 2, 4)

    def failing(every: bool, pairs: Sequence[Pair]) -> list[ReferencePing]:
        hung = ({"ns": None, "failure": "It hung."} if every or pair == (0, 1) else {} for pair in pairs)
        return [replace(one, **how) for one, how in zip(Pings(topology)(pairs), hung, strict=True)]

    known = cases.ping_now(partial(failing, False), topology, (0, 1, 2, 3), 30.0)
    assert (0, 1) not in known.ns and cases.as_array(known, topology, (0, 1, 2, 3))[0, 1] == 30.0
    with pytest.raises(ThreadpingError, match=r"CPUs 0-3 cannot be pinged: It hung\. Name others with --cpus\."):
        cases.ping_now(partial(failing, True), topology, (0, 1, 2, 3), 30.0)


def test_a_matrix_of_another_tool_is_read_both_ways_and_is_of_the_cpus_that_it_names(tmp_path: Path) -> None:
    file = tmp_path / "c2c.csv"
    file.write_text(",,\n38.2,,\n61.5,62.1,\n")
    given = cases.read_given(str(file), None)
    ns = {(0, 1): 38.2, (0, 2): 61.5, (1, 2): 62.1}
    assert given == cases.KnownLatencies(ns, f"the matrix in {file}", (0, 1, 2), None)
    here = replace(MACHINE, topology=machine(3, 3, 3))
    given.check(here, (0, 1, 2))
    other = replace(given, machine=replace(here, cpu_model="Another"))
    with pytest.raises(UsageError, match=r"is of another machine \(Another\): leave --from out"):
        other.check(here, (0, 1))
    replace(given, machine=replace(here, kernel="Linux 7.0")).check(here, (0, 1))
    with pytest.raises(Unreadable):
        cases.read_given(str(tmp_path / "nowhere.csv"), None)


EIGHT = topology(*((core, core, 0, 0) for core in range(8)))
SPSC, MPSC = queue("sequenced-ring", "depth"), queue("mutex-deque", "depth", "producers", blocking=True)


def here(*queues: MechanismDescription) -> Inventory:
    return inventory(offer("cpp", *queues, experiment="queue"), machine=EIGHT, case_defaults=case_defaults())


def test_the_consumer_is_the_second_thread_of_a_queue_and_producers_are_all_others() -> None:
    free, pinned = cases.cases_of(PRODUCING, Selection(), here(SPSC, MPSC), (4, 5, 6), (6, 4))
    assert (pinned.mechanism, pinned.params["producers"], pinned.placement.cpus) == ("mutex-deque", 2, (4, 6, 5))
    assert free.placement.cpus == (None, None, None) and free.params == pinned.params


def test_a_barrier_is_measured_as_a_barrier_of_as_many_threads_whose_first_is_the_caller() -> None:
    rows: list[tuple[str, ...]] = [("std-barrier", "spin-barrier", "spin-all"), ("spin-barrier",)]
    for names in rows:
        offered = [mechanism(name, timed=("call", "first", "last", "done"), lines=1) for name in names]
        machine = inventory(offer("cpp", *offered, experiment="barrier"), machine=EIGHT, case_defaults=case_defaults())
        free, pinned = cases.cases_of(cases.THREAD_SHAPES["barrier"], Selection(), machine, (6, 4, 5), (6, 4))
        assert (pinned.experiment, pinned.mechanism, pinned.placement.cpus) == ("barrier", names[-1], (6, 4, 5))
        assert (free.mechanism, free.placement.cpus) == (names[-1], (None, None, None))


def test_two_threads_have_the_first_queue_that_the_runtime_has() -> None:
    _, pinned = cases.cases_of(PRODUCING, Selection(), here(MPSC, SPSC), (4, 5), (5, 4))
    assert (pinned.mechanism, pinned.params["depth"], pinned.placement.cpus) == ("sequenced-ring", 1, (4, 5))


def test_a_runtime_without_such_a_queue_is_refused_unless_a_mechanism_is_named() -> None:
    with pytest.raises(UsageError, match="cpp has none of the mechanisms that measure 'producer-consumer': sequenced"):
        cases.cases_of(PRODUCING, Selection(), here(SPSC), (4, 5, 6), (6, 4))
    named = Selection(mechanisms=("mutex-deque",))
    assert cases.cases_of(PRODUCING, named, here(SPSC, MPSC), (4, 5), (5, 4))[0].mechanism == "mutex-deque"
