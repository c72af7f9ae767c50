"""Pairs that are measured at once are held against the same pairs alone."""

from math import exp
from random import Random

import pytest
from msgspec.structs import replace

from tests.unit.analysis.crowded import answers
from threadping.analysis.answer import PairTrial, checked, parallel

CHANCE = Random(2)


def trials(crowded: float, pairs: int = 12, noise: float = 0.0, level: float | None = 26.0) -> list[list[PairTrial]]:
    """Each pair once in the first pass, once in the second, and three times alone."""

    def ns(of: float) -> float:
        return of * exp(CHANCE.gauss(0, noise))

    return [
        [
            PairTrial(ns(base * crowded), level, beside=True, is_first=True),
            *(PairTrial(ns(base), level, beside=False) for _ in range(3)),
            PairTrial(ns(base * crowded), level, beside=True),
        ]
        for base in (20.0 + place for place in range(pairs))
    ]


@pytest.mark.parametrize(("crowded", "alike"), [(1.0, "yes"), (1.019, "yes"), (1.03, "no"), (0.97, "no")])
def test_beyond_two_percent_they_are_not_used(crowded: float, alike: str) -> None:
    found = parallel(trials(crowded))
    assert found is not None
    assert found.ratio.value == pytest.approx(crowded)
    assert (found.ratio.kind, found.pairs, found.alike, found.is_used) == ("ci95", 12, alike, alike == "yes")


def test_an_interval_that_is_not_whole_on_one_side_tells_nothing_and_few_pairs_do_not_either() -> None:
    of_both = [*trials(0.99, 6), *trials(1.035, 6)]
    for few in (of_both, trials(1.0, 5)):
        found = parallel(few)
        assert found is not None
        assert (found.alike, found.is_used) == ("cannot tell", False)


@pytest.mark.parametrize(("crowded", "noise", "wrong", "most"), [(1.0, 0.03, "no", 0.02), (1.05, 0.03, "yes", 0.01)])
def test_what_is_said_is_rarely_wrong(crowded: float, noise: float, wrong: str, most: float) -> None:
    shares, _ = answers(crowded, noise, machines=150)
    assert shares[wrong] <= most


def test_the_slowest_decide_too() -> None:
    slow = [[replace(one, ns=9 * one.ns) for one in of_it] for of_it in trials(1.1, 3)]
    found = parallel([*trials(1.0), *slow])
    assert found is not None and found.slowest is not None
    assert found.slowest.value == pytest.approx(1.1)
    assert (found.ratio.value, found.is_used) == (1.0, False)


def test_who_was_slow_by_chance_in_the_first_pass_is_no_reason() -> None:
    refused = sum(found.alike == "no" for _ in range(300) if (found := parallel(trials(1.0, 120, noise=0.01))))
    assert refused == 0


def test_trials_of_another_state_are_not_compared() -> None:
    moved = [[*of_it[:4], PairTrial(5 * of_it[4].ns, 130.0, beside=True), of_it[4]] for of_it in trials(1.0)]
    found = parallel(moved)
    assert found is not None and found.ratio.value == 1.0
    assert parallel([of_it[:4] for of_it in trials(1.0)]) is None
    assert parallel([of_it[:1] for of_it in trials(1.0)]) is None


def test_of_a_pair_in_two_states_those_of_one_are_compared_whether_both_were_seen_as_often_or_not() -> None:
    def moved(alone: list[float], beside: float) -> float | None:
        levels = [*((level, False) for level in alone), (beside, True)]
        found = parallel([[PairTrial(level - 4, level, beside=of) for level, of in levels]])
        return found.ratio.value if found else None

    assert moved([24.0, 24.0, 120.0, 120.0], 24.0) == 1.0
    assert moved([24.0, 120.0, 121.0], 120.0) == pytest.approx(116 / 116.5)
    assert moved([24.0, 24.0, 120.0, 120.0], 72.0) is None  # which is far from both
    assert moved([24.0, 120.0, 120.0], 24.0) is None


def test_who_is_measured_alone() -> None:
    chosen = checked(range(2000), [*range(1999, -1, -1)])
    assert chosen == [*range(20), *range(1999, 1899, -1)]
    assert sorted(checked(range(6), range(6))) == [0, 1, 2, 3, 4, 5]
