import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadping.errors import BudgetTooSmall
from threadping.model import Case, Placement
from threadping.plan import FEWEST_ROUNDS, SHORTEST_TRIAL, make_plan


def case(mechanism: str = "cas-one-line", runtime: str = "cpp") -> Case:
    return Case("signal", mechanism, {}, runtime, Placement("same-l3", (0, 1)), False, 256)


def test_a_budget_is_filled_with_rounds_of_quarter_second_trials() -> None:
    plan = make_plan([case(), case("condition")], {"cpp": 0.05}, 6.0, seed=1)
    assert plan.rounds == 10
    assert plan.trial_s == pytest.approx(0.25)
    assert plan.seconds == pytest.approx(6.0)


def test_a_trial_is_longer_than_its_start() -> None:
    plan = make_plan([case()], {"cpp": 0.4}, 9.0, seed=1)
    assert plan.rounds == 10
    assert plan.trial_s == pytest.approx(0.5)


def test_beyond_twenty_rounds_trials_grow() -> None:
    plan = make_plan([case()], {"cpp": 0.1}, 62.0, seed=1)
    assert plan.rounds == 20
    assert plan.trial_s == pytest.approx(3.0)


def test_three_rounds_shorten_the_trials_before_they_are_given_up() -> None:
    plan = make_plan([case()], {"cpp": 0.1}, 0.9, seed=1)
    assert plan.rounds == FEWEST_ROUNDS
    assert plan.trial_s == pytest.approx(0.2)


def test_each_runtime_pays_its_own_start() -> None:
    plan = make_plan([case(), case(runtime="java-17")], {"cpp": 0.1, "java-17": 0.4}, 4.5, seed=1)
    assert plan.start_s == (0.1, 0.4)
    assert plan.rounds == 3
    assert plan.trial_s == pytest.approx(0.5)


def test_a_budget_too_small_names_the_smallest_that_will_do() -> None:
    with pytest.raises(BudgetTooSmall, match=r"at least 0\.8 s\. Give --budget 0\.8s") as caught:
        make_plan([case()], {"cpp": 0.1}, 0.5, seed=1)
    assert caught.value.exit_code == 2
    assert make_plan([case()], {"cpp": 0.1}, 0.8, seed=1).trial_s >= SHORTEST_TRIAL


@given(
    cases=st.integers(1, 40),
    start=st.floats(0.001, 2),
    budget=st.floats(0.1, 3600),
)
def test_a_plan_keeps_its_budget_and_its_promises(cases: int, start: float, budget: float) -> None:
    try:
        plan = make_plan([case(str(n)) for n in range(cases)], {"cpp": start}, budget, seed=3)
    except BudgetTooSmall:
        assert budget < FEWEST_ROUNDS * cases * (start + SHORTEST_TRIAL)
    else:
        assert plan.rounds >= FEWEST_ROUNDS
        assert plan.trial_s >= SHORTEST_TRIAL
        assert plan.seconds == pytest.approx(budget)


def test_every_round_holds_every_case_once_in_an_order_of_its_own() -> None:
    plan = make_plan([case(str(n)) for n in range(12)], {"cpp": 0.01}, 60, seed=5)
    orders = [plan.order(number) for number in range(1, plan.rounds + 1)]
    assert all(sorted(order) == list(range(12)) for order in orders)
    assert len({tuple(order) for order in orders}) == len(orders)


def test_the_same_seed_gives_the_same_run_and_another_seed_another() -> None:
    plans = [make_plan([case(str(n)) for n in range(6)], {"cpp": 0.01}, 60, seed) for seed in (1, 1, 2)]
    first, again, other = [(p.order(1), p.request(p.cases[0], 1).seed) for p in plans]
    assert first == again
    assert first != other


def test_a_request_splits_the_trial_and_bounds_it() -> None:
    plan = make_plan([case()], {"cpp": 0.1}, 0.9, seed=1)
    request = plan.request(plan.cases[0], 1)
    assert request.warmup.limit_ns == pytest.approx(50_000_000, abs=1)
    assert request.measure_ns == pytest.approx(150_000_000, abs=1)
    assert request.bound_ns == pytest.approx(1_400_000_000, abs=2)
    assert [thread.cpu for thread in request.threads] == [0, 1]
    assert (request.lines, request.mechanism) == (256, "cas-one-line")
