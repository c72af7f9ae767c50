"""Reference pings: one that is unlike the one before is taken again, and a pair is pinged every interval."""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

from threadping import numbers
from threadping.analysis.states import alike, near
from threadping.contract import Cpu, Topology
from threadping.errors import NothingToMeasure, ThreadpingError
from threadping.model import Pair, PingLine, ReferencePing
from threadping.relation import CPUS_APART, relation, usable

MOST_CPUS = 4


Ping = Callable[[Sequence[Pair]], Sequence[ReferencePing]]
"""Pings pairs at once, of which none share a CPU."""


def take(ping: Ping, before_ns: Mapping[Pair, float | None]) -> list[ReferencePing]:
    """Ping pairs, and once more at once those unlike before: a ping that was disturbed costs no trial."""
    taken = [*ping([*before_ns])]
    unlike = [one.cpus for one in taken if one.ns and (ns := before_ns[one.cpus]) and not near(ns, one.ns)]
    return [*taken, *(ping(unlike) if unlike else ())]


def spread(topology: Topology) -> list[int]:
    """Up to four usable CPUs: the first, then each time the one that is furthest from those before it.

    Raises:
        NothingToMeasure: there are not two.
    """
    left = list(usable(topology).values())
    if len(left) < 2:
        raise NothingToMeasure(
            f"A ping goes between two CPUs, but this process may use only {numbers.named(cpu.cpu for cpu in left)}."
        )
    chosen = [left.pop(0)]

    def distance(cpu: Cpu) -> list[int]:
        return sorted(CPUS_APART.index(relation(cpu, one)) for one in chosen)

    while left and len(chosen) < MOST_CPUS:
        chosen.append(max(left, key=distance))
        left.remove(chosen[-1])
    return sorted(cpu.cpu for cpu in chosen)


def ping_lines(ping: Ping, pairs: Sequence[Pair], interval_s: float, rounds: int | None = None) -> Iterator[PingLine]:
    """Ping each pair every interval, for so many intervals or without end.

    A state has changed where two pings in a row agree on another one.

    Raises:
        ThreadpingError: no pair can be pinged in the first interval.
    """
    stood: dict[Pair, float] = {}

    def line(pair: Pair, seq: int, after_s: float) -> PingLine:
        before = stood.get(pair)
        *disturbed, taken = take(ping, {pair: before})
        unlike = disturbed[0] if disturbed else None
        if taken.ns is None:
            return PingLine(taken, seq, after_s, unlike)
        changed = bool(before and unlike and not alike(before, taken.ns) and alike(unlike.ns or 0, taken.ns))
        if not before or changed or alike(before, taken.ns):
            stood[pair] = taken.ns
        return PingLine(taken, seq, after_s, unlike, before if changed else None)

    for seq, after_s in enumerate(islice(_ticks(interval_s), rounds), 1):
        lines = (line(pair, seq, after_s) for pair in pairs)
        yield from _any_pinged(list(lines)) if seq == 1 else lines


def _ticks(interval_s: float) -> Iterator[float]:
    """Wait for each interval, and yield after how many seconds it begins; those that are missed are left out."""
    begun, tick = time.monotonic(), 0
    while True:
        time.sleep(max(0.0, begun + tick * interval_s - time.monotonic()))
        yield tick * interval_s
        tick = max(tick + 1, math.ceil((time.monotonic() - begun) / interval_s))


def _any_pinged(first: list[PingLine]) -> list[PingLine]:
    if all(line.ping.ns is None for line in first):
        one = first[0].ping
        raise ThreadpingError(f"{numbers.named(one.cpus)} cannot be pinged: {one.failure}")
    return first
