"""Judging of wait strategies, down to the floor of the sender."""

from collections.abc import Sequence
from math import inf
from random import Random

import pytest
from msgspec.structs import replace

from tests.conftest import make_distribution
from tests.golden.fixture import RUN
from tests.unit.studies.recommend_wait.examples import CASE, TEN_US, late_sender, timed, trial, trials, way
from tests.unit.studies.recommend_wait.test_search_for_advice import TRUTH, searched
from threadping.analysis.analyse import analyse
from threadping.experiments import EXPERIMENTS
from threadping.model import cases, contract, run
from threadping.studies.recommend_wait import judging
from threadping.studies.recommend_wait.output import configure, say_advice

CAPPED = replace(TEN_US, cpu_percent=20.0)


def burst(late: float, late_ns: int = 10**6) -> run.Observation:
    """A trial in which this share of the messages is late, by a millisecond, because of the wait strategy."""
    number = round(2_000 * late)
    times = {1_000: 2_000 - number, late_ns: number} if number < 2_000 else {late_ns: 2_000}
    return timed(trial(), times, times, {30: 2_000})


def test_the_share_of_late_messages_decides_by_trials() -> None:
    rows: list[tuple[Sequence[run.Observation], str, tuple[str, ...]]] = [
        (trials(46), "meets", ()),
        (trials(40), "open", ()),  # in which one bad trial in ten may be unseen
        (trials(46, cpu=20.0), "meets", ()),
        (trials(7, p99=10_001), "misses", ("latency",)),  # 2% of its messages
        (trials(6, p99=10_001), "open", ()),
        ([burst(0.05), *trials(5)], "open", ()),
        ([burst(1.0) for _ in range(3)], "misses", ("latency",)),
        ([burst(0.05) for _ in range(3)], "misses", ("latency",)),
        ([burst(0.04) for _ in range(3)], "open", ()),
        ([burst(1.0, 199_000) for _ in range(2)], "open", ()),  # of less than three trials what is 20 times above it
        ([burst(1.0, 201_000)], "misses", ("latency",)),
        ([burst(0.51, 201_000)], "misses", ("latency",)),
        ([burst(0.49)], "open", ()),  # and for half of the messages: a CPU that is taken away for 49 ms of 100
        (trials(1, p99=1e6, cpu=1.0), "misses", ("latency",)),  # 2% at a millisecond, the others at 250 us
        (trials(8, cpu=20.1), "misses", ("cpu",)),
        (trials(7, cpu=39.0), "open", ()),  # of less than eight trials what is twice as expensive
        (trials(3, cpu=41.0), "misses", ("cpu",)),
        (trials(2, cpu=59.0), "open", ()),  # of less than three what is three times as expensive
        (trials(1, cpu=61.0), "misses", ("cpu",)),
        (trials(7, p99=10_001, cpu=41), "misses", ("latency", "cpu")),
        ([*trials(60), trial(p99=12_000)], "meets", ()),
        ([*trials(45), *trials(15, p99=12_000)], "open", ()),  # 0.5% of all
        ([burst(0.1), *trials(46)], "open", ()),
        ([burst(0.1), *trials(70)], "meets", ()),
        ([burst(0.5), *trials(70)], "open", ()),  # a worse one has been seen: 0.7% of all
        ([burst(0.3), *trials(170)], "open", ()),  # as bad as that another may be: 0.2% of all were late
        ([trial(held=0.9905, messages=20_000)] * 46, "open", ()),  # 0.9% did not come
        ([trial(held=0.98) for _ in range(3)], "misses", ("rate",)),
        ([trial(held=0.98) for _ in range(2)], "open", ()),
        ([trial(held=0.985, messages=100) for _ in range(46)], "meets", ()),  # two of 100 may be under way
        ([], "open", ()),
    ]
    for seen, verdict, misses in rows:
        found = judging.judge_way(CASE, seen, CAPPED)
        assert (found.verdict, found.misses) == (verdict, misses)


@pytest.mark.parametrize("trials", [8, 44, 46, 94, 240])
def test_a_limit_that_the_trials_cannot_rule_out_is_missed_by_more_than_1_percent(trials: int) -> None:
    rare = judging.rarest_seen(trials)
    assert (1 - 1 / rare) ** trials <= 0.01 < (1 - 1 / (rare + 1)) ** trials


@pytest.mark.parametrize("late", [0.02, 0.3, 1.0])
def test_what_the_sender_is_late_by_rules_out_nothing_and_lets_nothing_meet_it(late: float) -> None:
    """A compiler's time slice: p99 2.00 ms; 2 ms of it are the sender's. The wait strategy takes 1 us."""
    found = judging.judge_way(CASE, [late_sender(share=late) for _ in range(60)], CAPPED)
    assert (found.verdict, found.misses, found.has_late_sender) == ("open", (), True)
    assert (found.late, found.sender_late, found.sender_p99) == (late, late, 2_000_000)


