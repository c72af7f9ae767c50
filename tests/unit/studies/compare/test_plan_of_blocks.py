"""The two sides of a comparison, and the plan of its blocks."""

from collections import Counter
from collections.abc import Callable, Iterable
from random import Random
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.golden.fixture import DECLARED, RUN
from tests.unit.analysis.examples import SIGNAL
from tests.unit.planning.examples import CRITICAL, WAIT, Offer, inventory, lock, mechanism, offer, queue
from threadping.analysis.analyse import analyse
from threadping.model.cases import Case, Placement, WarmupPolicy
from threadping.model.errors import BudgetTooSmall, NothingToMeasure, UsageError
from threadping.model.run import Comparing, Observation
from threadping.planning.defaults import Length, Pace, Start, in_blocks
from threadping.planning.plan import Budget, premises_of
from threadping.planning.schedule import Ended, Turn
from threadping.planning.selection import Selection
from threadping.studies.compare.blocks import (
    BlockPlan,
    BlockSchedule,
    TrialBlock,
    first_looks_s,
    make_blocks,
    order,
)
from threadping.studies.compare.study import Pairs, Sides, making_alike, pairs_of, sides

APART = Placement("same-l3", (0, 1))
STARTS = {"cpp": Start(0.047), "java-17": Start(0.247, compiles=True), "java-25": Start(0.247, compiles=True)}
PACES = {"signal": Pace(in_blocks)}


def case(name: str, runtime: str = "cpp", *, blocking: bool = False) -> Case:
    return replace(SIGNAL, mechanism=name, runtime=runtime, placement=APART, blocking=blocking)


def plan(*pairs: tuple[Case, Case], budget_s: float = 60, seed: int = 7, **how: Any) -> BlockPlan:
    return make_blocks(pairs, Budget(budget_s, STARTS, PACES, seed), **how)


X, Y, Z = (case("a"), case("b")), (case("c"), case("d")), (case("e"), case("f"))


def test_trials_of_both_sides_are_as_long_as_the_slower_one_or_the_samples_of_a_percentile_need() -> None:
    """In a minute 14 of 116 trials had no p99, and the answer was that trials failed."""
    rows: list[tuple[tuple[Case, Case], Length, float]] = [
        (X, Length(0.035, 0.035), 0.087),
        ((case("a"), case("b", blocking=True)), Length(0.12, 0.1), 0.4),
        ((case("a"), case("a", "java-17")), Length(1.2, 0.25), 0.25),
        ((case("a", "java-17"), case("a", "java-25")), Length(1.2, 0.25), 0.25),
    ]
    for pair, length, sampling_s in rows:
        assert plan(pair).plan.lengths == (length, length)
        assert plan(pair, samples=1000).plan.lengths[0].measure_s == pytest.approx(sampling_s, rel=0.01)


# A trial is 0.038 + 0.012 of start and ping, 0.0175 of warming up and 0.035 of measuring: a block is 0.41 s.
def test_every_pair_is_planned_and_as_many_begin_at_once_as_have_time_for_six_blocks_and_the_one_thrown_away() -> None:
    found = plan(X, Y, Z, budget_s=6)
    assert (found.pairs, found.first) == (((0, 1), (2, 3), (4, 5)), 2)
    assert plan((case("a", "java-17"), case("a", "java-25")), X, budget_s=25).first == 1


def test_a_pair_may_have_all_blocks_that_short_warmups_and_settled_others_leave_it() -> None:
    """With warm-ups of a quarter of their limit a block is 0.375 s."""
    assert plan(X, budget_s=6).plan.rounds == 14
    assert plan(X, Y, budget_s=6).plan.rounds == 9
    assert plan(X, budget_s=30).plan.rounds == 77
    assert plan(X, budget_s=6000).plan.rounds == 500


@pytest.mark.parametrize("slow", [0.5, 3.0])
def test_the_budget_named_for_all_pairs_fits_them(slow: float) -> None:
    pairs = [X, Y, Z, (case("a", "java-17"), case("b", "java-17"))]
    part = plan(*pairs, budget_s=6)
    of = Comparing("mechanism", "a", "b", part.pairs, "headline", 0.03)
    run = replace(RUN, cases=part.plan.cases, premises=premises_of(part.plan, STARTS), study=of, rounds=9)
    seen = [Observation(1, 0, one, None, round(slow * 102_500_000)) for one in X]
    whole_s = first_looks_s(analyse(run, seen, (), DECLARED), of)
    assert plan(*pairs, budget_s=whole_s).first == 4
    assert first_looks_s(analyse(run, [], (), DECLARED), of) * max(1, slow) == pytest.approx(whole_s)


