"""Observations become rows: every case, every trial, and each figure by its declaration."""

from string import Formatter

import pytest
from msgspec.structs import astuple, replace

from tests.conftest import make_distribution
from tests.golden.fixture import ANYWHERE, APART, make_case
from tests.unit.analysis.examples import DECLARED, LOCK, QUEUE, RUN, SIGNAL, TOY, Given, codes, observed, result
from threadping.analysis.analyse import analyse, with_figures
from threadping.analysis.checks import WRITERS, Check, Finding, Level, finding, sentences
from threadping.analysis.declaration import Declaration, Figure, Percentiles, Row, RowState, metric, metric_of
from threadping.analysis.health import every_code
from threadping.analysis.percentiles import PERCENTILE_NAMES, Estimate
from threadping.analysis.validity import narrowed
from threadping.model.cases import Case
from threadping.model.contract import Managed
from threadping.model.run import Failure, Observation, ReferencePing, State

HUNG = Failure("hung", "It hung.")


def test_each_figure_is_summed_up_as_declared_with_how_far_it_reaches() -> None:
    values = (4.0, 2.0, 9.0, 1.0)
    expected = {
        **{"latency_ns.typical": Estimate(3, 1, 9, "range"), "latency_ns.mean": Estimate(4, 1, 9, "range")},
        **{"lines": Estimate(16), "line_ns.min": Estimate(1), "line_ns.max": Estimate(9)},
    }
    found = Given(dict.fromkeys(expected, values), trials=4).row.figures
    assert {name: found[name] for name in expected} == expected


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
    of_two_clocks = Given(of=QUEUE, timed=[make_distribution((200,), (10,), negative=n) for n in range(6)])
    assert of_two_clocks.row.figures["latency_ns.negative"].value == 15


def test_a_check_finds_nothing_but_its_codes_and_a_history_asks_for_those_that_bar_it_or_hide_figures() -> None:
    codes = (("few-trials", "tail"), ("wide",), ("regime",))
    checks = [Check[Row](lambda _: map(finding, ("tail", "few-trials")), of) for of in codes]
    checks[2] = replace(checks[2], hides=("latency_ns",))
    few = narrowed(checks, "history", "unusable", hiding=True)
    assert [one.codes for one in few] == [("few-trials",), ("regime",)]
    found = with_figures(replace(Given().row, declared=replace(DECLARED["signal"], checks=few), findings=()))
    assert [one.code for one in found.findings] == ["few-trials"]


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


def test_a_case_counts_what_failed_or_measured_nothing_and_has_no_figures_without_a_trial_that_counts() -> None:
    row = Given(besides=(HUNG, None)).row
    assert (len(row.trials), row.failed, row.value("latency_ns.typical")) == (6, 2, 100.0)
    assert codes(row) == [("trial-failed", "warning"), ("nothing-measured", "warning")]
    for besides in ((), (HUNG,) * 3, (None,) * 3, (HUNG, None)):
        row = Given(trials=0, besides=besides).row
        assert (row.trials, row.failed, row.figures) == ((), len(besides), {})
        assert {one.level for one in row.findings} == {"error"}


def test_notes_are_no_warnings_of_a_row_and_each_code_counts_once() -> None:
    levels: list[tuple[str, Level]] = [("wide", "warning"), ("one-line", "note"), ("wide", "error")]
    found = [Finding(code, level, {}) for code, level in levels]
    assert replace(Given().row, findings=tuple(found)).warned == ("wide",)


def test_a_state_lasted_by_three_pings_over_half_a_second() -> None:
    for pings, dwell, lasted in ((3, (0.5,), True), (3, (0.2, 0.2), False), (2, (9.0,), False)):
        assert State((0, 1), 30.0, (29.0, 31.0), 0.5, pings, dwell).lasted is lasted


# ---- one reading of a figure ----
FULL_QUEUE = replace(make_case("sequenced-ring", "cpp", APART), experiment="queue")
ONE_IN_FLIGHT = replace(FULL_QUEUE, params={"depth": "1"})
LOAD = replace(make_case("futex", "cpp", APART), experiment="load")


