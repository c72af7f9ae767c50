"""A matrix in JSON and its schema, as a chart and on a page. `UPDATE_GOLDEN=1 pytest tests/golden` after a change."""

import json

from tests.golden.test_exports import validator_of
from tests.unit.matrix.planted import answer_of, machine
from threadping.conduct.articles import digest
from threadping.conduct.paging import page_of
from threadping.matrix.matrix import Matrix, matrix
from threadping.views.matrix import MatrixEntry, charts, matrix_json

ANSWER = answer_of(machine(4, 2, 4), noise=0.0)
OF = matrix(ANSWER)


def test_the_schema_in_docs_is_that_of_the_types_and_every_matrix_obeys_it() -> None:
    validator = validator_of(MatrixEntry, "matrix")
    validator.validate(json.loads(matrix_json(ANSWER, OF)))
    validator.validate(json.loads(matrix_json(None, OF)))


def test_a_chart_has_a_cell_for_every_two_cpus_and_figures_where_they_fit() -> None:
    (chart,) = charts(ANSWER, OF)
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
    assert not list(charts(None, Matrix((0, 1), ("first",), ())))


def test_a_page_shows_the_map_and_its_groups() -> None:
    whole = page_of([ANSWER])
    assert "Every two CPUs" in whole and whole.count("#fde725") == 8
    assert "| same L3 | 24.0 ns | 24.0 ns | 24.0 ns | 2 |" in digest(ANSWER)