def test_pairs_begin_at_the_corners_of_what_was_named() -> None:
    threads = [replace(APART, cpus=(0,) * number) for number in (1, 2, 3, 4)]
    of_a = [replace(case("a", name), placement=at) for name in ("java-17", "java-25") for at in threads]
    found = plan(*((a, replace(a, mechanism="b")) for a in of_a), named=("runtime", "threads"))
    asked = [(found.plan.cases[a].runtime[-2:], found.plan.cases[a].threads) for a, _ in found.pairs]
    corners = [("17", 1), ("25", 4), ("17", 4), ("25", 1)]
    assert asked == [*corners, ("17", 2), ("25", 2), ("17", 3), ("25", 3)]


def test_a_budget_too_small_for_one_analysis_is_refused_and_a_sufficient_one_named() -> None:
    with pytest.raises(BudgetTooSmall, match=r": 20 trials to compare a .* take more\. Give at least --budget 2\.1s"):
        plan(X, budget_s=2)
    assert plan(X, budget_s=2.1).first == 1


def carried_out(
    wanted: BlockPlan,
    value: Callable[[Turn, int], float | None] = lambda *_: 1.0,
    settles: Callable[[int, list[TrialBlock]], bool] = lambda *_: False,
    trials: int = 400,
    hopeless: Iterable[int] = (),
    wall_s: Callable[[int], float] = lambda _: 0.1025,
) -> list[Turn]:
    """The trials within its budget that nothing disturbs; a trial of a hopeless case fails, and it is given up."""
    values: list[float | None] = []
    schedule = BlockSchedule(wanted, lambda *_: values[-1], lambda pair, blocks: settles(pair, [*blocks]))
    turns: list[Turn] = []
    left_s = schedule.seconds
    while len(turns) < trials and (batch := schedule.next((), lambda _: (26.0,))):
        (turn,) = batch
        if turn.needs_s > left_s:
            break
        assert schedule.next((), lambda _: (26.0,)) == batch  # asking twice changes nothing
        values.append(value(turn, len(turns)))
        turns.append(turn)
        seen = Observation(turn.round, 0, wanted.plan.cases[turn.case], None, 1, side=turn.side)
        if turn.case in hopeless:
            schedule.give_up(turn.case)
        left_s -= wall_s(len(turns))
        schedule.ended(turn, Ended(seen, None, wall_s(len(turns)), (26.0,), (26.0,)), left_s)
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
    turns = carried_out(plan(X, budget_s=600), wall_s=float)
    assert [turn.needs_s > 0 for turn in turns] == [False] * 8 + ([True] + [False] * 3) * (len(turns) // 4 - 2)
    for number, turn in enumerate(turns):
        if turn.needs_s:  # as each side took in its last six trials
            took = [[at + 1 for at in range(number) if turns[at].case == side][-6:] for side in (0, 1)]
            assert turn.needs_s == pytest.approx(2 * sum(map(fmean, took)))


def test_a_pair_that_a_look_settles_leaves_its_time_to_the_others() -> None:
    wanted = plan(X, Y, budget_s=6)
    turns = carried_out(wanted, settles=lambda pair, blocks: pair == 0 and len(blocks) == 4)
    assert Counter(turn.case // 2 for turn in turns) == {0: 4 * 5, 1: 4 * 9}


def test_a_pair_waits_until_its_first_analysis_fits_in_addition_to_those_that_have_begun() -> None:
    """Seven blocks of two pairs are 5.74 s."""

    def blocks(budget_s: float, **how: Any) -> dict[int, float]:
        turns = carried_out(plan(X, Y, Z, budget_s=budget_s), **how)
        return {pair: trials / 4 for pair, trials in Counter(turn.case // 2 for turn in turns).items()}

    assert {*blocks(6)} == {0, 1}
    settling: Any = {"settles": lambda pair, blocks: len(blocks) == 4 and pair < 2}
    assert blocks(6, **settling) == {0: 5, 1: 5}  # 1.9 s are too little for five blocks
    assert blocks(6.5, **settling) == {0: 5, 1: 5, 2: 5}
    assert blocks(6.5, wall_s=lambda _: 0.07) == {0: 8, 1: 8, 2: 7}


def test_no_pair_begins_before_one_that_covers_more_and_takes_longer_unless_all_others_are_settled() -> None:
    expensive = case("e", "java-17"), case("f", "java-17")  # its blocks are planned to take 4.4 s
    wanted = plan(X, expensive, Y, budget_s=12)
    assert (wanted.first, {turn.case // 2 for turn in carried_out(wanted)}) == (1, {0})
    assert {turn.case // 2 for turn in carried_out(wanted, settles=lambda *_: True)} == {0, 2}


def test_the_last_seconds_go_to_a_pair_whose_block_fits() -> None:
    """Two pairs have begun; a block of the first takes 4 s, one of the other 0.4."""
    begun: list[Turn] = []

    def wall_s(_: int) -> float:
        return 1.0 if begun[-1].case < 2 else 0.1

    wanted = plan((case("e", "java-17"), case("f", "java-17")), X, budget_s=39)
    turns = carried_out(wanted, lambda turn, _: begun.append(turn) or 1.0, wall_s=wall_s)  # type: ignore[func-returns-value]
    assert wanted.first == 2 and turns[-1].case >= 2
    assert 39 - sum(1.0 if turn.case < 2 else 0.1 for turn in turns) < 0.4 + 1e-6


@settings(max_examples=30)
@given(st.integers(1, 6), st.floats(3, 60), st.floats(0.07, 0.2), st.randoms(use_true_random=False), st.floats(0, 1))
def test_no_seconds_are_left_while_a_pair_is_open_that_has_a_use_for_them(
    number: int, budget_s: float, wall_s: float, chance: Random, settled: float
) -> None:
    """A pair that has begun has a use for one block, one that waits for five; what begins is not thrown away alone."""
    wanted = plan(*((case(f"a{at}"), case(f"b{at}")) for at in range(number)), budget_s=budget_s)
    open_ = {*range(number)}

    def settles(pair: int, _blocks: list[TrialBlock]) -> bool:
        open_.difference_update([pair] if chance.random() < settled else [])
        return pair not in open_

    turns = carried_out(wanted, settles=settles, trials=10_000, wall_s=lambda _: wall_s)
    blocks = {pair: trials // 4 for pair, trials in Counter(turn.case // 2 for turn in turns).items()}
    left_s, block_s = budget_s - len(turns) * wall_s, 4 * wall_s
    assert len(turns) % 4 == 0 and min(blocks.values()) >= 2
    for pair in open_:
        if pair in blocks:
            assert left_s <= block_s + 1e-9 or blocks[pair] > wanted.plan.rounds
        elif all(other not in blocks or blocks[other] > wanted.plan.rounds for other in open_):
            assert left_s <= 5 * block_s + 1e-9


def test_the_first_block_is_looked_at_by_nobody_and_a_spoilt_one_is_repeated() -> None:
    heard: list[int] = []

    def settles(_: int, blocks: list[TrialBlock]) -> bool:
        heard.append(len(blocks))
        return False

    wanted = plan(X, budget_s=3)
    turns = carried_out(
        wanted, lambda turn, _: None if turn.round in (0, 2, 6) else 1.0, settles, wall_s=lambda _: 0.07
    )
    assert (wanted.plan.rounds, heard) == (6, [5])  # four that are sound, and one that is not; the last is no look
    assert max(turn.round for turn in turns) == 2 + wanted.plan.rounds
    assert all(turn.round <= turn.rounds for turn in turns)  # none is "block 13 of 11"


def test_a_case_that_is_given_up_ends_its_comparison_and_no_other() -> None:
    for hopeless in (0, 1):  # of one the first trial of its block is, of the other a later one
        wanted = plan(X, Y, budget_s=6)
        turns = carried_out(wanted, hopeless=[hopeless])
        assert sum(turn.case in (0, 1) for turn in turns) <= 3
        sides = [turn.side for turn in turns if turn.case in (2, 3)]
        assert sides == [side for block in range(len(sides) // 4) for side in order(wanted.plan.seed, 1, block)]
        assert len(sides) == 4 * (1 + wanted.plan.rounds)


def test_what_settles_nothing_goes_on_as_long_as_the_budget_lasts() -> None:
    wanted = plan((X[0], X[0]), budget_s=30, settling=False)
    turns = carried_out(wanted, settles=lambda *_: True, trials=1000, wall_s=lambda _: 0.05)
    assert (len(turns), {turn.case for turn in turns}) == (4 * 149, {0})
    # A block is planned with 0.41 s and takes 0.2; with short warm-ups 77 of them were planned for.
    assert (turns[0].rounds, turns[-1].rounds) == (77, 149)


def test_what_is_left_is_what_the_last_look_of_each_open_pair_needs() -> None:
    wanted = plan(X, Y, budget_s=6)
    schedule = BlockSchedule(wanted, lambda *_: 1.0, lambda *_: False)
    found = [schedule.left()]
    for number in range(5):
        (turn,) = schedule.next((), lambda _: ())
        seen = Observation(turn.round, number, wanted.plan.cases[turn.case], None, 1, side=turn.side)
        schedule.ended(turn, Ended(seen, None, 0.1025, (), ()), 5.4)
    found.append(schedule.left())
    schedule.give_up(0)
    found.append(schedule.left())
    assert [trials for trials, _ in found] == [58, 51, 10 * 4 - 1]  # those of 80 and 75 that fit into the time
    assert [seconds for _, seconds in found] == pytest.approx([6.0, 5.4, 10 * 0.41])


CAS, SWAP = mechanism("cas", params=(WAIT,)), mechanism("swap", params=(WAIT,))
BLOCKING = mechanism("condition", blocking=True)
MUTEX = lock("mutex", params=(CRITICAL,))
BOTH = (offer("cpp", CAS, SWAP, BLOCKING), offer("cpp", MUTEX, experiment="lock"), offer("java-17", CAS, BLOCKING))
STEADY = (WarmupPolicy(0, 1), WarmupPolicy(10, 100_000))


def pairs(*offers: Offer, **selected: Any) -> Pairs:
    names = tuple(dict.fromkeys(one.experiment.name for one in offers))
    selection = Selection(experiments=names, **selected)
    two, here = sides(selection), inventory(*offers)
    alone = (here.described[:1], here.described[1:2]) if two.what == "runtime" else (here.described, here.described)
    return pairs_of(two, selection, here, alone)


def titles(found: Pairs) -> list[str]:
    return [f"{a.title} | {b.title}" for a, b in found.found]


def test_the_option_with_two_values_has_the_sides_the_first_of_them_is_a() -> None:
    rows: list[tuple[Any, Sides]] = [
        ({"runtimes": ("java-17", "java-25")}, Sides("runtime", "java-17", "java-25")),
        ({"mechanisms": ("swap", "cas")}, Sides("mechanism", "swap", "cas")),
        ({"params": {"wait": ("spin", "pause")}}, Sides("wait", "spin", "pause")),
        ({"placements": ("same-l3", "unpinned")}, Sides("placement", "same-l3", "unpinned")),
        ({"threads": (1, 2)}, Sides("threads", "1", "2")),
        ({"busy": (0, 2)}, Sides("busy", "0", "2")),
        ({"warmups": STEADY}, Sides("warmup", "steady", "10x100k")),
        ({"mechanisms": ("a", "b", "c"), "runtimes": ("x", "y")}, Sides("runtime", "x", "y")),
    ]
    for selected, found in rows:
        assert sides(Selection(**selected)) == found
        titles = {"busy": ("idle", "2 busy threads"), "threads": ("1 thread", "2 threads")}
        assert found.titles == titles.get(found.what, (found.a, found.b))


def test_two_options_with_two_values_each_are_refused() -> None:
    selected = Selection(mechanisms=("cas", "swap"), params={"wait": ("spin", "pause")})
    with pytest.raises(UsageError, match="but --mechanism cas,swap and --wait spin,pause both have two"):
        sides(selected)
    assert sides(selected, named=("cas", "swap")) == Sides("mechanism", "cas", "swap")


def test_a_and_b_differ_in_nothing_else_and_use_the_closest_cpus() -> None:
    rows: list[tuple[Any, list[str]]] = [
        ({"mechanisms": ("cas", "swap")}, ["cas cpp same-l3 | swap cpp same-l3"]),
        (
            {"params": {"wait": ("spin", "pause")}},
            [
                "cas cpp same-l3 | cas wait=pause cpp same-l3",
                "cas java-17 same-l3 | cas wait=pause java-17 same-l3",
                "swap cpp same-l3 | swap wait=pause cpp same-l3",
            ],
        ),
        (
            {"placements": ("same-l3", "same-cpu"), "mechanisms": ("condition",)},
            [f"condition {label} same-l3 | condition {label} same-cpu" for label in ("cpp", "java-17")],
        ),
        (
            {"runtimes": ("cpp", "java-17")},
            ["cas cpp same-l3 | cas java-17 same-l3", "condition cpp same-l3 | condition java-17 same-l3"],
        ),
        ({"busy": (0, 2), "mechanisms": ("swap",)}, ["swap cpp same-l3 | swap cpp same-l3 with 2 busy threads"]),
        ({"threads": (1, 2), "mechanisms": ("mutex",)}, ["mutex cpp 1 thread same-cpu | mutex cpp same-l3"]),
        (
            {"warmups": STEADY, "mechanisms": ("cas",), "placements": ("same-l3",), "params": {"wait": ("pause",)}},
            [f"cas wait=pause {one} same-l3 | cas wait=pause {one} same-l3 10x100k" for one in ("cpp", "java-17")],
        ),
    ]
    for selected, found in rows:
        assert sorted(titles(pairs(*BOTH, **selected))) == sorted(found)


def test_sides_with_other_numbers_of_threads_use_other_cpus() -> None:
    ring = offer("cpp", queue("queue", "producers", "consumers"), experiment="queue")
    assert titles(pairs(ring, params={"producers": ("1", "2")})) == [
        "queue cpp same-l3 | queue producers=2 cpp 3 threads same-l3"
    ]


def test_a_case_that_only_one_side_has_is_left_out_and_named() -> None:
    found = pairs(*BOTH, runtimes=("cpp", "java-17"))
    alone = {(one.what, one.reason) for one in found.skipped if one.reason.startswith("only")}
    assert ("swap cpp same-l3", "only cpp has it") in alone


def test_only_runtimes_that_are_compared_are_started_again() -> None:
    here = inventory(*BOTH)
    found = pairs(*BOTH, mechanisms=("cas", "swap")).found
    assert [one.label for one in here.only(case for pair in found for case in pair).runtimes] == ["cpp"]
    assert [one.label for one in here.runtimes] == ["cpp", "java-17"]


def test_sides_that_are_the_same_here_or_have_nothing_in_common_are_refused() -> None:
    with pytest.raises(UsageError, match=r"^A and B are the same here: condition cpp same-cpu\."):
        pairs(BOTH[0], mechanisms=("condition",), homes=("ping", "pong"), placements=("same-cpu",))
    with pytest.raises(NothingToMeasure, match=r"^mutex and swap have nothing in common.*only mutex has it"):
        pairs(*BOTH, mechanisms=("mutex", "swap"))


def test_a_monitor_against_another_lock_has_every_jvm_merge_nothing() -> None:
    """HotSpot merges neighbouring synchronized blocks: without the flag A does a quarter of B's work."""
    java = offer("java-17", lock("monitor"), lock("reentrant-lock"), experiment="lock")
    of_two = Selection(experiments=("lock",), mechanisms=("monitor", "reentrant-lock"))
    here = inventory(java)
    found = pairs_of(sides(of_two), of_two, here, (here.described, here.described))
    alike = making_alike(found, here, of_two)
    assert alike and alike.jvm_flags == {"no-coarsening": ("-XX:-EliminateLocks",)}
    assert making_alike(found, here, alike) is None, "it was asked for"
    newer = offer("java-25", lock("monitor"), experiment="lock")
    jvms = Selection(experiments=("lock",), mechanisms=("monitor",), runtimes=("java-17", "java-25"))
    both = inventory(java, newer)
    found = pairs_of(sides(jvms), jvms, both, (both.described[:1], both.described[1:]))
    assert found.found and making_alike(found, both, jvms) is None, "both sides merge"


def test_a_side_that_can_not_be_pinned_is_compared_with_the_other_unpinned() -> None:
    channel = mechanism("channel", blocking=True, pinnable=False)
    found = pairs(offer("cpp", BLOCKING, channel), mechanisms=("condition", "channel"))
    assert titles(found) == ["condition cpp unpinned | channel cpp unpinned"]
