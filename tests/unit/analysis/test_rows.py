"""Observations become rows: every case, every trial, and each figure as it was declared."""

from random import Random

import pytest
from msgspec.structs import replace

from tests.conftest import make_distribution
from tests.unit.analysis.examples import DECLARED, LOCK, RING, RUN, SIGNAL, TOY, Given, codes, observed, result
from threadping.analysis.rows import ends, rows_of
from threadping.contract import Managed
from threadping.model import Failure, Interval

HUNG = Failure("hung", "It hung.")


def test_each_figure_is_summed_up_as_declared_and_has_its_interval_where_declared() -> None:
    """The typical trial is one that was measured: the median of four once lay between two states."""
    values = (4.0, 2.0, 9.0, 1.0)
    names = ("latency_ns.typical", "latency_ns.mean", "lines", "line_ns.min", "line_ns.max")
    found = Given(dict.fromkeys(names, values), trials=4).row
    assert (found.figures["latency_ns.typical"], found.figures["latency_ns.mean"]) == (2.0, 2.0)
    assert (found.figures["lines"], found.figures["line_ns.min"], found.figures["line_ns.max"]) == (16.0, 1.0, 9.0)
    declared = {name: told for name, told in found.intervals.items() if ".p" not in name}
    assert declared == {"latency_ns.typical": Interval((1.0, 9.0)), "drift": Interval((0.0, 0.0))}
    assert (ends(found, "latency_ns.typical"), ends(found, "latency_ns.mean")) == ((1.0, 9.0), (2.0, 2.0))


def test_a_percentile_reaches_as_far_as_what_trials_by_themselves_say_of_it() -> None:
    found = Given(timed=[make_distribution((200, 300 + n), (990, 10)) for n in range(6)])
    assert found.row.figures["latency_ns.p99"] == 100.0
    assert found.row.intervals["latency_ns.p50"].ends == (100.0, 100.0)
    assert "latency_ns.p99.9" not in found.row.intervals  # no trial carries it by itself


def test_a_figure_that_some_trials_do_not_tell_is_of_the_others() -> None:
    native, managed = observed(SIGNAL, result()), observed(SIGNAL, result(managed=Managed(None, 7, None)))
    (row,) = rows_of(RUN, [native, managed], DECLARED)
    assert row.figures["counters.collections"] == 7.0
    assert "counters.compile_ns" not in row.figures


def test_what_was_timed_comes_with_the_number_of_its_samples() -> None:
    found = Given(timed=[make_distribution((200, 300), (n, 1), n) for n in range(1, 7)]).row.figures
    told = {name: found[f"latency_ns.{name}"] for name in ("min", "max", "samples", "censored")}
    assert told == {"min": 100.0, "max": 150.0, "samples": 21 + 6, "censored": 21}
    assert "latency_ns.negative" not in found  # a round trip begins and ends by one clock


def test_what_came_out_negative_is_told_of_what_goes_from_one_clock_to_another() -> None:
    found = Given(of=RING, timed=[make_distribution((200,), (10,), negative=n) for n in range(6)]).row.figures
    assert {name: value for name, value in found.items() if "negative" in name} == {"latency_ns.negative": 15}


@pytest.mark.parametrize("far", [2, 3])
def test_the_median_round_trip_and_the_typical_block_are_of_the_same_state(far: int) -> None:
    """Three trials were near and as many far, where a trial has a hundred times as many samples."""
    states = [27.0] * (6 - far) + [128.0] * far
    timed = [make_distribution((54,), (2_000,)) if ns < 100 else make_distribution((256,), (200_000,)) for ns in states]
    found = Given({"latency_ns.typical": states}, timed=timed).row.figures
    assert (found["latency_ns.typical"], found["latency_ns.p50"]) == (27.0, 27.0)
    assert found["latency_ns.p90"] == 128.0


def test_rows_are_in_the_order_of_experiments_then_of_the_run_and_no_case_is_lost() -> None:
    planned, foreign = replace(SIGNAL, mechanism="planned"), replace(SIGNAL, mechanism="not in the run")
    seen = [observed(case, result(case)) for case in (foreign, LOCK, SIGNAL, SIGNAL)]
    rows = rows_of(replace(RUN, cases=(TOY, LOCK, SIGNAL, planned)), seen, DECLARED)
    found = [(row.case, row.trials) for row in rows]
    assert found == [(SIGNAL, 2), (planned, 0), (foreign, 1), (LOCK, 1), (TOY, 0)]


def test_thousands_of_observations_find_their_rows() -> None:
    cases = tuple(replace(SIGNAL, mechanism=f"m{number}") for number in range(500))
    exact = observed(SIGNAL, result())
    told = [exact.figures | {"ops_per_s": float(number)} for number in range(500)]
    seen = [replace(exact, case=case, figures=figures) for case, figures in zip(cases, told, strict=True)]
    rows = rows_of(replace(RUN, cases=cases), Random(3).sample(seen * 10, 5_000), DECLARED)
    found = [(row.case, row.trials, row.figures["ops_per_s"]) for row in rows]
    assert found == [(case, 10, number) for number, case in enumerate(cases)]


def test_a_case_keeps_its_figures_and_counts_what_failed_or_measured_nothing() -> None:
    row = Given(besides=(HUNG, None)).row
    assert (row.trials, row.failed_trials, row.figures["latency_ns.typical"]) == (6, 2, 100.0)
    assert codes(row) == [("trial-failed", "warning"), ("nothing-measured", "warning")]


@pytest.mark.parametrize("besides", [(), (HUNG,) * 3, (None,) * 3, (HUNG, None)])
def test_a_case_without_a_trial_that_counts_has_a_row_without_figures(besides: tuple[Failure | None, ...]) -> None:
    row = Given(trials=0, besides=besides).row
    assert (row.trials, row.failed_trials, row.figures, row.intervals) == (0, len(besides), {}, {})
    assert {severity for _, severity in codes(row)} == {"error"}