def test_what_both_are_late_by_is_open_where_each_alone_is_within() -> None:
    """6 us of the sender and 6 us of the wait strategy are more than 10 us, and nobody's fault alone."""
    both = timed(trial(), {12_000: 2_000}, {6_000: 2_000}, {6_000: 2_000})
    found = judging.judge_way(CASE, [both] * 60, CAPPED)
    assert (found.verdict, found.late, found.sender_late, found.has_late_sender) == ("open", 1.0, 0.0, False)


def test_what_the_wait_strategy_adds_is_missed_whatever_the_sender_does() -> None:
    late = timed(trial(), {2_050_000: 2_000}, {50_000: 2_000}, {2_000_000: 2_000})
    assert judging.judge_way(CASE, [late] * 3, CAPPED).misses == ("latency",)


def test_a_trial_next_to_other_programs_decides_nothing() -> None:
    rows: list[tuple[float | None, float, int, bool]] = [
        (None, 0.3, 2, True),
        (0.1, 0.3, 2, True),
        (0.11, 0.3, 2, False),  # 66 ms
        (0.8, 0.3, 2, False),
        (0.19, 0.1, 2, True),  # 38 ms: fewer than four ticks
        (0.21, 0.1, 2, False),
        (0.4, 0.09, 1, True),
        (0.5, 0.09, 1, False),
    ]
    for others, wall_s, cpus, usable in rows:
        case = replace(CASE, placement=replace(CASE.placement, cpus=tuple(range(cpus))))
        assert judging.decides(replace(trial(case), others=others, wall_ns=round(wall_s * 1e9))) == usable


def test_trials_that_do_not_decide_are_counted_and_change_no_verdict() -> None:
    busy = [replace(burst(1.0), others=0.5) for _ in range(20)]
    found = judging.judge_way(CASE, [*trials(46), *busy], CAPPED)
    assert (found.verdict, found.trials, found.left_out, found.late) == ("meets", 46, 20, 0.0)
    found = judging.judge_way(CASE, busy, CAPPED)
    assert (found.verdict, found.trials, found.left_out, found.p99) == ("open", 0, 20, None)


def share_of_others(random: Random, wall_s: float, uses: Sequence[tuple[float, float]], quiet: float) -> float:
    """Return the reading of two CPUs: the kernel charges the running program at ticks of 4 ms, and reports 10 ms.

    Of each CPU a program of ours uses one share without a break, and another one a moment at a time. How much that is
    in all is known exactly. Others use a `quiet` share of what is left.
    """
    charged_s = 0.0
    for whole, moments in uses:
        own = int(random.random() + whole * wall_s / 0.004)
        rest = moments + (1 - whole - moments) * quiet
        shared = sum(random.random() < rest for _ in range(round(wall_s / 0.004)))
        for ticks in (own, shared):  # user, system
            charged_s += 0.010 * int((random.uniform(0, 0.010) + ticks * 0.004) / 0.010)
    ours_s = wall_s * sum(whole + moments for whole, moments in uses)
    return max(0.0, (charged_s - ours_s) / (wall_s * len(uses)))


@pytest.mark.parametrize("wall_s", [0.15, 0.3, 1.0])
@pytest.mark.parametrize("uses", [((0.7, 0.05), (0.0, 0.05)), ((0.8, 0.05), (0.6, 0.05)), ((0.7, 0.05), (0.0, 0.2))])
def test_a_quiet_machine_loses_at_most_two_percent_of_its_trials(
    wall_s: float, uses: Sequence[tuple[float, float]]
) -> None:
    random, lost = Random(5), 0
    for _ in range(1_000):
        others = share_of_others(random, wall_s, uses, quiet=0.02)
        lost += not judging.decides(replace(trial(), others=others, wall_ns=round(wall_s * 1e9)))
    assert lost <= 20


def test_fewer_messages_than_chance_allows_are_a_rate_that_is_missed() -> None:
    rows: list[tuple[contract.Params, float, tuple[str, ...]]] = [
        ({"arrivals": "constant"}, 0.96, ("rate",)),
        ({"arrivals": "poisson"}, 0.96, ()),  # of 1,000 messages that are drawn 31 more or fewer are no surprise
        ({"arrivals": "poisson"}, 0.95, ("rate",)),
        ({"arrivals": "bursts", "burst": 20}, 0.96, ()),  # two bursts may be under way
        ({"arrivals": "bursts", "burst": 20}, 0.94, ("rate",)),
    ]
    for schedule, held, misses in rows:
        case = replace(CASE, params={**CASE.params, **schedule})
        assert (
            judging.judge_way(case, [trial(case, held=held, messages=1_000) for _ in range(8)], CAPPED).misses == misses
        )


