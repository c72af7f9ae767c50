import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from threadping.errors import BudgetTooSmall
from threadping.model import Case, Home, Layer, Placement, WarmupPolicy
from threadping.pace import BLOCKS, MILLISECOND, Pace, in_blocks, in_periods
from threadping.plan import FEWEST_ROUNDS, PREFERRED_TRIAL, SHORTEST_TRIAL, make_plan, widest

PACES = {"signal": Pace(PREFERRED_TRIAL, in_blocks), "lock": Pace(SHORTEST_TRIAL, in_periods)}


def case(mechanism: str = "cas-one-line", runtime: str = "cpp") -> Case:
    return Case("signal", mechanism, {}, runtime, Placement("same-l3", (0, 1)), False, 256)


def test_a_budget_is_filled_with_rounds_of_quarter_second_trials() -> None:
    plan = make_plan([case(), case("condition")], {"cpp": 0.05}, 6.0, seed=1, paces=PACES)
    assert plan.rounds == 10
    assert plan.trial_s == pytest.approx(0.25)
    assert plan.seconds == pytest.approx(6.0)


def test_a_trial_is_longer_than_its_start() -> None:
    plan = make_plan([case()], {"cpp": 0.4}, 9.0, seed=1, paces=PACES)
    assert plan.rounds == 10
    assert plan.trial_s == pytest.approx(0.5)


def test_beyond_twenty_rounds_trials_grow() -> None:
    plan = make_plan([case()], {"cpp": 0.1}, 62.0, seed=1, paces=PACES)
    assert plan.rounds == 20
    assert plan.trial_s == pytest.approx(3.0)


def test_three_rounds_shorten_the_trials_before_they_are_given_up() -> None:
    plan = make_plan([case()], {"cpp": 0.1}, 0.9, seed=1, paces=PACES)
    assert plan.rounds == FEWEST_ROUNDS
    assert plan.trial_s == pytest.approx(0.2)


def test_each_runtime_pays_its_own_start() -> None:
    plan = make_plan([case(), case(runtime="java-17")], {"cpp": 0.1, "java-17": 0.4}, 4.5, seed=1, paces=PACES)
    assert plan.start_s == (0.1, 0.4)
    assert plan.rounds == 3
    assert plan.trial_s == pytest.approx(0.5)


def test_a_budget_too_small_names_the_smallest_that_will_do() -> None:
    with pytest.raises(BudgetTooSmall, match=r"at least 0\.8 s\. Give --budget 0\.8s") as caught:
        make_plan([case()], {"cpp": 0.1}, 0.5, seed=1, paces=PACES)
    assert caught.value.exit_code == 2
    assert make_plan([case()], {"cpp": 0.1}, 0.8, seed=1, paces=PACES).trial_s >= SHORTEST_TRIAL


@given(
    cases=st.integers(1, 40),
    start=st.floats(0.001, 2),
    budget=st.floats(0.1, 3600),
)
def test_a_plan_keeps_its_budget_and_its_promises(cases: int, start: float, budget: float) -> None:
    try:
        plan = make_plan([case(str(n)) for n in range(cases)], {"cpp": start}, budget, seed=3, paces=PACES)
    except BudgetTooSmall:
        assert budget < FEWEST_ROUNDS * cases * (start + SHORTEST_TRIAL)
    else:
        assert plan.rounds >= FEWEST_ROUNDS
        assert plan.trial_s >= SHORTEST_TRIAL
        assert plan.seconds == pytest.approx(budget)


def layer(what: str, *names: str) -> Layer:
    return Layer(what, tuple(case(name) for name in names))


LAYERS = (layer("a", "1", "2"), layer("b", "3"), layer("c", "4", "5", "6"))
"""Three rounds in comfort (0.05 s a start, 0.25 s a trial) take 1.8 s, 2.7 s and 5.4 s."""


