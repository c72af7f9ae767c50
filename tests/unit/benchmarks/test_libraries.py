"""libraries: published figures beside the rows of a run, each with its source."""

import re
from typing import Any

from benchmarks.channels.__main__ import PRODUCERS, RUNS
from benchmarks.channels.__main__ import PUBLISHED as CHANNELS
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


def test_a_figure_of_parameters_stands_beside_the_row_that_has_them() -> None:
    figure = PublishedFigure(
        "q", 2e6, "messages_per_s", "2000000", "Q", "its author", "a desk", "https://q", "2026-01-02", {"size": 0}
    )
    rows = [row("q", ops_per_s=1e6, params={"size": size, "work": 0}, varied=["size"]) for size in (0, 1)]
    assert [line.split(" | ")[:5] for line in table(rows, [figure]).splitlines()[2:4]] == [
        ["| q size=0", "cpp", "same-l3", "1.00 M a second", "2.00 M a second"],
        ["| q size=1", "cpp", "same-l3", "1.00 M a second", "-"],
    ]


def test_what_is_published_of_channels_is_of_a_case_that_is_measured() -> None:
    measured = {
        (name, *sorted({"producers": producers, **({"size": size} if size is not None else {})}.items()))
        for names, sizes, _ in RUNS
        for name in names
        for size in sizes
        for producers in PRODUCERS
    }
    figures = published(CHANNELS)
    assert figures and {(one.example, *sorted(one.params.items())) for one in figures} <= measured
    assert {one.unit for one in figures} == {"messages_per_s"}
    assert all(one.source.startswith("https://") for one in figures)
    assert sum(seconds for *_, seconds in RUNS) <= 220, "with its start it is to take four minutes at most"


def test_what_is_published_is_of_an_example_and_says_where_it_stands() -> None:
    examples = {file.stem for file in (ROOT / "examples").glob("*/*.*")}
    for one in published():
        assert one.unit in UNITS and one.value > 0
        assert one.source.startswith("https://") and re.fullmatch(r"20\d\d-\d\d-\d\d", one.read)
        assert one.example in examples | {"OneToOneConcurrentArrayQueue"}, "nothing here measures it"
