"""Pings become states: how near, how long, how often, and which ping is of none."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.unit.analysis.examples import SIGNAL, TOPOLOGY
from threadping.analysis import states
from threadping.analysis.states import NO_STATES, REACH, States, alike, near, states_of, watched_pairs
from threadping.model.cases import Pair
from threadping.model.run import Observation, ReferencePing, State

N, F = 26.0, 127.0


def pinged(*values: float | None, pair: Pair = (0, 1), every_s: float = 1.0) -> list[ReferencePing]:
    """A ping each second, and each after one more trial."""
    return [ReferencePing(pair, every_s * n, n, ns) for n, ns in enumerate(values)]


def labels(*values: float | None) -> Sequence[int | None]:
    return states_of(pinged(*values)).of


def test_a_state_has_its_median_its_range_its_share_of_the_time_and_how_long_it_held_each_time() -> None:
    found = states_of(pinged(26, 27, 125, 130, 128, 28))
    near_state, far_state = found.found
    assert (near_state.core_to_core_ns, near_state.range, near_state.pings) == (26.5, (26, 27), 2)
    assert (far_state.core_to_core_ns, far_state.range, far_state.pings) == (128, (125, 130), 3)
    assert found.of == [0, 0, 1, 1, 1, None]
    assert (near_state.dwell_s, far_state.dwell_s) == ((1.5,), (2.5,))
    assert (near_state.share, far_state.share) == (1.5 / 4, 2.5 / 4)
    assert found.changes == {(0, 1): 1}


def test_a_clock_that_is_set_back_makes_no_share_negative() -> None:
    found = states_of(
        [replace(one, at=one.at - 100 * (n > 5)) for n, one in enumerate(pinged(N, N, N, F, F, F, F, F, N, N))]
    )
    assert [state.share for state in found.found] == [1, 0]


def test_each_time_that_a_state_held_is_kept() -> None:
    found = states_of(pinged(N, N, F, F, N, N, N))
    assert [state.dwell_s for state in found.found] == [(1.5, 2.5), (2.0,)]
    assert found.changes == {(0, 1): 2}


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], []),
        ([N], [0]),
        ([N, F], [None, None]),  # nothing bears out either
        ([None, N], [None, 0]),
        ([N, None, N], [0, None, 0]),
        ([None], [None]),
        ([N, N, F, N, N], [0, 0, None, 0, 0]),  # disturbed, or for too short a time to tell
        ([N, F, N, F], [None] * 4),
        ([N, N, F, F], [0, 0, 1, 1]),
        ([N, N, 60, F, F], [0, 0, None, 1, 1]),  # while it changed
        ([N, N, F, N, F, F, N], [0, 0, None, None, 1, 1, None]),
        ([24, 26, 28, 30, 33], [0] * 5),  # drift
        ([30, N, N, 27], [0] * 4),  # its neighbour is farther than REACH, but of the same state
        ([24, 27, 27, N], [0] * 4),
        ([32, N, N, N], [None, 0, 0, 0]),
        ([N, N, 30, N, N, 60, 60], [0] * 2 + [None] + [0] * 2 + [1] * 2),
    ],
)
def test_a_ping_is_of_a_state_if_a_neighbour_in_time_bears_it_out(
    values: list[float | None], expected: list[int | None]
) -> None:
    assert labels(*values) == expected


@pytest.mark.parametrize(("fold", "states"), [(1.25, 1), (1.26, 2)])
def test_states_are_cut_where_a_gap_exceeds_a_quarter(fold: float, states: int) -> None:
    assert len(states_of(pinged(100, 100, 100 * fold, 100 * fold)).found) == states
    assert alike(100, 100 * fold) is alike(100 * fold, 100) is (states == 1)


def test_pings_between_two_states_do_not_make_them_one() -> None:
    """Each is alike to the one before and to the one after, but saw a little of both."""
    assert labels(26, 26, 31, 38, 38, 38) == [0, 0, None, 1, 1, 1]
    assert (near(26, 29), near(26, 31), near(31, 26)) == (True, False, False)


def test_of_many_pings_a_few_that_chance_bears_out_found_no_state_and_bridge_no_gap() -> None:
    steady = [N] * 1500 + [40.0] * 1500
    found = states_of(pinged(*steady, 32, 32, *steady[:9], 500, 510))
    assert [state.core_to_core_ns for state in found.found] == [N, 40]
    assert (found.of[3000:3002], found.of[-2:]) == ([None] * 2, [None] * 2)
    assert len(states_of(pinged(*steady[:20], 500, 510)).found) == 2
    # Of 3,000 pings a thousandth are too few, and one more are enough:
    assert [len(states_of(pinged(*steady, *[500.0] * number)).found) for number in (3, 4)] == [2, 3]
    # So many within REACH, from its one end to the other, are a state; its ends are not GAP away from the next one's:
    edges = (90, 91, 92, 90 * REACH, 124, 125, 126, 124 * REACH)
    assert [state.pings for state in states_of(pinged(*steady, *edges)).found] == [1500, 1500, 8]


@given(st.lists(st.floats(10, 100) | st.none(), max_size=60), st.sampled_from([0, 0.05, 0.2]))
def test_every_state_has_its_pings_and_states_lie_apart(values: list[float | None], sparse: float) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(states, "SPARSE", sparse)
        found = states_of(pinged(*values))
    inside = [ns for ns, label in zip(values, found.of, strict=True) if label is not None]
    for place, state in enumerate(found.found):
        of_it = [ns for ns, label in zip(values, found.of, strict=True) if ns and label == place]
        assert (state.pings, state.range) == (len(of_it), (min(of_it), max(of_it)))
    assert all(one.range[1] < other.range[0] for one, other in pairwise(found.found))
    assert len(inside) == sum(state.pings for state in found.found)
    assert sum(state.share for state in found.found) == pytest.approx(1 if inside else 0)


def test_each_pair_has_states_of_its_own_the_nearest_first() -> None:
    both = [one for two in zip(pinged(F, F, N, N), pinged(60, 61, 60, 61, pair=(2, 3)), strict=True) for one in two]
    found = states_of(both)
    assert [(state.cpus, state.core_to_core_ns) for state in found.found] == [((0, 1), N), ((0, 1), F), ((2, 3), 60.5)]
    assert found.of == [1, 2, 1, 2, 0, 2, 0, 2]
    assert found.pairs == [(0, 1), (2, 3)]
    assert found.of_pair((2, 3)) == list(found.found[2:])
    assert found.changes == {(0, 1): 1, (2, 3): 0}


def test_runs_share_their_states_but_no_time_passes_and_nothing_changes_between_them() -> None:
    found = states_of(pinged(N, N), pinged(F, F, F), [], pinged(N))
    assert found.of == [0, 0, 1, 1, 1, 0]
    assert [(state.dwell_s, state.share) for state in found.found] == [((1, 0), 1 / 3), ((2,), 2 / 3)]
    assert found.changes == {(0, 1): 0}


def test_where_no_time_passed_the_share_is_that_of_pings() -> None:
    assert [state.share for state in states_of(pinged(N, N, F, F, F, every_s=0)).found] == [2 / 5, 3 / 5]


def test_a_pair_is_watched_with_its_states_numbered_from_its_nearest_and_where_its_trials_crossed() -> None:
    pings = sorted([*pinged(N, N, None, F, F, None), *pinged(60, 60, 90, 200, pair=(0, 9))], key=lambda one: one.trials)
    trials = [Observation(1, number, SIGNAL, None, 1) for number in range(4)]
    first, second = watched_pairs(states_of(pings), [7] * 10, TOPOLOGY, trials)
    assert (first.cpus, first.placement, first.pings, first.changes) == ((0, 1), "same-l3", 6, 1)
    assert (first.failed, first.between, first.crossed) == (2, 0, [2.0, 3.0])
    assert [one.state for one in first.series] == [0, 0, None, 1, 1, None]
    assert (second.placement, second.failed, second.between, second.crossed) == (None, 0, 2, ())
    assert [one.state for one in second.series] == [0, 0, None, None]


def test_a_pair_that_could_never_be_pinged_has_no_state() -> None:
    found = states_of(pinged(None, None))
    assert (found.found, found.changes, found.pairs) == ([], {}, [(0, 1)])


def test_states_of_a_large_matrix_are_found_by_their_pair_without_looking_at_all_others() -> None:
    class Counted(tuple[State, ...]):
        asked = 0

        def __getitem__(self, place: Any) -> Any:
            Counted.asked += 1
            return super().__getitem__(place)

    each = [(a, b) for a in range(64) for b in range(a + 1, 64)]
    found = States(found=Counted(State(pair, ns, (ns, ns), 0.5, 9) for pair in each for ns in (20.0, 90.0)))
    for pair in each[::100]:
        assert [one.core_to_core_ns for one in found.of_pair(pair)] == [20.0, 90.0]
        assert found.found[found.first_of(pair)].cpus == pair
    assert found.of_pair((64, 65)) == found.of_pair((0, 64)) == NO_STATES.of_pair((0, 1)) == []
    assert Counted.asked < 20 * 60
