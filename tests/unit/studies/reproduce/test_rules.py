"""The readings: what a tool's number is of what an operation takes, exactly."""

import pytest
from msgspec.structs import replace

from tests.unit.analysis.examples import observed, result
from tests.unit.studies.reproduce.like_examples import ONE, case_of
from threadping.model.contract import Result
from threadping.studies.reproduce.tools import LEAST_BLOCK, LEAST_STRETCH, RULES, kept_of, least_stretch

NUMBERS = {
    "one-way": 250.0,
    "round-trip": 500.0,
    "round-trips-per-second": 2e6,
    "operations-per-second": 4e6,
    "time-of-400k": 1e8,
    "time-of-1M": 2.5e8,
    "time-of-5M": 1.25e9,
}
"""Of operations that take 250 ns."""


def test_every_reading_is_told_here() -> None:
    assert NUMBERS.keys() == RULES.keys()


@pytest.mark.parametrize("name", RULES)
def test_a_number_is_read(name: str) -> None:
    rule = RULES[name]
    assert rule.number_of(250.0) == NUMBERS[name]
    assert rule.unit == ("per_s" if rule.per_second else "ns")


def of_blocks(*ns: int) -> Result:
    """A trial whose throughput windows of a thousand operations, half of each thread's, took so long."""
    made = result(case_of(ONE.case))
    zeros, half = (0,) * len(ns), (500,) * len(ns)
    kinds = ("throughput",) * len(ns)
    windows = replace(
        made.windows, warmup=(False,) * len(ns), line=zeros, kind=kinds, every=zeros, ns=ns, ops=(half, half)
    )
    return replace(made, windows=replace(windows, switches=None, compile_ms=None, cpus=None))


def test_the_quickest_block_and_the_quickest_fifth_are_kept() -> None:
    kept = kept_of(of_blocks(30_000, 20_000, 50_000, 50_000, 40_000, 10_000, 60_000, 60_000, 60_000, 60_000))
    assert kept == {LEAST_BLOCK: 10.0, LEAST_STRETCH: 25.0}


def test_of_fewer_blocks_than_stretches_each_is_one() -> None:
    assert least_stretch([(300, 10), (200, 10)], 5) == 20.0


def test_a_block_without_an_operation_says_nothing() -> None:
    made = of_blocks(30_000)
    assert kept_of(replace(made, windows=replace(made.windows, ops=((0,), (0,))))) == {}


def test_what_is_kept_is_of_a_trial_that_is_observed() -> None:
    assert LEAST_BLOCK not in observed(case_of(ONE.case), result(case_of(ONE.case))).figures
