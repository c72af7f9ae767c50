"""A matrix that threadping of e81041aa measured and read (`before.json`), on four planted CPUs, says the same today."""

import json
from pathlib import Path
from typing import Any

from threadping.conduct.pages import load_bundle
from threadping.conduct.presenting import Output
from threadping.conduct.study import written
from threadping.studies.matrix.study import STUDY

HERE = Path(__file__).parent


def of_before(cell: dict[str, Any]) -> tuple[Any, ...]:
    """As it wrote a cell."""
    latency, state = cell["latency_ns"], cell["state"]
    figures = (latency["typical"], latency["ci95"] or latency["range"], cell["lines_spread"])
    return (cell["cpus"], cell["trials"], cell["leads"], *figures, *state.values())


def of_now(cell: dict[str, Any]) -> tuple[Any, ...]:
    """As a cell is a row."""
    latency, state = cell["latency_ns"], cell["state"]
    figures = (latency["typical"], latency.get("typical_ci95") or latency.get("typical_range"), cell["lines_spread"])
    of_state = (state["core_to_core_ns"], state["core_to_core_ns_range"], state["share"])
    return (cell["cpus"], cell["trials"], cell["leads"], *figures, *of_state)


def test_a_matrix_of_before_has_the_same_cells() -> None:
    (answer,) = load_bundle((HERE / "before.run").read_bytes(), "before.run")
    assert answer.observations[0].form == 6
    now = json.loads(written(STUDY, answer, STUDY.read(answer, None), "json", Output()))
    before = json.loads((HERE / "before.json").read_text())
    assert len(before) == 6
    assert [of_now(cell) for cell in now["cells"]] == [of_before(cell) for cell in before]
