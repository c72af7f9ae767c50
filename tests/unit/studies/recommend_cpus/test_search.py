"""The cheapest CPUs for a shape: against all choices, and with too many choices to try."""

from collections.abc import Sequence
from itertools import combinations, permutations

import numpy as np
import pytest

from tests.recorded import RK3588, ULTRA_155H, ULTRA_225U
from tests.unit.analysis.test_questions import RECORDED, recorded
from threadping.model.contract import Cpu, Topology
from threadping.probes.placements import CPUS_APART, relation, usable
from threadping.studies.recommend_cpus import cases

WITHIN = 1.02
"""Factor of the best cost that a greedy search may reach; docs/internals/recommend-cpus.md has larger machines."""

NS = {"smt": 9.0, "same-l2": 22.0, "same-l3": 30.0, "same-node": 90.0, "cross-node": 180.0}


def drawn(cpus: int, seed: int) -> cases.Latencies:
    """Latencies drawn at random, which no machine has: nothing in them helps a search."""
    found = np.random.default_rng(seed).uniform(20.0, 200.0, (cpus, cpus))
    return np.asarray((found + found.T) / 2)


def blocks_of(size: int, cpus: int, near: float = 24.0, far: float = 87.0) -> cases.Latencies:
    """CPUs in L3s of one size."""
    of = np.arange(cpus) // size
    return np.where(of[:, None] == of[None, :], near, far)


def best(ns: cases.Latencies, threads: int, exchange: cases.Exchange, *, by_farthest: bool = False) -> float:
    """The least that any choice costs, by trying all."""
    ways = np.array([*(combinations if exchange == "all" else permutations)(range(len(ns)), threads)])
    one, other = np.array(cases.exchanges(exchange, range(threads))).T
    each = ns[ways[:, one], ways[:, other]]
    return float((each.max(axis=1) if by_farthest else each.mean(axis=1)).min())


def cost(ns: cases.Latencies, chosen: Sequence[int], exchange: cases.Exchange, *, by_farthest: bool = False) -> float:
    return cases.costs_of(ns, [chosen], exchange, by_farthest=by_farthest)[0]


@pytest.mark.parametrize(("exchange", "threads"), [("all", 4), ("along", 4), ("along", 7)])
def test_few_cpus_are_placed_as_well_as_can_be_and_the_first_of_equals(exchange: cases.Exchange, threads: int) -> None:
    for seed in range(4):
        ns = drawn(8, seed)
        assert cost(ns, cases.choose(ns, threads, exchange), exchange) == pytest.approx(best(ns, threads, exchange))
    assert cases.choose(blocks_of(4, 8), 4, exchange) == (0, 1, 2, 3)


@pytest.mark.parametrize("exchange", ["all", "along"])
@pytest.mark.parametrize(
    "topology", [*map(recorded, RECORDED), ULTRA_155H, ULTRA_225U, RK3588], ids=lambda one: f"{len(one.cpus)} CPUs"
)
def test_on_recorded_machines_a_greedy_search_comes_within_two_percent(
    topology: Topology, exchange: cases.Exchange
) -> None:
    """Nine of the CPUs at most: of these all choices are tried."""
    listed, chance = usable(topology), np.random.default_rng(1)
    for _ in range(4):
        cpus = sorted(chance.permutation([*listed])[:9].tolist())
        ns = np.zeros((len(cpus), len(cpus)))
        for (a, one), (b, other) in combinations(enumerate(cpus), 2):
            ns[a, b] = ns[b, a] = NS[relation(listed[one], listed[other])] * chance.uniform(0.9, 1.1)
        ns = cases.with_ties_broken(ns, topology, cpus)
        threads = min(5, len(cpus))
        assert cost(ns, cases.choose(ns, threads, exchange), exchange) <= WITHIN * best(ns, threads, exchange)