@pytest.mark.parametrize("number", [3, 12])
def test_a_rate_is_missed_just_where_a_row_of_these_trials_says_that_it_was_not_held(number: int) -> None:
    random, seen = Random(number), set()
    for _ in range(40):
        held = random.uniform(0.975, 1.0)
        each = [trial(held=held * random.uniform(0.99, 1.01), messages=4_000) for _ in range(number)]
        (row,) = analyse(replace(RUN, cases=(CASE,)), each, (), {"load": EXPERIMENTS["load"].figures}).rows
        found, said = judging.judge_way(CASE, each, TEN_US), "not-held" in row.warned
        assert ("rate" in found.misses, found.p99 is None) == (said, said)
        seen.add(said)
    assert seen == {True, False}


def test_rounds_that_the_coordinator_did_not_begin_are_not_the_loss_of_how_they_are_released() -> None:
    """A thousand turns a second last 1 ms each. A round of 3 ms skips two turns because of its wait strategy."""
    rounds = replace(CASE, experiment="barrier", params={"pause": 1000, "pacing": "period"}, timed="call")
    hundred = run.Requirement(1000, 100_000.0, workers=3)

    def seen(done: dict[int, int], held: float) -> run.Observation:
        times = make_distribution([*done], [*done.values()])
        return replace(trial(rounds, messages=1_000, held=held), distributions={"done_ns": times})

    slept = judging.judge_way(rounds, [seen({20_000: 500}, 0.9)] * 60, hundred)
    assert (slept.verdict, slept.misses, slept.has_late_sender) == ("open", (), True)
    assert slept.late == slept.sender_late == pytest.approx(0.098, rel=0.01)
    slow = judging.judge_way(rounds, [seen({20_000: 450, 3_000_000: 30}, 0.9)] * 60, hundred)
    assert (slow.misses, slow.sender_late) == (("rate",), 0.0)
    late = judging.judge_way(rounds, [seen({20_000: 450, 500_000: 50}, 1.0)] * 3, hundred)
    assert (late.misses, late.late) == (("latency",), 0.1)


def test_a_late_message_of_a_short_first_trial_does_not_outvote_those_after_it() -> None:
    first = trial(p99=20_000, messages=40)  # one of them
    found = judging.judge_way(CASE, [first, trial(messages=1_250)], CAPPED)
    assert found.p99 and (found.p99.value, found.is_within(CAPPED), found.verdict) == (5_000, True, "open")


def test_a_way_that_failed_misses_and_one_that_failed_once_is_judged_by_its_other_trials() -> None:
    failed = replace(trial(), failure=run.Failure("stalled", "No message came."), figures={}, distributions={})
    assert judging.judge_way(CASE, [failed] * 2, CAPPED).misses == ("failed",)
    assert judging.judge_way(CASE, [failed], CAPPED).verdict == "open"
    assert judging.judge_way(CASE, [replace(failed, others=0.5)] * 2, CAPPED).verdict == "open"
    assert judging.judge_way(CASE, [failed, *trials(46)], CAPPED).verdict == "meets"


def test_without_a_limit_of_cpu_time_none_needs_to_be_known() -> None:
    seen = [replace(one, figures={"counters.measured_ns": 1e9}) for one in trials(46)]
    assert [judging.judge_way(CASE, seen, one).verdict for one in (TEN_US, CAPPED)] == ["meets", "open"]


def counted(*late: float) -> list[judging.LateCounts]:
    """Return trials of a hundred messages with these numbers of late ones."""
    return [judging.LateCounts(100.0, 0.0, one, one, 0.0, 0.0, alone=True) for one in late]


@pytest.mark.parametrize("late", [0, 2, 5])
def test_the_trials_that_would_decide_are_about_those_that_do(late: int) -> None:
    """Every tenth trial has this number of late messages in a hundred."""
    each = [float(late if place % 10 == 0 else 0) for place in range(400)]
    decide = next(n for n in range(8, 400) if judging.highest_share(each[:n], [100.0] * n) <= 0.01)
    found = counted(*each[:40])
    assert 40 + judging.more_to_meet(found, judging.spread(found)) == pytest.approx(decide, rel=0.25)


def test_what_few_trials_do_not_tell_is_as_in_those_of_others() -> None:
    one, others = counted(0.0), counted(*[0.0] * 90, *[5.0] * 10)
    assert judging.more_to_meet(one, judging.LateSpread()) == pytest.approx(45, abs=2)
    assert judging.more_to_meet(one, judging.spread(others)) > 90
    assert judging.more_to_meet(counted(3.0, 5.0, 4.0), judging.LateSpread()) == inf, "too late on average"


