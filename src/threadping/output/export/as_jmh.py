"""JMH's JSON, as `-rf json` writes it: a case is a benchmark, and each of its trials is a fork of one iteration."""

from collections.abc import Sequence
from statistics import fmean
from typing import Any

import msgspec

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Row, metric_of
from threadping.analysis.percentiles import QUANTILES, Estimate
from threadping.model.cases import DIMENSIONS, as_given
from threadping.model.characters import plain
from threadping.output.points import Point, comparable_points

MODES = {"ns": ("avgt", "ns/op"), "per_s": ("thrpt", "ops/s")}
"""JMH's mode and unit, by the unit of a figure: readers take from the mode which way is better."""

NOT_A_NUMBER = "NaN"
"""How JMH writes an error that is not known."""

JMH_RANKS = {"min": "0.0", **{name: f"{100 * share:.1f}" for name, share in QUANTILES.items()}, "max": "100.0"}


def results(answer: Answer, trials: bool) -> str:
    """Write the headline of each row as the primary metric, and what was timed one by one as others."""
    entries = [_entry(one, answer) for one in comparable_points(answer)]
    return msgspec.json.format(msgspec.json.encode(entries), indent=4).decode() + "\n"


def _entry(one: Point, answer: Answer) -> dict[str, Any]:
    row, case = one.row, one.row.case
    headline = row.declared.headline_of(case)
    runtime = next((each for each in answer.run.runtimes if each.label == case.runtime), None)
    measured_ns = fmean(row.over_trials("counters.measured_ns") or [0.0])
    return {
        "benchmark": plain(f"threadping.{case.experiment}.{case.mechanism}"),
        "mode": MODES.get(one.unit, ("avgt", one.unit))[0],
        "threads": case.threads,
        "forks": len(row.trials),
        "jvm": plain(runtime.version) if runtime else "",
        "warmupIterations": 1,
        "warmupTime": case.warmup.text,
        "warmupBatchSize": 1,
        "measurementIterations": 1,
        "measurementTime": f"{measured_ns / 1e6:.0f} ms" if measured_ns else "",
        "measurementBatchSize": 1,
        "params": _params(one),
        "primaryMetric": _metric(one.value, one.unit, metric_of(headline, row.declared).of_row(row))
        | {"scorePercentiles": _percentiles(row, headline.partition(".")[0])},
        "secondaryMetrics": {
            of.name: _metric(found, of.unit, ()) | {"scorePercentiles": _percentiles(row, of.name)}
            for of in row.declared.timed
            if (found := row.figures.get(f"{of.name}.p50"))
        },
    }


def _params(one: Point) -> dict[str, str]:
    """What tells benchmarks of a mechanism apart: a program that joins runs does so by name and parameters."""
    case = one.row.case
    varied = {name: as_given(case.params[name]) for name in case.varied}
    stands = {of.name: said for of in DIMENSIONS[2:] if (said := of.said(case))}
    apart = {"cpus": one.cpus, "state": one.state}
    return {name: plain(value) for name, value in (varied | stands | apart).items() if value}


def _metric(found: Estimate, unit: str, of_trials: Sequence[float]) -> dict[str, Any]:
    low, high = found.ends
    known = found.kind is not None
    return {
        "score": found.value,
        "scoreError": (high - low) / 2 if known else NOT_A_NUMBER,
        "scoreConfidence": [low, high] if known else [NOT_A_NUMBER, NOT_A_NUMBER],
        "scoreUnit": MODES.get(unit, ("", unit))[1],
        "rawData": [[value] for value in of_trials],
    }


def _percentiles(row: Row, group: str) -> dict[str, float]:
    """Those of one distribution that its samples carry."""
    found = {rank: row.value(f"{group}.{name}") for name, rank in JMH_RANKS.items()}
    return {rank: value for rank, value in found.items() if value is not None}
