"""The price of an experiment: a module that declares it."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.fakes import toy
from tests.unit.analysis.examples import TOY, result, row, said
from threadping.analysis.checks import brief


def test_an_experiment_costs_eighty_lines() -> None:
    assert len(Path(toy.__file__).read_text().splitlines()) <= 80


def test_its_trials_become_a_row_with_an_interval_percentiles_and_no_warning() -> None:
    found = row(TOY, *[result(TOY)] * 6)
    assert found.figures["ops_per_s"].ends == pytest.approx((12e6, 12e6))
    assert found.value("cpu_ns_per_op") == pytest.approx(2 * 16.4e6 / 192_000)
    percentiles = {name: found.value(f"add_ns.{name}") for name in ("min", "p50", "p99.9", "max", "samples")}
    assert percentiles == {"min": 50, "p50": 50, "p99.9": 100, "max": 5_000, "samples": 72_000}
    assert found.findings == ()


def test_its_own_check_is_made_beside_those_of_every_experiment_and_speaks_its_words() -> None:
    lossy = replace(TOY, mechanism="unprotected")
    found = row(lossy, *[result(lossy)] * 5)
    (own, *_), (sentence,) = toy.EXPERIMENT.figures.checks, said(found)
    assert brief(own, found.findings[0]) == "25%"
    assert sentence == "25% of the additions were lost, though nobody else adds to a counter. Mend the mechanism."
