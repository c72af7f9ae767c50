"""What casts doubt on figures is said wherever they stand: terminal, page, markdown, JSON, CSV and charts."""

import csv
import io
import json
from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from tests.golden.minute import MINUTE, OBSERVATIONS, PINGS
from tests.golden.test_compare import FOUND, OF, SEVERAL
from tests.unit.output.printing import exported, flat, printed
from tests.unit.studies.matrix.planted import answer_of, machine
from threadping.analysis.analyse import analyse
from threadping.analysis.answer import Answer
from threadping.analysis.checks import Finding
from threadping.conduct.pages import digest, page_of
from threadping.experiments import declared
from threadping.output.charts.style import of_row
from threadping.output.layout import Blocks
from threadping.output.screen import TableOptions
from threadping.output.screen import tables_of as tables
from threadping.studies.compare.output import blocks
from threadping.studies.matrix.output import matrix_of, matrix_screen
from threadping.studies.survey.study import screen

CONDITION = ("signal", "condition", "cpp", "same-l3")


def minute(figures: Mapping[str, float], others: float | None = None) -> Answer:
    """The golden minute, of which one case has these figures in each trial, beside other programs."""
    seen = [
        replace(one, figures={**one.figures, **figures}, others=others)
        if (one.case.experiment, one.case.mechanism, one.case.runtime, one.case.placement.name) == CONDITION
        else replace(one, others=others)
        for one in OBSERVATIONS
    ]
    return analyse(MINUTE, seen, PINGS, declared())


LATE = minute({"latency_ns.typical": 24_000.0, "headline_late": 17_000.0, "drift": -0.4})
WHOLE, LAST = "24.0 µs", "17.0 µs"


def test_both_headlines_stand_in_the_line_of_a_question() -> None:
    text = printed(screen(LATE), 80)
    (line,) = (flat(one) for one in text.splitlines() if "tell a sleeper (condition)" in one)
    assert f"{WHOLE} last third {LAST} ✗" in line
    assert f"{LAST} in the last third of the trials, {WHOLE} in all of them" in flat(text)


def test_both_headlines_stand_in_the_row_and_no_column_where_none_is_needed() -> None:
    text = printed(tables(LATE, TableOptions(experiment="signal")), 160)
    (heads,) = (one for one in text.splitlines() if "last third" in one and "median" in one)
    (line,) = (one for one in text.splitlines() if LAST in one and "same-l3" in one and "condition" in one)
    assert line[: heads.index("last third") + len("last third")].endswith(LAST)
    assert WHOLE in line
    assert "last third" not in printed(tables(minute({})), 160)


def test_both_headlines_are_exported_and_drawn() -> None:
    lines = json.loads(exported(LATE, "json"))["rows"]
    late = [(one["latency_ns"]["typical"], one["last_third"]) for one in lines if one["last_third"]]
    assert late == [(24_000.0, 17_000.0)]
    cells = csv.DictReader(io.StringIO(exported(LATE, "csv")))
    assert [one["last_third"] for one in cells if one["last_third"]] == ["17000.0"]
    (row,) = (one for one in LATE.rows if one.late)
    assert of_row(row)["written"].endswith(f"({LAST} in the last third)")
    for text in (page_of([LATE]), digest(LATE)):
        assert f"last third {LAST}" in text


BUSY = minute({}, others=0.45)
SAID = "✗ Do not use these figures: other programs used 45% of the CPU time.\n"


def test_a_machine_that_was_too_busy_is_said_first_wherever_figures_stand() -> None:
    for text in (printed(screen(BUSY), 120), printed(tables(BUSY), 120)):
        assert text.startswith(SAID)
    markdown = digest(BUSY).splitlines()
    assert (markdown[0].startswith("### "), markdown[2] == SAID.strip()) == (True, True)
    body = page_of([BUSY])
    assert "Do not use these figures" in body[: body.index("CORE TO CORE") if "CORE TO CORE" in body else len(body)]
    (first, *_) = json.loads(exported(BUSY, "json"))["warnings"]
    assert (first["code"], first["level"]) == ("busy-machine", "error")


def test_a_machine_that_was_not_is_not_accused() -> None:
    for text in (printed(screen(minute({}, others=0.39)), 120), digest(minute({}, others=0.39))):
        assert "Do not use" not in text


@pytest.mark.parametrize("width", [80, 120])
def test_how_many_marks_chance_makes_stands_below_them_and_nowhere_else(width: int) -> None:
    noisy = minute({"drift": -0.4})
    assert " by chance" in printed(screen(noisy), width)
    assert "By chance alone up to " in flat(printed(tables(noisy), width))
    steady = [replace(one, figures={**one.figures, "drift": 0.0}) for one in OBSERVATIONS]
    assert "chance" not in printed(screen(analyse(MINUTE, steady, PINGS, declared())), width)


def test_a_matrix_and_a_comparison_begin_with_it_too() -> None:
    found = (Finding("busy-machine", "error", {"share": 0.45}),)
    of = replace(answer_of(machine(4, 2, 4), trials=1), findings=found)
    for shown in (Blocks.of(*matrix_screen(of, matrix_of(of))), blocks(replace(SEVERAL, findings=found), OF, FOUND)):
        assert printed(shown, 120).startswith(SAID)
