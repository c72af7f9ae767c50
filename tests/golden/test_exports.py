"""Exports, byte for byte, and their schema. After a change that is meant: `UPDATE_GOLDEN=1 pytest tests/golden`."""

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from hdrh.histogram import HdrHistogram
from jsonschema import Draft202012Validator
from msgspec.structs import replace

from tests.golden import calls
from tests.golden.fixture import ANSWER, BRACKETS, CAS, CONDITION, DECLARED, MACHINE, MOVED, PAUSING, RACE, RELEASE, ROW
from tests.unit.output.printing import exported
from threadping.output.records import schema
from threadping.output.sheets import AnswerEntry, schema_sheets

HERE = Path(__file__).parent
DIALECT = "https://json-schema.org/draft/2020-12/schema"
SCHEMA = HERE.parent.parent / "docs" / "answer.schema.json"

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


def with_rows(page: str, head: str, rows: Sequence[str]) -> str:
    """Return the page with these rows below a table's head, in place of those that it has."""
    before, after = page.split(head)
    return before + head + "".join(f"| {row} |\n" for row in rows) + re.sub(r"\A(?:\|.*\n)*", "", after)


def validator_of(kind: type, command: str) -> Draft202012Validator:
    """By the schema in docs of what a command writes, which is that of the types."""
    (whole,), parts = msgspec.json.schema_components((kind,), ref_template="#/$defs/{name}")
    for part in parts.values():
        part["additionalProperties"] = False
    about = {"$schema": DIALECT, "title": f"What threadping {command} writes with --format json"}
    made = {**about, **whole, "$defs": parts}
    expect(SCHEMA.with_name(f"{command}.schema.json"), json.dumps(made, indent=1) + "\n")
    return Draft202012Validator(made)


@pytest.mark.parametrize("name", ["json", "csv"])
def test_a_row_of_each_kind(name: str) -> None:
    expect(HERE / f"run.{name}", exported(EACH_KIND, name))


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


# ---- the schema ----


def test_the_schema_in_docs_is_that_of_the_types_and_the_declared_figures() -> None:
    title, sheets = "What threadping writes with --format json", schema_sheets([*DECLARED.values()], MACHINE)
    made = schema(title, AnswerEntry, *sheets, either=("rows", "trials"))
    expect(SCHEMA, json.dumps(made, indent=1) + "\n")


@pytest.mark.parametrize("trials", [False, True])
def test_every_answer_obeys_the_schema_and_the_schema_refuses_what_none_has(trials: bool) -> None:
    validator = Draft202012Validator(json.loads(SCHEMA.read_text()))
    for answer in (MOVED, ANSWER, calls.ANSWER):
        validator.validate(json.loads(exported(answer, "json", trials)))
    written = json.loads(exported(EACH_KIND, "json", trials))
    lines = written["trials" if trials else "rows"]
    next(line for line in lines if line["latency_ns"])["latency_ns"]["p98"] = 1.0
    lines[0]["verdicts"] = []
    assert {tuple(error.path)[2:] for error in validator.iter_errors(written)} == {(), ("latency_ns",)}
    del written["trials" if trials else "rows"]
    assert not validator.is_valid(written), "one of both"