@pytest.mark.parametrize("topology", [*map(recorded, RECORDED), ULTRA_155H, RK3588], ids=lambda one: len(one.cpus))
def test_the_shared_caches_of_all_pairs_equal_those_of_single_pairs(topology: Topology) -> None:
    cpus = [*usable(topology).values(), Cpu(9_999, None, None, None, None, None)]
    levels = cases.shared_levels(cpus)
    for (a, one), (b, other) in combinations(enumerate(cpus), 2):
        assert CPUS_APART[levels[a, b]] == CPUS_APART[levels[b, a]] == relation(one, other)


def test_of_many_cpus_it_is_asked_once_for_each_sort_of_pairs_whether_they_are_alike(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Asked for each of eight million pairs, 4,096 CPUs took five minutes."""
    asked: list[tuple[Cpu, Cpu]] = []

    def alike(one: Cpu, other: Cpu) -> str:
        asked.append((one, other))
        return relation(one, other)

    monkeypatch.setattr("threadping.studies.recommend_cpus.cases.ALIKE", [alike])
    cpus = tuple(Cpu(cpu, cpu // 2, cpu // 2, cpu // 8, cpu // 128, 0) for cpu in range(512))
    topology = Topology(schema=4, source="a test", cpus=cpus, allowed=tuple(range(512)))
    known = {(0, 1): 9.0, (2, 3): 8.0, (4, 5): 30.0, (0, 2): 30.0, (0, 8): 90.0}
    made = cases.as_array(cases.KnownLatencies(known, "a test"), topology, range(512))
    assert len(asked) == 4 * 3 + 6  # within each of four nodes, and between two
    assert (made[510, 511], made[500, 498], made[127, 0], made[0, 300], made[7, 7]) == (9.0, 30.0, 90.0, 90.0, 0.0)


@pytest.mark.parametrize("by_farthest", [False, True])
def test_around_one_it_is_exact_however_many_cpus_there_are(by_farthest: bool) -> None:
    for ns in (drawn(6, seed) for seed in range(5)):
        found = cost(ns, cases.choose(ns, 4, "one", by_farthest=by_farthest), "one", by_farthest=by_farthest)
        assert found == pytest.approx(best(ns, 4, "one", by_farthest=by_farthest))


@pytest.mark.parametrize("exchange", ["all", "along", "one"])
@pytest.mark.parametrize("threads", [2, 8, 40])
def test_of_384_cpus_in_l3s_of_eight_as_few_l3s_are_taken_as_there_may_be(
    exchange: cases.Exchange, threads: int
) -> None:
    ns = blocks_of(8, 384)
    found = cases.choose(ns, threads, exchange)
    assert len({*found}) == threads
    assert len({cpu // 8 for cpu in found}) == -(-threads // 8)
    if exchange == "along":  # and each is walked through before the next
        crossed = -(-threads // 8) - 1
        assert cost(ns, found, exchange) * (threads - 1) == pytest.approx(24 * (threads - 1 - crossed) + 87 * crossed)


def test_a_hidden_best_group_is_found_among_many_and_of_all_cpus_an_order_is_left() -> None:
    rows: list[tuple[int, tuple[int, ...]]] = [(96, (3, 17, 40, 61, 62, 90)), (12, tuple(range(12)))]
    for cpus, group in rows:
        ns = drawn(cpus, 1) + 100
        ns[np.ix_(group, group)] = 10.0
        assert cases.choose(ns, len(group), "all") == group
        assert sorted(cases.choose(ns, len(group), "along")) == [*group]


def test_cpus_that_are_drawn_cost_what_such_choices_cost_in_the_median() -> None:
    ns = blocks_of(4, 8)
    assert cases.usual_cost(ns, 2, "all", seed=1) == 87.0  # four of seven others
    assert cases.usual_cost(ns, 8, "all", seed=1) == pytest.approx(cost(ns, range(8), "all"))
    assert cases.usual_cost(ns, 3, "one", seed=1, by_farthest=True) == 87.0