@pytest.mark.parametrize(
    ("budget", "taken", "left_out"),
    [
        (6.0, "123456", []),
        (5.3, "123", [("3 cases of c", "6.0")]),
        (2.71, "123", [("3 cases of c", "6.0")]),
        (2.69, "12", [("1 case of b", "3.0"), ("3 cases of c", "6.0")]),
        (0.1, "12", [("1 case of b", "3.0"), ("3 cases of c", "6.0")]),
    ],
)
def test_as_many_layers_are_taken_as_fit_in_comfort(budget: float, taken: str, left_out: list[tuple[str, str]]) -> None:
    choice = widest(LAYERS, {"cpp": 0.05}, budget, PACES)
    assert "".join(one.mechanism for one in choice.cases) == taken
    assert [item.what for item in choice.left_out] == [what for what, _ in left_out]
    for item, (_, needed) in zip(choice.left_out, left_out, strict=True):
        assert item.reason == f"too much for this budget; --budget {needed}s has room for them"


def test_comfort_is_each_experiments_own_and_the_shortest_is_enough_for_a_plan() -> None:
    locks = tuple(replace(one, experiment="lock") for one in LAYERS[1].cases)
    # 3 rounds of 2 trials of 0.25 s, 1 of 0.15 s, 3 starts of 0.05 s
    assert len(widest((LAYERS[0], Layer("b", locks)), {"cpp": 0.05}, 2.4, PACES).cases) == 3
    assert len(widest((LAYERS[0], Layer("b", locks)), {"cpp": 0.05}, 2.39, PACES).cases) == 2
    budget = FEWEST_ROUNDS * 7 * (0.1 + SHORTEST_TRIAL)
    assert make_plan(list(locks) * 7, {"cpp": 0.1}, budget, seed=1, paces=PACES).rounds == FEWEST_ROUNDS


def test_a_long_start_is_paid_for_but_asks_for_no_longer_trials() -> None:
    layers = (layer("a", "1"), layer("b", "2"))  # 3 rounds of 2 trials of 0.25 s and 0.35 s of start
    assert len(widest(layers, {"cpp": 0.35}, 3.6, PACES).cases) == 2
    assert len(widest(layers, {"cpp": 0.35}, 3.59, PACES).cases) == 1


def test_no_layer_is_taken_after_one_that_was_left_out() -> None:
    layers = (layer("a", "1"), layer("b", *"2345678"), layer("c", "9"))
    assert [one.mechanism for one in widest(layers, {"cpp": 0.05}, 3.0, PACES).cases] == ["1"]


@given(sizes=st.lists(st.integers(1, 9), min_size=1, max_size=4), start=st.floats(0.001, 2), budget=st.floats(0.1, 99))
def test_the_budget_that_is_named_carries_the_layer(sizes: list[int], start: float, budget: float) -> None:
    layers = [layer(str(n), *(f"{n}/{m}" for m in range(size))) for n, size in enumerate(sizes)]
    choice = widest(layers, {"cpp": start}, budget, PACES)
    for position, item in enumerate(reversed(choice.left_out)):
        enough = float(item.reason.split("--budget ")[1].split("s ")[0])
        assert len(widest(layers, {"cpp": start}, enough, PACES).left_out) <= position


def test_an_added_layer_leaves_trials_of_the_preferred_length() -> None:
    plan = make_plan(widest(LAYERS, {"cpp": 0.05}, 5.5, PACES).cases, {"cpp": 0.05}, 5.5, seed=1, paces=PACES)
    assert len(plan.cases) == 6
    assert plan.trial_s >= PREFERRED_TRIAL


def test_a_warmup_that_was_asked_for_may_take_half_of_a_trial() -> None:
    chosen = replace(case(), warmup=WarmupPolicy(1, 500_000_000))
    plan = make_plan([chosen], {"cpp": 0.1}, 0.9, seed=1, paces=PACES)
    request = plan.request(chosen, 1, 2)
    assert (request.warmup.rounds, request.warmup.ops) == (1, 500_000_000)
    assert request.warmup.limit_ns == pytest.approx(100_000_000, abs=1)
    assert request.measure_ns == pytest.approx(100_000_000, abs=1)


def test_what_is_pinned_is_passed_on() -> None:
    whole = replace(case(), placement=Placement("same-l3", (0, 1), "process"))
    plan = make_plan([case(), whole], {"cpp": 0.1}, 2, seed=1, paces=PACES)
    assert [plan.request(one, 1, 2).pin for one in plan.cases] == ["thread", "process"]


