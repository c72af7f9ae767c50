"""What services that follow figures from run to run are given: by their own schemas, and by what their readers do."""

import json
from typing import Any

import pytest
from jsonschema import Draft7Validator
from msgspec.structs import replace

from tests.golden.fixture import ANSWER, BRACKETS, CAS, CONDITION, MOVED, MUTEX, PAUSING, RELEASE, ROW
from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Row
from threadping.model.errors import UsageError
from threadping.output.export import FORMATS

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


def written(form: str, answer: Answer) -> Any:
    return json.loads(FORMATS[form](answer, False), parse_constant=pytest.fail)


# ---- Bencher ----


@pytest.mark.parametrize("answer", [ANSWER, MOVED, of()])
def test_bencher_reads_every_answer_by_its_schema(answer: Answer) -> None:
    Draft7Validator(BMF).validate(written("bencher", answer))


def test_bencher_has_a_latency_or_a_throughput_with_its_interval_and_tails_that_samples_carry() -> None:
    found = written("bencher", of(ROW[CAS], ROW[MUTEX[2]]))
    latency, p99 = found["signal cas-one-line cpp same-l3"].values()
    headline = ROW[CAS].headline
    assert headline is not None and headline.low is not None
    assert latency == {"value": headline.value, "lower_value": headline.low, "upper_value": headline.high}
    assert p99["value"] == 197
    assert [*found["signal cas-one-line cpp same-l3"]] == ["latency", "round-trip-p99"]
    assert [*found["lock mutex cpp same-l3"]] == ["throughput", "latency-p99"]
    few = replace(ROW[CAS], figures={name: one for name, one in ROW[CAS].figures.items() if "p99" not in name})
    assert [*written("bencher", of(few))["signal cas-one-line cpp same-l3"]] == ["latency"]


def test_an_interval_that_is_not_known_is_left_out() -> None:
    alone = replace(ROW[CAS], figures={"latency_ns.typical": replace(ROW[CAS].figures["latency_ns.typical"], low=None)})
    assert "lower_value" not in written("bencher", of(alone))["signal cas-one-line cpp same-l3"]["latency"]


# ---- JMH ----


def read_by_bencher(entry: dict[str, Any]) -> tuple[str, float, float]:
    """As the JMH adapter of Bencher reads it: score and error are floats, and the unit is of one of two kinds."""
    primary = entry["primaryMetric"]
    kind = {"ns/op": "latency", "ops/s": "throughput"}[primary["scoreUnit"]]
    return kind, float(primary["score"]), float(primary["scoreError"])


def shown_by_visualizer(entry: dict[str, Any]) -> tuple[str, str]:
    """As jmh-visualizer names it: a class, and below it the method with its parameters."""
    *parts, method = entry["benchmark"].split(".")
    return ".".join(parts), " ".join([method, *(f"{name}={value}" for name, value in entry["params"].items())])


def test_jmh_has_a_trial_as_a_fork_of_one_iteration() -> None:
    (entry,) = written("jmh", of(ROW[CAS]))
    primary, trials = entry["primaryMetric"], [[value] for value in ROW[CAS].over_trials("latency_ns.typical")]
    assert (entry["forks"], entry["measurementIterations"], primary["rawData"]) == (6, 1, trials)
    assert (entry["mode"], entry["threads"], entry["jvm"]) == ("avgt", 2, "g++ 12.2.0 -O3")
    low, high = primary["scoreConfidence"]
    assert low < primary["score"] < high and primary["scoreError"] == (high - low) / 2
    assert read_by_bencher(entry) == ("latency", primary["score"], primary["scoreError"])
    assert entry["measurementTime"] == "500 ms"


def test_percentiles_stand_beside_what_they_are_of_and_only_those_that_samples_carry() -> None:
    signal, lock = written("jmh", of(ROW[CAS], ROW[MUTEX[8]]))
    assert signal["primaryMetric"]["scorePercentiles"] == {}, "its score is one way, its samples are round trips"
    of_samples = signal["secondaryMetrics"]["round_trip_ns"]
    assert (of_samples["score"], of_samples["scorePercentiles"]["99.0"]) == (137.0, 197.0)
    assert [*of_samples["scorePercentiles"]] == ["0.0", "50.0", "90.0", "95.0", "99.0", "99.9", "100.0"]
    assert "99.9" not in lock["secondaryMetrics"]["latency_ns"]["scorePercentiles"], "of 8,208 samples"
    assert lock["mode"] == "thrpt"


def test_an_error_that_is_not_known_is_written_as_jmh_writes_it() -> None:
    alone = replace(
        ROW[CAS], figures={"latency_ns.typical": replace(ROW[CAS].figures["latency_ns.typical"], kind=None)}
    )
    (entry,) = written("jmh", of(alone))
    assert (entry["primaryMetric"]["scoreError"], entry["primaryMetric"]["scoreConfidence"]) == ("NaN", ["NaN", "NaN"])


def test_no_two_benchmarks_of_jmh_are_one_to_its_readers() -> None:
    shown = [shown_by_visualizer(entry) for entry in written("jmh", MOVED)]
    assert len({*shown}) == len(shown) > 20
    assert ("threadping.signal", "release-one-line wait=pause runtime=cpp placement=same-l3 state=far") in shown
    assert ("threadping.lock", "mutex runtime=cpp threads=8 threads placement=same-l3") in [
        shown_by_visualizer(entry) for entry in written("jmh", of(ROW[MUTEX[8]]))
    ]


# ---- github-action-benchmark ----


def test_each_entry_of_github_has_what_the_action_shows() -> None:
    (entry,) = written("github-benchmark", of(ROW[CAS]))
    assert entry == {
        "name": "signal cas-one-line cpp same-l3",
        "unit": "ns",
        "value": pytest.approx(59.42, abs=0.01),
        "range": "\N{PLUS-MINUS SIGN} 0.9738",
        "extra": "latency_ns.typical of 6 trials\n95% interval: 58.3 to 60.25",
    }


def test_latencies_and_throughputs_are_two_files_and_together_they_have_every_row() -> None:
    both = of(ROW[CAS], ROW[MUTEX[2]], ROW[CONDITION], ROW[BRACKETS])
    with pytest.raises(UsageError) as refused:
        FORMATS["github-benchmark"](both, False)
    assert str(refused.value) == (
        "Run 7 has latencies and throughputs, and github-action-benchmark reads each from a file of its own: "
        "`threadping show 7 --format github-smaller` (tool customSmallerIsBetter) and "
        "`threadping show 7 --format github-bigger` (tool customBiggerIsBetter)."
    )
    smaller, bigger = (written(form, both) for form in ("github-smaller", "github-bigger"))
    assert [one["unit"] for one in smaller] == ["ns", "ns"]
    assert [one["unit"] for one in bigger] == ["ops/s"]
    assert {one["name"] for one in [*smaller, *bigger]} == {*written("bencher", both)}


def test_what_was_disturbed_and_how_far_cpus_were_apart_is_said_beside_the_value() -> None:
    near, _ = [row for row in MOVED.rows if row.case == PAUSING]
    (entry,) = written("github-benchmark", of(near))
    assert "core to core: 26.2 ns" in entry["extra"]
    (entry,) = written("github-benchmark", of(ROW[PAUSING]))
    assert "warnings: " in entry["extra"]


def test_parameters_and_flags_are_in_the_name() -> None:
    (entry,) = written("github-benchmark", of(ROW[RELEASE]))
    assert entry["name"] == "signal release-two-lines spin=100 java-17 -XX:+UseParallelGC same-l3"
