"""What programs read: complete, exact, and honest about what is absent."""

import csv
import io
import json
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from tests.golden.fixture import ROWS, RUN
from threadping.errors import UnknownName
from threadping.export import FORMATS, export
from threadping.model import Contention, Fairness, Machine, Row, Sampling, Updates


def as_json() -> Any:
    return json.loads(export("json", RUN, ROWS))


def as_csv() -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(export("csv", RUN, ROWS))))


def test_json_is_one_object_of_three_parts() -> None:
    answer = as_json()
    assert list(answer) == ["run", "machine", "rows"]
    assert answer["run"]["id"] == 7
    assert answer["run"]["cases"] == 5
    assert answer["run"]["skipped"][2] == {"what": "java-8", "reason": "its probe answered [nothing]"}
    assert set(answer["run"]) == {
        *("id", "started", "ended", "status", "version", "seed", "budget_s", "rounds", "arguments", "runtimes"),
        *("cases", "skipped", "note"),
    }


def test_json_rows_read_back_as_the_very_rows() -> None:
    answer = as_json()
    assert tuple(msgspec.convert(answer["rows"], list[Row])) == ROWS
    assert msgspec.convert(answer["machine"], Machine) == RUN.machine


def test_an_absent_percentile_is_an_absent_key_and_a_failed_case_has_no_latency() -> None:
    rows = as_json()["rows"]
    assert set(rows[3]["latency_ns"]) == {"mean", "ci95", "min", "p50", "max"}
    assert "p99.9" in rows[0]["latency_ns"]
    assert rows[4]["latency_ns"] is None
    assert rows[4]["cpus"] == [None, None]


def test_csv_has_a_line_a_row_and_flat_columns() -> None:
    rows = as_csv()
    assert len(rows) == len(ROWS)
    first = rows[1]
    assert float(first["latency_ns.mean"]) == 59.274
    assert (first["latency_ns.ci95.lo"], first["latency_ns.ci95.hi"]) == ("58.118", "60.441")
    assert first["latency_ns.p99.9"] == "1204.5"
    assert (first["cpus"], first["params"], first["run"]) == ("0,1", "{}", "7")
    assert (float(first["line_ns.min"]), float(first["line_ns.max"])) == ROWS[1].line_ns
    assert first["verdicts"] == "virtualised;steal"
    assert json.loads(rows[2]["params"]) == {"spin": 100}


def test_csv_leaves_empty_what_is_absent() -> None:
    few, failed = as_csv()[3:]
    assert (few["latency_ns.p99"], few["latency_ns.p99.9"]) == ("", "")
    assert few["latency_ns.p50"] == "5999500.0"
    assert {failed[name] for name in failed if name.startswith(("latency_ns", "line_ns", "ops", "cpu_"))} == {""}
    assert failed["cpus"] == ""


def test_csv_has_a_column_for_every_field_of_a_row() -> None:
    roots = {column.split(".")[0] for column in as_csv()[0]}
    assert roots - {"run", "hostname"} == set(Row.__struct_fields__)


def test_what_only_lock_tells_has_columns_of_its_own_and_is_empty_elsewhere() -> None:
    contention = Contention(
        ops_per_s_ci95=(1.5e7, 1.75e7),
        fairness=Fairness(jain=0.875, shares=(0.125, 0.375), window_ns=1e7),
        sampling=Sampling(every=64, cost=0.0625),
        updates=Updates(made=1000, found=990),
    )
    other, locked = csv.DictReader(io.StringIO(export("csv", RUN, (ROWS[0], replace(ROWS[0], lock=contention)))))
    assert {name.removeprefix("lock."): value for name, value in locked.items() if name.startswith("lock.")} == {
        "ops_per_s_ci95.lo": "15000000.0",
        "ops_per_s_ci95.hi": "17500000.0",
        "fairness.jain": "0.875",
        "fairness.shares.min": "0.125",
        "fairness.shares.max": "0.375",
        "fairness.window_ns": "10000000.0",
        "sampling.every": "64",
        "sampling.cost": "0.0625",
        "updates.made": "1000",
        "updates.found": "990",
    }
    assert {value for name, value in other.items() if name.startswith("lock.")} == {""}


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_ends_its_last_line_and_takes_no_rows_at_all(name: str) -> None:
    for rows in (ROWS, ()):
        assert export(name, RUN, rows).endswith("\n")


def test_an_unknown_format_names_what_there_is() -> None:
    with pytest.raises(UnknownName, match=r"Did you mean json\? Known: json, csv\."):
        export("jsn", RUN, ROWS)
