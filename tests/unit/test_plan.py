"""What a budget carries, in how many rounds of how long trials, and what is asked of a probe."""

import re
from collections.abc import Collection, Sequence
from itertools import accumulate, count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from threadping.contract import Request
from threadping.errors import BudgetTooSmall
from threadping.model import Case, Home, Placement, WarmupPolicy
from threadping.pace import BLOCKS, MILLISECOND, Pace, in_blocks, in_periods
from threadping.plan import (
    FEWEST_ROUNDS,
    LEAD,
    MOST_ROUNDS,
    SHORTEST_TRIAL,
    USUAL_ROUNDS,
    Layer,
    Plan,
    fitting,
    make_plan,
)

WHOLE = Placement("same-l3", (0, 1), "process")
PACES = {"signal": Pace(0.25, in_blocks), "lock": Pace(0.15, in_periods)}


def case(mechanism: str = "cas-one-line", **changes: Any) -> Case:
    return replace(Case("signal", mechanism, {}, "cpp", Placement("same-l3", (0, 1)), False, 256), **changes)


def layer(what: str, names: str, *, whole: bool = True, **changes: Any) -> Layer:
    return Layer(what, tuple(case(name, **changes) for name in names), whole)


def request(asked: Case, usable: int = 2, number: int = 1, seed: int = 1) -> Request:
    """What a plan of trials of 200 ms asks of a probe."""
    return Plan((asked,), (0.1,), 3, 0.2, seed, PACES).request(asked, number, usable)


# ---- rounds ----


@pytest.mark.parametrize(
    ("start", "budget", "rounds", "trial"),
    [
        (0.1, 2.1, 6, 0.25),
        (0.4, 5.4, 6, 0.5),  # a trial is longer than its start
        (0.1, 8.5, 12, 8.5 / 12 - 0.1),  # four times what six rounds take: twice the rounds
        (0.1, 62, 20, 3.0),  # beyond twenty rounds only trials grow
        (0.1, 1.8, 6, 0.2),  # trials are shortened before rounds are left out
        (0.1, 1.5, 6, 0.15),
        (0.1, 1.45, 5, 0.19),
        (0.05, 0.6, 3, 0.15),  # 0.6 / 0.2 is less than 3 to a computer
    ],
)
def test_a_budget_buys_six_rounds_then_more_and_longer_ones_alike(
    start: float, budget: float, rounds: int, trial: float
) -> None:
    plan = make_plan([case()], {"cpp": start}, budget, seed=1, paces=PACES)
    assert plan.rounds == rounds
    assert plan.trial_s == pytest.approx(trial)


def test_each_runtime_pays_its_own_start() -> None:
    plan = make_plan([case(), case(runtime="java-17")], {"cpp": 0.1, "java-17": 0.4}, 9.0, seed=1, paces=PACES)
    assert (plan.start_s, plan.rounds, round(plan.trial_s, 9)) == ((0.1, 0.4), 6, 0.5)


def test_a_budget_too_small_names_the_smallest_that_will_do() -> None:
    sentence = r"of 0\.5 s is too small: 3 rounds of 1 case .* --budget 0\.8s\."
    with pytest.raises(BudgetTooSmall, match=sentence) as caught:
        make_plan([case()], {"cpp": 0.1}, 0.5, seed=1, paces=PACES)
    assert caught.value.exit_code == 2


@given(cases=st.integers(1, 40), start=st.floats(0.001, 2), budget=st.floats(0.1, 3600))
def test_a_plan_keeps_its_budget_and_its_promises(cases: int, start: float, budget: float) -> None:
    asked = [case(str(number)) for number in range(cases)]
    shortest = cases * (start + SHORTEST_TRIAL)
    try:
        plan = make_plan(asked, {"cpp": start}, budget, seed=3, paces=PACES)
    except BudgetTooSmall as error:
        assert budget < FEWEST_ROUNDS * shortest
        assert make_plan(asked, {"cpp": start}, named(str(error)), seed=3, paces=PACES).rounds >= FEWEST_ROUNDS
    else:
        assert (USUAL_ROUNDS if budget >= USUAL_ROUNDS * shortest else FEWEST_ROUNDS) <= plan.rounds <= MOST_ROUNDS
        assert plan.trial_s >= SHORTEST_TRIAL - 1e-9
        assert plan.seconds == pytest.approx(budget)


# ---- what a budget carries ----


def named(sentence: str) -> float:
    """The seconds of the budget that a sentence names."""
    (number, unit), *_ = re.findall(r"--budget ([\d.]+)([smh])", sentence)
    return float(number) * {"s": 1, "m": 60, "h": 3600}[unit]


