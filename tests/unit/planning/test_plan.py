"""The plan of a run: lengths of trials and rounds, and the same again from what is stored."""

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate, chain
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.golden.fixture import RUN
from tests.unit.analysis.examples import SIGNAL
from tests.unit.studies.matrix.planted import machine, pairing
from threadping.experiments import EXPERIMENTS
from threadping.model.cases import Busy, Case, Home, Placement, WarmupPolicy
from threadping.model.contract import BLOCKS, MILLISECOND, OUTLIERS, Request
from threadping.model.errors import BudgetTooSmall
from threadping.model.run import Premises
from threadping.planning.defaults import (
    SLEEPING_MEASURE_S,
    Length,
    Pace,
    Start,
    in_blocks,
    in_long_periods,
    in_periods,
    outliers_of,
)
from threadping.planning.plan import (
    FEWEST_ROUNDS,
    LOOKS,
    MOST_ROUNDS,
    PLANNED,
    USUAL_ROUNDS,
    Budget,
    Layer,
    Plan,
    make_plan,
    plan_of,
    premises_of,
    select_cases,
    starts_of,
)
from threadping.studies.matrix.tournament import cases_of, make_tournament

UNPINNED, WHOLE = Placement("unpinned", (None, None)), Placement("same-l3", (0, 1), "process")
PACES = {
    "signal": Pace(in_blocks, measure_s=0.05, sleeps=True),
    "lock": Pace(in_periods),
    "wakeup": Pace(in_long_periods, measure_s=0.2, crowded_visits=0, thread_s=0.01),
}
STARTS = {"cpp": Start(0.03), "java-17": Start(0.23, compiles=True)}


def case(mechanism: str = "cas-one-line", **changes: Any) -> Case:
    """Unpinned by default: then no ping is needed."""
    return replace(Case("signal", mechanism, {}, "cpp", UNPINNED, False, 256), **changes)


def layer(what: str, names: str, *, whole: bool = True, **changes: Any) -> Layer:
    return Layer(what, tuple(case(name, **changes) for name in names), whole)


def planned(seconds: float, *cases: Case, **options: Any) -> Plan:
    """Return the plan of a budget with this number of planned seconds."""
    return make_plan(cases or [case()], Budget(seconds / PLANNED, STARTS, PACES, 1, **options))


def request(asked: Case, usable: int = 2, number: int = 1, seed: int = 1) -> Request:
    """Return a probe's request in a plan of trials of 200 ms."""
    length = Length(0.1, 0.1)
    return Plan((asked,), (0.1,), (length,), (1.0,), 3, seed, PACES).request(asked, length, number, usable)


# ---- how long a trial is ----
CROWDED = Placement("same-l3", (0, 1, 0, 1))


def test_a_trial_is_as_long_as_its_runtime_its_mechanism_and_its_experiment_need() -> None:
    rows: list[tuple[dict[str, Any], tuple[float, float], tuple[float, float]]] = [
        ({}, (0.02, 0.05), (0.1, 0.1)),
        ({"blocking": True}, (0.12, SLEEPING_MEASURE_S), (0.12, 0.3)),
        ({"blocking": True, "runtime": "java-17"}, (0.2, SLEEPING_MEASURE_S), (1.2, 0.5)),
        ({"blocking": True, "placement": Placement("same-cpu", (1,))}, (0.02, 0.05), (0.1, 0.1)),
        ({"runtime": "java-17"}, (0.2, 0.1), (1.2, 0.1)),
        ({"experiment": "lock", "placement": CROWDED}, (0.02, 0.12), (0.1, 0.12)),  # two visits of twice 30 ms
        ({"experiment": "wakeup", "placement": CROWDED}, (0.02, 0.2), (0.1, 0.2)),
    ]
    for changes, least, settled in rows:
        one = case(**changes)
        start = planned(1000, one).start_s[0]
        for length, trials in ((least, USUAL_ROUNDS), (settled, 20)):
            plan = planned(trials * (start + sum(length)) + 1e-6, one)
            assert plan.rounds == USUAL_ROUNDS
            assert plan.spare_s == pytest.approx((trials - USUAL_ROUNDS) * plan.round_s, abs=1e-5)
            assert (plan.lengths[0].warmup_s, plan.lengths[0].measure_s) == pytest.approx(length, abs=1e-5)
            assert plan.longest[0] == pytest.approx(settled[0], abs=1e-5)


