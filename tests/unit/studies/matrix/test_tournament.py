"""A tournament: its rounds, its schedule on a planted machine, and what it costs."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations, count, permutations, product
from math import exp
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.unit.studies.matrix.planted import machine, pairing
from threadping.model.cases import Case
from threadping.model.errors import UsageError
from threadping.model.run import Failure, Observation, Pairing
from threadping.planning.defaults import Length, Pace, Start, in_blocks
from threadping.planning.plan import PLANNED, pairings
from threadping.planning.schedule import Ended, Turn
from threadping.studies.matrix import tournament

STARTS = {"cpp": Start(0.01), "java-17": Start(0.2, compiles=True)}


@given(st.integers(0, 40))
def test_every_two_meet_once_and_nobody_twice_in_a_round(players: int) -> None:
    made = pairings(range(10, 10 + players))
    assert sorted(pair for of_round in made for pair in of_round) == [*combinations(range(10, 10 + players), 2)]
    for of_round in made:
        assert len({player for pair in of_round for player in pair}) == 2 * len(of_round) == players // 2 * 2
    assert len(made) == (players - 1 + players % 2 if players > 1 else 0)


def planned(of: Pairing, budget_s: float | None = 60.0) -> tournament.Planned:
    topology = machine(max(of.cpus) + 1, 4, 8)
    return tournament.make_tournament(
        of, tournament.cases_of(of, topology), STARTS, budget_s, 3, {"signal": Pace(in_blocks)}
    )


def schedule_of(cpus: int) -> tournament.Tournament:
    return tournament.Tournament(planned(pairing(range(cpus))))


def end(schedule: tournament.Tournament, turn: Turn, wall_s: float, before: tuple[float, ...] = (26.0,)) -> None:
    """End a turn by a trial of 20 ns with these pings before it."""
    seen = Observation(turn.round, 1, schedule.plan.cases[turn.case], None, 1, {tournament.CELL_LATENCY: 20.0})
    schedule.ended(turn, Ended(seen, None, wall_s, before, (26.0,)), 50.0)


def carried_out(
    schedule: tournament.Tournament, figure: Callable[[Case, int], float | None], batches: int = 10_000
) -> list[tuple[Observation, ...]]:
    """Return the batches of a schedule until it is settled, or this number; trials without a figure fail."""
    done: list[tuple[Observation, ...]] = []
    failed: Counter[int] = Counter()
    while len(done) < batches and (batch := schedule.next((), lambda _: (26.0,))):
        assert schedule.next((), lambda _: (26.0,)) == batch  # asking twice changes nothing
        cpus = [cpu for turn in batch for cpu in schedule.plan.cases[turn.case].placement.used]
        assert len(cpus) == len(set(cpus))
        seen = []
        for turn in batch:
            case = schedule.plan.cases[turn.case]
            ns = figure(case, len(batch) - 1)
            failure = Failure("pin-failed", "CPU 3 went offline.") if ns is None else None
            figures = {} if ns is None else {tournament.CELL_LATENCY: ns}
            seen.append(Observation(turn.round, 0, case, failure, 1, figures, concurrent=len(batch) - 1))
            failed[turn.case] = failed[turn.case] + 1 if failure else 0
            if failed[turn.case] == 2:
                schedule.give_up(turn.case)
            schedule.ended(turn, Ended(seen[-1], None, 0.01, (26.0,), (26.0,)), 50.0)
        done.append(tuple(seen))
    return done


def exact(_case: Case, _beside: int) -> float:
    return 20.0


def pairs(batches: Sequence[Sequence[Observation]]) -> Counter[tuple[int | None, ...]]:
    return Counter(one.case.placement.cpus for batch in batches for one in batch)


@pytest.mark.parametrize("cpus", [2, 3, 4, 5, 8])
def test_a_pass_measures_every_pair_once_as_many_at_once_as_there_are(cpus: int) -> None:
    done = carried_out(schedule_of(cpus), exact)
    first = [batch for batch in done if batch[0].round == 1]
    assert pairs(first) == Counter(combinations(range(cpus), 2))
    assert len(first) == cpus - 1 + cpus % 2
    assert {len(batch) for batch in first} == {cpus // 2}


def test_directions_and_homes_are_cases_of_their_own() -> None:
    of = pairing(range(4), ("first", "second", "0"), directions=True)
    cases = [one.case for batch in carried_out(tournament.Tournament(planned(of)), exact) for one in batch]
    first = Counter((case.placement.cpus, case.home and case.home.name) for case in cases[: of.cases])
    assert first == Counter(product(permutations(range(4), 2), (None, "second", "0"))) and of.cases == 36
    second = [case for case in cases if case.home and case.home.name == "second"]
    assert all(case.home and case.home.cpus == case.placement.cpus[1:] for case in second)


def test_more_cases_than_a_run_has_are_refused_before_they_are_made() -> None:
    rows: list[tuple[Sequence[str], bool, int]] = [(["first"], False, 1414), (["first", "second"], True, 707)]
    for homes, directions, most in rows:
        tournament.require_few_cases(pairing(range(1, most + 1), homes, directions=directions))
        with pytest.raises(UsageError, match=rf"1,000,000 at most\. Name fewer CPUs: --cpus 1-{most}\.$"):
            tournament.require_few_cases(pairing(range(1, 2000), homes, directions=directions))


def test_what_is_planned_is_not_made_again_for_the_schedule() -> None:
    one, again = (tournament.cases_of(pairing(range(6)), machine(6, 4, 8)) for _ in range(2))
    assert one is again


def test_it_ends_when_all_are_narrow_and_not_before_they_have_enough_trials() -> None:
    done = carried_out(schedule_of(4), exact)
    alone = [batch for batch in done if batch[0].round == 0]
    assert pairs(alone) == Counter(dict.fromkeys(combinations(range(4), 2), 3))
    assert set(pairs(done).values()) == {tournament.SETTLED}


def test_a_trial_with_a_ping_on_one_side_alone_does_not_count() -> None:
    schedule = schedule_of(2)
    end(schedule, schedule.next((), lambda _: (26.0,))[0], 0.01, before=())
    assert pairs(carried_out(schedule, exact)) == {(0, 1): tournament.SETTLED}


@pytest.mark.parametrize(("crowded", "at_once"), [(1.0, 2), (1.3, 1)])
def test_time_goes_where_intervals_are_widest(crowded: float, at_once: int) -> None:
    chance, noisy = Random(5), ((0, 3), (1, 2))

    def figure(case: Case, others: int) -> float:
        return 20 * crowded**others * exp(chance.gauss(0, 0.02 if case.placement.cpus in noisy else 0.001))

    done = carried_out(schedule_of(4), figure)
    trials = pairs([batch for batch in done if at_once == 2 or len(batch) == 1])
    assert [trials.pop(pair) for pair in noisy] == [tournament.MOST, tournament.MOST]
    assert set(trials.values()) == {tournament.SETTLED}
    assert {len(batch) for batch in done[-tournament.SETTLED :]} == {at_once}


@pytest.mark.parametrize(("passes", "at_once"), [(0, True), (99, False), (1, True)])
def test_where_that_changes_the_figures_pairs_are_measured_alone(passes: int, at_once: bool) -> None:
    """Figures change by 10% in a number of passes of 28 pairs; the first pass only chooses the pairs to compare."""
    schedule, together = schedule_of(8), count()
    done = carried_out(schedule, lambda _, others: 22.0 if others and next(together) < 28 * passes else 20.0)
    later = [batch for batch in done if batch[0].round > 2]
    assert any(len(batch) > 1 for batch in later) == at_once
    alone = pairs([[one for one in batch if not one.concurrent] for batch in done])
    assert sum(trials >= 3 for trials in alone.values()) == (9 if at_once else 28)
    assert at_once or set(alone.values()) == {tournament.SETTLED}  # simultaneous trials make no interval wider


def test_pairs_of_a_cpu_that_goes_offline_are_given_up_and_the_others_go_on() -> None:
    trials = pairs(carried_out(schedule_of(5), lambda case, _: None if 3 in case.placement.cpus else 20.0))
    assert {trials[pair] for pair in trials if 3 in pair} == {2}
    assert min(trials[pair] for pair in trials if 3 not in pair) >= tournament.SETTLED


def test_the_plan_says_what_a_pass_costs_and_the_budget_follows_from_it() -> None:
    few, many = (planned(pairing(range(cpus)), None) for cpus in (2, 32))
    assert (few.budget_s, few.at_once, few.passes) == (10.0, 1, 10.0 / few.pass_s)
    assert few.pass_s == pytest.approx(0.01 + 0.035 + 2 * 0.012)  # start, trial, a ping before and after
    both_ways = planned(pairing(range(2), ("first", "second"), directions=True), None)
    assert both_ways.pass_s == pytest.approx(2 * 2 * few.pass_s)
    trials, left_s = tournament.Tournament(few).left()
    assert (trials, round(left_s, 9)) == (tournament.MOST, round(tournament.MOST * few.pass_s, 9))
    assert schedule_of(4).left()[0] == 6 * tournament.MOST
    assert many.at_once == 16 and (check_s := many.budget_s - many.passes * many.pass_s) > 0
    assert many.budget_s == pytest.approx((3 * many.pass_s + check_s) / PLANNED)
    assert many.pass_s < 31 * 0.2  # 31 rounds, and not 496 pairs
    assert set(many.plan.lengths) == {tournament.CELL}
    assert planned(pairing(range(3)), 5.0).budget_s == 5.0


def test_a_virtual_machine_has_time_to_compile() -> None:
    of = pairing(range(2))
    java = replace(of, case=replace(of.case, runtime="java-17"))
    (length,) = set(planned(java).plan.lengths)
    assert length == Length(1.2, 0.1)


def test_the_first_batch_is_all_cpus_and_pairs_that_were_not_measured_are_counted() -> None:
    schedule = schedule_of(64)
    assert len(schedule.next((), lambda _: ())) == 32
    assert schedule.cut_short() == "Ended with its budget: 2,016 of 2,016 pairs not measured."


def test_the_last_eight_batches_predict_the_next_and_the_number_that_still_fits() -> None:
    schedule = schedule_of(2)
    for number in range(1, 12):
        end(schedule, schedule.next((), lambda _: ())[0], float(number))
    assert schedule.next((), lambda _: ()) == (Turn(0, 12, 60, 7.5),)
    assert schedule.left() == (6, 45.0)
    both = schedule_of(4)
    carried_out(both, exact, batches=4)  # three of two pairs, which take 0.02 s, and one of a pair alone
    assert [turn.needs_s for turn in both.next((), lambda _: ())] == [0.01]


def test_a_batch_of_many_tells_once_what_it_took() -> None:
    schedule = schedule_of(16)
    for wall_s in (1.0, 2.0, 3.0):
        for turn in (batch := schedule.next((), lambda _: ())):
            end(schedule, turn, wall_s / len(batch))
    assert {turn.needs_s for turn in schedule.next((), lambda _: ())} == {2.0}


def test_of_what_is_not_settled_a_pair_with_an_interval_of_nothing_is_the_most_certain() -> None:
    schedule = schedule_of(3)
    trials: Counter[tuple[int | None, ...]] = Counter()

    def figure(case: Case, _beside: int) -> float:
        pair = case.placement.cpus
        trials[pair] += 1
        if pair == (0, 1):
            return 40.0 if trials[pair] == 5 else 20.0  # eleven of twelve are equal
        return 20.0 + trials[pair] % 3

    carried_out(schedule, figure, batches=3 * tournament.SETTLED)
    (turn,) = schedule.next((), lambda _: (26.0,))
    assert schedule.plan.cases[turn.case].placement.cpus != (0, 1)
