"""A matrix on terminals of every kind: figures where they fit, colours where not, and letters without colour."""

import re
from functools import cache

import pytest

from tests.unit.output.printing import printed
from tests.unit.studies.matrix.planted import answer_of, machine
from threadping.model.contract import Topology
from threadping.output.heat import Scale, drawn, on, written
from threadping.output.layout import Block, Blocks
from threadping.studies.matrix.pasted import PastedMatrix, pasted_screen
from threadping.studies.matrix.study import STUDY, matrix_of

FEW, MANY, MORE = machine(4, 2, 4), machine(64, 16, 32, siblings=True), machine(72, 12, 36, siblings=True)


@cache
def screen_of(of: Topology) -> Block:
    answer = answer_of(of, trials=1, noise=0.0)
    return Blocks.of(*STUDY.blocks(answer, matrix_of(answer)))


def lines_of(screen: Block, width: int, *, colour: bool = False) -> list[str]:
    return re.sub(r"\x1b\[[0-9;]*m", "", printed(screen, width, colour=colour)).splitlines()


def test_few_cpus_have_figures() -> None:
    found = lines_of(screen_of(FEW), 80)
    place = next(number for number, line in enumerate(found) if line.split() == ["ns", "0", "1", "2", "3"])
    rows = [" ".join(line.split()) for line in found[place + 1 : place + 5]]
    assert rows == ["0 24 87 87", "1 24 87 87", "2 87 87 24", "3 87 87 24"]
    text = "\n".join(found)
    assert "a same L3   24.0 ns  2 pairs" in text and "b other L3  87.0 ns  4 pairs" in text


@pytest.mark.parametrize("colour", [False, True])
@pytest.mark.parametrize(("cpus", "width", "halved"), [(MANY, 80, False), (MANY, 60, True), (MORE, 160, True)])
def test_many_cpus_fit_every_terminal(cpus: Topology, width: int, halved: bool, colour: bool) -> None:
    found = lines_of(screen_of(cpus), width, colour=colour)
    assert max(map(len, found)) <= width and len(found) < 90
    assert ("each row is 2" in " ".join(found).lower()) is halved


@pytest.mark.parametrize("moves", [0.0, 0.2])
def test_where_a_pair_has_several_states_the_command_that_shows_them_over_time_is_named(moves: float) -> None:
    answer = answer_of(FEW, trials=12, moves=moves)
    text = printed(Blocks.of(*STUDY.blocks(answer, matrix_of(answer))), 80)
    assert ("threadping show 7 --states " in text) is (moves > 0)


def test_without_colour_a_pair_is_the_letter_of_its_group() -> None:
    found = lines_of(screen_of(MANY), 80)
    place = found.index(" 0  a" + "b" * 14 + "c" * 16 + "d" * 32)
    assert found[place + 1] == "32 a " + "b" * 14 + "c" * 16 + "d" * 32


def test_two_rows_share_a_line_if_colours_replace_figures() -> None:
    rows = [line.rstrip() for line in lines_of(screen_of(MANY), 80, colour=True) if "▀" in line]
    assert len(rows) == 32
    assert {len(row) for row in rows} == {3 + 64}


def test_noise_looks_like_noise_and_figures_can_be_read_on_every_colour() -> None:
    of = matrix_of(answer_of(machine(4, 4, 4), noise=0.02)).map
    scale = Scale.of(of)
    assert scale.high / scale.low == pytest.approx(2.0)
    assert [written(scale.colour(ns)) for ns in (scale.low, scale.high)] == ["#440154", "#fde725"]
    assert (on((68, 1, 84)), on((253, 231, 37))) == ("#ffffff", "#111111")


def test_groups_of_cpus_have_the_medians_of_their_pairs() -> None:
    found = drawn(matrix_of(answer_of(FEW, noise=0.0)).map, FEW, 2)
    assert found.groups == [(0, 1), (2, 3)]
    assert found.values == [[24.0, 87.0], [87.0, 24.0]]


def test_another_tools_matrix_is_compared_with_ones_own() -> None:
    answer = answer_of(FEW, noise=0.0)
    theirs = [PastedMatrix("c2clat", "", matrix_of(answer).map)]
    text = printed(Blocks.of(*pasted_screen("theirs.csv", theirs, answer)), 80)
    assert text.startswith("theirs.csv: c2clat, 4 CPUs.")
    assert text.count(" 87") == 2 * 10 and f"run {answer.run.id}" in text
