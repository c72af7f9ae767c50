"""What Bencher, which follows figures from run to run, is given: by its own schema, and by what it reads."""

import json
from typing import Any

import pytest
from jsonschema import Draft7Validator
from msgspec.structs import replace

from tests.golden.fixture import ANSWER, CAS, MOVED, MUTEX, RELEASE, ROW
from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Row
from threadping.output.export import bencher

METRIC = {"type": "object", "required": ["value"], "properties": {}}
METRIC["properties"] = {name: {"type": "number"} for name in ("value", "lower_value", "upper_value")}
BMF = {
    "type": "object",
    "additionalProperties": False,
    "patternProperties": {
        "^.{1,1024}$": {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": False,
            "patternProperties": {"^[a-z0-9-]{1,64}$": {**METRIC, "additionalProperties": False}},
        }
    },
}
"""https://bencher.dev/bmf.json, with the lengths that its page names and without what nobody would read."""


def of(*rows: Row) -> Answer:
    return replace(ANSWER, rows=rows)


def written(answer: Answer) -> Any:
    return json.loads(bencher(answer, False), parse_constant=pytest.fail)


@pytest.mark.parametrize("answer", [ANSWER, MOVED, of()])
def test_bencher_reads_every_answer_by_its_schema(answer: Answer) -> None:
    Draft7Validator(BMF).validate(written(answer))


def test_bencher_has_a_latency_or_a_throughput_with_its_interval_and_tails_that_samples_carry() -> None:
    found = written(of(ROW[CAS], ROW[MUTEX[2]]))
    latency, p99 = found["signal cas-one-line cpp same-l3"].values()
    headline = ROW[CAS].headline
    assert headline is not None and headline.low is not None
    assert latency == {"value": headline.value, "lower_value": headline.low, "upper_value": headline.high}
    assert p99["value"] == 197
    assert [*found["signal cas-one-line cpp same-l3"]] == ["latency", "round-trip-p99"]
    assert [*found["lock mutex cpp same-l3"]] == ["throughput", "latency-p99"]
    few = replace(ROW[CAS], figures={name: one for name, one in ROW[CAS].figures.items() if "p99" not in name})
    assert [*written(of(few))["signal cas-one-line cpp same-l3"]] == ["latency"]


def test_an_interval_that_is_not_known_is_left_out() -> None:
    alone = replace(ROW[CAS], figures={"latency_ns.typical": replace(ROW[CAS].figures["latency_ns.typical"], low=None)})
    assert "lower_value" not in written(of(alone))["signal cas-one-line cpp same-l3"]["latency"]


def test_parameters_and_flags_are_in_the_name() -> None:
    assert [*written(of(ROW[RELEASE]))] == ["signal release-two-lines spin=100 java-17 -XX:+UseParallelGC same-l3"]