def test_a_start_is_paid_with_its_threads_and_the_ping_of_every_pair() -> None:
    sixteen = Placement("same-l3", tuple(range(6)))
    waking = case(experiment="wakeup", placement=sixteen, blocking=True)
    plan = planned(60, case(), case(placement=WHOLE), waking)
    assert plan.start_s == pytest.approx((0.03, 0.03 + 0.003, 0.03 + 6 * 0.01 + 3 * 0.012))


# ---- rounds ----
def test_a_budget_buys_rounds_then_longer_trials() -> None:
    for seconds, rounds, warmup, measure, spare in [
        (3 * 0.1, 3, 0.02, 0.05, 0),
        (5 * 0.1 + 0.05, 5, 0.02 + 0.01 * 8 / 13, 0.05 + 0.01 * 5 / 13, 0),
        (6 * 0.165, 6, 0.06, 0.075, 0),  # trials grow until nothing hurries
        (12 * 0.23, 6, 0.1, 0.1, 6 * 0.23),  # then there is time for more of some
        (60 * 0.43, 6, 0.2, 0.2, 54 * 0.43),  # then trials
    ]:
        plan = planned(seconds + 1e-9)
        assert plan.rounds == rounds
        assert (plan.lengths[0].warmup_s, plan.lengths[0].measure_s) == pytest.approx((warmup, measure), abs=1e-6)
        assert plan.spare_s == pytest.approx(spare, abs=1e-6)
        assert plan.seconds == pytest.approx(seconds)


def test_what_was_spent_before_it_may_leave_less_than_the_shortest_trials_take() -> None:
    """As the compiling of a custom mechanism does, or the start of a JVM."""
    plan = planned(3 * 0.1 + 1e-9, spent_s=0.15)
    assert (plan.rounds, plan.lengths[0]) == (3, Length(0.02, 0.05))


def test_trials_of_blocking_threads_are_as_short_as_others_if_six_longer_ones_do_not_fit() -> None:
    settled = 0.15 + SLEEPING_MEASURE_S, SLEEPING_MEASURE_S
    for rounds, trial_s, measure in ((5, 0.25, 0.1), (6, 0.25, 0.1), (6, 0.31, 0.16), (6, *settled)):
        plan = planned(rounds * trial_s + 1e-9, case(blocking=True))
        assert (plan.rounds, round(plan.lengths[0].measure_s, 6)) == (rounds, measure)


def test_to_be_known_well_enough_a_case_is_planned_to_its_first_look_and_may_have_trials_to_the_last() -> None:
    plan = planned(1000, until=0.03)
    assert (plan.rounds, plan.until, plan.lengths[0]) == (LOOKS[0], 0.03, Length(0.1, 0.1))
    assert plan.seconds == pytest.approx(1000)
    assert planned(7 * 0.1 + 0.001, until=0.03).rounds == 7


def test_a_length_that_was_asked_for_is_every_trials_and_half_of_it_is_the_warmup() -> None:
    plan = planned(100, case(), case(runtime="java-17"), trial_s=0.4)
    assert set(plan.lengths) == {Length(0.2, 0.2)}
    assert plan.longest == (0.2, 0.2)
    assert plan.spare_s == pytest.approx((MOST_ROUNDS - plan.rounds) * plan.round_s)
    assert planned(6 * (0.03 + 0.4), trial_s=0.4).rounds == 6
    with pytest.raises(BudgetTooSmall, match=r"--budget 1\.4s"):
        planned(1, trial_s=0.4)


def test_a_budget_too_small_names_the_smallest_that_will_do() -> None:
    with pytest.raises(
        BudgetTooSmall, match=r"of 0\.2 s is too small: 3 rounds of 1 case .* --budget 0\.4s, or"
    ) as caught:
        make_plan([case()], Budget(0.2, STARTS, PACES, 1))
    assert caught.value.exit_code == 2


