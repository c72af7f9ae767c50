"""The groups found are those planted, whatever the noise, and what the system says otherwise is reported."""

from collections import Counter
from itertools import combinations
from math import exp
from random import Random

import pytest

from tests.unit.analysis.simulated import KINDS, false_groups, found_groups
from tests.unit.studies.matrix.planted import LATENCIES, answer_of, machine, pairs_by_kind
from threadping.analysis.latency_map import clusters, grouped, map_of, misnamed
from threadping.model.contract import SCHEMA, Cpu, Topology
from threadping.studies.matrix.output import Matrix, matrix_of

MACHINES = {
    "two L3s": machine(8, 4, 8),
    "siblings": machine(16, 8, 16, siblings=True),
    "two packages": machine(32, 8, 16, siblings=True),
    "64 CPUs": machine(64, 16, 32, siblings=True),
}


def sizes(of: Matrix) -> dict[str, int]:
    return {one.named: one.pairs for one in of.map.groups}


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize(("noise", "trials"), [(0.02, 3), (0.05, 3), (0.05, 1)])
def test_the_groups_are_those_planted_with_their_names(name: str, noise: float, trials: int) -> None:
    topology = MACHINES[name]
    found = matrix_of(answer_of(topology, noise=noise, trials=trials))
    assert sizes(found) == pairs_by_kind(topology)
    for one in found.map.groups:
        assert one.latency_ns == pytest.approx(LATENCIES[one.named], rel=0.03)
    assert not found.map.misnamed and not found.missing


def test_pairs_that_move_count_in_the_state_that_they_were_in_longest() -> None:
    topology = MACHINES["two packages"]
    found = matrix_of(answer_of(topology, trials=12, moves=0.07))
    assert sizes(found) == pairs_by_kind(topology)
    others = [cell for cell in found.cells if not cell.leads]
    assert others and all(cell.state and cell.state.share < 0.5 for cell in others)


def test_one_level_is_one_group_however_wide_and_few_disturbed_pairs_are_none() -> None:
    chance = Random(3)
    mesh = [chance.uniform(40, 60) for _ in range(120)]
    assert set(grouped(mesh, 16)) == {0}
    assert set(grouped([*mesh, 300.0], 16)) == {0}
    assert Counter(grouped([*mesh, *([300.0] * 8)], 16)) == {0: 120, 1: 8}


@pytest.mark.parametrize(("ratio", "groups"), [(1.2, 1), (1.5, 2), (3.0, 2)])
def test_two_pairs_are_two_groups_from_the_gap_of_states_on(ratio: float, groups: int) -> None:
    assert len(set(grouped([30.0, 30.0 * ratio], 3))) == groups
    assert grouped([], 4) == []


def test_1000_machines_with_noise_are_never_cut_where_nothing_was_planted() -> None:
    chance = Random(5)
    wrong = 0
    for _ in range(1000):
        near, far = chance.uniform(8, 30), chance.uniform(80, 200)
        values = [
            level * exp(chance.gauss(0, 0.04)) for level, number in ((near, 12), (far, 16)) for _ in range(number)
        ]
        wrong += grouped(values, 8) != [0] * 12 + [1] * 16
    assert wrong <= 1


def test_siblings_a_fifth_nearer_are_a_group_where_figures_vary_little_and_not_where_they_vary_much() -> None:
    near, far = [31.87, 31.87, 31.9, 31.9], [38.5 + 0.01 * place for place in range(24)]
    assert grouped(near + far, 8) == [0] * 4 + [1] * 24
    assert grouped([38.0, 31.87], 3) == [0, 0]  # a pair alone has no spread
    assert grouped([round(ns) for ns in near + far], 8) == [0] * 4 + [1] * 24
    assert {*grouped([6.0] * 4 + [7.0] * 24, 8)} == {0}  # in whole nanoseconds nothing lies between
    assert {*grouped([25.0] * 39 + [27.0] * 64, 16)} == {0}  # nor need that be more than one
    assert {*grouped([40.0] * 4 + [41.5] * 24, 8)} == {0}  # a place on a ring, not a level


def test_the_interval_of_figures_is_the_least_that_parts_groups() -> None:
    values = [31.9] * 4 + [38.5] * 24
    assert [max(grouped(values, 8, noise)) for noise in (0.0, 0.01, 0.05)] == [1, 1, 0]
    ns = dict(zip(combinations(range(8), 2), values, strict=True))
    assert [one.pairs for one in map_of(range(8), ns, None, noise=0.05).groups] == [28]
    assert [one.pairs for one in map_of(range(8), ns, None).groups] == [4, 24]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("cpus", "noise"), [(4, 0.01), (8, 0.05), (16, 0.1)])
def test_noise_alone_is_no_group(kind: str, cpus: int, noise: float) -> None:
    assert false_groups(cpus, noise, kind, machines=100) <= 0.04


@pytest.mark.parametrize(
    ("cpus", "ratio", "noise"), [(4, 1.2, 0.002), (8, 1.2, 0.01), (16, 1.07, 0.002), (8, 2.5, 0.05)]
)
def test_planted_siblings_are_found(cpus: int, ratio: float, noise: float) -> None:
    assert found_groups(cpus, ratio, noise, machines=100) >= 0.97


def test_groups_of_one_name_are_distinguished() -> None:
    of = [0, 0, 1, 2, 3]
    words = ["same L3", "same L3", "other L3", "other L3", "other package"]
    assert [one.named for one in clusters([20, 21, 80, 120, 200], of, words)] == [
        *("same L3", "other L3, nearer", "other L3, further", "other package")
    ]


def test_a_machine_that_tells_nothing_of_itself_is_said_to() -> None:
    true = machine(8, 4, 8)
    flat = Topology("flat", tuple(Cpu(cpu.cpu, cpu.cpu, cpu.cpu, 0, 0, 0) for cpu in true.cpus), true.allowed, SCHEMA)
    (said,) = matrix_of(answer_of(true, claimed=flat)).map.misnamed
    assert said.startswith("The system calls every pair same L3, but they fall into 2 groups")


def test_pairs_that_the_system_names_wrongly_are_counted() -> None:
    of, said = [0, 0, 1, 1, 1], ["same core", "same core", "same L3", "same L3", "same core"]
    found = clusters([9, 9, 24, 24, 24], of, said)
    assert misnamed(found, of, said) == ["The system says same core of 3 pairs, but 1 of 3 measure as same L3."]
