"""In which order CPUs are shown, and what the system says of two: on machines of every kind."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.studies.matrix.planted import machine
from threadping.analysis.locality import groups, ordered, system_says
from threadping.model.contract import SCHEMA, Cpu, Topology

SIBLINGS = machine(16, 4, 8, siblings=True)
"""Two packages of two L3s of two cores of two CPUs; siblings are eight apart."""

RECORDED = json.loads(Path(__file__).with_name("recorded.json").read_text())
"""What `threadping-probe topology` says of machines that hwloc 2.9.0 keeps for its own tests (THIRD-PARTY.md): by
columns, CPUs in the order of hwloc."""

BLANK = Topology("blank", tuple(Cpu(number, None, None, None, None, None) for number in range(4)), (0, 1, 2, 3), SCHEMA)


def recorded(name: str) -> Topology:
    """A machine, its CPUs by number, as a system lists them."""
    rows = zip(*RECORDED[name].values(), strict=True)
    cpus = sorted((Cpu(*row) for row in rows), key=lambda cpu: cpu.cpu)
    return Topology("hwloc 2.9.0", tuple(cpus), tuple(cpu.cpu for cpu in cpus), SCHEMA)


@pytest.mark.parametrize(
    ("name", "begins", "kinds"),
    [
        (  # 24 nodes of 8 cores, 384 CPUs
            "192em64t-24n8c2t",
            (0, 192, 1, 193, 2),
            {"same core": 192, "same L3": 2_688, "other package": 70_656},
        ),
        (  # packages of four nodes of two L3s of three cores
            "AMD-17h-Zen-2xEpyc-7451",
            (0, 48, 1, 49, 2),
            {"same core": 48, "same L3": 192, "other L3": 288, "other node": 1_728, "other package": 2_304},
        ),
        (  # four CPUs to a core, two cores to an L2, no L3
            "64intel64-fakeKNL-SNC4-hybrid",
            (0, 16, 32, 48, 1),
            {"same core": 96, "same L2": 128, "same node": 256, "other node": 1_536},
        ),
        (  # packages without nodes of their own, numbered in turn
            "16em64t-4s2c2t",
            (0, 8, 4, 12, 1),
            {"same core": 8, "same L3": 16, "other package": 96},
        ),
        (  # four packages to a node, two cores to an L2
            "96em64t-4n4d3ca2co",
            (0, 4, 8, 12, 16),
            {"same L2": 48, "same L3": 192, "other package": 4_320},
        ),
        (  # packages of two nodes, nothing known of caches
            "28intel64-2p2g7c-CoDgroups.v1tov2",
            (0, 1, 2, 3, 4),
            {"same node": 84, "other node": 98, "other package": 196},
        ),
        ("128arm-2pa2n8cluster4co", (0, 1, 2, 3, 4), {"same L3": 1_984, "other node": 2_048, "other package": 4_096}),
    ],
)
def test_recorded_machines_are_ordered_as_hwloc_orders_them_and_their_pairs_named(
    name: str, begins: Sequence[int], kinds: Mapping[str, int]
) -> None:
    topology, of_hwloc = recorded(name), tuple(RECORDED[name]["cpu"])
    assert ordered(topology, [cpu.cpu for cpu in topology.cpus]) == of_hwloc
    assert of_hwloc[:5] == begins
    assert Counter(system_says(one, other) for one, other in combinations(topology.cpus, 2)) == kinds


def test_a_large_core_comes_before_the_small_ones_of_a_recorded_machine() -> None:
    topology = recorded("5intel64-hybrid-lakefield")
    assert ordered(topology, range(5)) == (4, 0, 1, 2, 3)
    said = Counter(system_says(one, other) for one, other in combinations(topology.cpus, 2))
    assert said == {"same L2 E-E": 6, "same L3 P-E": 4}


def test_what_the_machine_does_not_tell_divides_nothing() -> None:
    assert ordered(BLANK, [3, 1, 0, 2]) == (0, 1, 2, 3)


@given(st.integers(2, 40), st.sampled_from([2, 4, 8]), st.data())
def test_every_cpu_is_in_one_group_and_groups_are_never_too_many(cpus: int, of_l3: int, data: st.DataObject) -> None:
    topology = machine(cpus * 2, of_l3, 2 * of_l3, siblings=True)
    order, at_most = ordered(topology, range(cpus * 2)), data.draw(st.integers(1, 100))
    found = groups(topology, order, at_most)
    assert [cpu for group in found for cpu in group] == list(order)
    assert len(found) <= at_most


def test_groups_are_the_smallest_that_fit_and_equal_parts_where_nothing_is_known() -> None:
    order = ordered(SIBLINGS, range(16))
    assert [len(groups(SIBLINGS, order, at_most)) for at_most in (16, 15, 8, 7, 4, 3, 1)] == [16, 8, 8, 4, 4, 2, 1]
    assert groups(SIBLINGS, order, 4)[1] == (2, 10, 3, 11)
    assert [len(group) for group in groups(machine(64, 2, 32), range(64), 8)] == [8] * 8  # not two packages
    assert groups(BLANK, (0, 1, 2, 3), 2) == groups(None, (0, 1, 2, 3), 2) == [(0, 1), (2, 3)]


def test_what_the_system_says_of_two_cpus() -> None:
    cpus = {cpu.cpu: cpu for cpu in SIBLINGS.cpus}
    said = [system_says(cpus[0], cpus[other]) for other in (8, 1, 2, 4)]
    assert said == ["same core", "same L3", "other L3", "other package"]
    assert system_says(Cpu(0, 0, None, None, None, 0), Cpu(1, 1, None, None, None, 0)) == "same node"
    assert system_says(BLANK.cpus[0], BLANK.cpus[1]) == system_says(cpus[0], BLANK.cpus[1]) == ""
    assert system_says(Cpu(0, 0, 0, 0, 0, 0), Cpu(1, 1, 1, 1, 1, 0)) == "other node"
