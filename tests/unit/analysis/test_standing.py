"""In which state each trial was measured: that of the pings on both its sides."""

import pytest
from msgspec.structs import replace

from tests.unit.analysis.examples import SIGNAL
from threadping.analysis.states import States, TrialStates, standings, states_of
from threadping.model.cases import Pair, Placement
from threadping.model.run import Observation, ReferencePing

N, F = 26.0, 127.0


def after(trials: int, *values: float | None, pair: Pair = (0, 1)) -> list[ReferencePing]:
    """Pings that were taken when so many trials had ended."""
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


@pytest.mark.parametrize("cpus", [(None, None), (1, 1), (2, 3)])
def test_a_trial_whose_cpus_were_never_pinged_is_of_no_state_and_has_not_crossed(cpus: tuple[int | None, ...]) -> None:
    states = of(after(0, N), after(1, F))
    assert standings(trials(1, *cpus), states) == [TrialStates()]
