"""Time goes to what is least certain for its cost, and what it says stays true."""

from math import exp
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.planning import allotted as simulated
from tests.unit.planning import sleeping, stopped
from threadping.planning.plan import LOOKS, STOP_CONFIDENCE, StoppingRule, half_of
from threadping.planning.schedule import MOST_SCATTER, allotted, scatters


def test_trials_are_in_proportion_to_scatter_over_the_root_of_cost() -> None:
    found = allotted([0.01, 0.1, 0.1], [0.1, 0.1, 0.4], [0, 0, 0], 1000, 60.0)
    assert found[1] == pytest.approx(10 * found[0])
    assert found[1] == pytest.approx(2 * found[2])
    assert sum(n * cost for n, cost in zip(found, (0.1, 0.1, 0.4), strict=True)) == pytest.approx(60)


CASE = st.tuples(st.floats(0.001, 0.2), st.floats(0.05, 2), st.integers(1, 12))


@given(st.lists(CASE, min_size=1, max_size=12), st.floats(0, 100))
def test_nobody_has_fewer_than_the_least_nor_more_than_the_most_and_the_time_is_spent(
    cases: list[tuple[float, float, int]], seconds: float
) -> None:
    scatter, cost, least = map(list, zip(*cases, strict=True))
    found = allotted(scatter, cost, least, 60, seconds)
    assert all(few <= n <= 60 + 1e-9 for few, n in zip(least, found, strict=True))
    spent = sum((n - few) * each for n, few, each in zip(found, least, cost, strict=True))
    assert spent <= seconds + 1e-6
    assert spent == pytest.approx(seconds, abs=1e-3) or found == pytest.approx([60] * len(cases))


def test_a_scatter_is_drawn_to_that_of_its_kind_and_a_wild_one_counts_as_less() -> None:
    quiet, alike = [[0.0, 0.02]], [[0.0, 0.0]]
    first, second, other = scatters([quiet, alike, [[0.0, 0.2]]], ["spins", "spins", "sleeps"])
    assert 0 < second < first < other
    assert scatters([[[0.0, 3.0]]], ["sleeps"]) == [MOST_SCATTER]
    assert scatters([[], quiet], ["a", "a"])[0] == pytest.approx(scatters([quiet], ["a"])[0])
    assert len(set(scatters([[], []], ["a", "b"]))) == 1


def test_states_are_no_scatter() -> None:
    near, far = [0.0, 0.01, -0.01], [1.5, 1.51, 1.49]
    assert scatters([[near, far]], ["a"])[0] == pytest.approx(0.01, rel=0.01)


def test_sleepers_become_surer_at_the_cost_of_spinners_that_are_sure_anyway() -> None:
    chance = Random(3)
    spinners, sleepers = range(4), (4, 5)
    even = [simulated.halves(simulated.alike(simulated.CASES, 30, chance)) for _ in range(60)]
    uneven = [simulated.measured(simulated.CASES, 30, chance) for _ in range(60)]
    for place in sleepers:
        assert sum(simulated.halves(one)[place] for one in uneven) < 0.9 * sum(one[place] for one in even)
    assert max(simulated.halves(one)[place] for one in uneven for place in spinners) < 0.04
    assert min(len(of) for one in uneven for of in one) >= 6
    spent = [sum(len(of) * cost for of, (_, cost) in zip(one, simulated.CASES, strict=True)) for one in uneven]
    assert max(spent) < 31


def test_intervals_hold_their_medians_where_trials_follow_the_scatter() -> None:
    """94 to 96% over 1,500 runs; of 300 five in a hundred of each case may differ by chance."""
    found = simulated.coverage(20.0, 300)
    assert min(found) > 0.91
    assert sum(found) / len(found) == pytest.approx(0.95, abs=0.012)


def test_trials_of_sleepers_are_about_as_long_as_is_best() -> None:
    scatter = {length: sleeping.scatter(length, 500) for length in (0.1, 0.3, 0.5, 1.0)}
    assert 0.09 < scatter[0.1] < 0.14
    assert 0.05 < scatter[1.0] < 0.06
    for name, best in (("C++", 0.3), ("Java", 0.5)):
        errors = dict(zip(sleeping.LENGTHS, sleeping.errors(sleeping.FIXED[name]), strict=True))
        assert errors[best] < 1.08 * min(errors.values())
        assert errors[best] < 0.93 * errors[0.1]


# ---- stopping ----


def test_it_is_looked_at_after_so_many_trials_alone_and_each_look_is_once() -> None:
    wide = [exp(0.1 * (-1) ** n) for n in range(11)]
    looking = StoppingRule(0.03)
    assert not looking.look([1.0] * 11)
    assert not looking.look([*wide, 1.0])
    assert not looking.look([1.0] * 15)  # between two looks nobody looks
    assert looking.look([1.0] * 17)
    assert looking.look(wide)  # it stays
    never = StoppingRule(None)
    assert not never.look([1.0] * 300) and not never.has_ended


def test_after_the_last_look_no_more_is_measured() -> None:
    looking = StoppingRule(0.001)
    values = [exp(0.1 * (-1) ** n) for n in range(LOOKS[-1])]
    assert [looking.look(values[:-1]), looking.has_ended] == [False, False]
    assert [looking.look(values), looking.has_ended] == [False, True]


def test_what_must_be_narrow_is_an_interval_of_99_percent() -> None:
    chance, n = Random(7), 200
    halves = [half_of([exp(chance.gauss(0, 0.1)) for _ in range(n)]) for _ in range(200)]
    assert STOP_CONFIDENCE == 0.99
    assert sum(halves) / len(halves) == pytest.approx(2.576 * 1.2533 * 0.1 / n**0.5, rel=0.02)


@pytest.mark.parametrize(("until", "scatter", "most"), [(0.01, 0.015, 60), (0.01, 0.025, 60), (0.03, 0.05, 200)])
def test_a_figure_that_stopped_itself_has_an_interval_that_holds_its_median(
    until: float, scatter: float, most: int
) -> None:
    assert stopped.held(stopped.by_looks, until, scatter, most, runs=600)[0] > 0.925
