"""The contract's examples against its schemas, and the systems that words.json names."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import CONTRACT
from tests.contract.real_probes import mechanisms, schema_of, validator_of
from threadping.model.contract import Description, Failed, Request, Result, Topology, Words
from threadping.studies.recommend_wait.output import SPINS, System, systems

RECORDS: dict[str, Any] = {"request": Request, "result": Result, "describe": Description, "topology": Topology}
GOOD = sorted((CONTRACT / "examples" / "good").glob("*.json"))
BAD = sorted((CONTRACT / "examples" / "bad").glob("*.json"))


def kind_of(file: Path) -> str:
    return file.stem.split("-")[0]


def record_for(file: Path) -> Any:
    return Failed if "-error" in file.stem else RECORDS[kind_of(file)]


def by_stem(file: Path) -> str:
    return file.stem


def test_there_are_examples_of_every_message() -> None:
    assert {kind_of(file) for file in GOOD} == {kind_of(file) for file in BAD} == set(RECORDS)


@pytest.mark.parametrize("kind", [*RECORDS, "words"])
def test_every_schema_is_a_valid_schema(kind: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schema_of(kind))


@pytest.mark.parametrize("file", GOOD, ids=by_stem)
def test_a_good_example_is_accepted_and_survives_unchanged(file: Path) -> None:
    message = json.loads(file.read_text())
    validator_of(kind_of(file)).validate(message)
    record = msgspec.json.decode(file.read_bytes(), type=record_for(file))
    assert json.loads(msgspec.json.encode(record)) == message


def test_the_words_are_as_their_schema_says_and_are_read() -> None:
    message = json.loads((CONTRACT / "words.json").read_text())
    validator_of("words").validate(message)
    assert json.loads(msgspec.json.encode(msgspec.convert(message, Words))) == message


@pytest.mark.parametrize("file", BAD, ids=by_stem)
def test_a_bad_example_is_refused(file: Path) -> None:
    with pytest.raises((jsonschema.ValidationError, json.JSONDecodeError)):
        validator_of(kind_of(file)).validate(json.loads(file.read_text()))
    with pytest.raises(msgspec.DecodeError):
        msgspec.json.decode(file.read_bytes(), type=record_for(file))


@given(st.sampled_from(GOOD), st.data())
def test_a_mutilated_message_is_refused_or_understood_but_never_crashes(file: Path, data: st.DataObject) -> None:
    raw = bytearray(file.read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        position = data.draw(st.integers(0, len(raw) - 1))
        raw[position : position + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
        if not raw:
            return
    try:
        record = msgspec.json.decode(bytes(raw), type=record_for(file))
    except (msgspec.DecodeError, UnicodeDecodeError):
        return
    validator_of(kind_of(file)).validate(json.loads(msgspec.json.encode(record)))


@pytest.mark.parametrize("system", systems().values(), ids=systems().keys())
def test_every_way_to_wait_of_a_system_has_a_line_and_is_measured(system: System) -> None:
    found = {
        choice
        for runtime, experiment, one in mechanisms()
        if one.name in {"load": system.mechanisms, "barrier": system.barrier}.get(experiment.name, ())
        if system.runtime in ("", runtime.probe)
        for param in one.params
        if param.name in (system.param, "policy")
        for choice in param.choices or ("*",)
    }
    assert found == set(system.lines)
    assert (system.param == SPINS) == ("*" in found)
