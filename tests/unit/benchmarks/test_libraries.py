"""libraries: published figures beside the rows of a run, each with its source."""

import re
from typing import Any

from benchmarks.libraries.table import UNITS, PublishedFigure, published, table
from tests.conftest import ROOT

FIGURES = [
    PublishedFigure(
        "q", 2e8, "messages_per_s", "200000 ops/ms", "Q", "its author", "a desk", "https://q", "2026-01-02"
    ),
    PublishedFigure("q", 130, "round_trip_ns", "130 ns RTT", "Q", "its author", "a desk", "https://q", "2026-01-02"),
]


def row(mechanism: str, experiment: str = "ring", **more: Any) -> dict[str, Any]:
    here = {"mechanism": mechanism, "experiment": experiment, "runtime": "cpp", "placement": "same-l3", "params": {}}
    return {**here, **more}


def test_each_figure_stands_beside_the_rows_that_it_is_of() -> None:
    rows = [
        row("head/q", ops_per_s=1e8, ops_per_s_ci95=[9e7, 1.1e8]),
        row("q", params={"in-flight": 1}, latency_ns={"p50": 70.0}),
        row("other", ops_per_s=5e7),
        row("flag", "signal", latency_ns={"typical": 60.0, "typical_range": [59.0, 61.0]}),
        row("lock", "lock", ops_per_s=None),
    ]
    lines = table(rows, FIGURES).splitlines()[2:]
    assert lines == [
        "| head/q | cpp | same-l3 | 100 M (90.0 M to 110 M) a second | 200 M a second | its author | "
        "Q: 200000 ops/ms; a desk |",
        "| q | cpp | same-l3 | 70.0 ns one way | 65.0 ns one way | its author | Q: 130 ns RTT; a desk |",
        "| other | cpp | same-l3 | 50.0 M a second | - | - | - |",
        "| flag | cpp | same-l3 | 60.0 ns (59.0 ns to 61.0 ns) one way | - | - | - |",
        "| lock | cpp | same-l3 | - a second | - | - | - |",
        "",
        "- its author: <https://q>, read on 2026-01-02",
    ]


def test_what_is_published_is_of_an_example_and_says_where_it_stands() -> None:
    examples = {file.stem for file in (ROOT / "examples").glob("*/*.*")}
    for one in published():
        assert one.unit in UNITS and one.value > 0
        assert one.source.startswith("https://") and re.fullmatch(r"20\d\d-\d\d-\d\d", one.read)
        assert one.example in examples | {"OneToOneConcurrentArrayQueue"}, "nothing here measures it"
