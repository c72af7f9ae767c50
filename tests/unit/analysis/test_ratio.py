"""A planted ratio is found, what is at the limit is seldom claimed, and few trials claim nothing."""

import random
from collections.abc import Callable
from math import exp, log, sqrt

import pytest

from tests.conftest import make_distribution
from tests.unit.analysis.examples import LOCK, Given
from threadping.analysis.declaration import metric_of
from threadping.analysis.percentiles import Estimate
from threadping.analysis.ratio import _left_out, at_least, is_more, ratio

TRUTHS: dict[str, Callable[[random.Random, float], float]] = {
    "normal": lambda draw, sd: max(0.01, 1 + sd * draw.gauss(0, 1)),
    "lognormal": lambda draw, sd: exp(sd * draw.gauss(0, 1)),
    "t3": lambda draw, sd: exp(sd * draw.gauss(0, 1) / sqrt(sum(draw.gauss(0, 1) ** 2 for _ in "123") / 3)),
}
ROWS = 1_000


def claims(kind: str, trials: tuple[int, int], truth: float, sd: tuple[float, float]) -> tuple[float, float]:
    """How often a ratio of this truth is judged to be more than 1.1, and not more."""
    draw, shape = random.Random(f"{kind} {trials} {truth} {sd}"), TRUTHS[kind]
    verdicts = []
    for _ in range(ROWS):
        ours, theirs = (
            [mid * shape(draw, spread) for _ in range(number)]
            for mid, number, spread in zip((truth, 1.0), trials, sd, strict=True)
        )
        verdicts.append(is_more(ratio(ours, theirs), 1.1))
    return verdicts.count(True) / ROWS, verdicts.count(False) / ROWS


@pytest.mark.parametrize("kind", TRUTHS)
@pytest.mark.parametrize("trials", [(3, 3), (12, 5), (6, 6), (12, 12), (6, 20)])
def test_at_the_limit_a_claim_is_false_in_at_most_five_of_a_hundred(kind: str, trials: tuple[int, int]) -> None:
    for sd in ((0.1, 0.1), (0.2, 0.01)):
        more, less = claims(kind, trials, 1.1, sd)
        assert max(more, less) <= (0.05 if min(trials) >= 6 else 0.0), sd
        assert min(more, less) >= (0.005 if min(trials) >= 6 else 0.0), sd  # and it does not say nothing at all


def test_a_difference_is_seen_and_what_is_equal_is_said_not_to_be_more() -> None:
    """Of six trials with 20% the t-test itself, which knows that they are normal, sees 25%."""
    assert claims("lognormal", (6, 6), 1.3, (0.2, 0.2))[0] >= 0.22
    assert claims("lognormal", (7, 7), 1.3, (0.2, 0.2))[0] >= 0.25
    assert claims("lognormal", (12, 12), 1.3, (0.2, 0.2))[0] >= 0.45
    assert claims("normal", (6, 6), 1.0, (0.05, 0.05))[1] >= 0.8


def test_the_published_critical_values_of_mann_and_whitney() -> None:
    """The largest U that is significant at 5%, two-sided, is one less (tables: 5 at 6/6, 8 at 7/7, 37 at 12/12)."""
    assert [_left_out(*trials, 0.025)[0] for trials in ((6, 6), (7, 7), (12, 12), (6, 10), (20, 20))] == [
        6,
        9,
        38,
        12,
        128,
    ]


def test_exact_numbers() -> None:
    assert ratio([63.0] * 6, [60.0] * 6) == Estimate(1.05, 1.05, 1.05, "ci95")
    assert ratio([10.0, 20.0, 90.0], [40.0, 10.0, 30.0]) == Estimate(20 / 30)
    ours, theirs = [100.0, 101, 102, 103, 104, 105], [50.0, 51, 52, 53, 54, 55]
    found = ratio(ours, theirs)
    assert (found.value, found.kind) == (102.5 / 52.5, "ci95")
    # The sixth and seventh of the 36 quotients from either end; 2.5% of the 924 orders are 23.1, of which 19 lie beyond
    # the sixth and 11 between both.
    low, high = (log(one) for one in (100 / 53 / (103 / 55), 101 / 50 / (104 / 51)))
    assert found.ends == pytest.approx((103 / 55 * exp(low * 4.1 / 11), 104 / 51 * exp(high * 4.1 / 11)))
    assert ratio(theirs, ours).ends == pytest.approx((1 / found.ends[1], 1 / found.ends[0]))
    assert ratio([0.0, *ours[1:]], theirs).kind is None


def test_at_least_is_the_lower_end_at_any_share_of_errors_and_none_where_trials_do_not_carry_it() -> None:
    ours, theirs = [100.0, 101, 102, 103, 104, 105], [50.0, 51, 52, 53, 54, 55]
    assert at_least(ours, theirs, 0.025) == ratio(ours, theirs).low
    # One of 924 orders has all of ours above all of theirs: the least of 36 quotients is the end, that of the ranges.
    assert at_least(ours, theirs, 1 / 924) == pytest.approx(100 / 55)
    assert at_least(ours, theirs, 0.99 / 924) is None
    assert at_least([30.0, 31, 32], [1.0, 2, 3], 0.05) == pytest.approx(10.0)
    assert at_least([30.0, 31, 32], [1.0, 2, 3], 0.049) is None
    assert at_least([10.0] * 3, [1.0] * 3, 0.05) == 10.0


def test_values_are_those_of_the_headline_that_is_shown() -> None:
    """Of whole trials, also where their last thirds are surely quicker."""
    row = Given({"latency_ns.typical": 60.0, "headline_late": 49.0, "drift": -0.2}).row
    assert metric_of("latency_ns.typical", row.declared).of_row(row) == [60.0] * 6
    assert row.value("latency_ns.typical") == 60.0


@pytest.mark.parametrize(
    ("found", "more"),
    [
        (Estimate(1.3, 1.11, 1.5, "ci95"), True),
        (Estimate(1.3, 1.1, 1.5, "ci95"), None),
        (Estimate(1.0, 0.9, 1.09, "ci95"), False),
        (Estimate(2.05, 2.0, 2.1, "range"), None),
        (Estimate(2.05), None),
    ],
)
def test_only_a_whole_interval_claims(found: Estimate, more: bool | None) -> None:
    assert is_more(found, 1.1) is more


def test_a_percentile_of_each_trial_weighs_what_its_windows_cut_off_as_that_of_the_row_does() -> None:
    """Of windows of 6 us a wait of 3 us is seen whole half of the time, one of 1 us in five of six: 720 to 800."""
    timed = make_distribution((1_000, 3_000), (600, 400), censored=5)
    row = Given({"counters.sampling_window_ns": 6_000}, LOCK, timed=timed).row
    assert {row.value("latency_ns.p50"), *metric_of("latency_ns.p50", row.declared).of_row(row)} == {3_000}
