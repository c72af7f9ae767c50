"""A line becomes a record: groups, intervals, and what is not known."""

from threadping.analysis.estimate import Estimate
from threadping.sheets.fields import Field, Sheet
from threadping.sheets.records import records_of

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
