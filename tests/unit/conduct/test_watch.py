"""A watch over the state of the CPUs: when it pings, what that may cost, and what it says."""

from collections.abc import Iterator, Sequence

import pytest

from tests.unit.conduct.simulation import Clock
from threadping.analysis.states import parse_state, states_of
from threadping.conduct import pings
from threadping.conduct.pings import Watch
from threadping.model.cases import Pair
from threadping.model.errors import ThreadpingError
from threadping.model.run import PingTaken, ReferencePing, State

N, F = 26.0, 127.0
PAIR = (0, 1)


class Machine(Clock):
    """What is pinged takes a second, and tells what is planted in turn."""

    planted: Iterator[float | None] = iter(())

    def ping(self, pairs: Sequence[Pair], trials: int) -> list[ReferencePing]:
        return [self._pinged(pair, trials) for pair in pairs]

    def _pinged(self, pair: Pair, trials: int) -> ReferencePing:
        self.now += 1
        ns = next(self.planted, N)
        return ReferencePing(pair, self.now, trials, ns, wall_ns=10**9, failure=None if ns else "it is offline")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Machine:
    clock = Machine()
    monkeypatch.setattr(pings, "time", clock)
    return clock


def begun(clock: Machine, *planted: float | None, state: str | None = None, known: Sequence[State] = ()) -> Watch:
    clock.planted = iter(planted)
    return Watch(clock.ping, parse_state(state), known)


def taken(events: Iterator[PingTaken]) -> list[tuple[Pair, int, float | None]]:
    return [(event.ping.cpus, event.ping.trials, event.ping.ns) for event in events]


def test_pairs_that_share_no_cpu_are_pinged_at_once_and_those_unlike_before_once_more(clock: Machine) -> None:
    asked: list[list[Pair]] = []
    planted = iter([N, N, N, N, F, F, N])

    def ping(pairs: Sequence[Pair], trials: int) -> list[ReferencePing]:
        asked.append([*pairs])
        return [ReferencePing(pair, 0.0, trials, next(planted)) for pair in pairs]

    found = Watch(ping)
    assert len([*found.ping([(0, 1), (1, 2), (2, 3)], 0), *found.ping([(0, 1), (1, 2), (2, 3)], 1)]) == 7
    assert asked == [[(0, 1), (2, 3)], [(1, 2)], [(0, 1), (2, 3)], [(2, 3)], [(1, 2)]]
    assert found.levels([(0, 1), (1, 2), (2, 3)]) == (N, N, F)


def test_one_ping_serves_the_trials_on_both_its_sides(clock: Machine) -> None:
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
    clock: Machine, planted: list[float | None], expected: list[float | None]
) -> None:
    found = begun(clock, *planted)
    assert taken(found.ping([PAIR], 0)) == [(PAIR, 0, planted[0])]
    assert taken(found.ping([PAIR], 1)) == [(PAIR, 1, ns) for ns in expected]


def test_while_it_waits_every_pair_is_pinged_again_after_a_pause_and_that_is_reported(clock: Machine) -> None:
    found = begun(clock, state="far")
    list(found.ping([PAIR], 0))
    before = clock.now
    events = list(found.wait([PAIR, (1, 2)], 0))
    assert taken(iter(events)) == [(PAIR, 0, N), ((1, 2), 0, N)]
    assert all(event.waits for event in events)
    assert clock.now == before + pings.WAIT_S + 2


@pytest.mark.parametrize(
    ("state", "planted", "known", "holds"),
    [
        (None, F, [], True),
        ("near", F, [N], False),  # known from other runs
        ("far", F, [N], True),
        ("near", F, [], True),  # what is known of another pair is nothing to this one
        ("near", None, [], False),
    ],
)
def test_a_state_holds_as_far_as_the_last_ping_tells(
    clock: Machine, state: str | None, planted: float | None, known: list[float], holds: bool
) -> None:
    others = [State(PAIR, ns, (ns, ns), 1.0, 9) for ns in known] + [State((1, 2), 5.0, (5, 5), 1.0, 9)]
    found = begun(clock, planted, state=state, known=others)
    list(found.ping([PAIR], 0))
    assert found.holds([PAIR]) is holds


def test_a_state_holds_where_it_holds_for_every_pair_and_this_run_tells_what_is_near(clock: Machine) -> None:
    found = begun(clock, N, N, F, F, F, state="near")
    assert not found.holds([PAIR])  # never pinged
    for trials, holds in enumerate((True, True, False)):
        list(found.ping([PAIR], trials))
        assert found.holds([PAIR]) is holds
    list(found.ping([(1, 2)], 2))
    assert (found.holds([(1, 2)]), found.holds([PAIR, (1, 2)]), found.holds([])) == (True, False, True)


def test_a_far_state_is_waited_for_where_one_is_known_and_its_absence_says_so(clock: Machine) -> None:
    found = begun(clock, N, N, F, F, state="far")
    list(found.ping([PAIR], 0))
    assert not found.holds([PAIR])
    problem = str(found.never_came())
    assert "CPUs 0,1 were 26.0 ns core to core in 1 ping, and no other state of them is known." in problem
    for _ in range(3):
        list(found.wait([PAIR], 0))
    assert found.holds([PAIR])
    assert found.never_came() is None


def test_a_state_that_never_came_is_reported_with_what_was_seen_in_its_place(clock: Machine) -> None:
    found = begun(clock, N, None, N, state="100-130")
    list(found.ping([PAIR, (1, 2)], 0))
    list(found.wait([PAIR], 0))
    assert not found.holds([PAIR])
    problem = found.never_came()
    assert isinstance(problem, ThreadpingError)
    assert problem.exit_code == 1
    assert "'100-130' did not come within" in str(problem)
    assert "CPUs 0,1 were 26" in str(problem)
    assert "CPUs 1,2 could not be pinged (it is offline) in 1 ping." in str(problem)


def test_levels_are_of_the_last_pings_and_only_where_every_pair_has_one(clock: Machine) -> None:
    found = begun(clock, N, F, None)
    list(found.ping([PAIR, (1, 2)], 0))
    assert found.levels([PAIR, (1, 2)]) == (N, F)
    assert found.levels([PAIR, (2, 3)]) == found.levels([]) == ()
    list(found.ping([PAIR], 1))
    assert found.levels([PAIR, (1, 2)]) == ()


def test_states_are_looked_for_again_only_where_pings_could_change_them(
    clock: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[int] = []

    def counted(*runs: Sequence[ReferencePing]) -> object:
        looked.append(sum(map(len, runs)))
        return states_of(*runs)

    monkeypatch.setattr(pings, "states_of", counted)
    found = begun(clock, *[N, 26.5] * 200, F, F, F, state="near")
    for trials in range(400):
        list(found.ping([PAIR], trials))
        assert found.holds([PAIR])
    assert len(looked) < 100 and max(looked) <= 400
    before = len(looked)
    for trials in range(400, 402):
        list(found.ping([PAIR], trials))
        assert not found.holds([PAIR])
    assert len(looked) > before  # what was never seen is looked at
    ranged = begun(clock, N, state="20-30")
    list(ranged.ping([PAIR], 0))
    before = len(looked)
    assert ranged.holds([PAIR]) and len(looked) == before