SPINS, SLEEPS = replace(way("release-one-line", wait="spin"), blocking=False), way("futex")
FAST, BURSTS = replace(TEN_US, rate=100_000), replace(TEN_US, arrivals="bursts", burst=50)


def behind(case: cases.Case, typical_ns: int = 8_400_000) -> run.Observation:
    """A trial in which the typical message is as late, since the sender gets its CPU for less than half of the time."""
    sent = {30: 300, typical_ns: 700}
    return timed(trial(case, messages=1_000), {1_030: 300, typical_ns + 1_000: 700}, {1_000: 1_000}, sent)


def test_the_sender_itself_is_later_than_is_allowed() -> None:
    rows: list[tuple[Sequence[run.Observation], run.Requirement, float | None]] = [
        ([late_sender(SPINS, 0.03)] * 5, TEN_US, 0.03),
        ([late_sender(SPINS, 0.03)] * 4, TEN_US, None),  # too few trials
        ([late_sender(SPINS, 0.3)] * 3, TEN_US, 0.3),
        ([late_sender(SPINS, 1)] * 2, TEN_US, None),
        ([late_sender(SPINS, 0.012)] * 8, TEN_US, None),  # more than 1%, but not significantly
        ([behind(SPINS)] * 3, FAST, 0.7),  # whatever is typical
        ([behind(SPINS)] * 3 + [behind(SLEEPS)] * 3, FAST, 0.7),
        ([behind(SPINS)] * 3 + [behind(SLEEPS)] * 2, FAST, None),  # two trials are too few
        ([late_sender(SPINS, 0.03)] * 8 + [late_sender(SLEEPS, 0.001)] * 8, TEN_US, None),
        ([late_sender(SPINS, 0.30)] * 8 + [late_sender(SLEEPS, 0.04)] * 8, TEN_US, 0.04),  # the better kind
        ([behind(SLEEPS, 12_000)] * 8, FAST, None),  # that is what waking the receiver takes
        ([behind(SLEEPS)] * 8, TEN_US, 0.7),  # of a millisecond it takes nothing
        ([late_sender(SPINS, 0)] * 8 + [behind(SLEEPS)] * 8, FAST, None),  # it is in time where that costs nothing
        ([behind(SPINS, 14_900)] * 8, BURSTS, None),  # 4.9 us are what is before a message in its burst
        ([behind(SPINS, 15_000)] * 8, BURSTS, 0.7),
        ([late_sender(SPINS, 0.3, held=0.8)] * 8, TEN_US, None),  # the queue is full: it waits for the receiver
        ([replace(behind(SPINS), others=0.5)] * 8, TEN_US, None),  # other programs: that is another answer
    ]
    for seen, required, late in rows:
        found = judging.advise(replace(RUN, cases=tuple(dict.fromkeys(one.case for one in seen)), study=required), seen)
        assert (found.floor and found.floor.late, found.outcome == "late-sender") == (late, late is not None)


def test_an_advice_says_so_in_place_of_blaming_the_wait_strategies() -> None:
    seen = [late_sender(SPINS, 0.03) for _ in range(8)]
    found = judging.advise(replace(RUN, cases=(SPINS,), study=replace(TEN_US, system="disruptor")), seen)
    assert say_advice(found) == (
        "Cannot tell: this machine could not keep the schedule. The sender alone was later than 10.0 µs for 3.0% of "
        "its messages, by a 99% bound over trials for at least 1.7% (8 trials). Something takes its CPU away."
    )
    assert configure(found) is None


def test_a_wait_strategy_that_meets_it_all_the_same_is_named() -> None:
    seen = [*(late_sender(SPINS, 0.03) for _ in range(8)), *trials(46, SLEEPS)]
    found = judging.advise(replace(RUN, cases=(SPINS, SLEEPS), study=TEN_US), seen)
    assert (found.floor, found.is_sure) == (None, True)


def test_a_search_ends_after_a_third_of_its_budget_where_nothing_can_be_decided() -> None:
    """Whatever takes the CPU away may end before."""
    late = searched(1, TEN_US, noise=lambda _random, case, *_: late_sender(case, 0.05))
    busy = searched(1, TEN_US, noise=lambda _random, case, *_: replace(trial(case), others=0.6))
    assert (late.advice.outcome, busy.advice.outcome) == ("late-sender", "busy")
    assert 20 <= min(late.seconds, busy.seconds) <= max(late.seconds, busy.seconds) < 23
    assert searched(1, TEN_US).seconds > 23 and len(TRUTH) == 9
