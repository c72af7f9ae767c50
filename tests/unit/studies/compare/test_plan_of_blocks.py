"""The plan and the schedule of a comparison."""

from collections import Counter
from collections.abc import Callable, Iterable
from statistics import fmean

import pytest
from msgspec.structs import replace

from tests.unit.analysis.examples import SIGNAL
from threadping.errors import BudgetTooSmall
from threadping.model.cases import Case, Placement
from threadping.model.trials import Observation
from threadping.plan.budget import Budget
from threadping.plan.length import Length, Start
from threadping.plan.schedule import Ended, Turn
from threadping.plan.windows import Pace, in_blocks
from threadping.studies.compare.blocks import TrialBlock, looks, order
from threadping.studies.compare.schedule import BlockPlan, BlockSchedule, make_blocks

APART = Placement("same-l3", (0, 1))
STARTS = {"cpp": Start(0.038), "java-17": Start(0.238, compiles=True), "java-25": Start(0.238, compiles=True)}
PACES = {"signal": Pace(in_blocks)}


def case(name: str, runtime: str = "cpp", *, blocking: bool = False) -> Case:
    return replace(SIGNAL, mechanism=name, runtime=runtime, placement=APART, blocking=blocking)


def plan(*pairs: tuple[Case, Case], budget_s: float = 60, settling: bool = True, seed: int = 7) -> BlockPlan:
    return make_blocks(pairs, Budget(budget_s, STARTS, PACES, seed), settling=settling)


X, Y = (case("a"), case("b")), (case("c"), case("d"))


@pytest.mark.parametrize(
    ("pair", "length"),
    [
        (X, Length(0.035, 0.035)),
        ((case("a"), case("b", blocking=True)), Length(0.12, 0.1)),
        ((case("a"), case("a", "java-17")), Length(1.2, 0.25)),
        ((case("a", "java-17"), case("a", "java-25")), Length(1.2, 0.25)),
    ],
)
def test_trials_of_both_sides_are_of_the_length_that_the_slower_one_needs(
    pair: tuple[Case, Case], length: Length
) -> None:
    assert plan(pair).plan.lengths == (length, length)


def test_a_budget_carries_two_looks_at_each_pair_and_says_what_the_others_need() -> None:
    # A trial is 0.038 + 0.012 of start and ping, 0.0175 of warming up and 0.035 of measuring: a block is 0.41 s.
    found = plan(X, Y, budget_s=6)
    assert (found.pairs, found.plan.rounds, found.looks) == (((0, 1), (2, 3)), 6, looks(6))
    found = plan(X, Y, (case("e"), case("f")), budget_s=6)
    assert (len(found.pairs), [one.what for one in found.left_out]) == (2, ["1 comparison"])
    assert found.left_out[0].reason == "too much for this budget; --budget 9.7s has room for them"
    assert plan(X, budget_s=30).plan.rounds == 70
    assert plan(X, budget_s=6000).plan.rounds == 100


def test_a_budget_without_room_for_one_look_is_refused_with_the_one_that_has() -> None:
    with pytest.raises(
        BudgetTooSmall, match=r": 20 trials to compare a .* take more\. Give at least --budget 2\.1s\.$"
    ):
        plan(X, budget_s=2)
    assert plan(X, budget_s=2.1).plan.rounds == 4


def carried_out(
    wanted: BlockPlan,
    value: Callable[[Turn, int], float | None] = lambda *_: 1.0,
    settles: Callable[[int, list[TrialBlock]], bool] = lambda *_: False,
    trials: int = 400,
    hopeless: Iterable[int] = (),
    wall_s: Callable[[int], float] = lambda _: 0.2,
) -> list[Turn]:
    """The trials of a comparison that nothing disturbs; a trial of a hopeless case fails, and it is given up."""
    values: list[float | None] = []
    heard: list[list[TrialBlock]] = [[] for _ in wanted.pairs]

    def settled(pair: int, blocks: object) -> bool:
        heard[pair] = list(blocks)  # type: ignore[call-overload]
        return settles(pair, heard[pair])

    schedule = BlockSchedule(wanted, lambda *_: values[-1], settled)
    turns: list[Turn] = []
    while len(turns) < trials and (batch := schedule.next((), lambda _: (26.0,))):
        (turn,) = batch
        assert schedule.next((), lambda _: (26.0,)) == batch  # asking twice changes nothing
        values.append(value(turn, len(turns)))
        turns.append(turn)
        seen = Observation(turn.round, 0, wanted.plan.cases[turn.case], None, 1, side=turn.side)
        if turn.case in hopeless:
            schedule.give_up(turn.case)
        schedule.ended(turn, Ended(seen, None, wall_s(len(turns)), (26.0,), (26.0,)), 1.0)
    return turns