@given(cases=st.integers(1, 40), java=st.booleans(), budget=st.floats(0.1, 3600))
def test_a_plan_keeps_its_budget_and_its_rules(cases: int, java: bool, budget: float) -> None:
    asked = [case(str(number), runtime="java-17" if java else "cpp") for number in range(cases)]
    least = cases * (0.59 if java else 0.1)
    try:
        plan = make_plan(asked, Budget(budget, STARTS, PACES, 3))
    except BudgetTooSmall as error:
        assert PLANNED * budget < FEWEST_ROUNDS * least
        assert make_plan(asked, Budget(named(str(error)), STARTS, PACES, 3)).rounds >= FEWEST_ROUNDS
    else:
        fewest = USUAL_ROUNDS if PLANNED * budget >= USUAL_ROUNDS * least else FEWEST_ROUNDS
        assert fewest <= plan.rounds <= USUAL_ROUNDS
        assert plan.seconds == pytest.approx(PLANNED * budget)


# ---- what a budget carries ----
def named(sentence: str) -> float:
    """The seconds of the budget that a sentence names."""
    (number, unit), *_ = re.findall(r"--budget ([\d.]+)([smh])", sentence)
    return float(number) * {"s": 1, "m": 60, "h": 3600}[unit]


def test_cases_are_taken_while_six_rounds_fit() -> None:
    rows: list[tuple[bool, float, str, dict[str, float]]] = [
        (True, 3.61, "123456", {}),
        (True, 3.59, "123", {"3 cases of c": 4.1}),
        (True, 0.1, "12", {"1 case of b": 2.1, "3 cases of c": 4.1}),
        (False, 3.01, "12345", {"1 case of c": 4.1}),
        (False, 0.1, "1", {"1 case of a": 1.4, "1 case of b": 2.1, "3 cases of c": 4.1}),
    ]
    for whole, seconds, taken, left_out in rows:
        layers = [layer(what, names, whole=whole) for what, names in (("a", "12"), ("b", "3"), ("c", "456"))]
        fit = select_cases(layers, Budget(seconds / PLANNED, STARTS, PACES, 1))  # six rounds of 0.1 s a case
        assert "".join(one.mechanism for one in fit.cases) == taken
        assert {item.what: named(item.reason) for item in fit.left_out} == left_out
        for item in fit.left_out:
            assert re.fullmatch(r"too much for this budget; they fit into --budget [\d.]+s", item.reason)


def test_an_unhurried_layer_is_taken_only_if_every_trial_can_be_as_long_as_it_likes() -> None:
    layers = [layer("a", "1", runtime="java-17"), replace(layer("b", "2"), unhurried=True)]
    for seconds, taken in ((1.59 + 0.23 + 0.01, 2), (1.59 + 0.23 - 0.01, 1)):
        assert len(select_cases(layers, Budget(6 * seconds / PLANNED, STARTS, PACES, 1)).cases) == taken


SIZES, SECONDS = st.lists(st.integers(1, 9), min_size=1, max_size=4), st.floats(0.1, 999)


@given(SIZES, st.booleans(), st.tuples(SECONDS, SECONDS).map(sorted))
def test_a_budget_takes_a_prefix_and_names_one_for_the_rest(
    sizes: list[int], whole: bool, budgets: list[float]
) -> None:
    layers = [layer(str(n), "abcdefghi"[:size], lines=n + 1, whole=whole) for n, size in enumerate(sizes)]
    wanted = tuple(chain.from_iterable(each.cases for each in layers))
    fits = [select_cases(layers, Budget(budget, STARTS, PACES, 1)) for budget in budgets]
    assert 0 < len(fits[0].cases) <= len(fits[1].cases)
    for fit, budget in zip(fits, budgets, strict=True):
        taken = len(fit.cases)
        assert fit.cases == wanted[:taken]
        assert not whole or taken in accumulate(sizes)
        if taken > (sizes[0] if whole else 1):
            assert make_plan(fit.cases, Budget(budget, STARTS, PACES, 1)).rounds >= USUAL_ROUNDS
        for position, item in enumerate(reversed(fit.left_out)):
            assert len(select_cases(layers, Budget(named(item.reason), STARTS, PACES, 1)).left_out) <= position


# ---- what is asked of a probe ----
def test_a_request_splits_the_trial_and_bounds_it() -> None:
    asked = request(case(placement=Placement("same-l3", (0, 1))))
    assert (asked.warmup.limit_ns, asked.measure_ns, asked.bound_ns) == (100_000_000, 100_000_000, 1_400_000_000)
    assert [thread.cpu for thread in asked.threads] == [0, 1]
    assert (asked.lines, asked.mechanism, asked.pin) == (256, "cas-one-line", "thread")
    assert request(case(placement=WHOLE)).pin == "process"
    assert asked.outliers == replace(OUTLIERS, most=1024)  # as many for each thread