@pytest.mark.parametrize(
    ("placement", "home", "cpus"),
    [
        (Placement("same-l3", (5, 3)), None, (5,)),
        (Placement("same-l3", (5, 3, 5), "process"), None, (5, 3)),
        (Placement("unpinned", (None, None)), None, None),
        (Placement("same-l3", (5, 3)), Home("pong", (3,)), (3,)),
        (Placement("unpinned", (None, None)), Home("node 0", (0, 1)), (0, 1)),
    ],
)
def test_the_cells_are_made_where_the_first_thread_stands_unless_told(
    placement: Placement, home: Home | None, cpus: tuple[int, ...] | None
) -> None:
    told = replace(case(), placement=placement, home=home)
    assert make_plan([told], {"cpp": 0.1}, 2, seed=1, paces=PACES).request(told, 1, 2).home == cpus


def test_how_to_measure_is_the_experiments_own() -> None:
    crowd = replace(case(), experiment="lock", placement=Placement("unpinned", (None,) * 8))
    plan = make_plan([case(), crowd], {"cpp": 0.1}, 1.8, seed=1, paces=PACES)  # trials of 50 ms warm-up and 150 ms
    in_signal, in_lock = (plan.request(one, 1, 4) for one in plan.cases)
    assert in_signal.windows == BLOCKS.windows
    assert in_lock.windows.unit == "ns"
    assert in_lock.windows.plain == pytest.approx(33_333_333, abs=9)  # of three visits of 60 ms, fitted into 150
    assert in_signal.warmup.look_ns == MILLISECOND
    assert in_lock.warmup.look_ns == pytest.approx(3_125_000, abs=9)  # a sixteenth of the warm-up
    assert in_signal.patience_ns == in_lock.patience_ns == 1_000 * MILLISECOND


@pytest.mark.parametrize(("ops", "uninterrupted"), [(100_000, False), (100_001, True), (500_000_000, True)])
def test_a_long_round_of_a_warmup_is_one_loop(ops: int, uninterrupted: bool) -> None:
    warmed = replace(case(), warmup=WarmupPolicy(1, ops))
    plan = make_plan([warmed], {"cpp": 0.1}, 2, seed=1, paces=PACES)
    assert plan.request(warmed, 1, 2).warmup.uninterrupted == uninterrupted


def test_two_threads_that_spin_on_one_cpu_are_stopped_where_their_trial_is_to_end() -> None:
    """They reach no end of a block in time: with the usual bound a trial would take many times what was planned."""
    one_cpu = replace(case(), placement=Placement("same-cpu", (1, 1)))
    cases = [one_cpu, replace(one_cpu, blocking=True), replace(one_cpu, experiment="lock")]
    plan = make_plan(cases, {"cpp": 0.1}, 2.7, seed=1, paces=PACES)
    spinning, blocking, in_windows = [plan.request(one, 1, 2).bound_ns for one in plan.cases]
    assert spinning == pytest.approx(220_000_000, abs=9)
    assert blocking == in_windows == pytest.approx(1_400_000_000, abs=9)


def test_every_round_holds_every_case_once_in_an_order_of_its_own() -> None:
    plan = make_plan([case(str(n)) for n in range(12)], {"cpp": 0.01}, 60, seed=5, paces=PACES)
    orders = [plan.order(number) for number in range(1, plan.rounds + 1)]
    assert all(sorted(order) == list(range(12)) for order in orders)
    assert len({tuple(order) for order in orders}) == len(orders)


def test_the_same_seed_gives_the_same_run_and_another_seed_another() -> None:
    plans = [make_plan([case(str(n)) for n in range(6)], {"cpp": 0.01}, 60, seed, PACES) for seed in (1, 1, 2)]
    first, again, other = [(p.order(1), p.request(p.cases[0], 1, 2).seed) for p in plans]
    assert first == again
    assert first != other


def test_a_request_splits_the_trial_and_bounds_it() -> None:
    plan = make_plan([case()], {"cpp": 0.1}, 0.9, seed=1, paces=PACES)
    request = plan.request(plan.cases[0], 1, 2)
    assert request.warmup.limit_ns == pytest.approx(50_000_000, abs=1)
    assert request.measure_ns == pytest.approx(150_000_000, abs=1)
    assert request.bound_ns == pytest.approx(1_400_000_000, abs=2)
    assert [thread.cpu for thread in request.threads] == [0, 1]
    assert (request.lines, request.mechanism) == (256, "cas-one-line")
