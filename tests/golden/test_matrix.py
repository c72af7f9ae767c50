"""A matrix in JSON and its schema, as a chart and on a page. `UPDATE_GOLDEN=1 pytest tests/golden` after a change."""

from pathlib import Path

from tests.unit.studies.matrix.planted import answer_of, machine
from threadping.conduct.pages import digest, page_of
from threadping.studies.matrix.study import STUDY, matrix_of

ANSWER = answer_of(machine(4, 2, 4), noise=0.0)
OF = matrix_of(ANSWER)
SCHEMA = Path(__file__).parents[2] / "docs" / "reference" / "schemas" / "matrix.schema.json"


def test_a_chart_has_a_cell_for_every_two_cpus_and_figures_where_they_fit() -> None:
    (chart,) = STUDY.charts(ANSWER, OF)
    (panel,) = chart.panels
    data = panel["data"]["values"]
    assert [(one["y"], one["x"], one["written"]) for one in data[:3]] == [
        ("0", "1", "24"),
        ("0", "2", "87"),
        ("0", "3", "87"),
    ]
    assert len(data) == 12 and {one["colour"] for one in data} == {"#440154", "#fde725"}
    assert [layer["mark"]["type"] for layer in panel["layer"]] == ["rect", "text"]
    assert chart.said == ["same L3: 24.0 ns, 2 pairs; other L3: 87.0 ns, 4 pairs"]


def test_a_page_shows_the_map_and_its_groups() -> None:
    whole = page_of([ANSWER])
    assert "Every two CPUs" in whole and whole.count("#fde725") == 8
    assert "| same L3 | 24.0 ns | 24.0 ns | 24.0 ns | 2 |" in digest(ANSWER)
