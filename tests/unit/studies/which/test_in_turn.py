"""One situation after the other: in which order trials come, who has whose time, and what is said where it is short."""

from tests.golden.fixture import TOGETHER
from tests.unit.studies.which.examples import DEQUE, ONE, RING, WORK, case_of
from threadping.experiments import EXPERIMENTS
from threadping.model.run import Observation
from threadping.planning.budget import Budget, make_plan
from threadping.planning.defaults import Start
from threadping.planning.schedule import Ended
from threadping.studies.which.cases import situations_of
from threadping.studies.which.study import InTurn

CASES = (case_of(RING, ONE), case_of(RING, ONE, TOGETHER), case_of(DEQUE, WORK), case_of(DEQUE, WORK, TOGETHER))
PACES = {name: one.pace for name, one in EXPERIMENTS.items()}


def in_turn(budget_s: float) -> InTurn:
    plan = make_plan(CASES, Budget(budget_s, {"cpp": Start(0.05)}, PACES, 3))
    return InTurn(plan, [*situations_of(CASES).values()], lambda seen: seen.figures["ops_per_s"])


def measured(schedule: InTurn, times: float = 1.0) -> tuple[list[int], float]:
    """Which cases are measured, where each trial takes so many times what it was to take; how much time is left."""
    order, left_s, rounds = [], schedule.seconds, [0]
    while turns := schedule.next((), lambda _: ()):
        (turn,) = turns
        if left_s < turn.needs_s:
            break
        wall_s = times * (schedule.plan.start_s[turn.case] + schedule.length(turn.case).seconds)
        left_s -= wall_s
        order.append(turn.case)
        rounds.append(turn.round)
        seen = Observation(turn.round, 0, CASES[turn.case], None, 1, {"ops_per_s": 1e6 + len(order)})
        schedule.ended(turn, Ended(seen, None, wall_s, (), ()), left_s)
    assert rounds == sorted(rounds) and rounds[-1] <= 2 * schedule.plan.rounds
    return order, left_s


def test_the_first_situation_is_measured_to_its_end_before_the_second() -> None:
    schedule = in_turn(20)
    order, left_s = measured(schedule)
    first = [case for case in order if case in (0, 2)]
    assert order[: len(first)] == first and {*order[len(first) :]} == {1, 3}
    assert len(first) > 12 and len(order) - len(first) > 12
    assert 0 <= left_s < 0.5
    assert (schedule.cut_short(), schedule.unreached()) == (None, None)


def test_where_trials_take_longer_the_later_situations_have_their_time_all_the_same() -> None:
    schedule = in_turn(6)
    assert schedule.plan.rounds == 6
    order, _ = measured(schedule, times=2.0)
    counts = [order.count(case) for case in range(4)]
    assert min(counts) >= 2 and max(counts) <= 6
    assert schedule.unreached() == "1 regime had fewer rounds than planned: trials took longer."


def test_a_case_that_is_given_up_leaves_its_time_to_the_others() -> None:
    schedule = in_turn(20)
    usual = measured(in_turn(20))[0].count(2)
    schedule.give_up(0)
    order, _ = measured(schedule)
    assert 0 not in order and order.count(2) > usual
    assert schedule.left()[0] == 0
