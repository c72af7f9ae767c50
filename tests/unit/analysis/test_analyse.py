"""Observations become rows: every case, every trial, and each figure by its declaration."""

import pytest
from msgspec.structs import replace

from tests.conftest import make_distribution
from tests.unit.analysis.examples import DECLARED, LOCK, QUEUE, RUN, SIGNAL, TOY, Given, codes, observed, result
from threadping.analysis.analyse import analyse, with_figures
from threadping.analysis.checks import Finding, Level
from threadping.analysis.declaration import RowCheck
from threadping.analysis.percentiles import Estimate
from threadping.model.contract import Managed
from threadping.model.run import Failure, ReferencePing, State

HUNG = Failure("hung", "It hung.")


def test_each_figure_is_summed_up_as_declared_with_how_far_it_reaches() -> None:
    values = (4.0, 2.0, 9.0, 1.0)
    names = ("latency_ns.typical", "latency_ns.mean", "lines", "line_ns.min", "line_ns.max")
    found = Given(dict.fromkeys(names, values), trials=4).row.figures
    assert [found[name] for name in names] == [
        Estimate(3, 1, 9, "range"),
        Estimate(4, 1, 9, "range"),
        Estimate(16),
        Estimate(1),
        Estimate(9),
    ]


def test_a_percentile_has_the_interval_of_what_it_is_of() -> None:
    found = Given(timed=[make_distribution((200, 300 + n), (990, 10)) for n in range(6)])
    assert found.row.figures["round_trip_ns.p50"] == Estimate(200, 200, 200, "ci95")
    assert found.row.figures["round_trip_ns.p99"] == Estimate(200, 200, 200, "ci95")
    assert "round_trip_ns.p99.9" not in found.row.figures  # all trials together do not carry it either


def test_a_figure_that_some_trials_do_not_tell_is_of_the_others() -> None:
    native, managed = observed(SIGNAL, result()), observed(SIGNAL, result(managed=Managed(None, 7, None)))
    (row,) = analyse(RUN, [native, managed], (), DECLARED).rows
    assert row.figures["counters.collections"].value == 7
    assert "counters.compile_ns" not in row.figures


def test_what_was_timed_comes_with_the_number_of_its_samples() -> None:
    timed = [make_distribution((200, 300), (n, 1), n) for n in range(1, 7)]
    row = Given(timed=[*timed, make_distribution((), ())], trials=7).row
    assert row.timed("round_trip_ns") == timed
    values = {name: row.value(f"round_trip_ns.{name}") for name in ("min", "max", "samples", "censored")}
    assert values == {"min": 200.0, "max": 300.0, "samples": 21 + 6, "censored": 21}
    assert "round_trip_ns.negative" not in row.figures  # a round trip begins and ends by one clock


@pytest.mark.parametrize(("was_timed", "asked"), [(True, ["timed", "any"]), (False, ["any"])])
def test_checks_of_what_is_timed_are_not_asked_where_nothing_was(was_timed: bool, asked: list[str]) -> None:
    checks = (RowCheck("timed", "note", lambda _: {}, of_timed=True), RowCheck("any", "note", lambda _: {}))
    row = Given(trials=1).row
    trials = row.trials if was_timed else tuple(replace(one, distributions={}) for one in row.trials)
    found = with_figures(replace(row, trials=trials, declared=replace(row.declared, checks=checks), findings=()))
    assert [one.code for one in found.findings] == asked


def test_negative_samples_are_reported_of_what_two_clocks_time() -> None:
    found = Given(of=QUEUE, timed=[make_distribution((200,), (10,), negative=n) for n in range(6)]).row.figures
    assert found["latency_ns.negative"].value == 15


def test_rows_are_in_the_order_of_experiments_then_of_the_run_and_no_case_is_lost() -> None:
    planned, foreign = replace(SIGNAL, mechanism="planned"), replace(SIGNAL, mechanism="not in the run")
    seen = [observed(case, result(case)) for case in (foreign, LOCK, SIGNAL, SIGNAL)]
    rows = analyse(replace(RUN, cases=(TOY, LOCK, SIGNAL, planned)), seen, (), DECLARED).rows
    found = [(row.case, len(row.trials)) for row in rows]
    assert found == [(SIGNAL, 2), (planned, 0), (foreign, 1), (LOCK, 1), (TOY, 0)]


def test_what_an_answer_was_made_from_is_whole_with_the_pings_of_pairs_that_no_trial_used() -> None:
    pairs = ((0, 2), (0, 1), (1, 2), (0, 1), (0, 1))
    pings = [ReferencePing(pair, float(at), max(0, at - 2), 30.0) for at, pair in enumerate(pairs)]
    answer = analyse(RUN, [observed(SIGNAL, result())] * 2, pings, DECLARED)
    assert {one.cpus for one in answer.survey} == {(0, 2), (1, 2)}
    assert sorted(answer.stored.pings, key=lambda one: one.at) == pings
    assert (answer.stored.run, len(answer.stored.observations)) == (RUN, 2)


def test_a_case_keeps_its_figures_and_counts_what_failed_or_measured_nothing() -> None:
    row = Given(besides=(HUNG, None)).row
    assert (len(row.trials), row.failed, row.value("latency_ns.typical")) == (6, 2, 100.0)
    assert codes(row) == [("trial-failed", "warning"), ("nothing-measured", "warning")]


@pytest.mark.parametrize("besides", [(), (HUNG,) * 3, (None,) * 3, (HUNG, None)])
def test_a_case_without_a_trial_that_counts_has_a_row_without_figures(besides: tuple[Failure | None, ...]) -> None:
    row = Given(trials=0, besides=besides).row
    assert (row.trials, row.failed, row.figures) == ((), len(besides), {})
    assert {one.level for one in row.findings} == {"error"}


def test_notes_are_no_warnings_of_a_row_and_each_code_counts_once() -> None:
    levels: list[tuple[str, Level]] = [("wide", "warning"), ("one-line", "note"), ("wide", "error")]
    found = [Finding(code, level, {}) for code, level in levels]
    assert replace(Given().row, findings=tuple(found)).warned == ("wide",)


@pytest.mark.parametrize(("pings", "dwell", "lasted"), [(3, (0.5,), True), (3, (0.2, 0.2), False), (2, (9.0,), False)])
def test_a_state_lasted_by_three_pings_over_half_a_second(pings: int, dwell: tuple[float, ...], lasted: bool) -> None:
    assert State((0, 1), 30.0, (29.0, 31.0), 0.5, pings, dwell).lasted is lasted