@pytest.mark.parametrize(
    ("whole", "budget", "taken", "left_out"),
    [
        (True, 10.81, "123456", {}),
        (True, 10.79, "123", {"3 cases of c": 12}),
        *((True, budget, "12", {"1 case of b": 6, "3 cases of c": 12}) for budget in (5.39, 0.1)),
        (False, 3.61, "12", {"1 case of b": 6, "3 cases of c": 12}),
        *((False, budget, "1", {"1 case of a": 4, "1 case of b": 6, "3 cases of c": 12}) for budget in (3.59, 0.1)),
    ],
)
def test_layers_are_taken_whole_as_long_as_six_rounds_fit_and_a_first_one_that_is_not_whole_case_by_case(
    whole: bool, budget: float, taken: str, left_out: dict[str, float]
) -> None:
    layers = (layer("a", "12", whole=whole), layer("b", "3"), layer("c", "456"))
    fit = fitting(layers, {"cpp": 0.05}, budget, PACES)  # six rounds of a start and 0.25 s take 1.8 s a case
    assert "".join(one.mechanism for one in fit.cases) == taken
    assert {item.what: named(item.reason) for item in fit.left_out} == left_out
    for item in fit.left_out:
        assert re.fullmatch(r"too much for this budget; --budget \d+s has room for them", item.reason)


@pytest.mark.parametrize(
    ("start", "then", "trial"),
    [
        (0.05, "lock", 0.15),
        (0.05, "signal", 0.25),  # all trials are as long as the most demanding of them needs
        (0.35, "signal", 1.25 * 0.35),  # and longer than a long start
    ],
)
def test_comfort_is_what_the_most_demanding_trial_needs(start: float, then: str, trial: float) -> None:
    layers = (layer("a", "12", experiment="lock"), layer("b", "3", experiment=then))
    for short, taken in ((0, 3), (0.01, 2)):
        assert len(fitting(layers, {"cpp": start}, 6 * 3 * (start + trial) - short, PACES).cases) == taken


SIZES, SECONDS = st.lists(st.integers(1, 9), min_size=1, max_size=4), st.floats(0.1, 999)


@given(SIZES, st.booleans(), st.floats(0.001, 2), st.tuples(SECONDS, SECONDS).map(sorted))
def test_a_budget_takes_a_prefix_and_the_one_that_is_named_carries_the_layer(
    sizes: list[int], whole: bool, start: float, budgets: list[float]
) -> None:
    layers = [layer(str(n), "abcdefghi"[:size], lines=n + 1, whole=whole or n > 0) for n, size in enumerate(sizes)]
    wanted = tuple(one for each in layers for one in each.cases)
    fits = [fitting(layers, {"cpp": start}, budget, PACES) for budget in budgets]
    assert 0 < len(fits[0].cases) <= len(fits[1].cases)
    for fit, budget in zip(fits, budgets, strict=True):
        taken = len(fit.cases)
        assert fit.cases == wanted[:taken]
        assert taken in accumulate(sizes) or (not whole and taken < sizes[0])
        if taken > (sizes[0] if whole else 1):
            assert make_plan(fit.cases, {"cpp": start}, budget, seed=1, paces=PACES).rounds >= USUAL_ROUNDS
        for position, item in enumerate(reversed(fit.left_out)):
            assert len(fitting(layers, {"cpp": start}, named(item.reason), PACES).left_out) <= position


# ---- what is asked of a probe ----


def test_a_request_splits_the_trial_and_bounds_it() -> None:
    asked = request(case())
    assert (asked.warmup.limit_ns, asked.measure_ns, asked.bound_ns) == (100_000_000, 100_000_000, 1_400_000_000)
    assert [thread.cpu for thread in asked.threads] == [0, 1]
    assert (asked.lines, asked.mechanism, asked.pin) == (256, "cas-one-line", "thread")
    assert request(case(placement=WHOLE)).pin == "process"


def test_the_usual_warmup_asks_for_a_steady_pace_and_one_that_was_asked_for_does_not() -> None:
    usual = request(case()).warmup
    assert (usual.rounds, usual.ops, usual.steady, usual.uninterrupted) == (0, 1, 0.02, False)
    assert request(case(warmup=WarmupPolicy(10, 100_000))).warmup.steady is None


def test_a_warmup_may_take_half_of_a_trial_and_a_long_round_is_one_loop() -> None:
    for ops, uninterrupted in ((100_000, False), (100_001, True)):
        asked = request(case(warmup=WarmupPolicy(1, ops)))
        assert (asked.warmup.rounds, asked.warmup.ops, asked.warmup.uninterrupted) == (1, ops, uninterrupted)
        assert asked.warmup.limit_ns == asked.measure_ns == 100_000_000


def test_the_cells_are_made_where_the_first_thread_stands_unless_told() -> None:
    apart, anywhere = Placement("same-l3", (5, 3)), Placement("unpinned", (None, None))
    whole = Placement("same-l3", (5, 3, 5), "process")
    assert [request(case(placement=place)).home for place in (apart, whole, anywhere)] == [(5,), (5, 3), None]
    assert request(case(placement=apart, home=Home("pong", (3,)))).home == (3,)
    assert request(case(placement=anywhere, home=Home("node 0", (0, 1)))).home == (0, 1)


