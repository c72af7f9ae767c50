"""The best queues, and those that collapse: exact verdicts, and their error rates."""

from collections.abc import Callable, Sequence
from itertools import cycle
from math import exp
from random import Random

import pytest

from threadping.analysis.percentiles import Estimate
from threadping.studies.recommend_queue import COLLAPSED, Measured, QueueFigure, fewest_trials, judge

Times = Sequence[Sequence[float]]
SIX = (1.0, 0.98, 1.02, 0.99, 1.01, 1.005)


def judged(*times: Sequence[float]) -> list[QueueFigure]:
    return [*judge({place: Measured(Estimate(1.0), each) for place, each in enumerate(times)}).values()]


def verdicts(*times: Sequence[float]) -> list[str | None]:
    return [one.verdict for one in judged(*times)]


def times(by: float, trials: int = 6) -> list[float]:
    return [by * one for one in SIX[:trials]]


def test_what_does_not_differ_from_the_best_is_best_and_ten_times_as_slow_falls_apart() -> None:
    assert verdicts(times(1.01), times(1.0), times(1.5), times(11.0)) == ["best", "best", "behind", "collapses"]
    slow = judged(times(1.0), times(11.0))[1]
    assert slow.fold == pytest.approx(11.0)
    assert (slow.apart, slow.trials) == (6, 6)
    assert slow.slower is not None and 10.5 < slow.slower < 11.0


def test_only_the_lower_end_of_the_interval_makes_one_fall_apart() -> None:
    assert verdicts(times(1.0), times(10.05)) == ["best", "behind"]
    assert verdicts(times(1.0), times(COLLAPSED * 1.02 / 0.98)) == ["best", "collapses"]


def test_one_that_may_be_as_quick_as_the_best_or_fall_apart_is_open() -> None:
    best, wild = judged(times(1.0), [0.9, 0.9, 30.0, 30.0, 30.0, 30.0])
    assert (best.verdict, wild.verdict, wild.apart) == ("open", "open", 4)
    assert wild.slower is not None and wild.slower <= 1 < COLLAPSED < wild.fold


def test_one_alone_is_not_judged_and_too_few_trials_leave_it_open() -> None:
    assert verdicts(times(1.0)) == verdicts(times(1.0, 1)) == [None]
    assert verdicts(times(1.0), times(50.0), times(50.0, 5)) == ["best", "collapses", "open"]
    assert verdicts(times(1.0, 5), times(50.0, 5)) == ["open", "open"]
    assert verdicts(times(1.0, 5), times(2.0), times(50.0)) == ["open", "best", "collapses"]
    assert judge({}) == {} and judge({0: Measured(Estimate(1.0), SIX, "Others ran.")})[0].verdict == "open"


def test_trials_that_fall_apart_are_counted_in_what_does_not_as_a_whole() -> None:
    now_and_then = judged(times(1.0), [1.0, 30.0, 1.0, 30.0, 1.0, 1.0])[1]
    assert (now_and_then.verdict, now_and_then.apart, now_and_then.at_times) == ("best", 2, True)
    assert not judged(times(1.0), times(30.0))[1].at_times


def test_of_very_many_queues_more_trials_tell_them_apart() -> None:
    assert [fewest_trials(queues) for queues in (1, 2, 47, 48)] == [6, 6, 6, 7]
    assert verdicts(*[times(1.0)] * 46, times(50.0))[-1] == "collapses"
    assert verdicts(*[times(1.0)] * 47, times(50.0))[-1] == "open"


REPEATS = 250
Noise = Callable[[Random], float]


def lognormal(sd: float) -> Noise:
    return lambda draw: exp(draw.gauss(0, sd))


def mixed(share: float, by: float) -> Noise:
    return lambda draw: (by if draw.random() < share else 1.0) * exp(draw.gauss(0, 0.05))


def planted(*noise: Noise) -> Callable[[Random, Sequence[float], int], Times]:
    """Return a draw of trials whose noise is these, queue by queue, over and over."""
    return lambda draw, folds, n: [[fold * of(draw) for _ in range(n)] for fold, of in zip(folds, cycle(noise))]


def in_bursts(draw: Random, folds: Sequence[float], trials: int) -> Times:
    """Draw rounds in which four consecutive trials of any queue sometimes take twenty times as long."""
    found: list[list[float]] = [[] for _ in folds]
    bad = False
    for _ in range(trials):
        for queue in draw.sample(range(len(folds)), len(folds)):
            bad = draw.random() < (0.75 if bad else 1 / 16)
            found[queue].append(folds[queue] * (20 if bad else 1) * exp(draw.gauss(0, 0.05)))
    return found


KINDS: dict[str, Callable[[Random, Sequence[float], int], Times]] = {
    "10%": planted(lognormal(0.1)),
    "40%": planted(lognormal(0.4)),
    "mixture": planted(mixed(0.3, 20)),
    "unequal": planted(lognormal(0.4), lognormal(0.02)),
    "bursts": in_bursts,
}


def test_a_queue_that_is_the_best_is_seldom_left_out_and_none_falls_apart_that_does_not() -> None:
    """Test equal queues, and queues ten times as slow, at the limit."""
    for kind, queues, trials in [
        ("10%", 2, 6),
        ("40%", 6, 12),
        ("40%", 13, 6),
        ("mixture", 13, 6),
        ("unequal", 13, 6),
        ("bursts", 6, 12),
    ]:
        draw, left_out, fallen = Random(f"{kind} {queues} {trials}"), 0, 0
        most = 0.05 + 2 * (0.05 * 0.95 / REPEATS) ** 0.5
        for _ in range(REPEATS):
            left_out += judged(*KINDS[kind](draw, [1.0] * queues, trials))[0].verdict not in ("best", "open")
            at_the_limit = KINDS[kind](draw, [1.0, *[COLLAPSED - 1e-6] * (queues - 1)], trials)
            fallen += judged(*at_the_limit)[-1].verdict == "collapses"
        assert left_out / REPEATS <= most
        assert fallen / REPEATS <= most


@pytest.mark.parametrize(("fold", "seen"), [(20.0, 0.35), (40.0, 0.9)])
def test_what_is_far_behind_is_seen(fold: float, seen: float) -> None:
    draw = Random(fold)
    found = [judged(*KINDS["40%"](draw, [*[1.0] * 5, fold], 6))[-1].verdict for _ in range(REPEATS)]
    assert found.count("collapses") / REPEATS >= seen
