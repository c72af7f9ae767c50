"""Trials are split by state where the state makes a difference, and only there."""

from collections.abc import Sequence
from random import Random

import pytest
from msgspec.structs import replace

from tests.unit.analysis.examples import SIGNAL
from threadping.analysis.split import Seen, explains, split, with_ping
from threadping.analysis.standing import Standing
from threadping.analysis.states import States
from threadping.model import Observation, State

HEADLINE = "latency_ns.typical"
STATES = States(found=[State((0, 1), ns, (ns, ns), 0.3, 9) for ns in (26.0, 60.0, 127.0)])


def seen(number: int, state: int, value: float | None) -> Seen:
    figures = {} if value is None else {HEADLINE: value}
    return Seen(number, Observation(1, number, SIGNAL, None, 1, figures), Standing((state,), False, 26, 26))


def groups(*of_states: Sequence[float]) -> list[tuple[tuple[int, ...], list[float]]]:
    """Trials of the first state, of the second, ..., which took turns."""
    turns = sorted((turn, state, value) for state, of_it in enumerate(of_states) for turn, value in enumerate(of_it))
    stayed = [seen(number, state, value) for number, (_, state, value) in enumerate(turns)]
    found = split(stayed, HEADLINE, STATES)
    assert all([one.number for one in of_it] == sorted(one.number for one in of_it) for _, of_it in found)
    return [(places, sorted(one.observation.figures[HEADLINE] for one in of_it)) for places, of_it in found]


def drawn(random: Random, ns: float, trials: int, spread: float = 0.03) -> list[float]:
    return [ns * random.lognormvariate(0, spread) for _ in range(trials)]


def test_a_spinner_is_split_always() -> None:
    random = Random(5)
    for _ in range(500):
        near, far = (drawn(random, ns, random.randint(1, 12)) for ns in (26, 127))
        assert groups(near, far) == [((0,), sorted(near)), ((1,), sorted(far))]


@pytest.mark.parametrize("misjudged", ["near", "far"])
def test_far_is_still_far_where_one_trial_in_seven_was_misjudged(misjudged: str) -> None:
    random = Random(6)
    for _ in range(500):
        near, far = drawn(random, 26, 7), drawn(random, 127, 7)
        if misjudged == "near":
            near[0] = 127.0
        else:
            far[0] = 26.0
        assert len(groups(near, far)) == 2


@pytest.mark.parametrize(("trials", "share"), [(6, 0.055), (9, 0.025), (12, 0.01)])
def test_a_sleeper_stays_together_mostly(trials: int, share: float) -> None:
    """With a spread of a quarter: a smaller one makes medians that do not differ by enough to matter."""
    random = Random(7)
    plans = [[drawn(random, 20_000, trials, 0.25) for _ in range(2)] for _ in range(1000)]
    assert sum(len(groups(*one)) == 2 for one in plans) <= share * 1000
    assert all(len(groups(*(drawn(random, 20_000, trials, 0.01) for _ in range(2)))) == 1 for _ in range(200))


def test_neighbouring_states_that_make_no_difference_are_one_row_of_no_state() -> None:
    near, middle, far = [26.0, 27, 28, 27], [27.0, 26, 28, 27], [120.0, 127, 130, 121]
    assert groups(near, middle, far) == [((), sorted(near + middle)), ((2,), sorted(far))]
    assert groups(near, far, [123.0, 128, 122, 129]) == [((0,), sorted(near)), ((), sorted([*far, 123, 128, 122, 129]))]
    assert groups(near, far, middle) == [((0,), sorted(near)), ((1,), sorted(far)), ((2,), sorted(middle))]
    assert groups(near, middle, near) == [((), sorted(near + middle + near))]


def test_states_that_came_together_are_held_against_the_one_before_again() -> None:
    """The farthest makes no difference to the middle one, and both together make none to the nearest."""
    near, middle, far = [10.0, 11, 12, 13], [13.5, 13.6, 13.7, 13.8], [10.5, 11.5, 13.65, 14]
    assert explains(near, middle)
    assert not explains(near, middle + far)
    assert groups(near, middle, far) == [((), sorted(near + middle + far))]


@pytest.mark.parametrize(
    ("one", "other", "explained"),
    [
        ([100], [105], False),  # it makes no difference that matters
        ([100], [105.1], True),
        ([105.1], [100], True),  # though far is quicker
        ([100] * 6, [100] * 6, False),
        ([0, 0], [0, 0], False),
        ([1, 3, 5, 7, 9, 11], [2, 4, 6, 8, 10, 12], False),
        ([1] * 6 + [3], [2] * 7, True),  # one in seven is larger
        ([1] * 5 + [3], [2] * 6, False),
        ([10] * 4 + [11] * 3, [11] * 7, False),  # what is equal is half larger
    ],
)
def test_a_state_explains_what_is_mostly_larger_in_it_by_enough(
    one: Sequence[float], other: Sequence[float], explained: bool
) -> None:
    assert explains(one, other) is explains(other, one) is explained


def test_trials_of_one_state_and_of_none_are_as_they_are() -> None:
    assert split([], HEADLINE, STATES) == []
    assert groups([], [3.0, 1, 2]) == [((1,), [1, 2, 3])]
    without = [replace(seen(n, 0, 1.0), standing=Standing()) for n in range(3)]
    assert split(without, HEADLINE, STATES) == [((), without)]


def test_a_trial_tells_the_pings_around_it_and_its_headline_over_them() -> None:
    around = replace(seen(0, 0, 78.0), standing=Standing((0,), False, 25, 27))
    assert with_ping(around, HEADLINE).figures == {HEADLINE: 78.0, "core_to_core_ns": 26.0, "over_ping": 3.0}
    assert with_ping(around, "ops_per_s").figures == {HEADLINE: 78.0, "core_to_core_ns": 26.0}
    for standing in (Standing(), Standing((), True, 25, 27), Standing((), True, 25, None)):
        assert with_ping(replace(around, standing=standing), HEADLINE) == around.observation
    failed = seen(0, 0, None)
    assert with_ping(failed, HEADLINE) == failed.observation
