"""A line becomes a record: groups, intervals, and what is not known."""

from typing import Any

import pytest

from threadping.analysis.percentiles import Estimate
from threadping.output.layout import Field, Sheet
from threadping.output.records import as_csv, as_json, records_of

FIELDS: tuple[Field[dict[str, object]], ...] = tuple(
    Field(key=key, of=lambda line, key=key: line.get(key), sparse=key.startswith(("latency_ns.", "shares")))  # type: ignore[misc]
    for key in ("trials", "latency_ns.p50", "latency_ns.p99.9", "shares")
)


def test_a_sparse_entry_that_is_not_known_is_absent_and_a_group_of_none_is_null() -> None:
    found = records_of(Sheet("rows", FIELDS, [{}, {"latency_ns.p99.9": Estimate(2.0, 1.0, 3.0, "ci95"), "shares": {}}]))
    assert found == [
        {"trials": None, "latency_ns": None},
        {"trials": None, "latency_ns": {"p99.9": 2.0, "p99.9_ci95": (1.0, 3.0)}, "shares": {}},
    ]


def test_a_key_of_two_values_is_refused_as_one_would_hide_the_other() -> None:
    sheet: Sheet[Any] = Sheet("rows", FIELDS, [{"trials": 3}])
    twice: Sheet[Any] = Sheet("rows", (*FIELDS, FIELDS[0]), [{"trials": 3}])
    for write, of, facts in ((as_csv, sheet, {"trials": 4}), (as_csv, twice, {}), (as_json, sheet, {"rows": 4})):
        with pytest.raises(AssertionError, match=r"trials|rows"):
            write(of, **facts)
    with pytest.raises(AssertionError, match="trials"):
        as_json(twice)
    assert as_csv(sheet, run=4).startswith("run,trials")
