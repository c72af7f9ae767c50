"""Choose CPUs for threads of a shape: exactly where there are few choices, else by a search that improves on itself.

CPUs are places of a matrix of latencies, symmetric, of which what is on the diagonal says nothing. Of those that cost
the same the first by their places are taken.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, combinations, permutations
from math import comb, inf, perm

import numpy as np
from numpy.typing import NDArray

from threadping.studies.place.shapes import Exchange

Latencies = NDArray[np.float64]
Chosen = tuple[int, ...]

MOST_TRIED = 50_000
"""So many choices are all tried; of eight CPUs there are 40,320 orders at most."""

MOST_NUMBERS = 1 << 22
"""Of an array that holds all choices: 32 MB."""

MOST_IMPROVED, FEWEST_IMPROVED, DRAWN = 24, 3, 40
"""So many of the choices that were built up are improved, the cheapest, and of those that are drawn besides; of many
threads fewer, for whose sum a single one says little. Without those that are drawn 90 of 100 paths of four to seven
of eight CPUs were within 2% of the best (`along`, latencies drawn at random, which is harder than a machine's)."""

OF_THREADS = 600
"""So many threads are improved in all, but for the fewest choices."""

MOST_STEPS = 400
"""So often a choice is improved at most."""

LEAST_GAIN = 1e-9
"""A step that gains less is none: sums are rounded."""

BY_MEAN = 1e-6
"""Of choices whose farthest exchange is equally far the one whose others are nearer."""


def choose(ns: Latencies, threads: int, exchange: Exchange, *, by_farthest: bool = False) -> Chosen:
    """The places for so many threads at which the shape costs least: the one first of `one`, a path along itself."""
    if exchange == "one":
        return _around_one(ns, threads, by_farthest=by_farthest)
    if threads == len(ns) and exchange == "all":
        return tuple(range(threads))
    if (every := _all_choices(len(ns), threads, exchange)) is not None:
        found = every[int(np.argmin(_costs(ns, every, exchange)))]
        return tuple(map(int, found))
    return search(ns, threads, exchange)


def search(ns: Latencies, threads: int, exchange: Exchange) -> Chosen:
    """The same where there are too many choices to try all: built up from every CPU, the cheapest improved."""
    built = {_canonical(one, exchange) for one in (_built_up(ns, first, threads, exchange) for first in range(len(ns)))}
    chance, some = np.random.default_rng(threads), OF_THREADS // threads
    drawn = [chance.permutation(len(ns))[:threads].tolist() for _ in range(min(DRAWN, some))]
    begun = sorted(built, key=lambda one: (cost(ns, one, exchange), one))
    begun = [*begun[: min(MOST_IMPROVED, max(FEWEST_IMPROVED, some))], *drawn]
    improve = _improved_path if exchange == "along" else _improved_set
    ended = [_canonical(improve(ns, [*one]), exchange) for one in begun]
    return min(ended, key=lambda one: (cost(ns, one, exchange), one))


def cost(ns: Latencies, chosen: Sequence[int], exchange: Exchange, *, by_farthest: bool = False) -> float:
    """What a shape costs at these places, the one first: the mean of its exchanges, or the farthest of them."""
    one = np.array([chosen])
    if exchange == "one":
        exchanges = ns[chosen[0], list(chosen[1:])]
        return float(exchanges.max() if by_farthest else exchanges.mean())
    number = len(chosen) * (len(chosen) - 1) / 2 if exchange == "all" else len(chosen) - 1
    return float(_costs(ns, one, exchange)[0] / number)


def usual_cost(
    ns: Latencies, threads: int, exchange: Exchange, seed: int, *, by_farthest: bool = False, draws: int = 999
) -> float:
    """What a shape costs at places that are drawn at random: the median of as many draws."""
    drawn = np.random.default_rng(seed)
    choices = (drawn.permutation(len(ns))[:threads].tolist() for _ in range(draws))
    return float(np.median([cost(ns, one, exchange, by_farthest=by_farthest) for one in choices]))


def _around_one(ns: Latencies, threads: int, *, by_farthest: bool) -> Chosen:
    """Around each CPU those that are nearest to it: that is exact."""
    away = ns + np.diag(np.full(len(ns), inf))
    nearest = np.argsort(away, axis=1, kind="stable")[:, : threads - 1]
    of_each = np.take_along_axis(away, nearest, axis=1)
    costs = of_each.max(axis=1) + BY_MEAN * of_each.mean(axis=1) if by_farthest else of_each.mean(axis=1)
    one = int(np.argmin(costs))
    return one, *map(int, nearest[one])


def _all_choices(cpus: int, threads: int, exchange: Exchange) -> NDArray[np.intp] | None:
    """Every choice there is; None where there are too many."""
    number = comb(cpus, threads) if exchange == "all" else perm(cpus, threads)
    if number > MOST_TRIED or number * threads**2 > MOST_NUMBERS:
        return None
    ways: Iterator[Chosen] = (combinations if exchange == "all" else permutations)(range(cpus), threads)
    return np.fromiter(chain.from_iterable(ways), np.intp, number * threads).reshape(number, threads)


def _costs(ns: Latencies, choices: NDArray[np.intp], exchange: Exchange) -> Latencies:
    """The sum of the exchanges of each choice, of `all` or `along`."""
    if exchange == "along":
        return np.asarray(ns[choices[:, :-1], choices[:, 1:]].sum(axis=1))
    whole = ns[choices[:, :, None], choices[:, None, :]].sum(axis=(1, 2))
    own = ns[choices, choices].sum(axis=1)
    return np.asarray((whole - own) / 2)


def _built_up(ns: Latencies, first: int, threads: int, exchange: Exchange) -> list[int]:
    """A choice that begins with one CPU, and takes each time the one that adds least; a path grows at both ends."""
    chosen, free = [first], np.ones(len(ns), bool)
    free[first] = False
    sums = ns[first].copy()
    while len(chosen) < threads:
        if exchange == "all":
            added = int(np.argmin(np.where(free, sums, inf)))
            sums += ns[added]
            chosen.append(added)
        else:
            ends = [int(np.argmin(np.where(free, ns[end], inf))) for end in (chosen[-1], chosen[0])]
            at_end = ns[chosen[-1], ends[0]] <= ns[chosen[0], ends[1]]
            added = ends[0] if at_end else ends[1]
            chosen.insert(len(chosen) if at_end else 0, added)
        free[added] = False
    return chosen


def _improved_set(ns: Latencies, chosen: list[int]) -> list[int]:
    """Change one CPU for another as long as that gains something, each time the change that gains most."""
    plain = ns - np.diag(np.diag(ns))
    for _ in range(MOST_STEPS):
        sums = plain[chosen].sum(axis=0)
        gains = sums[chosen][:, None] - (sums[None, :] - plain[chosen])
        gains[:, chosen] = -inf
        best = int(np.argmax(gains))
        if gains.flat[best] <= LEAST_GAIN:
            return chosen
        chosen[best // len(ns)] = best % len(ns)
    return chosen


def _improved_path(ns: Latencies, chosen: list[int]) -> list[int]:
    """Change a CPU for another, turn a stretch round, or move a CPU, as long as one of these gains something."""
    for _ in range(MOST_STEPS):
        gain, better = max((_changed(ns, chosen), _turned(ns, chosen)), key=lambda one: one[0])
        if gain <= LEAST_GAIN:
            gain, better = _moved(ns, chosen)
        if gain <= LEAST_GAIN:
            return chosen
        chosen = better
    return chosen


Move = tuple[float, list[int]]
"""What it gains, and the path that it makes."""


def _changed(ns: Latencies, path: list[int]) -> Move:
    """The best change of one CPU of a path for one outside of it."""
    hops = np.zeros((len(path), len(ns)))
    hops[1:] += ns[path[:-1]]
    hops[:-1] += ns[path[1:]]
    now = hops[np.arange(len(path)), path]
    gains = now[:, None] - hops
    gains[:, path] = -inf
    best = int(np.argmax(gains))
    at, cpu = divmod(best, len(ns))
    return float(gains.flat[best]), [*path[:at], cpu, *path[at + 1 :]]


def _turned(ns: Latencies, path: list[int]) -> Move:
    """The best turn of a stretch of a path, from one place to another."""
    size, at = len(path), np.array(path)
    before, after = np.zeros(size), np.zeros(size)  # the hop into a place, and the one out of it
    before[1:] = after[:-1] = ns[at[:-1], at[1:]]
    into, out = np.zeros((size, size)), np.zeros((size, size))
    into[1:, :] = ns[np.ix_(at[:-1], at)]  # from before the first to what was the last
    out[:, :-1] = ns[np.ix_(at, at[1:])]  # from what was the first to behind the last
    gains = np.triu(before[:, None] + after[None, :] - into - out, 1)
    best = int(np.argmax(gains))
    first, last = divmod(best, size)
    return float(gains.flat[best]), [*path[:first], *path[first : last + 1][::-1], *path[last + 1 :]]


def _moved(ns: Latencies, path: list[int]) -> Move:
    """The best move of one CPU of a path to another place in it."""
    best: Move = (0.0, path)
    for at, cpu in enumerate(path):
        rest = [*path[:at], *path[at + 1 :]]
        hops = [float(ns[one, other]) for one, other in ((path[at - 1], cpu), (cpu, path[(at + 1) % len(path)]))]
        left = hops[0] * (at > 0) + hops[1] * (at < len(path) - 1)
        joined = float(ns[path[at - 1], path[at + 1]]) if 0 < at < len(path) - 1 else 0.0
        to = ns[cpu, rest]
        within = to[:-1] + to[1:] - ns[rest[:-1], rest[1:]]
        adds = np.concatenate(([to[0]], within, [to[-1]]))
        place = int(np.argmin(adds))
        gain = left - joined - float(adds[place])
        if gain > best[0]:
            best = gain, [*rest[:place], cpu, *rest[place:]]
    return best


def _canonical(chosen: Sequence[int], exchange: Exchange) -> Chosen:
    """One of those that are the same: a set in order, a path from its lower end."""
    if exchange == "all":
        return tuple(sorted(chosen))
    return tuple(chosen if chosen[0] <= chosen[-1] else reversed(chosen))