def timed_trial(case: Case, **figures: float) -> Observation:
    """Return a trial with a thousand samples; 15 took 900 ns."""
    timed = {"latency_ns": make_distribution((100, 900), (985, 15))}
    return Observation(1, 0, case, None, 1, {"latency_ns.typical": 100.0, **figures}, timed)


def test_what_is_asked_for_is_what_the_experiment_has() -> None:
    names = ["latency_ns.mean", "latency_ns.p99", "cpu_ns_per_op"]
    for experiment, headline, rate in (
        *(("lock", "ops_per_s", "ops_per_s"), ("queue", "ops_per_s", "ops_per_s")),
        ("load", "latency_ns.typical", None),
    ):
        asked = [metric(name, DECLARED[experiment]) for name in ("headline", "mean", "p99", "cpu", "rate")]
        assert [one.figure if one else None for one in asked] == [headline, *names, rate]
        assert all(one.unit != "count" for one in asked if one)


def test_time_in_a_full_queue_is_no_latency_of_any_trial() -> None:
    for name in ("mean", "p99"):
        how = metric(name, DECLARED["queue"])
        assert how and "--depth 1" in (how.why_not(FULL_QUEUE) or "") and how.why_not(ONE_IN_FLIGHT) is None
        figures = {"latency_ns.mean": 120.0}
        assert how.of_trial(timed_trial(FULL_QUEUE, **figures)) is None
        assert how.of_trial(timed_trial(ONE_IN_FLIGHT, **figures)) == {"mean": 120.0, "p99": 900.0}[name]
    rate = metric("headline", DECLARED["queue"])
    assert rate and rate.why_not(FULL_QUEUE) is None and rate.of_trial(timed_trial(FULL_QUEUE, ops_per_s=7.0)) == 7.0


def test_a_trial_that_failed_or_carries_no_percentile_has_no_value() -> None:
    p99 = metric_of("round_trip_ns.p99", DECLARED["signal"])
    case = make_case("cas-one-line", "cpp", APART)
    whole = replace(timed_trial(case), distributions={"round_trip_ns": make_distribution((100, 900), (985, 15))})
    assert p99.of_trial(whole) == 900.0, "of whole round trips"
    few = replace(whole, distributions={"round_trip_ns": make_distribution((100, 900), (885, 15))})
    assert p99.of_trial(few) is None
    assert p99.of_trial(replace(whole, failure=Failure("crashed", "It crashed."))) is None


def test_what_a_row_hides_is_of_none_of_its_trials() -> None:
    """A rate that is not held has no latency."""
    declared = DECLARED["load"]
    seen = [timed_trial(LOAD, sustained_per_s=held, offered_per_s=100_000.0) for held in (50_000.0, 51_000.0, 52_000.0)]
    seen = [replace(one, figures={**one.figures, "counters.measured_ns": 1e9}) for one in seen]
    row = with_figures(Row(LOAD, declared, tuple(seen), tuple(seen)))
    latency = metric_of("latency_ns.typical", declared)
    assert (latency.hidden_by(row), latency.of_row(row)) == ("not-held", ())
    held = tuple(replace(one, figures={**one.figures, "sustained_per_s": 100_000.0}) for one in seen)
    row = with_figures(Row(LOAD, declared, held, held))
    assert (latency.hidden_by(row), latency.of_row(row)) == (None, [100.0] * 3)


def test_of_two_cases_with_unlike_headlines_both_have_the_mean() -> None:
    """Threads that may share a CPU have the mean as headline, and are compared by it with threads that may not."""

    class Mixed(Declaration, frozen=True):
        def headline_of(self, case: Case) -> str:
            return "latency_ns.mean" if case.placement.name == "unpinned" else self.headline

    declared = Mixed(**{name: getattr(DECLARED["signal"], name) for name in Declaration.__struct_fields__})
    pinned = make_case("condition", "cpp", APART)
    unpinned = replace(pinned, placement=replace(APART, name="unpinned"))
    sides = ((pinned, pinned), (pinned, unpinned), (unpinned, pinned), (unpinned, unpinned))
    named = [how.figure for a, b in sides if (how := metric("headline", declared, a, b))]
    assert named == ["latency_ns.typical", *["latency_ns.mean"] * 3]


