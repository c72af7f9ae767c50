"""A matrix on terminals of every kind: figures where they fit, colours where not, and letters without colour."""

import io
import re
from functools import cache

import pytest
from rich.console import Console

from tests.unit.matrix.planted import answer_of, machine
from threadping.analysis.answer import Answer
from threadping.matrix.matrix import Matrix, matrix
from threadping.views.heat import Scale, drawn, on, written
from threadping.views.terminal.matrix import imported, matrix_screen


def printed(answer: Answer, width: int, *, coloured: bool = False, of: Matrix | None = None) -> str:
    file = io.StringIO()
    console = Console(
        file=file,
        width=width,
        force_terminal=coloured,
        color_system="truecolor" if coloured else None,
        markup=False,
        highlight=False,
    )
    console.print(matrix_screen(answer, of or matrix(answer)))
    return file.getvalue()


def lines_of(text: str) -> list[str]:
    return [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in text.splitlines()]


@cache
def once(cpus: int) -> tuple[Answer, Matrix]:
    answer = answer_of(MANY if cpus == 64 else HUGE, trials=1)
    return answer, matrix(answer)


FEW, MANY, HUGE = machine(4, 2, 4), machine(64, 16, 32, siblings=True), machine(256, 16, 128, siblings=True)


def test_few_cpus_have_figures() -> None:
    text = printed(answer_of(FEW, noise=0.0), 80)
    found = lines_of(text)
    place = next(number for number, line in enumerate(found) if line.split() == ["ns", "0", "1", "2", "3"])
    assert [line.split() for line in found[place + 1 : place + 5]] == [
        ["0", "24.0", "87.0", "87.0"],
        ["1", "24.0", "87.0", "87.0"],
        ["2", "87.0", "87.0", "24.0"],
        ["3", "87.0", "87.0", "24.0"],
    ]
    assert "a same L3   24.0 ns  2 pairs" in text and "b other L3  87.0 ns  4 pairs" in text


@pytest.mark.parametrize("width", [80, 160])
@pytest.mark.parametrize("coloured", [False, True])
@pytest.mark.parametrize("cpus", [64, 256])
def test_many_cpus_fit_every_terminal(cpus: int, width: int, coloured: bool) -> None:
    answer, of = once(cpus)
    found = lines_of(printed(answer, width, coloured=coloured, of=of))
    assert max(map(len, found)) <= width
    assert len(found) < 90


def test_without_colour_a_pair_is_the_letter_of_its_group() -> None:
    found = lines_of(printed(answer_of(MANY, noise=0.0), 80))
    assert found[5] == " 0  a" + "b" * 14 + "c" * 16 + "d" * 32
    assert found[6] == "32 a " + "b" * 14 + "c" * 16 + "d" * 32


def test_two_rows_share_a_line_where_colours_stand_for_figures() -> None:
    text = printed(answer_of(MANY, noise=0.0), 80, coloured=True)
    rows = [line for line in lines_of(text) if "▀" in line]
    assert len(rows) == 32
    assert {len(row) for row in rows} == {3 + 64}


def test_noise_looks_like_noise_and_figures_can_be_read_on_every_colour() -> None:
    of = matrix(answer_of(machine(4, 4, 4), noise=0.02))
    scale = Scale.of(of)
    assert scale.high / scale.low == pytest.approx(2.0)
    assert (written(scale.colour(scale.low)), written(scale.colour(scale.high))) == ("#440154", "#fde725")
    assert (on((68, 1, 84)), on((253, 231, 37))) == ("#ffffff", "#111111")


def test_groups_of_cpus_have_the_medians_of_their_pairs() -> None:
    of = matrix(answer_of(FEW, noise=0.0))
    found = drawn(of, FEW, "first", 2)
    assert found.groups == [(0, 1), (2, 3)]
    assert found.values == [[24.0, 87.0], [87.0, 24.0]]


def test_what_another_tool_measured_stands_beside_ones_own() -> None:
    answer = answer_of(FEW, noise=0.0)
    of = matrix(answer)
    console = Console(file=io.StringIO(), width=80, record=True)
    console.print(imported("theirs.csv", "c2clat", of, (answer, of)))
    text = console.export_text()
    assert text.startswith("theirs.csv: c2clat, 4 CPUs. One line, state unknown.")
    assert text.count("87.0") == 2 * 9 and f"run {answer.run.id}" in text
