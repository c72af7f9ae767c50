"""Exports, byte for byte. After a change that is meant: `UPDATE_GOLDEN=1 pytest tests/golden`."""

import os
from pathlib import Path

from hdrh.histogram import HdrHistogram
from msgspec.structs import replace

from tests.golden import calls
from tests.golden.fixture import ANSWER, BRACKETS, CAS, CONDITION, MOVED, PAUSING, RACE, RELEASE, ROW
from tests.unit.output.printing import exported

HERE = Path(__file__).parent
SCHEMA = HERE.parent.parent / "docs" / "reference" / "schemas" / "answer.schema.json"

EACH_KIND = replace(
    MOVED,
    rows=(
        *(row for row in MOVED.rows if row.case == BRACKETS),
        *[row for row in MOVED.rows if row.case == PAUSING][:1],
        *[row for row in MOVED.rows if row.case == RACE[2]][:1],
        calls.ANSWER.rows[0],
    ),
    trials=tuple(one for one in MOVED.trials if one.observation.case in (CONDITION, RACE[2])),
)
"""A row that failed, one of a state, one that leads nothing, and one of two distributions."""


def expect(file: Path, output: str) -> None:
    if os.environ.get("UPDATE_GOLDEN"):
        assert not os.environ.get("CI"), "golden files are updated by a person who reads the difference, never in CI"
        file.write_text(output, encoding="utf-8")
    assert output == file.read_text(encoding="utf-8")


def test_a_row_of_each_kind() -> None:
    expect(HERE / "run.csv", exported(EACH_KIND, "csv"))


def test_the_interval_log() -> None:
    """Compressed histograms may be other bytes where another zlib made them, so they are compared as what they hold."""
    logged = replace(ANSWER, rows=tuple(ROW[case] for case in (CONDITION, CAS, RELEASE, BRACKETS)))
    made, file = exported(logged, "hlog").splitlines(), HERE / "run.hlog"
    if os.environ.get("UPDATE_GOLDEN"):
        file.write_text("\n".join(made) + "\n", encoding="utf-8")
    golden = file.read_text(encoding="utf-8").splitlines()
    assert [line.partition("HIST")[0] for line in made] == [line.partition("HIST")[0] for line in golden]
    for one, other in zip(made, golden, strict=True):
        if one.startswith("Tag="):
            payloads = (line.rpartition(",")[2] for line in (one, other))
            assert HdrHistogram.decode(next(payloads)).equals(HdrHistogram.decode(next(payloads)))
