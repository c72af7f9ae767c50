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


def ping(
    cpus: Pair | None,
    rounds: int | None,
    interval_s: float,
    output: Listing,
    *,
    above_ns: float | None = None,
    anyway: bool = False,
) -> int:
    """Ping until Ctrl-C, or for so many rounds, and sum it up.

    Args:
        cpus: two CPUs; None for all pairs of up to four.
        rounds: how many pings of each pair; None for no end.
        interval_s: between two pings of a pair.
        output: a table, or a line of JSON for each ping.
        above_ns: show only the pings that cross this one-way latency.
        anyway: ping although another threadping is measuring.

    Returns:
        The exit code: 3 if a ping was above `above_ns`, 1 if no ping succeeded.
    """
    if not LEAST_S <= interval_s <= MOST_S:
        raise UsageError(f"-i {interval_s:g} is not possible. Give an interval of {LEAST_S:g} to {MOST_S:g} seconds.")
    cpp = find_runtimes(os.environ).cpp()
    with turn(anyway=anyway) as beside:
        if beside:
            print(f"threadping: {beside}", file=sys.stderr)
        return _ping(cpp, cpus, rounds, interval_s, output, above_ns)


def _ping(
    cpp: Runtime, cpus: Pair | None, rounds: int | None, interval_s: float, output: Listing, above_ns: float | None
) -> int:
    topology = read_topology(cpp)
    chosen = cpus or spread(topology)
    placed = {pair: name_of(topology, pair) for pair in combinations(chosen, 2)}
    lines = ping_lines(partial(reference_ping, cpp, trials=0), list(placed), interval_s, rounds)
    taken: list[PingLine] = []

    def shown(show: Callable[[PingLine], None]) -> None:
        """Show each line as it comes, until the last or until Ctrl-C."""
        with suppress(KeyboardInterrupt), sigterm_as_interrupt():
            for line in lines:
                taken.append(line)
                if above_ns is None or crosses(taken, above_ns):
                    show(line)

    if output == "json":
        from threadping.analysis.states import states_of
        from threadping.views.export.ping import line_json, pings, summary_json

        shown(lambda one: print(line_json(one), flush=True))
        print(summary_json(list(placed), states_of(pings(taken))))
    else:
        from threadping.views.terminal.console import stdout
        from threadping.views.terminal.ping import heading, line, summary

        console, allowed = stdout(), len(usable(topology))
        console.print(heading(placed, interval_s, PROTOCOL))
        if len(chosen) < allowed and not cpus:
            of_them = (
                f"Of the {allowed} CPUs that may be used these are {','.join(map(str, chosen))}, far from each other."
            )
            console.print(f"{of_them} `threadping ping A,B` takes others.")
        # As long as it is: the terminal breaks a line that is too long, and a pipe gets it whole.
        shown(lambda one: console.print(line(one, interval_s), soft_wrap=True))
        # A console of its own: one that was interrupted while it printed a line would print it again.
        stdout().print(summary(taken, placed))
    measured = [line.ping.ns for line in taken if line.ping.ns is not None]
    return 1 if not measured else 3 if above_ns is not None and max(measured) > above_ns else 0


def crosses(taken: Sequence[PingLine], above_ns: float) -> bool:
    """Whether the last ping is on another side of the threshold than the one before of its pair; all begin below."""
    of_pair = [one.ping.ns for one in taken if one.ping.cpus == taken[-1].ping.cpus and one.ping.ns is not None]
    before, now = [0.0, *of_pair][-2:] if taken[-1].ping.ns is not None else (0.0, 0.0)
    return (before > above_ns) != (now > above_ns)


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


def _begun(first: list[PingLine]) -> list[PingLine]:
    """The first line of each pair, unless all failed."""
    if all(line.ping.ns is None for line in first):
        one = first[0].ping
        raise ThreadpingError(f"{numbers.named(one.cpus)} cannot be pinged: {one.failure}")
    return first
