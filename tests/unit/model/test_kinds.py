"""Kinds of core: their order, and what some CPUs are called by them."""

import pytest

from tests.recorded import RK3588, ULTRA_155H, ULTRA_225U
from threadping.analysis.locality import ordered, system_says
from threadping.model.contract import Cpu, Topology
from threadping.model.topology import cores_by_kind, kinds_of, rank


def cpus_of(machine: Topology, *numbers: int) -> list[Cpu]:
    known = {cpu.cpu: cpu for cpu in machine.cpus}
    return [known[number] for number in numbers]


@pytest.mark.parametrize(
    ("machine", "said"),
    [(ULTRA_155H, "6 P + 8 E + 2 LP-E"), (ULTRA_225U, "2 P + 8 E + 2 LP-E"), (RK3588, "4 big + 4 little")],
)
def test_cores_are_counted_by_kind_and_not_their_threads(machine: Topology, said: str) -> None:
    assert cores_by_kind(machine) == said


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ((1, 10), "P-P"),
        ((2, 1), "E-P"),
        ((1, 20), "P-LP-E"),
        ((1,), "P"),
        ((1, 10, 12), "P"),
        ((2, 1, 3, 20), "1 P + 2 E + 1 LP-E"),
        ((), ""),
    ],
)
def test_cpus_are_named_by_their_kinds(numbers: tuple[int, ...], said: str) -> None:
    assert kinds_of(cpus_of(ULTRA_155H, *numbers)) == said


def test_nothing_is_said_where_the_machine_tells_no_kinds() -> None:
    alike = [Cpu(number, number, number, 0, 0, 0) for number in range(2)]
    assert kinds_of(alike) == cores_by_kind(Topology("alike", tuple(alike), (0, 1), 4)) == ""


def test_a_kind_that_is_not_told_or_not_known_comes_last() -> None:
    kinds = ("little", None, "medium2", "P", "medium1", "big", "E", "LP-E")
    of_each = [Cpu(number, number, None, None, 0, 0, kind) for number, kind in enumerate(kinds)]
    assert [cpu.kind for cpu in sorted(of_each, key=rank)] == [
        "P", "big", "E", "medium1", "medium2", "LP-E", "little", None
    ]  # fmt: skip
    assert kinds_of(of_each[1:4:2]) == "?-P"


def test_cpus_of_a_kind_stand_beside_each_other_in_a_matrix_and_its_pairs_say_their_kinds() -> None:
    assert ordered(ULTRA_155H, range(22)) == (0, 1, *range(10, 20), *range(2, 10), 20, 21)
    assert ordered(RK3588, range(8)) == (4, 5, 6, 7, 0, 1, 2, 3)
    pairs = [(0, 1), (1, 10), (2, 3), (2, 9), (2, 1), (20, 1), (20, 21)]
    assert [system_says(*cpus_of(ULTRA_155H, *pair)) for pair in pairs] == [
        "same core P-P",
        "same L3 P-P",
        "same L2 E-E",
        "same L3 E-E",
        "same L3 P-E",
        "same node P-LP-E",
        "same L2 LP-E-LP-E",
    ]
