"""A way of waiting is judged by intervals over its trials, and by nothing that they do not tell."""

from collections.abc import Sequence
from math import inf
from random import Random

import pytest
from msgspec.structs import replace

from tests.conftest import make_distribution
from tests.golden.fixture import RUN
from tests.unit.studies.advise.examples import CASE, TEN_US, trial, trials
from threadping.analysis.analyse import analyse
from threadping.analysis.estimate import Estimate
from threadping.contract import Params
from threadping.experiments import EXPERIMENTS
from threadping.model.trials import Failure, Observation
from threadping.studies.advise.judging import JudgedWay, judge_way, next_way

CAPPED = replace(TEN_US, cpu_percent=20.0)


def burst(late: float) -> Observation:
    """A trial in which this share of the messages is late, by a millisecond."""
    on_time = round(2_000 * (1 - late))
    return replace(trial(), distributions={"latency_ns": make_distribution([1_000, 10**6], [on_time, 2_000 - on_time])})


@pytest.mark.parametrize(
    ("seen", "verdict", "misses"),
    [
        (trials(46), "meets", ()),
        (trials(40), "open", ()),  # in which one bad trial in ten may be unseen
        (trials(46, cpu=20.0), "meets", ()),
        (trials(7, p99=10_001), "misses", ("latency",)),  # 2% of its messages
        (trials(6, p99=10_001), "open", ()),
        ([burst(0.05), *trials(5)], "open", ()),
        (trials(1, p99=80_004), "misses", ("latency",)),  # of one trial what is off by more than a factor of 2
        (trials(2, p99=79_999), "open", ()),
        (trials(1, p99=1e6, cpu=1.0), "misses", ("latency",)),
        ([burst(0.1)], "open", ()),  # and for more of its messages than a bad trial that nobody has seen
        (trials(8, cpu=20.1), "misses", ("cpu",)),
        (trials(7, p99=10_001, cpu=21), "misses", ("latency", "cpu")),
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
    ],
)
def test_the_share_of_late_messages_decides_by_trials(
    seen: Sequence[Observation], verdict: str, misses: tuple[str, ...]
) -> None:
    found = judge_way(CASE, seen, CAPPED)
    assert (found.verdict, found.misses) == (verdict, misses)


@pytest.mark.parametrize(
    ("schedule", "held", "misses"),
    [
        ({"arrivals": "constant"}, 0.96, ("rate",)),
        ({"arrivals": "poisson"}, 0.96, ()),  # of 1,000 messages that are drawn 31 more or fewer are no surprise
        ({"arrivals": "poisson"}, 0.95, ("rate",)),
        ({"arrivals": "bursts", "burst": 20}, 0.96, ()),  # two bursts may be under way
        ({"arrivals": "bursts", "burst": 20}, 0.94, ("rate",)),
    ],
)
def test_fewer_messages_than_chance_allows_are_a_rate_that_is_missed(
    schedule: Params, held: float, misses: tuple[str, ...]
) -> None:
    case = replace(CASE, params={**CASE.params, **schedule})
    assert judge_way(case, [trial(case, held=held, messages=1_000) for _ in range(8)], CAPPED).misses == misses


@pytest.mark.parametrize("number", [3, 6, 12])
def test_a_rate_is_missed_just_where_a_row_of_these_trials_says_that_it_was_not_held(number: int) -> None:
    random, seen = Random(number), set()
    for _ in range(100):
        held = random.uniform(0.975, 1.0)
        each = [trial(held=held * random.uniform(0.99, 1.01), messages=4_000) for _ in range(number)]
        (row,) = analyse(replace(RUN, cases=(CASE,)), each, (), {"paced": EXPERIMENTS["paced"].figures}).rows
        found, said = judge_way(CASE, each, TEN_US), "not-held" in row.warned
        assert ("rate" in found.misses, found.p99 is None) == (said, said)
        seen.add(said)
    assert seen == {True, False}


def test_a_late_message_of_a_short_first_trial_does_not_outvote_those_after_it() -> None:
    first = trial(p99=20_000, messages=40)  # one of them
    found = judge_way(CASE, [first, trial(messages=1_250)], CAPPED)
    assert found.p99 is not None
    assert (found.p99.value, found.is_within(CAPPED), found.verdict) == (5_000, True, "open")


def test_a_way_that_failed_misses_and_one_that_failed_once_is_judged_by_its_other_trials() -> None:
    failed = replace(trial(), failure=Failure("stalled", "No message came."), figures={}, distributions={})
    assert judge_way(CASE, [failed], CAPPED).misses == ("failed",)
    assert judge_way(CASE, [failed, *trials(46)], CAPPED).verdict == "meets"


def test_without_a_limit_of_cpu_time_none_needs_to_be_known() -> None:
    seen = [replace(one, figures={"counters.measured_ns": 1e9}) for one in trials(46)]
    assert (judge_way(CASE, seen, TEN_US).verdict, judge_way(CASE, seen, CAPPED).verdict) == ("meets", "open")


def a_way(cpu: float, p99: float, verdict: str = "open", trials: int = 2) -> JudgedWay:
    misses = ("latency",) if verdict == "misses" else ()
    return JudgedWay(CASE, trials, Estimate(p99, 0, inf), Estimate(cpu, 0, inf), None, verdict, misses)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ways", "place"),
    [
        ([a_way(90, 1), a_way(9, 5e3), a_way(2, 11e3)], 1),  # the cheapest that would meet it
        (
            [a_way(9, 9e3), a_way(9.8, 5e3), a_way(10, 1e3)],
            1,
        ),  # of what is as cheap the quickest: it is sure the soonest
        ([a_way(90, 1), a_way(9, 5e3, "meets"), a_way(2, 11e3)], 2),  # then what is cheaper and not ruled out
        ([a_way(90, 1), a_way(9, 5e3, "meets"), a_way(2, 11e3, trials=100)], None),  # too close to decide
        ([a_way(90, 1), a_way(9, 5e3, "meets"), a_way(2, 11e3, "misses")], None),
        ([a_way(8.5, 1), a_way(9, 5e3, "meets")], None),  # no cheaper, to speak of
        ([a_way(3, 12e3, trials=4), a_way(9, 11e3, trials=3)], 1),  # nobody knows which: each in turn
        ([a_way(3, 80e3, "misses"), a_way(99, 40e3, "misses")], 1),  # the quickest, until its figures are sure
        ([a_way(3, 80e3, "misses"), a_way(99, 40e3, "misses", trials=8)], None),
        ([a_way(3, 9e3, trials=60), a_way(30, 4e3, trials=3)], 1),  # undecided for long: another has its turn
        ([a_way(3, 9e3, trials=60), a_way(30, 4e3, "meets", trials=46)], 0),  # and then it goes on
    ],
)
def test_next_is_what_can_change_the_advice(ways: Sequence[JudgedWay], place: int | None) -> None:
    assert next_way(ways, TEN_US, 100) == place