def test_how_to_measure_is_the_experiments_own() -> None:
    in_signal = request(case())
    in_lock = request(case(experiment="lock", placement=Placement("unpinned", (None,) * 8)), usable=4)
    assert in_signal.windows == BLOCKS.windows
    assert (in_lock.windows.unit, in_lock.windows.throughput) == ("ns", 33_333_333)  # of two visits of 60 ms, fitted in
    assert in_signal.warmup.look_ns == MILLISECOND
    assert in_lock.warmup.look_ns == 6_250_000  # a sixteenth of the warm-up
    assert in_signal.patience_ns == in_lock.patience_ns == 1_000 * MILLISECOND


def test_two_threads_that_spin_on_one_cpu_are_stopped_where_their_trial_is_to_end() -> None:
    """They reach no end of a block in time: with the usual bound a trial would take many times what was planned."""
    one_cpu = case(placement=Placement("same-cpu", (1, 1)))
    assert request(one_cpu).bound_ns == 220_000_000
    for in_time in (replace(one_cpu, blocking=True), replace(one_cpu, experiment="lock")):
        assert request(in_time).bound_ns == 1_400_000_000


# ---- chance ----


def test_every_round_holds_every_case_once_in_an_order_of_its_own() -> None:
    plan = make_plan([case(str(n)) for n in range(12)], {"cpp": 0.01}, 60, seed=5, paces=PACES)
    orders = [plan.order(number) for number in range(1, plan.rounds + 1)]
    assert all(sorted(order) == list(range(12)) for order in orders)
    assert len({tuple(order) for order in orders}) == len(orders)
    assert orders[0] == replace(plan).order(1) != replace(plan, seed=6).order(1)


def test_what_tells_cases_apart_gives_them_other_seeds_and_makes_them_other_keys() -> None:
    elsewhere = [case(placement=place) for place in (Placement("same-l3", (0, 2)), WHOLE)]
    varied = case(params={"wait": "pause"}), case(warmup=WarmupPolicy(1, 5)), case(home=Home("pong", (1,)))
    for other in (*elsewhere, *varied):
        assert request(case()).seed == request(case()).seed != request(other).seed
        assert len({case(), case(), other}) == 2
    assert len({request(case(), number=number, seed=seed).seed for number in (1, 2) for seed in (1, 2)}) == 4


def test_equal_cases_are_one_key_in_whatever_order_their_parameters_were_written() -> None:
    one, other = case(params={"critical": 5, "outside": 7}), case(params={"outside": 7, "critical": 5})
    assert request(one).seed == request(other).seed
    assert {one} == {other}


# ---- which case is next ----


def walked(plan: Plan, heres: Sequence[Sequence[int]] = (), closed: Collection[int] = ()) -> list[int]:
    """The cases as they come, each measured as it is named; where nothing else is told one state holds."""
    measured = [0] * len(plan.cases)
    found: list[int] = []
    for turn in count():
        index = plan.next_case(measured, heres[turn] if turn < len(heres) else measured, closed)
        if index is None:
            return found
        measured[index] += 1
        found.append(index)
    raise AssertionError


FIVE = Plan(tuple(case(str(number)) for number in range(5)), (0.1,) * 5, 4, 0.2, 3, PACES)
THREE = replace(FIVE, cases=FIVE.cases[:3])


def test_in_one_state_cases_come_round_after_round_in_its_order() -> None:
    assert walked(FIVE) == [index for number in (1, 2, 3, 4) for index in FIVE.order(number)]


def test_a_case_that_is_closed_is_left_out_and_the_others_go_on() -> None:
    assert walked(FIVE, closed={2, 4}) == [index for index in walked(FIVE) if index not in (2, 4)]
    assert walked(FIVE, closed=range(5)) == []


def test_next_is_who_has_had_fewest_trials_in_the_state_that_holds_but_none_two_rounds_ahead() -> None:
    def following(measured: Sequence[int], here: Sequence[int]) -> int | None:
        return THREE.next_case(measured, here, ())

    assert following([1, 2, 1], [1, 0, 1]) == 1  # a round ahead, and yet
    assert following([1, 3, 1], [1, 0, 2]) == 0
    assert following([1, 3, 1], [2, 0, 1]) == 2
    assert following([4, 4, 3], [0, 0, 3]) == 2  # none is measured more often than planned
    assert following([2, 1, 2], [0, 0, 0]) == 1  # of those that had as few here, who had fewest at all
    assert following([4, 4, 4], [0, 0, 0]) is None


@given(st.data(), st.integers(1, 6), st.integers(1, 6))
def test_whatever_states_hold_each_case_is_measured_as_planned_and_none_is_two_rounds_ahead(
    data: st.DataObject, cases: int, rounds: int
) -> None:
    plan = replace(FIVE, cases=tuple(case(str(number)) for number in range(cases)), rounds=rounds)
    measured = [0] * cases
    for _ in range(cases * rounds):
        index = plan.next_case(measured, [data.draw(st.integers(0, had)) for had in measured], ())
        assert index is not None
        measured[index] += 1
        assert max(measured) - min(measured) <= LEAD + 1
    assert plan.next_case(measured, measured, ()) is None
    assert set(measured) == {rounds}
