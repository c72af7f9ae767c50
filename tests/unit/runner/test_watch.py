"""A watch over the state of the CPUs: when it pings, what that may cost, and what it says."""

from collections.abc import Iterator, Sequence
from itertools import repeat

import pytest
from msgspec.structs import replace

from tests.unit.analysis.examples import SIGNAL
from threadping.analysis.wanted import parse_state
from threadping.errors import ThreadpingError
from threadping.model import Case, Pair, PingTaken, Placement, ReferencePing, State
from threadping.runner import Watch, watch

N, F = 26.0, 127.0
PAIR = (0, 1)
ONE, OTHER = SIGNAL, replace(SIGNAL, placement=Placement("same-l3", (1, 2)))
UNPINNED = replace(SIGNAL, placement=Placement("unpinned", (None, None)))


class Clock:
    """In place of the module's; what is pinged takes a second of it, and tells what is planted in turn."""

    def __init__(self) -> None:
        self.now = 0.0
        self.planted: Iterator[float | None] = iter(())

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def ping(self, pair: Pair, trials: int) -> ReferencePing:
        self.now += 1
        ns = next(self.planted, N)
        return ReferencePing(pair, self.now, trials, ns, wall_ns=10**9, failure=None if ns else "it is offline")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(watch, "time", clock)
    return clock


def begun(clock: Clock, *planted: float | None, state: str | None = None, known: Sequence[State] = ()) -> Watch:
    """A watch that may ping as often as it likes for the next thousand years."""
    clock.planted = iter(planted)
    found = Watch(clock.ping, 0, parse_state(state), known)
    clock.now += 1e9
    return found


def taken(events: Iterator[PingTaken]) -> list[tuple[Pair, int, float | None]]:
    return [(event.ping.cpus, event.ping.trials, event.ping.ns) for event in events]


def test_one_ping_serves_the_trials_on_both_its_sides(clock: Clock) -> None:
    found = begun(clock)
    assert taken(found.ping([PAIR, (1, 2)], 0)) == [(PAIR, 0, N), ((1, 2), 0, N)]
    assert taken(found.ping([PAIR, (2, 3)], 0)) == [((2, 3), 0, N)]
    assert taken(found.ping([PAIR], 1)) == [(PAIR, 1, N)]
    assert [(one.cpus, one.trials) for one in found.pings] == [(PAIR, 0), ((1, 2), 0), ((2, 3), 0), (PAIR, 1)]


@pytest.mark.parametrize(
    ("planted", "expected"),
    [
        ([N, 29], [29]),
        ([N, 29.1, F], [29.1, F]),  # it is taken once more, and no more than that
        ([N, F, F], [F, F]),
        ([F, N, F], [N, F]),
        ([N, None], [None]),
        ([None, N], [N]),
    ],
)
def test_a_ping_unlike_the_one_before_is_taken_again(
    clock: Clock, planted: list[float | None], expected: list[float | None]
) -> None:
    found = begun(clock, *planted)
    assert taken(found.ping([PAIR], 0)) == [(PAIR, 0, planted[0])]
    assert taken(found.ping([PAIR], 1)) == [(PAIR, 1, ns) for ns in expected]


def test_pings_take_their_share_of_the_time_and_leave_enough_for_the_last_of_each_pair(clock: Clock) -> None:
    pairs = [PAIR, (1, 2)]
    found = Watch(clock.ping, 0)
    assert len(taken(found.ping(pairs, 0))) == 2  # the first are taken whatever they cost
    clock.now = (2 + 1 + 2) / watch.SHARE - 0.1
    assert taken(found.ping([PAIR], 1)) == []
    clock.now += 0.2
    clock.planted = iter([F])
    assert taken(found.ping([PAIR], 1)) == [(PAIR, 1, F)]  # there is no time to take it again
    assert taken(found.ping([PAIR], 2)) == []
    assert taken(found.close(2)) == [(PAIR, 2, N)]


def test_in_the_end_those_are_pinged_whose_last_trial_has_none_after_it(clock: Clock) -> None:
    found = Watch(clock.ping, 0)
    list(found.ping([PAIR, (1, 2)], 0))
    assert taken(found.ping([PAIR], 1)) == taken(found.ping([(1, 2)], 2)) == []
    clock.now = 1000
    assert taken(found.ping([(1, 2)], 3)) == [((1, 2), 3, N)]
    assert taken(found.close(4)) == [(PAIR, 4, N)]
    assert taken(found.close(4)) == []


