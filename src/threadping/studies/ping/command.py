"""Ping between CPUs: a ping of each pair every interval, printed as it is taken, and stored nowhere."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import combinations
from pathlib import Path

from threadping import files
from threadping.conduct.cpus import topology_with
from threadping.conduct.streams import is_read, write_export
from threadping.machine.identity import describe_machine
from threadping.machine.placements import placement_for_cpus
from threadping.machine.turn import turn
from threadping.model.cases import Pair, Runtime
from threadping.model.trials import PingLine
from threadping.probes.interrupts import as_interrupt
from threadping.probes.reference_ping import LINES, MEASURE_NS, MECHANISM, reference_pings
from threadping.probes.runtimes import find_cpp
from threadping.relation import usable
from threadping.runner.pings import ping_lines, spread
from threadping.sheets.console import stdout
from threadping.studies.ping.lines import PingTally, heading, line, line_json, notes, summary, summary_json
from threadping.studies.ping.prometheus import exposition

PROTOCOL = f"{MECHANISM}, C++, {LINES} lines, {MEASURE_NS / 1e6:g} ms"


def ping(
    cpus: Pair | None,
    rounds: int | None,
    interval_s: float,
    form: str,
    *,
    above_ns: float | None = None,
    file: Path | None = None,
    anyway: bool = False,
) -> int:
    """Ping until Ctrl-C, or for so many rounds, and sum it up.

    Args:
        cpus: two CPUs; None for all pairs of up to four.
        rounds: how many pings of each pair; None for no end.
        interval_s: between two pings of a pair.
        form: `table`, `json` for a line for each ping, or `prometheus` for the metrics once it ends.
        above_ns: show only the pings that cross this one-way latency.
        file: where to write the metrics after each interval.
        anyway: ping although another threadping is measuring.

    Returns:
        The exit code: 3 if a ping was above `above_ns`, 1 if no ping succeeded.
    """
    cpp = find_cpp(os.environ)
    with turn(anyway=anyway) as beside:
        if beside:
            print(f"threadping: {beside}", file=sys.stderr)
        return _ping(cpp, cpus, rounds, interval_s, form, above_ns, file)


def _ping(
    cpp: Runtime,
    cpus: Pair | None,
    rounds: int | None,
    interval_s: float,
    form: str,
    above_ns: float | None,
    file: Path | None,
) -> int:
    topology = topology_with(cpp, cpus, "ping")
    chosen = cpus or spread(topology)
    placed = {pair: placement_for_cpus(topology, pair).title for pair in combinations(chosen, 2)}
    lines = ping_lines(partial(reference_pings, cpp, trials=0), list(placed), interval_s, rounds)
    tally = PingTally()

    def shown(show: Callable[[PingLine], None]) -> None:
        """Show each line as it comes, until the last, Ctrl-C, or a reader who leaves, unless that would decide."""
        decides_at_its_end = bool(rounds) and above_ns is not None
        with suppress(KeyboardInterrupt), as_interrupt():
            for line in lines:
                before_ns = tally.known_ns.get(line.ping.cpus, 0.0)
                tally.add(line)
                if file and tally.pings.total() % len(placed) == 0:  # an interval is complete
                    files.write(file, exposition(tally, placed).encode(), "the output")
                if above_ns is None or crosses(before_ns, line.ping.ns, above_ns):
                    show(line)
                if not (decides_at_its_end or is_read()):
                    break

    if form == "json":
        shown(lambda one: write_export(line_json(one) + "\n"))
        write_export(summary_json(list(placed), tally) + "\n")
    elif form == "prometheus":
        shown(lambda _: None)
        if not file:
            write_export(exposition(tally, placed))
    else:
        console, allowed = stdout(), len(usable(topology))
        console.print(heading(placed, interval_s, PROTOCOL))
        for note in notes(describe_machine(topology, "")):
            console.print(note)
        if len(chosen) < allowed and not cpus:
            of_them = (
                f"Of the {allowed} CPUs that may be used these are {','.join(map(str, chosen))}, far from each other."
            )
            console.print(f"{of_them} `threadping ping A,B` takes others.")
        # As long as it is: the terminal breaks a line that is too long, and a pipe gets it whole.
        shown(lambda one: console.print(line(one, interval_s), soft_wrap=True))
        # A console of its own: one that was interrupted while it printed a line would print it again.
        stdout().print(summary(tally, placed))
    if tally.highest_ns is None:
        return 1
    return 3 if above_ns is not None and tally.highest_ns > above_ns else 0


def crosses(before_ns: float, now_ns: float | None, above_ns: float) -> bool:
    """Whether a ping is on another side of the threshold than the one before of its pair; all begin below."""
    return now_ns is not None and (before_ns > above_ns) != (now_ns > above_ns)
