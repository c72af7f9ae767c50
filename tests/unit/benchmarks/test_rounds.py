"""Interleaving, with contenders that measure nothing."""

from benchmarks.records import Contender, Figures, Unmeasured
from benchmarks.rounds import carry_out
from tests.unit.benchmarks.examples import probe

SUBJECTS = [probe(f"mechanism-{number}") for number in range(8)]


def contenders() -> list[Contender]:
    return [Contender(subject, lambda seed: Figures(float(seed))) for subject in SUBJECTS]


def test_every_round_holds_every_contender_once_in_an_order_of_its_own() -> None:
    rounds = [*carry_out(contenders(), 5, seed=1)]
    orders = [tuple(one.subject.mechanism for one in measured) for measured in rounds]
    assert all(sorted(order) == [one.mechanism for one in SUBJECTS] for order in orders)
    assert len(set(orders)) == 5
    assert [{one.round for one in measured} for measured in rounds] == [{0}, {1}, {2}, {3}, {4}]


def test_every_process_gets_a_seed_of_its_own_and_the_same_again_from_the_same_run() -> None:
    once, again = ([*carry_out(contenders(), 3, seed=2)] for _ in range(2))
    seeds = [one.figures.mean for measured in once for one in measured if one.figures]
    assert len(set(seeds)) == 24
    assert once == again


def test_one_that_fails_is_recorded_and_the_others_go_on() -> None:
    def fails(_seed: int) -> Figures:
        raise Unmeasured("It failed.")

    (measured,) = carry_out([*contenders(), Contender(probe("bad"), fails)], 1, seed=1)
    assert [(one.subject.mechanism, one.failure) for one in measured if one.failure] == [("bad", "It failed.")]
    assert sum(one.figures is not None for one in measured) == 8


def test_both_sides_of_a_pair_follow_each_other_either_of_them_first() -> None:
    pairs = [(SUBJECTS[number], SUBJECTS[number + 4]) for number in range(4)]
    rounds = [[one.subject for one in measured] for measured in carry_out(contenders(), 12, 3, pairs)]
    found = [(order[place], order[place + 1]) for order in rounds for place in range(0, 8, 2)]
    assert {*found} == {*pairs, *((other, one) for one, other in pairs)}
    assert len({tuple(order) for order in rounds}) > 6


def test_those_that_are_held_against_one_are_measured_beside_it() -> None:
    """The second to the fourth are held against the first, the fifth against the second; and the last three."""
    one, two, three, four, five, six, seven, eight = SUBJECTS
    pairs = [(two, one), (six, seven), (three, one), (five, two), (four, one), (eight, six)]
    orders = [[each.subject for each in measured] for measured in carry_out(contenders(), 12, 3, pairs)]
    first = {frozenset(order[:5]) for order in orders} | {frozenset(order[3:]) for order in orders}
    assert {one, two, three, four, five} in first
    assert all({*order[:3]} == {six, seven, eight} or {*order[5:]} == {six, seven, eight} for order in orders)