def test_while_it_waits_every_pair_is_pinged_again_after_a_pause_and_that_is_told(clock: Clock) -> None:
    found = begun(clock, state="far")
    list(found.ping([PAIR], 0))
    before = clock.now
    events = list(found.waits([PAIR, (1, 2)], 0))
    assert taken(iter(events)) == [(PAIR, 0, N), ((1, 2), 0, N)]
    assert all(event.waits for event in events)
    assert clock.now == before + watch.WAIT_S + 2


@pytest.mark.parametrize(
    ("state", "planted", "known", "holds"),
    [
        (None, F, [], True),
        ("near", N, [F], True),
        ("near", F, [N], False),  # known from other runs
        ("far", N, [F], False),
        ("far", F, [N], True),
        ("near", F, [], True),  # nothing nearer was ever seen
        ("100-130", F, [], True),
        ("100-130", N, [], False),
        ("near", None, [], False),
    ],
)
def test_a_state_holds_as_far_as_the_last_ping_tells(
    clock: Clock, state: str | None, planted: float | None, known: list[float], holds: bool
) -> None:
    others = [State(PAIR, ns, (ns, ns), 1.0, 9) for ns in known] + [State((1, 2), 5.0, (5, 5), 1.0, 9)]
    found = begun(clock, planted, state=state, known=others)
    list(found.ping([PAIR], 0))
    assert found.holds([PAIR]) is holds


def test_a_state_holds_where_it_holds_for_every_pair_and_this_run_tells_what_is_near(clock: Clock) -> None:
    found = begun(clock, N, N, F, F, F, state="near")
    assert not found.holds([PAIR])  # never pinged
    for trials, holds in enumerate((True, True, False)):
        list(found.ping([PAIR], trials))
        assert found.holds([PAIR]) is holds
    list(found.ping([(1, 2)], 2))
    assert (found.holds([(1, 2)]), found.holds([PAIR, (1, 2)]), found.holds([])) == (True, False, True)


def test_a_state_that_never_came_is_told_with_what_was_seen_in_its_place(clock: Clock) -> None:
    found = begun(clock, N, None, N, state="100-130")
    list(found.ping([PAIR, (1, 2)], 0))
    list(found.waits([PAIR], 0))
    assert not found.holds([PAIR])
    problem = found.never_came()
    assert isinstance(problem, ThreadpingError)
    assert problem.exit_code == 1
    assert "'100-130' did not come within" in str(problem)
    assert "CPUs 0,1 stood 26" in str(problem)
    assert "CPUs 1,2 could not be pinged (it is offline) in 1 ping." in str(problem)


@pytest.mark.parametrize(("state", "planted"), [(None, N), ("far", F), ("20-30", N)])
def test_there_is_nothing_to_tell_where_it_came_or_was_not_asked_for(
    clock: Clock, state: str | None, planted: float
) -> None:
    found = begun(clock, planted, state=state)
    list(found.ping([PAIR], 0))
    assert found.holds([PAIR])
    assert found.never_came() is None


# ---- how many trials each case has had in the state that holds ----


def measured(found: Watch, clock: Clock, *trials: tuple[Case, float]) -> None:
    """So many trials more; after each both pairs stand so far apart."""
    for case, ns in trials:
        found.begins(case)
        clock.planted = repeat(ns)
        list(found.ping([PAIR, (1, 2)], found.pings[-1].trials + 1))
        found.ended(case)


def test_of_several_states_those_trials_count_that_were_in_the_one_that_holds(clock: Clock) -> None:
    found = begun(clock)
    assert found.here([ONE, OTHER], [0, 3]) == [0, 3]  # nothing was pinged yet
    list(found.ping([PAIR, (1, 2)], 0))
    assert found.here([ONE, OTHER, UNPINNED], [0, 0, 5]) == [0, 0, 5]
    measured(found, clock, (ONE, N), (OTHER, 1.1 * N), (ONE, N))
    assert found.here([ONE, OTHER, UNPINNED], [2, 1, 5]) == [2, 1, 5]
    measured(found, clock, (ONE, F), (ONE, F), (OTHER, F), (OTHER, F))  # the first of these crossed
    assert found.here([ONE, OTHER, UNPINNED], [4, 3, 5]) == [1, 2, 5]
    measured(found, clock, (OTHER, N))
    assert found.here([ONE, OTHER, UNPINNED], [4, 4, 5]) == [2, 1, 5]


def test_where_a_pair_cannot_be_pinged_all_trials_count(clock: Clock) -> None:
    found = begun(clock, N)
    list(found.ping([PAIR, (1, 2)], 0))
    measured(found, clock, (ONE, N))
    clock.planted = repeat(None)
    list(found.ping([PAIR, (1, 2)], 2))
    assert found.here([ONE], [7]) == [7]
