"""Ping between CPUs: a ping of each pair every interval, printed as it is taken, and stored nowhere."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import combinations

from threadping import numbers
from threadping.cli.options import Listing
from threadping.cli.signals import sigterm_as_interrupt
from threadping.errors import UsageError
from threadping.machine.placements import name_of
from threadping.model import Pair, PingLine
from threadping.probes.description import read_topology
from threadping.probes.reference_ping import LINES, MEASURE_NS, MECHANISM, reference_ping
from threadping.probes.runtimes import find_runtimes
from threadping.relation import usable
from threadping.runner.pings import ping_lines, spread

LEAST_S, MOST_S = 0.1, 3600.0
PROTOCOL = f"{MECHANISM}, C++, {LINES} lines, {MEASURE_NS / 1e6:g} ms"


def ping(cpus: str | None, rounds: int | None, interval_s: float, output: Listing) -> None:
    """Ping until Ctrl-C, or for so many rounds, and sum it up."""
    asked = None if cpus is None else parse_pair(cpus)
    if not LEAST_S <= interval_s <= MOST_S:
        raise UsageError(f"-i {interval_s:g} is not possible. Give an interval of {LEAST_S:g} to {MOST_S:g} seconds.")
    cpp = find_runtimes(os.environ).cpp()
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


def _until_stopped(lines: Iterator[PingLine], tell: Callable[[PingLine], None]) -> list[PingLine]:
    """Tell each line as it comes, until the last or until somebody stops it."""
    taken: list[PingLine] = []
    with suppress(KeyboardInterrupt), sigterm_as_interrupt():
        for line in lines:
            taken.append(line)
            tell(line)
    return taken