def test_a_trial_pings_its_cpus_itself_unless_threads_block_or_others_keep_them_busy() -> None:
    apart = Placement("same-l3", (5, 3, 7))
    assert request(case(placement=apart)).pings == ((3, 5), (3, 7))
    assert request(case(placement=Placement("unpinned", (None, None)))).pings == ()
    assert request(case(placement=apart, blocking=True)).pings == ()
    assert request(case(placement=apart, busy=Busy(1))).pings == ()


def test_nothing_is_looked_into_where_no_duration_is_a_figure() -> None:
    paces, length = {"queue": EXPERIMENTS["queue"].pace}, Length(0.1, 0.1)
    streams = [case("disruptor", experiment="queue", params=params) for params in ({}, {"depth": "0"}, {"depth": "1"})]
    found = [Plan((one,), (0.1,), (length,), (1.0,), 3, 1, paces).request(one, length, 1, 2) for one in streams]
    assert [one.outliers for one in found] == [None, None, outliers_of(OUTLIERS, 2)]
    assert outliers_of(OUTLIERS, 64) == replace(OUTLIERS, most=OUTLIERS.most // 64)
    assert outliers_of(replace(OUTLIERS, most=3), 64) == replace(OUTLIERS, most=1)
    assert outliers_of(OUTLIERS, 65) is None


def test_a_warmup_may_take_half_of_a_trial_and_only_the_usual_one_asks_for_a_steady_pace() -> None:
    for ops, uninterrupted in ((100_000, False), (100_001, True)):
        asked = request(case(warmup=WarmupPolicy(1, ops)))
        assert (asked.warmup.rounds, asked.warmup.ops, asked.warmup.uninterrupted) == (1, ops, uninterrupted)
        assert asked.warmup.limit_ns == asked.measure_ns == 100_000_000
    usual = request(case()).warmup
    assert (usual.rounds, usual.ops, usual.steady, usual.uninterrupted) == (0, 1, 0.02, False)
    assert request(case(warmup=WarmupPolicy(10, 100_000))).warmup.steady is None


def test_the_cells_are_made_where_the_first_thread_runs_by_default() -> None:
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


def test_threads_that_spin_on_one_cpu_or_under_load_are_stopped_at_the_end_of_their_trial() -> None:
    """They reach no end of a block in time: with the usual bound a trial would take many times what was planned."""
    one_cpu, under_load = case(placement=Placement("same-cpu", (1, 1))), case(busy=Busy(2))
    late = replace(one_cpu, blocking=True), replace(one_cpu, experiment="lock"), replace(under_load, blocking=True)
    assert [request(one).bound_ns for one in (one_cpu, under_load, *late)] == [220_000_000] * 2 + [1_400_000_000] * 3
    barrier = case(experiment="wakeup", placement=Placement("unpinned", (None,) * 512))  # hundreds of threads start
    assert request(barrier).bound_ns == 1_400_000_000 + round(512 * PACES["wakeup"].thread_s * 1e9)


# ---- chance ----
def test_what_tells_cases_apart_gives_them_other_seeds_and_makes_them_other_keys() -> None:
    elsewhere = [case(placement=place) for place in (Placement("same-l3", (0, 2)), WHOLE)]
    varied = case(params={"wait": "pause"}), case(warmup=WarmupPolicy(1, 5)), case(home=Home("pong", (1,)))
    for other in (*elsewhere, *varied):
        assert request(case()).seed == request(case()).seed != request(other).seed
        assert len({case(), case(), other}) == 2
    assert len({request(case(), number=number, seed=seed).seed for number in (1, 2) for seed in (1, 2)}) == 4
    one, same = case(params={"critical": 5, "outside": 7}), case(params={"outside": 7, "critical": 5})
    assert request(one).seed == request(same).seed and {one} == {same}


# ---- which case is next ----
FIVE = replace(planned(60, *(case(str(number)) for number in range(5))), rounds=4)


def following(plan: Plan, measured: Sequence[int], here: Mapping[int, int]) -> int | None:
    return plan.next_case(measured, here, [(0, 1)] * len(measured))


def walked(plan: Plan, closed: Collection[int] = ()) -> list[int]:
    measured = [0] * len(plan.cases)
    found: list[int] = []
    while (index := following(plan, measured, dict.fromkeys({*range(len(measured))} - {*closed}, 0))) is not None:
        measured[index] += 1
        found.append(index)
    return found


def test_every_round_holds_every_case_that_is_not_closed_once_in_an_order_of_its_own() -> None:
    rounds = [walked(FIVE)[5 * number :][:5] for number in range(4)]
    assert [sorted(one) for one in rounds] == [[0, 1, 2, 3, 4]] * 4
    assert len({tuple(one) for one in rounds}) == 4
    assert walked(replace(FIVE)) == walked(FIVE) != walked(replace(FIVE, seed=2))
    assert walked(FIVE, closed={2, 4}) == [index for index in walked(FIVE) if index not in (2, 4)]
    assert walked(FIVE, closed=range(5)) == []


def test_next_in_a_round_is_who_has_had_fewest_trials_in_the_state_that_holds() -> None:
    plan = replace(FIVE, cases=FIVE.cases[:3])
    assert following(plan, [1, 1, 1], {0: 1, 1: 0, 2: 1}) == 1
    assert following(plan, [1, 2, 1], {0: 1, 1: 0, 2: 0}) == 2  # none runs ahead of its round
    assert following(plan, [4, 4, 3], {0: 0, 1: 0, 2: 3}) == 2
    assert following(plan, [4, 4, 4], {0: 0, 1: 0, 2: 0}) is None
    spread = [(0, 1), (0, 64)]  # the first of many trials of a case comes soon
    assert [plan.next_case([n, n], {0: 0, 1: 0}, spread) for n in range(4)] == [1] * 4


@settings(max_examples=30)
@given(st.data(), st.integers(1, 6), st.integers(1, 6))
def test_whatever_states_hold_no_case_is_two_trials_ahead(data: st.DataObject, cases: int, rounds: int) -> None:
    plan = replace(FIVE, cases=tuple(case(str(number)) for number in range(cases)), rounds=rounds)
    measured = [0] * cases
    for _ in range(cases * rounds):
        index = following(plan, measured, {at: data.draw(st.integers(0, had)) for at, had in enumerate(measured)})
        assert index is not None
        measured[index] += 1
        assert max(measured) - min(measured) <= 1
    assert following(plan, measured, dict(enumerate(measured))) is None
    assert set(measured) == {rounds}


SLOW_STARTS = {"cpp": Start(0.05), "java-17": Start(0.25, compiles=True)}
SIGNAL_PACE = {"signal": Pace(in_blocks)}


def stored(premises: Premises) -> Premises:
    return msgspec.convert(msgspec.json.decode(msgspec.json.encode(premises)), Premises)


def test_a_plan_is_made_again_from_its_run() -> None:
    cases = [replace(SIGNAL, mechanism=f"m{place}", runtime=label) for place, label in enumerate([*SLOW_STARTS] * 2)]
    plan = make_plan(cases, Budget(90, SLOW_STARTS, SIGNAL_PACE, 3, outliers=None, until=0.03))
    plan = replace(plan, survey=((0, 1), (1, 2)), survey_s=0.5)
    run = replace(RUN, cases=plan.cases, rounds=plan.rounds, seed=plan.seed, until=plan.until)
    premises = stored(premises_of(plan, SLOW_STARTS))
    assert len(set(plan.longest)) > 1 and plan.spare_s > 1
    assert plan_of(run, premises, SIGNAL_PACE) == plan
    assert starts_of(premises) == SLOW_STARTS


def test_what_is_alike_in_all_pairs_of_a_matrix_is_stored_once() -> None:
    of = pairing(range(16))
    found = make_tournament(of, cases := cases_of(of, machine(16, 4, 8)), SLOW_STARTS, 60.0, 3, SIGNAL_PACE)
    premises = premises_of(found.plan, SLOW_STARTS)
    assert len(msgspec.json.encode(premises)) < 500
    run = replace(RUN, cases=tuple(cases), rounds=found.plan.rounds, seed=3, until=0.01)
    assert plan_of(run, stored(premises), found.plan.paces) == found.plan
