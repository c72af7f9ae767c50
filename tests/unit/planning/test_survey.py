"""Which pairs of CPUs a run pings before its first trial."""

from itertools import combinations

import pytest

from tests.unit.studies.matrix.planted import machine, pairs_by_kind, planted
from threadping.analysis.locality import ordered
from threadping.model.contract import Topology
from threadping.planning.budget import survey

LARGE = machine(256, 16, 128, siblings=True)


def test_every_two_of_a_few_cpus_are_pinged_once_at_most_half_of_them_at_once() -> None:
    pairs, seconds = survey(machine(8, 4, 8), 60.0)
    assert sorted((min(pair), max(pair)) for pair in pairs) == [*combinations(range(8), 2)]
    assert all(len({cpu for pair in pairs[at : at + 4] for cpu in pair}) == 8 for at in range(0, 28, 4))
    assert seconds == pytest.approx(7 * (0.012 + 3 * 0.0015))


def test_of_many_cpus_some_are_pinged_of_every_part_and_near_pairs_as_well_as_far_ones() -> None:
    pairs, seconds = survey(LARGE, 60.0)
    cpus = {cpu for pair in pairs for cpu in pair}
    assert (len(cpus), len(pairs)) == (32, 496) and seconds <= 0.05 * 60
    assert {planted(LARGE, pair) for pair in pairs} == pairs_by_kind(LARGE).keys()
    assert {ordered(LARGE, range(256)).index(cpu) // 32 for cpu in cpus} == set(range(8))


@pytest.mark.parametrize(
    ("topology", "budget_s", "cpus"),
    [(LARGE, 10.0, 16), (LARGE, 5.0, 8), (LARGE, 0.5, 0), (machine(2, 2, 2), 60.0, 0), (machine(3, 3, 3), 60.0, 3)],
)
def test_it_takes_no_more_than_a_twentieth_of_the_budget(topology: Topology, budget_s: float, cpus: int) -> None:
    pairs, seconds = survey(topology, budget_s)
    assert (len({cpu for pair in pairs for cpu in pair}), seconds <= budget_s / 20) == (cpus, True)
