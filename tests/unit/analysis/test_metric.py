"""One reading of a figure: what a case does not have, what a trial does not carry, what a row hides."""

import pytest
from msgspec.structs import replace

from tests.conftest import make_distribution
from tests.golden.fixture import ANYWHERE, APART, DECLARED, make_case
from threadping.analysis.analyse import with_figures
from threadping.analysis.declaration import Declaration, Row, metric, metric_of
from threadping.model.cases import Case
from threadping.model.run import Failure, Observation

QUEUE = replace(make_case("sequenced-ring", "cpp", APART), experiment="queue")
ONE_IN_FLIGHT = replace(QUEUE, params={"depth": "1"})
LOAD = replace(make_case("futex", "cpp", APART), experiment="load")


def observed(case: Case, **figures: float) -> Observation:
    """Return a trial with a thousand samples; 15 took 900 ns."""
    timed = {"latency_ns": make_distribution((100, 900), (985, 15))}
    return Observation(1, 0, case, None, 1, {"latency_ns.typical": 100.0, **figures}, timed)


@pytest.mark.parametrize(
    ("experiment", "names"),
    [
        ("lock", ["ops_per_s", "latency_ns.mean", "latency_ns.p99", "cpu_ns_per_op", "ops_per_s"]),
        ("queue", ["ops_per_s", "latency_ns.mean", "latency_ns.p99", "cpu_ns_per_op", "ops_per_s"]),
        ("load", ["latency_ns.typical", "latency_ns.mean", "latency_ns.p99", "cpu_ns_per_op", None]),
    ],
)
def test_what_is_asked_for_is_what_the_experiment_has(experiment: str, names: list[str | None]) -> None:
    asked = [metric(name, DECLARED[experiment]) for name in ("headline", "mean", "p99", "cpu", "rate")]
    assert [one.figure if one else None for one in asked] == names
    assert all(one.unit != "count" for one in asked if one)


def test_time_in_a_full_queue_is_no_latency_of_any_trial() -> None:
    for name in ("mean", "p99"):
        how = metric(name, DECLARED["queue"])
        assert how and "--depth 1" in (how.why_not(QUEUE) or "") and how.why_not(ONE_IN_FLIGHT) is None
        figures = {"latency_ns.mean": 120.0}
        assert how.of_trial(observed(QUEUE, **figures)) is None
        assert how.of_trial(observed(ONE_IN_FLIGHT, **figures)) == {"mean": 120.0, "p99": 900.0}[name]
    rate = metric("headline", DECLARED["queue"])
    assert rate and rate.why_not(QUEUE) is None and rate.of_trial(observed(QUEUE, ops_per_s=7.0)) == 7.0


def test_a_trial_that_failed_or_carries_no_percentile_has_no_value() -> None:
    p99 = metric_of("round_trip_ns.p99", DECLARED["signal"])
    case = make_case("cas-one-line", "cpp", APART)
    whole = replace(observed(case), distributions={"round_trip_ns": make_distribution((100, 900), (985, 15))})
    assert p99.of_trial(whole) == 900.0, "of whole round trips"
    few = replace(whole, distributions={"round_trip_ns": make_distribution((100, 900), (885, 15))})
    assert p99.of_trial(few) is None
    assert p99.of_trial(replace(whole, failure=Failure("crashed", "It crashed."))) is None


def test_what_a_row_hides_is_of_none_of_its_trials() -> None:
    """A rate that is not held has no latency."""
    declared = DECLARED["load"]
    seen = [observed(LOAD, sustained_per_s=held, offered_per_s=100_000.0) for held in (50_000.0, 51_000.0, 52_000.0)]
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
    assert declared.tells("ops_per_s", pinned) and not declared.tells("latency_ns.typical", cases[1])
    assert [one.figure for case in cases if (one := metric("headline", declared, pinned, case))] == ["ops_per_s"] * 3


def test_a_percentile_with_a_dot_in_its_name_is_declared_and_a_part_that_no_row_has_is_not() -> None:
    assert metric_of("round_trip_ns.p99.9", DECLARED["signal"]).unit == "ns"
    with pytest.raises(KeyError):
        DECLARED["signal"].figure("round_trip_ns.p98")


@pytest.mark.parametrize(
    ("figure", "samples"), [("p50", 20), ("p99", 1_000), ("p99.9", 10_000), ("mean", 0), ("max", 0)]
)
def test_a_percentile_says_how_many_samples_a_trial_needs_to_carry_it(figure: str, samples: int) -> None:
    assert metric_of(f"latency_ns.{figure}", DECLARED["lock"]).samples == samples
