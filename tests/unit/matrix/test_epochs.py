"""The map over time: the parts of a run between which CPUs were moved."""

import re

from msgspec.structs import replace

from tests.unit.matrix.planted import answer_of, machine
from tests.unit.views.terminal.printing import printed
from threadping.contract import Topology
from threadping.matrix.epochs import epochs
from threadping.matrix.matrix import matrix
from threadping.views.matrix import charts, matrix_screen

EIGHT = machine(8, 4, 8)


def swapped(topology: Topology, one: int, other: int) -> Topology:
    """Two CPUs stand in each other's place."""
    cpus = list(topology.cpus)
    cpus[one], cpus[other] = replace(cpus[other], cpu=one), replace(cpus[one], cpu=other)
    return replace(topology, cpus=tuple(cpus))


MOVED = answer_of(EIGHT, trials=8, later=swapped(EIGHT, 0, 7))


def test_a_run_is_divided_where_a_cpu_was_moved_and_each_part_has_its_own_figures() -> None:
    of = matrix(MOVED)
    before, after = epochs(MOVED, of)
    assert (before.begun_s, round(before.ended_s, 1), before.ended_s) == (0.0, 5.6, after.begun_s)
    for part, near, far in ((before, 1, 6), (after, 6, 1)):
        leading = part.matrix.leading()
        assert [round(leading[0, cpu].latency.value / 24) for cpu in (near, far)] == [1, 4]
        assert {cell.trials for cell in part.matrix.cells} == {4}


def test_without_a_move_there_is_one_map_however_much_single_pairs_change() -> None:
    for answer in (answer_of(EIGHT, trials=8), answer_of(EIGHT, trials=12, moves=0.02)):
        assert epochs(answer, matrix(answer)) == []


def test_maps_stand_beside_each_other_in_the_colours_of_the_whole() -> None:
    of = matrix(MOVED)
    text = printed(matrix_screen(MOVED, of), 80)
    assert re.search(r"\n0\.0 s to 5\.6 s +5\.6 s to 11 s\n", text)
    assert re.search(r"\n 0  aaabbbb +0  bbbaaab\n 1 a aabbbb +1 b aabbba\n", text)
    assert "28 pairs" in text and sum(one.pairs for one in of.clusters) == 28  # a pair leads in one state alone
    _, over_time = charts(MOVED, of)
    first, second = (panel["data"]["values"] for panel in over_time.panels)
    assert [one["colour"] for one in first if one["x"] == "1"] != [one["colour"] for one in second if one["x"] == "1"]
    assert {one["written"] for one in first} <= {"23", "24", "25"} | {str(ns) for ns in range(82, 93)}
