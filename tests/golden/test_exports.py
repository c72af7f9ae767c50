"""Exports, byte for byte, and their schema. After a change that is meant: `UPDATE_GOLDEN=1 pytest tests/golden`."""

import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hdrh.histogram import HdrHistogram
from jsonschema import Draft202012Validator
from msgspec.structs import replace

from tests.golden import calls
from tests.golden.fixture import ANSWER, BRACKETS, CAS, CONDITION, DECLARED, MOVED, PAUSING, RACE, RELEASE, ROW
from threadping.analysis.figures import Figure
from threadping.analysis.percentiles import NAMES
from threadping.model.run import Machine
from threadping.model.trials import State
from threadping.sheets.entries import RunEntry
from threadping.views.export import FORMATS
from threadping.views.export.as_json import FindingEntry, RowEntry, TrialEntry

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
    expect(HERE / f"run.{name}", FORMATS[name](EACH_KIND, False))


def test_the_interval_log() -> None:
    """Compressed histograms may be other bytes where another zlib made them, so they are compared as what they hold."""
    logged = replace(ANSWER, rows=tuple(ROW[case] for case in (CONDITION, CAS, RELEASE, BRACKETS)))
    made, file = FORMATS["hlog"](logged, False).splitlines(), HERE / "run.hlog"
    if os.environ.get("UPDATE_GOLDEN"):
        file.write_text("\n".join(made) + "\n", encoding="utf-8")
    golden = file.read_text(encoding="utf-8").splitlines()
    assert [line.partition("HIST")[0] for line in made] == [line.partition("HIST")[0] for line in golden]
    for one, other in zip(made, golden, strict=True):
        if one.startswith("Tag="):
            payloads = (line.rpartition(",")[2] for line in (one, other))
            assert HdrHistogram.decode(next(payloads)).equals(HdrHistogram.decode(next(payloads)))


# ---- the schema ----


def figures_of(experiment: str) -> list[tuple[list[str], dict[str, Any]]]:
    """Where each number of an experiment stands, and its schema."""
    declared = DECLARED[experiment]

    def number(figure: Figure) -> dict[str, Any]:
        return {"$ref": "#/$defs/Number", **({"description": figure.means} if figure.means else {})}

    found = [(figure.name.split("."), number(figure)) for figure in declared.figures]
    for one in declared.distributions:
        found.append(([one.name, "percentiles_of"], {"type": "string"}))
        found += [
            ([one.name, part], {"$ref": "#/$defs/Number"}) for part in (*NAMES, "samples", "censored", "negative")
        ]
    by_name = {"type": "object", "additionalProperties": {"type": "number"}}
    found += [(one.name.split("."), {**by_name, "description": one.means}) for one in declared.shares]
    return found


def schema() -> dict[str, Any]:
    """JSON Schema of an answer, from the types of its parts and the declared figures."""
    types = (RunEntry, Machine, State, FindingEntry, RowEntry, TrialEntry)
    (run, machine, state, finding, row, trial), parts = msgspec.json.schema_components(
        types, ref_template="#/$defs/{name}"
    )
    for name, part in parts.items():
        line = name in ("RowEntry", "TrialEntry")
        part |= {"$ref": "#/$defs/Figures", "unevaluatedProperties": False} if line else {"additionalProperties": False}
    interval = {"_(ci95|range)$": {"$ref": "#/$defs/Interval"}}
    both = {name: {"$ref": "#/$defs/Interval"} for name in ("ci95", "range")}
    parts["Interval"] = {"type": "array", "prefixItems": [{"type": "number"}] * 2, "items": False, "minItems": 2}
    parts["Number"] = {"type": ["number", "null"]}
    figures: dict[str, Any] = {}
    for experiment in DECLARED:
        for path, leaf in figures_of(experiment):
            group = figures
            for step in path[:-1]:
                inside = {"type": ["object", "null"], "properties": {}, "patternProperties": interval}
                group = group.setdefault(step, {**inside, "additionalProperties": False})["properties"]
            if path[-1] == "typical":
                group |= both
            group.setdefault(path[-1], leaf)
    parts["Figures"] = {"properties": figures, "patternProperties": interval}

    def every(of: dict[str, Any]) -> dict[str, Any]:
        return {"type": "array", "items": of}

    findings = {"warnings": every(finding), "notes": every(finding)}
    always = {"run": run, "machine": machine, "states": every(state), **findings}
    return {
        "$schema": DIALECT,
        "title": "What threadping writes with --format json",
        "type": "object",
        "properties": {**always, "rows": every(row), "trials": every(trial)},
        "required": list(always),
        "oneOf": [{"required": ["rows"]}, {"required": ["trials"]}],
        "additionalProperties": False,
        "$defs": parts,
    }


def test_the_schema_in_docs_is_that_of_the_types_and_the_declared_figures() -> None:
    expect(SCHEMA, json.dumps(schema(), indent=1) + "\n")


@pytest.mark.parametrize("trials", [False, True])
def test_every_answer_obeys_the_schema_and_the_schema_refuses_what_none_has(trials: bool) -> None:
    validator = Draft202012Validator(json.loads(SCHEMA.read_text()))
    for answer in (MOVED, ANSWER, calls.ANSWER):
        validator.validate(json.loads(FORMATS["json"](answer, trials)))
    written = json.loads(FORMATS["json"](EACH_KIND, trials))
    lines = written["trials" if trials else "rows"]
    next(line for line in lines if line["latency_ns"])["latency_ns"]["p98"] = 1.0
    lines[0]["verdicts"] = []
    assert {tuple(error.path)[2:] for error in validator.iter_errors(written)} == {(), ("latency_ns",)}
