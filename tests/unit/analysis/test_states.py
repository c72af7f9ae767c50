"""States of a machine: found in pings, of each trial, asked for, and warned about."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.unit.analysis.examples import DECLARED, MACHINE, RUN, SIGNAL, TOPOLOGY, codes, observed, result
from tests.unit.analysis.givens import SLEEPING
from threadping.analysis import states
from threadping.analysis.analyse import analyse
from threadping.analysis.answer import Answer
from threadping.analysis.checks import Fact, Facts
from threadping.analysis.states import (
    NO_STATES,
    REACH,
    StateFilter,
    States,
    TrialStates,
    alike,
    parse_state,
    standings,
    states_of,
    watched_pairs,
)
from threadping.model.cases import Case, Pair, Placement
from threadping.model.contract import Cpu
from threadping.model.errors import UsageError
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
    assert (near_state.share, far_state.share) == (1.5 / 4, 2.5 / 4)
    again = states_of(pinged(N, N, F, F, N, N, N))
    assert [state.dwell_s for state in (*found.found, *again.found)] == [(1.5,), (2.5,), (1.5, 2.5), (2.0,)]
    assert [of.changes for of in (found, again)] == [{(0, 1): 1}, {(0, 1): 2}]


def test_a_ping_is_of_a_state_if_another_confirms_it() -> None:
    rows: list[tuple[list[float | None], list[int | None]]] = [
        ([], []),
        ([N], [0]),
        ([N, F], [None, None]),  # nothing confirms either
        ([N, None, N], [0, None, 0]),
        ([N, N, F, N, N], [0, 0, None, 0, 0]),  # disturbed, or for too short a time to tell
        ([N, N, 60, F, F], [0, 0, None, 1, 1]),  # while it changed
        ([N, N, F, N, F, F, N], [0, 0, None, None, 1, 1, None]),
        ([24, 26, 28, 30, 33], [0] * 5),  # drift
        ([30, N, N, 27], [0] * 4),  # its neighbour is farther than REACH, but of the same state
        ([32, N, N, N], [None, 0, 0, 0]),
    ]
    for values, expected in rows:
        assert labels(*values) == expected


def test_states_are_cut_where_a_gap_exceeds_a_quarter_and_pings_between_two_do_not_make_them_one() -> None:
    for fold, number in ((1.25, 1), (1.26, 2)):
        assert len(states_of(pinged(100, 100, 100 * fold, 100 * fold)).found) == number
        assert alike(100, 100 * fold) is alike(100 * fold, 100) is (number == 1)
    # Each is alike to the one before and to the one after, but saw a little of both:
    assert labels(26, 26, 31, 38, 38, 38) == [0, 0, None, 1, 1, 1]
    assert [alike(*two, REACH) for two in ((26, 29), (26, 31), (31, 26))] == [True, False, False]


def test_a_few_of_many_pings_that_agree_by_chance_found_no_state_and_bridge_no_gap() -> None:
    steady = [N] * 1500 + [40.0] * 1500
    found = states_of(pinged(*steady, 32, 32, *steady[:9], 500, 510))
    assert [state.core_to_core_ns for state in found.found] == [N, 40]
    assert (found.of[3000:3002], found.of[-2:]) == ([None] * 2, [None] * 2)
    assert len(states_of(pinged(*steady[:20], 500, 510)).found) == 2
    # 0.1% of 3,000 pings are too few, and one more is enough:
    assert [len(states_of(pinged(*steady, *[500.0] * number)).found) for number in (3, 4)] == [2, 3]
    # That number within REACH, from end to end, is a state; its ends are not GAP away from the next one's:
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


def test_runs_share_their_states_but_no_time_passes_between_them_and_without_time_shares_are_of_pings() -> None:
    found = states_of(pinged(N, N), pinged(F, F, F), [], pinged(N))
    assert found.of == [0, 0, 1, 1, 1, 0]
    assert [(state.dwell_s, state.share) for state in found.found] == [((1, 0), 1 / 3), ((2,), 2 / 3)]
    assert found.changes == {(0, 1): 0}
    assert [state.share for state in states_of(pinged(N, N, F, F, F, every_s=0)).found] == [2 / 5, 3 / 5]
    back = [replace(one, at=one.at - 100 * (n > 5)) for n, one in enumerate(pinged(N, N, N, F, F, F, F, F, N, N))]
    assert [state.share for state in states_of(back).found] == [1, 0]


def test_a_pair_is_watched_with_its_states_numbered_from_its_nearest_and_where_its_trials_crossed() -> None:
    pings = sorted([*pinged(N, N, None, F, F, None), *pinged(60, 60, 90, 200, pair=(0, 9))], key=lambda one: one.trials)
    trials = [Observation(1, number, SIGNAL, None, 1) for number in range(4)]
    first, second = watched_pairs(states_of(pings), [7] * 10, TOPOLOGY, trials)
    assert (first.cpus, first.placement, first.pings, first.changes) == ((0, 1), "same-l3", 6, 1)
    assert (first.failed, first.between, first.state_changed) == (2, 0, [2.0, 3.0])
    assert [one.state for one in first.series] == [0, 0, None, 1, 1, None]
    assert (second.placement, second.failed, second.between, second.state_changed) == (None, 0, 2, ())
    assert [one.state for one in second.series] == [0, 0, None, None]


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


class Stood(NamedTuple):
    """Trials of one case, of `typical` ns each, and how far its CPUs stood apart before, between and after them.

    `others` are pings of other pairs; CPU 6 is the sibling of CPU 7, and on a node
    of its own with it.
    """

    apart: Sequence[float]
    typical: Sequence[float] = ()
    others: Mapping[Pair, float] = {}
    of: Case = SIGNAL

    @property
    def answer(self) -> Answer:
        pairs = {(0, 1): self.apart, **{pair: [ns] * 2 for pair, ns in self.others.items()}}
        pings = [ReferencePing(pair, n, n, ns) for pair, levels in pairs.items() for n, ns in enumerate(levels)]
        quiet = observed(self.of, result(self.of))
        typical = self.typical or self.apart[1:]
        seen = [replace(quiet, figures=quiet.figures | {"latency_ns.typical": ns}) for ns in typical]
        cpus = (*TOPOLOGY.cpus[:6], *(Cpu(cpu, 6, 6, 1, 1, 1) for cpu in (6, 7)))
        run = replace(RUN, cases=(self.of,), machine=replace(MACHINE, topology=replace(TOPOLOGY, cpus=cpus)))
        return analyse(run, seen, pings, DECLARED)

    @property
    def facts(self) -> dict[str, Facts]:
        return {one.code: one.facts for one in self.answer.findings}


STILL = Stood([N] * 7)
CROSSED = Stood([N] * 7 + [F] * 7)
BOTH: dict[str, Fact] = {"who": "CPUs 0,1", "names": "same-l3", "far": F, "near": N}


def with_pair(pair: Pair, ns: float) -> Stood:
    return STILL._replace(others={pair: ns})


MOVES: tuple[tuple[str, Stood, Facts | None], ...] = (
    ("state-changed", CROSSED, {"changed": 1, "trials": 13}),
    ("state-changed", Stood([N, N, F, F]), {"changed": 1, "trials": 3}),
    ("state-changed", Stood([N, N, F, F, 60, 60], [1.0] * 5), {"changed": 2, "trials": 5}),  # though rows are one
    ("vcpu-migration", CROSSED, {"times": 1, "which": "CPUs 0,1", "near": N, "far": F}),
    ("vcpu-migration", Stood([N, N, F, F, N, N]), {"times": 2, "which": "CPUs 0,1", "near": N, "far": F}),
    ("vcpu-migration", Stood([N, N, 60, N, N]), None),  # disturbed
    ("topology-mismatch", CROSSED, BOTH),
    ("topology-mismatch", with_pair((2, 3), 39.1), BOTH | {"who": "CPUs 2,3 and CPUs 0,1", "far": 39.1}),
    ("topology-mismatch", with_pair((2, 3), 39.0), None),
    ("topology-mismatch", with_pair((5, 6), 500.0), None),  # across nodes it is farther
    (
        "topology-mismatch",
        with_pair((5, 6), 5.0),
        BOTH | {"who": "CPUs 0,1 and CPUs 5,6", "far": N, "near": 5.0, "names": "same-l3 and cross-node"},
    ),
    ("topology-mismatch", with_pair((6, 7), 5.0), None),  # siblings are nearer
    (
        "topology-mismatch",
        with_pair((6, 7), 40.0),
        BOTH | {"who": "CPUs 6,7 and CPUs 0,1", "far": 40.0, "names": "smt and same-l3"},
    ),
    ("topology-mismatch", with_pair((8, 9), 500.0), None),  # the machine does not describe these
)


@pytest.mark.parametrize(("code", "stood", "facts"), MOVES, ids=[code for code, *_ in MOVES])
def test_a_check_of_states_finds_what_is_planted_and_no_less(code: str, stood: Stood, facts: Facts | None) -> None:
    assert stood.facts.get(code) == facts


def test_a_pair_is_compared_with_pairs_of_its_kinds() -> None:
    """CPUs 2 and 3 have a high latency, and share an L3 like 0 and 1."""
    answered = with_pair((2, 3), 500.0).answer
    for kinds, listed, untrue in (
        *(("PPPP", True, True), ("PPEE", True, False), ("PPPE", True, False)),
        *(((None,) * 4, True, True), ((None,) * 4, False, False)),
    ):
        cpus = [Cpu(cpu, cpu, cpu, 0, 0, 0, kind) for cpu, kind in enumerate(kinds)]
        listing = (*cpus[:2], *(cpus[2:] if listed else [Cpu(cpu, None, None, None, None, None) for cpu in (2, 3)]))
        machine = replace(answered.run.machine, topology=replace(TOPOLOGY, cpus=listing, allowed=(0, 1, 2, 3)))
        found = analyse(replace(answered.run, machine=machine), (), answered.states.pings, DECLARED).findings
        assert ("topology-mismatch" in {one.code for one in found}) == untrue


def test_a_machine_in_one_state_has_no_warning_and_a_state_of_a_moment_no_row_but_its_trials_are_counted() -> None:
    """Two pings confirm only that the CPUs moved."""
    assert (STILL.facts, codes(STILL.answer.rows[0])) == ({}, [])
    (near,) = Stood([N] * 7 + [F] * 2).answer.rows
    assert (near.state and near.state.core_to_core_ns, len(near.trials), near.state_changed) == (N, 6, 2)
    _, far = Stood([N] * 7 + [F] * 3).answer.rows
    assert (far.state and far.state.core_to_core_ns, len(far.trials), far.state_changed) == (F, 2, 1)


def test_where_every_trial_crossed_that_is_an_error_but_of_threads_that_sleep_the_state_does_not_matter() -> None:
    (row,) = Stood([N, F]).answer.rows
    assert (row.trials, row.figures, codes(row)) == ((), {}, [("all-state-changed", "error")])
    (row,) = Stood([N] * 7 + [F] * 7, of=SLEEPING).answer.rows
    assert (len(row.trials), row.state, row.state_changed) == (13, None, 0)


def after(trials: int, *values: float | None, pair: Pair = (0, 1)) -> list[ReferencePing]:
    return [ReferencePing(pair, 0.0, trials, ns) for ns in values]


def trials(number: int, *cpus: int | None) -> list[Observation]:
    case = replace(SIGNAL, placement=Placement("same-l3", cpus or (0, 1)))
    return [Observation(1, n, case, None, 1, {"latency_ns.typical": 1.0}) for n in range(number)]


def stood(number: int, *pings: list[ReferencePing]) -> list[TrialStates]:
    return standings(trials(number), of(*pings))


def of(*pings: list[ReferencePing]) -> States:
    return states_of([one for each in pings for one in each])


NEAR, FAR = TrialStates((0,), False, N, N), TrialStates((1,), False, F, F)


def test_a_trial_is_of_the_state_on_both_its_sides_and_crossed_where_these_differ() -> None:
    found = stood(4, after(0, N), after(1, N), after(2, F, F), after(3, F), after(4, F))
    assert found == [NEAR, TrialStates((), True, N, F), FAR, FAR]
    assert (found[0].core_to_core_ns, found[1].core_to_core_ns) == (N, (N + F) / 2)


def test_between_two_trials_the_last_ping_in_a_state_is_of_the_next_and_the_first_of_the_one_before() -> None:
    assert stood(2, after(0, N, N), after(1, N, N, F, F), after(2, F)) == [NEAR, FAR]
    assert stood(2, after(0, N, N), after(1, 60, N), after(2, N)) == [NEAR, NEAR]  # one was disturbed
    assert stood(2, after(0, N), after(1, N, 60), after(2, N, N)) == [NEAR, NEAR]
    alone = stood(2, after(0, N, N), after(1, 60), after(2, N, N))
    assert alone == [TrialStates((), True, N, 60), TrialStates((), True, 60, N)]


def test_a_ping_that_was_left_out_is_inferred_from_its_neighbours() -> None:
    assert stood(4, after(0, N), after(3, N), after(4, N)) == [NEAR] * 4
    assert stood(2, after(0, N, N), after(2, F, F)) == [TrialStates((), True, N, F)] * 2
    assert stood(1, after(0, N), after(1, None), after(2, N)) == [NEAR]  # one that failed tells nothing


def test_a_trial_with_a_ping_on_one_side_only_is_of_that_state_unless_there_are_others() -> None:
    assert stood(2, after(0, N, N), after(1, N)) == stood(2, after(1, N, N), after(2, N)) == [NEAR, NEAR]
    *_, last = stood(5, after(0, N, N), after(4, F, F))
    first, _ = stood(2, after(1, N, N), after(2, F, F))
    assert (last, first) == (TrialStates((), True, F, None), TrialStates((), True, None, N))
    assert last.core_to_core_ns is first.core_to_core_ns is None


def test_of_several_pairs_each_must_have_stayed_and_pings_are_their_mean() -> None:
    both = of(after(0, N, N), after(0, F, F, pair=(1, 2)), after(1, N), after(1, F, pair=(1, 2)))
    assert standings(trials(1, 0, 1, 2), both) == [TrialStates((0, 1), False, (N + F) / 2, (N + F) / 2)]
    one = of(after(0, N, N), after(0, F, F, pair=(1, 2)), after(1, N), after(1, N, N, pair=(1, 2)))
    assert standings(trials(1, 0, 1, 2), one) == [TrialStates((), True, (N + F) / 2, N)]


def test_a_trial_whose_cpus_were_never_pinged_is_of_no_state_and_has_not_crossed() -> None:
    pinged_ones = of(after(0, N), after(1, F))
    for cpus in ((None, None), (1, 1), (2, 3)):
        assert standings(trials(1, *cpus), pinged_ones) == [TrialStates()]


def test_a_state_is_written_as_a_word_or_as_a_range() -> None:
    ranges = {"20-40": (20, 40), "20-40ns": (20, 40), "24.5-30.25 ns": (24.5, 30.25), "30-30": (30, 30)}
    assert {text: parse_state(text) for text in ranges} == {text: StateFilter(text, of) for text, of in ranges.items()}
    assert [*map(parse_state, ("low", "high", None))] == [StateFilter("low"), StateFilter("high"), None]


def test_what_is_no_state_is_refused_with_what_to_write() -> None:
    for text in ("", "Near", "40-20", "20", "-5-20", "20-", "20-40us", "1e3-2e3", "20-40-60", "nan-nan"):
        with pytest.raises(UsageError) as refused:
            parse_state(text)
        expected = f"--state '{text}' is not a state. Write low, high, or a range of pings: 20-40ns."
        assert (str(refused.value), refused.value.exit_code) == (expected, 2)


def filter_of(text: str) -> StateFilter:
    found = parse_state(text)
    assert found
    return found


def test_it_holds_at_that_end_of_all_seen_or_in_its_range() -> None:
    """The only state that is seen is low; none is known to be high where all that was seen is alike."""
    both = (26, 127)
    expected: dict[tuple[str, float, tuple[float, ...]], bool] = {
        **{("low", 26, ()): True, ("low", 30, both): True, ("low", 33, both): False, ("low", 20, both): True},
        **{("high", 26, ()): False, ("high", 32, (26,)): False, ("high", 127, (26,)): True},
        **{("high", 102, both): True, ("high", 101, both): False},
        **{("20-40", 20, (5, 127)): True, ("20-40", 40, (5,)): True},
        **{("20-40", 40.1, ()): False, ("20-40", 19.9, ()): False},
    }
    assert {of: filter_of(of[0]).holds(*of[1:]) for of in expected} == expected
    assert [filter_of("high").is_only(seen) for seen in ((), (26, 30), both)] == [True, True, False]
    assert not filter_of("low").is_only((26, 30))
