"""Verdicts on blocks with a known truth: by hand, and on simulated machines."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from math import inf

import numpy as np
import pytest
from msgspec.structs import replace

from benchmarks.simulated.machines import MACHINES, OTHERS, blocks, measured
from threadping.studies.compare.blocks import ORDERS, Looks, SideTrial, TrialBlock, is_spoilt, looks, masked, order
from threadping.studies.compare.output import open_to, reach
from threadping.studies.compare.output import verdict_of_one as verdict
from threadping.studies.compare.power import power, share_of
from threadping.studies.compare.verdict import (
    PairBlocks,
    RatioTest,
    Rules,
    compare,
    conclude,
    counting,
    gate,
    is_slower,
)

STILL = MACHINES["still"]
RULES = Rules(0.03, looks(30))


def judge(given: Sequence[TrialBlock], rules: Rules = RULES, *, rate: bool = False, final: bool = False) -> RatioTest:
    return compare(PairBlocks(given, rate, 2.0), rules, final=final)


def changed(given: Sequence[TrialBlock], how: Callable[[int, SideTrial], SideTrial]) -> list[TrialBlock]:
    """Blocks with every trial changed, which are counted through."""
    return [
        TrialBlock(tuple(how(4 * place + at, trial) for at, trial in enumerate(block.trials)))
        for place, block in enumerate(given)
    ]


def fixed(ratio: float, number: int = 4, **how: float) -> list[TrialBlock]:
    return blocks(STILL, np.random.default_rng(5), number, ratio=ratio, **how)


def scaled(given: Sequence[TrialBlock], by: Callable[[int, SideTrial], float]) -> list[TrialBlock]:
    return changed(given, lambda at, trial: replace(trial, value=(trial.value or 0.0) * by(at, trial)))


def test_the_word() -> None:
    for ratio, latency, rate in [
        (1.2, "slower", "faster"),
        (0.8, "faster", "slower"),
        (1.0, "same", "same"),
        (1.02, "differs", "differs"),
    ]:
        found = judge(fixed(ratio, noise=0.001))
        assert (found.answer, judge(fixed(ratio, noise=0.001), rate=True).answer) == (latency, rate)
        assert found.ratio == pytest.approx(ratio, abs=0.003) and found.blocks == 4 and found.masked == 0
        assert found.decides and found.ci95 and found.decides[0] <= found.ci95[0] <= ratio <= found.ci95[1]
        assert found.needs_s is None and found.reasons == () and found.is_settled


def test_with_the_sides_exchanged_the_answer_is_mirrored() -> None:
    for name, machine in {**MACHINES, **OTHERS}.items():
        given = blocks(machine, np.random.default_rng(3), 6, ratio=1.04)
        one = judge(given)
        other = judge(changed(given, lambda _, trial: replace(trial, side="b" if trial.side == "a" else "a")))
        mirror = {"slower": "faster", "faster": "slower"}
        assert other.answer == mirror.get(one.answer, one.answer), name
        assert (other.reasons, other.masked, other.blocks) == (one.reasons, one.masked, one.blocks)
        assert one.ratio and one.decides and one.ci95 and other.ci95 and other.visible
        assert other.ratio == pytest.approx(1 / one.ratio)
        assert other.decides == pytest.approx((1 / one.decides[1], 1 / one.decides[0]))
        assert other.ci95 == pytest.approx((1 / one.ci95[1], 1 / one.ci95[0]))
        assert other.visible == pytest.approx(one.visible)


def test_between_looks_nothing_is_decided() -> None:
    given = fixed(1.2, 6)
    assert [judge(given[:number]).answer for number in range(3, 7)] == ["cannot-tell", "slower"] * 2
    assert judge(given[:5], final=True).answer == judge(given[:3], final=True).answer == "slower"
    between = judge(given[:5])
    assert (between.decides, between.slower, between.ci95 is None) == (None, None, False)
    few = judge(given[:2], final=True)
    assert (few.answer, few.reasons, few.visible) == ("cannot-tell", ("too-few-blocks",), None)
    assert judge([], final=True).reasons == ("too-few-blocks",)


def test_how_long_the_margin_takes() -> None:
    """Twice the noise takes four times as long."""
    given = fixed(1.0, 6, noise=0.03)
    squared = changed(given, lambda _, trial: replace(trial, value=(trial.value or 0.0) ** 2))
    once, twice = judge(given), judge(squared)
    assert once.answer == twice.answer == "cannot-tell" and once.direction is None
    assert once.needs_s and twice.needs_s == pytest.approx(4 * once.needs_s, rel=0.01)


@pytest.mark.parametrize(("ratio", "noise", "word"), [(1.0, 0.03, "same"), (1.02, 0.01, "differs")])
def test_in_the_time_that_the_margin_takes_nine_of_ten_runs_tell(ratio: float, noise: float, word: str) -> None:
    draw = np.random.default_rng(1)
    needs = [judge(blocks(STILL, draw, 6, noise=noise, ratio=ratio)).needs_s for _ in range(7)]
    number = round(float(np.median([one for one in needs if one])) / 2.0)
    once = Rules(0.03, Looks((number,)))
    found = Counter[str](judge(blocks(STILL, draw, number, noise=noise, ratio=ratio), once).answer for _ in range(5))
    assert number > 6 and found[word] >= 4


def test_what_is_visible_is_seen_in_nine_of_ten() -> None:
    draw, once = np.random.default_rng(2), Rules(0.03, Looks((9,)))
    seen = [judge(blocks(STILL, draw, 9), once).visible for _ in range(7)]
    visible = float(np.median([one for one in seen if one]))
    assert 1.005 < visible < 1.02
    answers = [judge(blocks(STILL, draw, 9, ratio=visible), once).answer for _ in range(10)]
    assert 8 <= sum(one != "same" for one in answers) <= 10


@pytest.mark.parametrize(("ratio", "word"), [(1.0, "same"), (1.05, "slower")])
def test_equals_are_the_same_and_five_percent_are_beyond_a_margin_of_three(ratio: float, word: str) -> None:
    """Trials differ by 1.1%; comparisons use 10 to 50% of at most 30 blocks."""
    draw = np.random.default_rng(24)
    every = [machine for machine in MACHINES.values() for _ in range(2)]
    found = [measured(blocks(machine, draw, 30, ratio=ratio), looks(30))[0] for machine in every]
    answers = Counter[str](one.answer for one in found)
    assert answers[word] >= len(every) - 1, answers
    assert all(one.decides and one.decides[0] <= ratio <= one.decides[1] for one in found)
    assert np.mean([one.blocks for one in found]) < 16
    assert not any("moves-the-state" in one.reasons for one in found)


def test_trials_in_two_groups_are_a_reason_to_doubt() -> None:
    two = scaled(fixed(1.0, 9), lambda at, _: 1.3 if at % 3 == 0 else 1.0)
    assert "bimodal" in judge(two).reasons


def test_load_on_a_half_of_the_run_and_a_change_halfway_are_never_a_difference() -> None:
    """As on shared runners, where one program against itself is 15.9% slower if the load fell on its half."""
    draw, answers = np.random.default_rng(8), Counter[str]()
    for _ in range(4):
        for factor in (1.159, 4.5):
            first = int(draw.integers(36))
            given = blocks(STILL, draw, 9)
            loaded = scaled(given, lambda at, _, since=first, by=factor: by if since <= at < since + 18 else 1.0)  # type: ignore[misc]
            answers[measured(loaded, looks(9))[0].answer] += 1
    assert answers["same"] >= 5 and answers["same"] + answers["cannot-tell"] == 8


def test_a_metric_in_steps_of_a_clock_is_known_only_to_a_step() -> None:
    draw = np.random.default_rng(6)
    for ratio in (1.0, 1.03):
        for given in (blocks(STILL, draw, 14, ratio=ratio) for _ in range(2)):
            ticks = changed(given, lambda _, trial: replace(trial, value=5.0 * round((trial.value or 0.0) / 5.0)))
            found = judge(ticks)
            assert (found.answer, found.needs_s) == ("cannot-tell", None) and "coarse" in found.reasons
            assert found.decides and found.decides[0] <= ratio <= found.decides[1]
    fine = changed(fixed(1.0, 6), lambda _, trial: replace(trial, value=round(trial.value or 0.0, 2)))
    assert judge(fine).answer == "same" and "coarse" not in judge(fine).reasons


def test_what_fails() -> None:
    def without(lost: Callable[[int, SideTrial], bool], ratio: float = 1.2, *, failed: bool = True) -> RatioTest:
        lacking = {"value": None, "failed": failed}
        given = changed(fixed(ratio, 21), lambda at, trial: replace(trial, **lacking) if lost(at, trial) else trial)
        return judge(given, final=True)

    one = without(lambda at, _: at == 5)
    assert (one.answer, one.masked, one.reasons, one.blocks) == ("slower", 1, (), 21)
    unlike = without(lambda at, trial: trial.side == "b" and at < 12)
    assert (unlike.answer, unlike.decides, unlike.reasons) == ("cannot-tell", None, ("failures",))
    assert unlike.ratio and unlike.blocks == 18 and unlike.needs_s is None
    alike = without(lambda at, _: at % 8 == 0)
    assert (alike.answer, alike.reasons) == ("cannot-tell", ("failures",))
    assert without(lambda _, trial: trial.side == "b").reasons == ("failures",)
    assert without(lambda _, __: True).reasons == ("failures",)
    absent = without(lambda at, _: at % 8 == 0, failed=False)
    assert (absent.answer, absent.reasons) == ("cannot-tell", ("metric-absent",))
    assert without(lambda _, __: True, failed=False).reasons == ("metric-absent",)


def test_one_failed_trial_does_not_blame_the_failures_where_the_metric_is_absent() -> None:
    """One of 116 trials failed, and 14 have no p99: the missing p99 is the reason."""
    given = changed(fixed(1.0, 29), lambda at, one: replace(one, value=None, failed=at == 28) if at > 24 else one)
    assert judge(given, final=True).reasons[0] == "metric-absent"


def test_blocks_next_to_other_programs_are_left_out_and_counted() -> None:
    def next_to(share: float, blocks: Collection[int], ratio: float = 1.2) -> RatioTest:
        given = changed(fixed(ratio, 9), lambda at, one: replace(one, others=share if at // 4 in blocks else 0.0))
        return judge(given, final=True)

    some = next_to(0.5, {0, 5})
    assert (some.answer, some.blocks, some.disturbed, some.reasons) == ("slower", 7, 2, ())
    every = next_to(0.5, range(9))
    assert (every.answer, every.blocks, every.disturbed, every.reasons) == ("cannot-tell", 0, 9, ("other-load",))
    assert next_to(0.09, range(9)).blocks == 9
    assert "other-load" in next_to(0.5, range(5)).reasons, "most of what was measured is left out"


def test_where_every_ping_crossed_nothing_is_left() -> None:
    crossed = changed(fixed(1.2, 6), lambda _, trial: replace(trial, before_ns=24.0, after_ns=130.0))
    found = judge(crossed, final=True)
    assert (found.answer, found.reasons, found.masked, found.blocks) == ("cannot-tell", ("masked",), 24, 0)


def test_what_leaves_another_state_behind_is_said() -> None:
    """Five percent after each trial of B, by which no trial is masked."""
    by = {"a": 1.0, "b": 1.05}
    after = changed(fixed(1.0, 6), lambda _, one: replace(one, after_ns=(one.after_ns or 0.0) * by[one.side]))
    unpinned = changed(after, lambda _, trial: replace(trial, before_ns=None, after_ns=None))
    assert (judge(after).answer, judge(after).reasons) == ("same", ("moves-the-state",))
    assert (judge(unpinned).answer, judge(unpinned).reasons) == ("same", ())


def test_several_comparisons_are_corrected_and_each_that_differs_leaves_more_to_the_others() -> None:
    """Holm by hand: of four blocks the least p is 2 / 6^4 = 0.00154, which is below 1% / 6 and above 1% / 7."""
    clear = fixed(1.2)

    def concluded(*pairs: list[TrialBlock]) -> list[str]:
        rules = Rules(0.03, Looks((len(pairs[0]),)))
        return [one.answer for one in conclude([*map(PairBlocks, pairs)], rules)]

    assert concluded(*[clear] * 6) == ["slower"] * 6
    assert concluded(*[clear] * 7) == ["cannot-tell"] * 7
    six = [fixed(1.2, 6), *[clear] * 6]
    assert concluded(*six) == ["slower"] * 7, "one of six blocks is sure, and six are left"
    assert concluded(six[0], *[clear] * 7) == ["slower", *["cannot-tell"] * 7]


def test_an_interim_analysis_that_settles_a_pair_is_final() -> None:
    """Its final interval would be narrower, and what is `same` might become `differs`."""
    given = fixed(1.0)
    (found,) = conclude([PairBlocks(given, seconds_per_block=2.0)], RULES)
    assert found == judge(given) != judge(given, final=True)


def test_the_gate() -> None:
    """3 where the whole interval is above 1.05, for a rate below 1 / 1.05; 4 only where nobody may be in doubt."""
    rows: list[tuple[tuple[float, float] | None, int, int]] = [
        ((1.06, 1.1), 3, 0),
        ((1.04, 1.1), 4, 0),
        ((1.04, 1.049), 0, 0),
        ((0.9, 0.94), 0, 3),
        ((0.9, 0.97), 0, 4),
        ((0.0, float("inf")), 4, 4),
        (None, 4, 4),
    ]
    for decides, latency, rate in rows:
        for higher, code in ((False, latency), (True, rate)):
            assert is_slower(decides, 0.05, higher) is {0: False, 3: True, 4: None}[code]


def test_the_gates_limit_is_the_margin_unless_it_has_its_own() -> None:
    rows: list[tuple[float, float, float | None, str, bool | None]] = [
        (1.1, 0.03, None, "slower", True),
        (1.1, 0.03, 0.2, "slower", False),
        (1.1, 0.2, 0.05, "differs", True),
        (1.1, 0.1, None, "cannot-tell", None),
        (1.1, 0.1, 0.05, "cannot-tell", True),
        (0.9, 0.03, None, "faster", False),
        (1.0, 0.03, None, "same", False),
    ]
    for ratio, margin, fail_above, answer, slower in rows:
        found = judge(fixed(ratio, 6, noise=0.002), Rules(margin, looks(30), fail_above))
        assert (found.answer, found.slower) == (answer, slower)
        assert found.is_settled is (answer != "cannot-tell")


def test_the_exit_code_of_a_gate() -> None:
    rows: list[tuple[Sequence[bool | None], int, int]] = [
        ((), 0, 0),
        ((False, False), 0, 0),
        ((False, None), 0, 4),
        ((None, True), 3, 3),
    ]
    for slower, code, strict in rows:
        found = [RatioTest(1.0, None, None, "slower", None, 4, 0, slower=one) for one in slower]
        assert (gate(found, strict=False), gate(found, strict=True)) == (code, strict)


def test_what_is_open_is_a_percentage_until_it_is_a_multiple() -> None:
    rows: list[tuple[tuple[float, float], str]] = [
        ((0.98, 1.055), "-2.0 to +5.5%"),
        ((0.5, 10.9), "-50 to +990%"),
        ((0.97, 747.5), "0.970x to 748x"),
    ]
    for decides, said in rows:
        assert open_to(RatioTest(1.0, decides, decides, "cannot-tell", None, 4, 0)) == said


def test_an_end_that_is_not_known_is_named() -> None:
    rows: list[tuple[tuple[float, float], str]] = [
        ((0.98, 1.041), "0.980 to 1.041"),
        ((1.02, inf), "1.020 or more"),
        ((0, 1.5), "1.500 or less"),
        ((0, inf), "anything"),
    ]
    for ends, said in rows:
        assert reach(ends) == said


def test_a_differing_b_is_measured_until_the_margin_decides() -> None:
    """The interim answer reports the difference, and the time that the margin takes."""
    near = judge(fixed(1.02, 6, noise=0.01))
    assert (near.answer, near.direction, near.slower, near.is_settled) == ("cannot-tell", "slower", None, False)
    assert verdict(near, 0.03).startswith("cannot tell whether B is slower by more than 3%: +0.")
    assert judge(fixed(1.02, 6, noise=0.01), rate=True).direction == "faster"


def test_a_look_that_another_question_ended_has_no_more_level_than_that_look() -> None:
    """A settled headline ended the run at an interim analysis; the p99 is judged at that level, not at the last one."""
    given = [PairBlocks(fixed(1.0, 9, noise=0.012), seconds_per_block=2.0)]
    strict = Rules(0.01, looks(30))
    (again,), (own,) = conclude(given, strict, again=True), conclude(given, strict)
    assert again.decides and own.decides and again.answer == "cannot-tell"
    assert again.decides[0] < own.decides[0] < own.decides[1] < again.decides[1]
    between = [PairBlocks(fixed(1.0, 8, noise=0.012), seconds_per_block=2.0)]
    assert conclude(between, strict, again=True) == conclude(between, strict)


def test_what_is_masked_counts_for_neither_side() -> None:
    given = changed(fixed(1.0), lambda at, one: replace(one, value=300.0, after_ns=130.0) if at in (1, 6) else one)
    kept = [*counting(given, "a"), *counting(given, "b")]
    assert len(kept) == 14 and max(kept) < 30


def test_orders_are_uniform_and_those_of_other_blocks_pairs_and_seeds_are_others() -> None:
    drawn = [order(seed, pair, block) for seed in range(10) for pair in range(10) for block in range(60)]
    assert set(drawn) == set(ORDERS) and len(ORDERS) == 6
    assert all(900 < times < 1100 for times in Counter(drawn).values())
    for here, there in ((drawn[:-1], drawn[1:]), (drawn[:-60], drawn[60:]), (drawn[:-600], drawn[600:])):
        assert 0.14 < sum(one == other for one, other in zip(here, there, strict=True)) / len(here) < 0.19
    assert order(7, 1, 2) == order(7, 1, 2)


def test_masks() -> None:
    """Values, and which side a trial is of, make no difference."""
    rows: list[tuple[tuple[tuple[float | None, float | None], ...], str]] = [
        (((24, 25), (25, 26), (26, 24), (24, 24)), "...."),
        (((24, 25), (25, 32), (32, 24), (24, 24)), ".xx."),  # crossed, there and back
        (((24, 24), (24, 24), (33, 33), (24, 24)), "..x."),  # in another state
        (((33, 33), (33, 33), (33, 33), (24, 24)), "...x"),
        (((None, None), (None, None), (None, None), (None, None)), "...."),
        (((24, None), (None, 24), (None, None), (40, None)), "...x"),
    ]
    for pings, out in rows:
        for sides, values in ((ORDERS[0], (1.0, 9.0, 4.0, 2.0)), (ORDERS[-1], (5.0, 5.0, 5.0, 5.0))):
            trials = zip(sides, values, pings, strict=True)
            block = TrialBlock(tuple(SideTrial(side, value, *around) for side, value, around in trials))
            assert masked(block) == tuple(one == "x" for one in out)
            assert is_spoilt(block) is (out.count("x") > 1)
        without = (SideTrial("a", None), SideTrial("b", 0.0), SideTrial("a", 1.0), SideTrial("b", 1.0))
        assert masked(TrialBlock(without)) == (True, True, False, False), "no value that has a logarithm"


def test_planted_differences_are_seen_as_often_as_real_ones() -> None:
    draw, machine = np.random.default_rng(4), MACHINES["levels 10% apart"]
    found = power([blocks(machine, draw, 6) for _ in range(10)], looks=looks(6), shifts=(0.0, 0.02, 0.05), draws=50)
    real = [measured(blocks(machine, draw, 6, ratio=1.02), looks(6))[0].direction for _ in range(30)]
    assert found.seen[0.0] <= 0.015 and 0.4 <= found.seen[0.02] < found.seen[0.05]
    assert abs(found.seen[0.02] - real.count("slower") / 30) <= 0.15
    assert (found.comparisons, found.blocks) == (10, 6) and found.false_alarms <= 1


def test_false_alarms_are_those_of_the_sides_that_were_measured() -> None:
    draw, still = np.random.default_rng(4), MACHINES["still"]
    runs = [blocks(still, draw, number, ratio=ratio) for number, ratio in ((4, 1.1), (9, 0.9), (6, 1.0), (5, 1.015))]
    found = power(runs, looks=looks(9), shifts=(), draws=0)
    assert (found.comparisons, found.false_alarms) == (4, 2)  # p of the last is 1.7 times its level
    assert (found.blocks, found.seen) == (9, {})


def test_a_share_of_few_comparisons_says_between_what_it_lies() -> None:
    """None of ten excludes no more than 26%: 0.741 to the tenth is 5%."""
    assert share_of(0, 10) == pytest.approx((0.0, 1 - 0.05**0.1))
    assert share_of(10, 10) == pytest.approx((0.05**0.1, 1.0))
    assert share_of(0, 300)[1] == pytest.approx(0.01, abs=2e-4), "three hundred are needed for one in a hundred"
    assert share_of(2, 10) == pytest.approx((1 - share_of(8, 10)[1], 1 - share_of(8, 10)[0]))
    low, high = share_of(4.5, 10)
    assert (low, high) == (share_of(4, 10)[0], share_of(5, 10)[1])
