"""Ping between CPUs: a ping of each pair every interval, told as it is taken, and stored nowhere."""

import math
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import combinations, count, islice

from threadping import numbers
from threadping.analysis.states import alike, near
from threadping.cli.options import Listing
from threadping.cli.signals import sigterm_as_interrupt
from threadping.contract import Cpu, Topology
from threadping.errors import NothingToMeasure, ThreadpingError, UsageError
from threadping.machine.placements import name_of
from threadping.machine.turn import turn
from threadping.model import Pair, ReferencePing, Runtime
from threadping.probes.description import read_topology
from threadping.probes.reference_ping import LINES, MEASURE_NS, MECHANISM, reference_ping
from threadping.probes.runtimes import find_runtimes
from threadping.relation import CPUS_APART, relation, usable
from threadping.views.export.ping import PingLine

LEAST_S, MOST_S = 0.1, 3600.0
MOST_CPUS = 4
PROTOCOL = f"{MECHANISM}, C++, {LINES} lines, {MEASURE_NS / 1e6:g} ms"


def ping(cpus: str | None, rounds: int | None, interval_s: float, output: Listing, anyway: bool = False) -> None:
    """Ping until Ctrl-C, or for so many rounds, and sum it up.

    While another threadping measures on this machine nothing is pinged, unless `anyway`, which is said then.
    """
    asked = None if cpus is None else parse_pair(cpus)
    if not LEAST_S <= interval_s <= MOST_S:
        raise UsageError(f"-i {interval_s:g} is not possible. Give an interval of {LEAST_S:g} to {MOST_S:g} seconds.")
    cpp = find_runtimes(os.environ).cpp()
    with turn(anyway=anyway) as beside:
        if beside:
            print(f"threadping: {beside}", file=sys.stderr)
        _ping(cpp, asked, rounds, interval_s, output)


def _ping(cpp: Runtime, asked: Pair | None, rounds: int | None, interval_s: float, output: Listing) -> None:
    topology = read_topology(cpp)
    chosen = asked or spread(topology)
    placed = {pair: name_of(topology, pair) for pair in combinations(chosen, 2)}
    lines = ping_lines(partial(reference_ping, cpp, trials=0), list(placed), interval_s, rounds)
    if output == "json":
        from threadping.analysis.states import states_of
        from threadping.views.export.ping import line_json, pings, summary_json

        taken = _until_stopped(lines, lambda one: print(line_json(one), flush=True))
        print(summary_json(list(placed), states_of(pings(taken))))
    else:
        from threadping.views.terminal.console import stdout
        from threadping.views.terminal.ping import heading, line, summary

        console, allowed = stdout(), len(usable(topology))
        console.print(heading(placed, interval_s, PROTOCOL))
        if len(chosen) < allowed and not asked:
            of_them = (
                f"Of the {allowed} CPUs that may be used these are {','.join(map(str, chosen))}, far from each other."
            )
            console.print(f"{of_them} `threadping ping A,B` takes others.")
        # As long as it is: the terminal breaks a line that is too long, and a pipe gets it whole.
        taken = _until_stopped(lines, lambda one: console.print(line(one, interval_s), soft_wrap=True))
        # A console of its own: one that was interrupted while it printed a line would print it again.
        stdout().print(summary(taken, placed))


def parse_pair(text: str) -> Pair:
    """Read `0,1`; UsageError if it does not name two CPUs."""
    given = numbers.parse(text, "ping", 0, numbers.HIGHEST_CPU, what="two CPU numbers", example="0,1")
    if len(given) != 2 or len(set(given)) != 2:
        what = f"is {numbers.named(given)} alone" if len(set(given)) == 1 else f"names {len(given)} CPUs"
        raise UsageError(f"ping '{text}' {what}; a ping goes between two. Write A,B: `threadping ping 0,1`.")
    return min(given), max(given)


def spread(topology: Topology) -> list[int]:
    """Up to four usable CPUs: the first, then each time the one that is furthest from those before it."""
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


def ping_lines(
    ping: Callable[[Pair], ReferencePing], pairs: Sequence[Pair], interval_s: float, rounds: int | None = None
) -> Iterator[PingLine]:
    """Ping each pair every interval; ThreadpingError if no pair can be pinged when it begins.

    A ping that is unlike the ones before is taken once more at once: the state changed if both agree.
    """
    stood: dict[Pair, float] = {}

    def pinged(pair: Pair, seq: int, after_s: float) -> PingLine:
        taken, before, disturbed = ping(pair), stood.get(pair), None
        if before and taken.ns and not near(before, taken.ns):
            disturbed, taken = taken, ping(pair)
        if taken.ns is None:
            return PingLine(taken, seq, after_s, disturbed)
        changed = bool(before and disturbed and not alike(before, taken.ns) and alike(disturbed.ns or 0, taken.ns))
        if not before or changed or alike(before, taken.ns):
            stood[pair] = taken.ns
        return PingLine(taken, seq, after_s, disturbed, before if changed else None)

    for seq, after_s in enumerate(islice(_ticks(interval_s), rounds), 1):
        lines: Iterable[PingLine] = (pinged(pair, seq, after_s) for pair in pairs)
        if seq == 1:
            lines = _begun(list(lines))
        yield from lines


def _ticks(interval_s: float) -> Iterator[float]:
    """Wait for each interval, and tell after how many seconds it begins; those that are missed are left out."""
    begun, tick = time.monotonic(), 0
    for _ in count():
        time.sleep(max(0.0, begun + tick * interval_s - time.monotonic()))
        yield tick * interval_s
        tick = max(tick + 1, math.ceil((time.monotonic() - begun) / interval_s))


def _until_stopped(lines: Iterator[PingLine], tell: Callable[[PingLine], None]) -> list[PingLine]:
    """Tell each line as it comes, until the last or until somebody stops it."""
    taken: list[PingLine] = []
    with suppress(KeyboardInterrupt), sigterm_as_interrupt():
        for line in lines:
            taken.append(line)
            tell(line)
    return taken


def _begun(first: list[PingLine]) -> list[PingLine]:
    """The first line of each pair, unless all failed."""
    if all(line.ping.ns is None for line in first):
        one = first[0].ping
        raise ThreadpingError(f"{numbers.named(one.cpus)} cannot be pinged: {one.failure}")
    return first
