"""In which order CPUs are shown, and what the system says of two: on machines of every kind."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.matrix.planted import machine
from threadping.contract import SCHEMA, Cpu, Topology
from threadping.matrix.locality import groups, ordered, system_says

SIBLINGS = machine(16, 4, 8, siblings=True)
"""Two packages of two L3s of two cores of two CPUs; siblings are eight apart."""

HYBRID = Topology(
    "hybrid",
    (
        *(Cpu(number, number // 2, number // 2, 0, 0, 0) for number in range(4)),  # two cores of two CPUs
        *(Cpu(number, number, 10 + number % 2, 0, 0, 0) for number in range(4, 8)),  # two clusters that share an L2
    ),
    tuple(range(8)),
    SCHEMA,
)
BLANK = Topology("blank", tuple(Cpu(number, None, None, None, None, None) for number in range(4)), (0, 1, 2, 3), SCHEMA)


@pytest.mark.parametrize(
    ("topology", "expected"),
    [
        (SIBLINGS, (0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15)),
        (HYBRID, (0, 1, 2, 3, 4, 6, 5, 7)),
        (BLANK, (0, 1, 2, 3)),
    ],
)
def test_cpus_that_share_more_stand_closer(topology: Topology, expected: Sequence[int]) -> None:
    assert ordered(topology, [cpu.cpu for cpu in reversed(topology.cpus)]) == expected


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
    assert groups(BLANK, (0, 1, 2, 3), 2) == groups(None, (0, 1, 2, 3), 2) == [(0, 1), (2, 3)]


def test_what_the_system_says_of_two_cpus() -> None:
    cpus = {cpu.cpu: cpu for cpu in SIBLINGS.cpus}
    said = [system_says(cpus[0], cpus[other]) for other in (8, 1, 2, 4)]
    assert said == ["same core", "same L3", "other L3", "other package"]
    assert system_says(HYBRID.cpus[4], HYBRID.cpus[6]) == "same L2"
    assert system_says(BLANK.cpus[0], BLANK.cpus[1]) == "same node"
    assert system_says(Cpu(0, 0, 0, 0, 0, 0), Cpu(1, 1, 1, 1, 1, 0)) == "other node"
