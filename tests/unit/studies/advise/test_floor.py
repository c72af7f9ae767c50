"""What no way of waiting can be better than: our own sender, a thread that only reads the clock, is late itself."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from tests.conftest import make_distribution
from tests.golden.fixture import RUN
from tests.unit.studies.advise.examples import TEN_US, trial, way
from tests.unit.studies.advise.test_search_for_advice import TRUTH, searched
from threadping.model.cases import Case
from threadping.model.trials import Observation
from threadping.studies.advise.advice import advise
from threadping.studies.advise.floor import Floor, floor_of
from threadping.studies.advise.systems import configure
from threadping.studies.advise.words import say_advice

SPINS, SLEEPS = replace(way("release-one-line", wait="spin"), blocking=False), way("futex")
BUSY, BURSTS = way("futex", rate=100_000), way("futex", arrivals="bursts", burst=50)


def sent(case: Case, late: float, typical_ns: int = 30, p99: float = 400, held: float = 1.0) -> Observation:
    """A trial whose sender was two milliseconds late for this share of its 1,000 messages."""
    on_time = round(1_000 * (1 - late))
    one = trial(case, p99, held=held)
    times = make_distribution([typical_ns, 2_000_000], [on_time, 1_000 - on_time] if late else [999, 1])
    return replace(one, distributions={**one.distributions, "due_to_sent_ns": times})


@pytest.mark.parametrize(
    ("seen", "late"),
    [
        ([sent(SPINS, 0.03) for _ in range(5)], 0.03),
        ([sent(SPINS, 0.03) for _ in range(4)], None),  # too few trials
        ([sent(SPINS, 0.3) for _ in range(3)], 0.3),
        ([sent(SPINS, 1) for _ in range(2)], None),
        ([sent(SPINS, 0.012) for _ in range(8)], None),  # more than one in a hundred, but not surely
        ([sent(SPINS, 0.03) for _ in range(8)] + [sent(SLEEPS, 0.001) for _ in range(8)], None),
        ([sent(SPINS, 0.30) for _ in range(8)] + [sent(SLEEPS, 0.04) for _ in range(8)], 0.04),  # the better kind
        (
            [sent(SPINS, 0.30) for _ in range(8)] + [sent(SLEEPS, 0.04) for _ in range(3)],
            None,
        ),  # of which little is known yet
        ([sent(BUSY, 0.03, typical_ns=1_200) for _ in range(8)], None),  # that is what waking takes
        ([sent(BURSTS, 0.03, typical_ns=1_200) for _ in range(8)], None),  # and that what is before it in a burst
        ([sent(SLEEPS, 0.03, typical_ns=1_200) for _ in range(8)], 0.03),  # of a millisecond it takes nothing
        ([sent(SPINS, 0, held=0.9) for _ in range(8)], None),  # that the receiver lost some is not the sender's
        ([trial(SPINS) for _ in range(8)], None),  # stored without it
    ],
)
def test_the_sender_itself_is_later_than_is_allowed(seen: Sequence[Observation], late: float | None) -> None:
    found = floor_of([one.case for one in seen], seen, TEN_US)
    assert (found and found.late) == late


def test_of_a_kind_that_has_no_trial_yet_nothing_is_known() -> None:
    seen = [sent(SPINS, 0.3) for _ in range(8)]
    assert floor_of([SPINS], seen, TEN_US) is not None
    assert floor_of([SPINS, SLEEPS], seen, TEN_US) is None


def test_an_advice_says_so_in_place_of_blaming_the_ways() -> None:
    seen = [sent(SPINS, 0.03, p99=50_000) for _ in range(8)]
    found = advise(replace(RUN, cases=(SPINS,), study=replace(TEN_US, system="disruptor")), seen)
    assert say_advice(found).replace("\N{EN DASH}", "-") == (
        "No way of waiting could meet a p99 of 10.0 µs at 1k/s here now: the sender itself, which only reads the clock "
        "until a message is due, was later than that with 3.0% of its messages, by a 99% bound with at least 1.7%, and "
        "p99 of its lateness was 2.00 ms (8 trials). Something takes its CPU away. The quickest here is "
        "release-one-line wait=spin in C++: p99 50.0 µs (50.0-50.0), 5% of a core."
    )
    assert configure(found) is None


def test_a_way_that_meets_it_all_the_same_is_named() -> None:
    seen = [sent(SPINS, 0.03) for _ in range(46)]
    found = advise(replace(RUN, cases=(SPINS,), study=TEN_US), seen)
    assert found.floor is None
    assert found.is_sure


def test_a_search_ends_once_the_sender_of_either_kind_is_surely_late() -> None:
    """Three of each kind come first; the other ways are not measured, since none could meet it."""
    many: dict[Case, tuple[int, float]] = {way(f"sleeps-{number}"): (900_000, 5.0) for number in range(20)}
    many |= {replace(way(f"spins-{number}"), blocking=False): (900_000, 99.0) for number in range(3)}
    found = searched(1, TEN_US, noise=lambda _random, case, *_: sent(case, 0.05, p99=900_000), truth=many)
    assert isinstance(found.advice.floor, Floor)
    assert found.trials.total() == 6
    assert searched(1, TEN_US).trials.total() > len(TRUTH)