def test_a_handoff_leads_by_its_latency_and_is_compared_by_its_rate_there_and_back() -> None:
    declared = DECLARED["queue"]
    pinned = replace(make_case("sequenced-ring", "cpp", APART, {"depth": 1}), experiment="queue")
    cases = (pinned, replace(pinned, placement=ANYWHERE), replace(pinned, params={"depth": 8}))
    assert [*map(declared.headline_of, cases)] == ["latency_ns.typical", "latency_ns.mean", "ops_per_s"]
    assert "ops_per_s" in declared.summaries(pinned) and "latency_ns.typical" not in declared.summaries(cases[1])
    assert [one.figure for case in cases if (one := metric("headline", declared, pinned, case))] == ["ops_per_s"] * 3


def test_a_handoff_is_said_to_take_as_many_lines_unless_none_arrived() -> None:
    case = replace(make_case("sequenced-ring", "cpp", APART, {"depth": 1}), experiment="queue")
    for rate, said in ((10e6, ["There and back takes 100 ns"]), (0.0, [])):
        trials = (replace(timed_trial(case), figures={"ops_per_s": rate, "latency_ns.typical": 50.0}),) * 6
        row = with_figures(Row(case, DECLARED["queue"], trials, trials, state=RowState(25.0, (24.0, 26.0), 1.0)))
        assert [one.partition(",")[0] for one in DECLARED["queue"].answers([row])] == said


def test_a_percentile_is_declared_with_a_dot_in_its_name_and_with_the_samples_that_carry_it() -> None:
    assert metric_of("round_trip_ns.p99.9", DECLARED["signal"]).unit == "ns"
    with pytest.raises(KeyError):
        DECLARED["signal"].figure("round_trip_ns.p98")
    samples = {"p50": 20, "p99": 1_000, "p99.9": 10_000, "mean": 0, "max": 0}
    assert {name: metric_of(f"latency_ns.{name}", DECLARED["lock"]).samples for name in samples} == samples


# ---- what every declaration keeps ----
each_declaration = pytest.mark.parametrize("declared", DECLARED.values(), ids=DECLARED)


@each_declaration
def test_every_name_appears_once_as_a_value_or_as_a_group(declared: Declaration) -> None:
    parts = (*PERCENTILE_NAMES, "samples", "censored", "negative")
    names = [*(one.name for one in declared.figures), *(f"{d.name}.{p}" for d in declared.distributions for p in parts)]
    for words in (names, [code for check in declared.checks for code in check.codes]):
        assert len(set(words)) == len(words)
    groups = [name.rpartition(".")[0] for name in names if not name.endswith(".9")]
    assert not set(groups).intersection(names)


@each_declaration
def test_in_a_table_heads_differ_and_columns_go_one_by_one_but_the_headline(declared: Declaration) -> None:
    for table in ("of_rows", "of_trials"):
        columns = {one.name: one.column for one in declared.figures if one.column and getattr(one.column, table)}
        assert len({column.head for column in columns.values()}) == len(columns)
        assert len({column.rank for column in columns.values()}) == len(columns)
        assert [name for name, column in columns.items() if column.rank == 0] == [declared.headline]
    assert declared.figure(declared.headline).better


def test_all_that_is_shown_or_said_has_words_and_there_are_no_others() -> None:
    ours = [one for name, one in DECLARED.items() if name != "toy"]
    distributions = [one for of in ours for one in of.distributions]
    declared: list[Figure | Percentiles] = [*(one for of in ours for one in of.figures), *distributions]
    shown = [one for one in declared if isinstance(one, Percentiles) or one.column]
    assert [one.name for one in shown if not one.means.endswith(".")] == []
    assert {*sentences().figures} <= {one.says or one.name for one in declared}
    assert {*sentences().findings} == {*every_code(DECLARED)}
    for code, words in sentences().findings.items():
        text = "".join(one for one in astuple(words) if isinstance(one, str))
        assert {spec for _, name, spec, _ in Formatter().parse(text) if name} <= {*WRITERS}, code