def test_pairs_take_turns_a_block_each_in_the_orders_that_the_seed_draws() -> None:
    wanted = plan(X, Y, budget_s=6)
    turns = carried_out(wanted)
    assert Counter(turn.round for turn in turns) == dict.fromkeys(range(7), 8)
    for pair, (a, b) in enumerate(wanted.pairs):
        for block in range(7):
            own = [turn for turn in turns if turn.case in (a, b) and turn.round == block]
            assert tuple(turn.side for turn in own) == order(7, pair, block)
            assert [turn.case for turn in own] == [a if turn.side == "a" else b for turn in own]
    assert [turn.case // 2 for turn in turns[:24:4]] == [0, 1, 0, 1, 0, 1]


def test_only_a_block_begins_late_and_those_up_to_the_first_one_that_counts_are_measured_in_any_case() -> None:
    turns = carried_out(plan(X, budget_s=6), wall_s=float)
    assert [turn.needs_s > 0 for turn in turns] == [False] * 8 + ([True] + [False] * 3) * (len(turns) // 4 - 2)
    for number, turn in enumerate(turns):
        if turn.needs_s:  # as each side took in its last six trials
            took = [[at + 1 for at in range(number) if turns[at].case == side][-6:] for side in (0, 1)]
            assert turn.needs_s == pytest.approx(2 * sum(map(fmean, took)))


def test_a_pair_that_a_look_settles_leaves_its_time_to_the_others() -> None:
    wanted = plan(X, Y, budget_s=6)
    turns = carried_out(wanted, settles=lambda pair, blocks: pair == 0 and len(blocks) == 4)
    assert Counter(turn.case // 2 for turn in turns) == {0: 4 * 5, 1: 4 * 7}


def test_the_first_block_is_looked_at_by_nobody_and_a_spoilt_one_is_repeated() -> None:
    heard: list[int] = []

    def settles(_: int, blocks: list[TrialBlock]) -> bool:
        heard.append(len(blocks))
        return False

    def value(turn: Turn, number: int) -> float | None:
        return None if turn.round in (0, 2, 6) else 1.0

    turns = carried_out(plan(X, budget_s=3), value, settles)
    assert heard == [5]  # four that are sound, and the second, which is not; the sixth brings no further look
    assert max(turn.round for turn in turns) == 2 + plan(X, budget_s=3).plan.rounds
    assert all(turn.round <= turn.rounds for turn in turns)  # none is "block 13 of 11"


def test_a_case_that_is_given_up_ends_its_comparison_and_no_other() -> None:
    for hopeless in (0, 1):  # of one the first trial of its block is, of the other a later one
        wanted = plan(X, Y, budget_s=6)
        turns = carried_out(wanted, hopeless=[hopeless])
        assert sum(turn.case in (0, 1) for turn in turns) <= 3
        sides = [turn.side for turn in turns if turn.case in (2, 3)]
        assert sides == [side for block in range(7) for side in order(wanted.plan.seed, 1, block)]


def test_what_settles_nothing_goes_on_as_long_as_the_budget_lasts() -> None:
    wanted = plan((X[0], X[0]), budget_s=30, settling=False)
    turns = carried_out(wanted, settles=lambda *_: True, trials=1000)
    assert (len(turns), {turn.case for turn in turns}) == (1000, {0})
    # A block is planned with 0.41 s and takes 0.8; what was planned for is 70 of them.
    assert (turns[0].rounds, turns[-1].rounds) == (73, 70)


def test_what_is_left_is_what_the_last_look_of_each_open_pair_needs() -> None:
    wanted = plan(X, Y, budget_s=6)
    schedule = BlockSchedule(wanted, lambda *_: 1.0, lambda *_: False)
    found = [schedule.left()]
    for number in range(5):
        (turn,) = schedule.next((), lambda _: ())
        seen = Observation(turn.round, number, wanted.plan.cases[turn.case], None, 1, side=turn.side)
        schedule.ended(turn, Ended(seen, None, 0.1025, (), ()), 1.0)
    found.append(schedule.left())
    schedule.give_up(0)
    found.append(schedule.left())
    assert [trials for trials, _ in found] == [2 * 7 * 4, 2 * 7 * 4 - 5, 7 * 4 - 1]
    assert [seconds for _, seconds in found] == pytest.approx([14 * 0.41, 13 * 0.41, 7 * 0.41])
