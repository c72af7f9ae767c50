"""What no wait strategy can be better than: our own sender, a thread that only reads the clock, is late itself."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from tests.golden.fixture import RUN
from tests.unit.studies.advise.examples import TEN_US, late_sender, timed, trial, trials, way
from tests.unit.studies.advise.test_search_for_advice import TRUTH, searched
from threadping.model.cases import Case
from threadping.model.run import Observation
from threadping.model.studies import Requirement
from threadping.studies.advise.advice import advise
from threadping.studies.advise.output import say_advice
from threadping.studies.advise.systems import configure

SPINS, SLEEPS = replace(way("release-one-line", wait="spin"), blocking=False), way("futex")
FAST, BURSTS = replace(TEN_US, rate=100_000), replace(TEN_US, arrivals="bursts", burst=50)


def behind(case: Case, typical_ns: int = 8_400_000) -> Observation:
    """A trial in which the typical message is as late, since the sender gets its CPU for less than half of the time."""
    sent = {30: 300, typical_ns: 700}
    return timed(trial(case, messages=1_000), {1_030: 300, typical_ns + 1_000: 700}, {1_000: 1_000}, sent)


@pytest.mark.parametrize(
    ("seen", "required", "late"),
    [
        ([late_sender(SPINS, 0.03)] * 5, TEN_US, 0.03),
        ([late_sender(SPINS, 0.03)] * 4, TEN_US, None),  # too few trials
        ([late_sender(SPINS, 0.3)] * 3, TEN_US, 0.3),
        ([late_sender(SPINS, 1)] * 2, TEN_US, None),
        ([late_sender(SPINS, 0.012)] * 8, TEN_US, None),  # more than one in a hundred, but not surely
        ([behind(SPINS)] * 3, FAST, 0.7),  # whatever is typical
        ([behind(SPINS)] * 3 + [behind(SLEEPS)] * 3, FAST, 0.7),
        ([behind(SPINS)] * 3 + [behind(SLEEPS)] * 2, FAST, None),  # of which little is known yet
        ([late_sender(SPINS, 0.03)] * 8 + [late_sender(SLEEPS, 0.001)] * 8, TEN_US, None),
        ([late_sender(SPINS, 0.30)] * 8 + [late_sender(SLEEPS, 0.04)] * 8, TEN_US, 0.04),  # the better kind
        ([behind(SLEEPS, 12_000)] * 8, FAST, None),  # that is what waking the receiver takes
        ([behind(SLEEPS)] * 8, TEN_US, 0.7),  # of a millisecond it takes nothing
        (
            [late_sender(SPINS, 0)] * 8 + [behind(SLEEPS)] * 8,
            FAST,
            None,
        ),  # the sender is in time where it costs nothing
        ([behind(SPINS, 14_900)] * 8, BURSTS, None),  # 4.9 us are what is before a message in its burst
        ([behind(SPINS, 15_000)] * 8, BURSTS, 0.7),
        ([late_sender(SPINS, 0.3, held=0.8)] * 8, TEN_US, None),  # the queue is full: it waits for the receiver
        ([replace(behind(SPINS), others=0.5)] * 8, TEN_US, None),  # other programs: that is another answer
    ],
)
def test_the_sender_itself_is_later_than_is_allowed(
    seen: Sequence[Observation], required: Requirement, late: float | None
) -> None:
    found = advise(replace(RUN, cases=tuple(dict.fromkeys(one.case for one in seen)), study=required), seen)
    assert (found.floor and found.floor.late, found.outcome == "late-sender") == (late, late is not None)


def test_an_advice_says_so_in_place_of_blaming_the_wait_strategies() -> None:
    seen = [late_sender(SPINS, 0.03) for _ in range(8)]
    found = advise(replace(RUN, cases=(SPINS,), study=replace(TEN_US, system="disruptor")), seen)
    assert say_advice(found) == (
        "Cannot tell: the schedule could not be kept here. The sender alone was later than 10.0 µs for 3.0% of its "
        "messages, by a 99% bound over trials for at least 1.7% (8 trials). Something takes its CPU away."
    )
    assert configure(found) is None


def test_a_wait_strategy_that_meets_it_all_the_same_is_named() -> None:
    seen = [*(late_sender(SPINS, 0.03) for _ in range(8)), *trials(46, SLEEPS)]
    found = advise(replace(RUN, cases=(SPINS, SLEEPS), study=TEN_US), seen)
    assert (found.floor, found.is_sure) == (None, True)


def test_a_search_ends_after_a_third_of_its_budget_where_nothing_can_be_decided() -> None:
    """What takes the CPU away may end before."""
    for noise in (
        lambda _random, case, *_: late_sender(case, 0.05),
        lambda _random, case, *_: replace(trial(case), others=0.6),
    ):
        found = searched(1, TEN_US, noise=noise)
        assert found.advice.outcome in ("late-sender", "busy")
        assert 20 <= found.seconds < 23
    assert searched(1, TEN_US).seconds > 23 and len(TRUTH) == 9
