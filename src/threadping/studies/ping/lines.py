"""A ping: what is measured, a line for each ping as it is taken, and the summary; for a person, and as JSON."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from rich.text import Text

from threadping.analysis.checks import Finding
from threadping.analysis.states import States, states_of
from threadping.analysis.warnings.run import OF_MACHINES
from threadping.analysis.warnings.words import brief
from threadping.grouping import gathered
from threadping.model.cases import Pair
from threadping.model.run import Machine
from threadping.model.trials import PingLine, ReferencePing
from threadping.quantities import counted, duration, time
from threadping.rows.findings import mark
from threadping.sheets.cells import figure
from threadping.sheets.grid import Block, Blocks
from threadping.sheets.names import plain
from threadping.sheets.records import records_of
from threadping.sheets.states import state_sheet, state_table

WIDEST_TIME = 7
"""As `63.2 ns` and `5.32 ms`."""

WIDEST_SECONDS, MOST_DECIMALS = 4, 2
"""Before the point, which is enough for some hours, and after it."""


def heading(placed: Mapping[Pair, str], interval_s: float, protocol: str) -> Text:
    """Say what is measured.

    Args:
        placed: the pairs, each with the name of its placement.
        interval_s: how long after each other they are pinged.
        protocol: how they are pinged.
    """
    by_name = gathered((name, _cpus(pair)) for pair, name in placed.items())
    where = "; ".join(f"{' '.join(pairs)} ({name})" for name, pairs in by_name.items())
    where = where.replace("(", "(the system calls them ", 1)
    return Text.assemble(
        (f"Ping between CPUs {where}", "bold"),
        f" every {interval_s:g} s: {protocol}. One way is half a round trip. Ctrl-C ends it.",
    )


def notes(machine: Machine) -> Iterator[Text]:
    """Say what there is of this machine that pings suffer from, a line each."""
    for check in OF_MACHINES:
        if (facts := check.find(machine)) is not None:
            said = brief(check, Finding(check.code, check.level, facts))
            command = f"threadping explain {check.code}"
            yield Text.assemble(mark(check.level), f" {check.code}: {said} (", (command, "cyan"), ")")


def line(pinged: PingLine, interval_s: float) -> Text:
    """Write a line, which names its figures: the first one is soon out of sight."""
    one = pinged.ping
    decimals = min(MOST_DECIMALS, len(f"{interval_s:g}".partition(".")[2]))
    after = f"{pinged.after_s:.{decimals}f}".rjust(WIDEST_SECONDS + decimals + bool(decimals))
    begun = Text.assemble((f"{after} s", "dim"), f"  {_cpus(one.cpus)}  ")
    if one.ns is None:
        return begun.append(f"failed: {plain(one.failure or 'no reason is known')}", "red")
    tail = [
        part
        for name, ns in (("round trip p99", one.round_trip_p99_ns), ("max", one.round_trip_max_ns))
        for part in (f"  {name} ", _time(ns))
    ]
    moved = pinged.changed_from
    changed = "" if moved is None else f"  changed from {time(moved)}"
    return Text.assemble(begun, _time(one.ns, "bold"), " one way", *tail, (changed, "bold yellow"))


def summary(pinged: Sequence[PingLine], placed: Mapping[Pair, str]) -> Block:
    """Sum up what each pair was seen to do, and the states that it was in."""
    states = states_of(pings(pinged))
    seen = [Text(_seen(pair, name, pinged, states)) for pair, name in placed.items()]
    found = [state for pair in placed for state in states.of_pair(pair)]
    table = (Text(), state_table(found, with_cpus=True)) if found else ()
    return Blocks.of(Text(), *seen, *table)


def _seen(pair: Pair, name: str, pinged: Sequence[PingLine], states: States) -> str:
    of_pair = [(one, state) for one, state in zip(states.pings, states.of, strict=True) if one.cpus == pair]
    again = sum(line.disturbed is not None for line in pinged if line.ping.cpus == pair)
    failed = sum(one.ns is None for one, _ in of_pair)
    stray = sum(state is None for one, state in of_pair if one.ns is not None)
    times = states.changes.get(pair, 0)
    counts = {"taken again": again, "failed": failed, "in no state": stray}
    of_them = ", ".join(f"{number:,} {what}" for what, number in counts.items() if number)
    took = duration(watched_s([one for one, _ in of_pair]))
    moved = f"changed {counted(times, 'time')}" if times else "did not change"
    taken = f"{counted(len(of_pair), 'ping')} in {took}{of_them and f' ({of_them})'}"
    return f"CPUs {_cpus(pair)} ({name}): {taken}; the state {moved}."


def _cpus(pair: Pair) -> str:
    return ",".join(map(str, pair))


def _time(ns: float | None, style: str = "") -> Text:
    """A time as wide as the widest, so that those of all lines stand below each other."""
    text = figure("ns", ns, style)
    text.pad_left(WIDEST_TIME - text.cell_len)
    return text


def pings(pinged: Sequence[PingLine]) -> list[ReferencePing]:
    """Every ping in the order in which they were taken, also those that were taken again."""
    return [one for line in pinged for one in (line.disturbed, line.ping) if one]


def watched_s(of_pair: Sequence[ReferencePing]) -> float:
    """For how many seconds a pair was watched."""
    return of_pair[-1].at - of_pair[0].at if of_pair else 0.0


def line_json(line: PingLine) -> str:
    """Write a ping, or what changed, as a line of JSON."""
    one = line.ping
    entry = {"at": one.at, "seq": line.seq, "cpus": one.cpus, "one_way_ns": one.ns}
    entry |= {"round_trip_p99_ns": one.round_trip_p99_ns, "round_trip_max_ns": one.round_trip_max_ns}
    entry |= {"changed": line.changed_from is not None}
    return msgspec.json.encode(entry | {"failure": one.failure}).decode()


def summary_json(pairs: Sequence[Pair], states: States) -> str:
    """Write the last line: for each pair how often and for how long it was pinged, and its states."""
    return msgspec.json.encode({"summary": [_summary(pair, states) for pair in pairs]}).decode()


def _summary(pair: Pair, states: States) -> dict[str, object]:
    of_pair = [one for one in states.pings if one.cpus == pair]
    return {
        "cpus": pair,
        "pings": len(of_pair),
        "seconds": watched_s(of_pair),
        "changes": states.changes.get(pair, 0),
        "states": records_of(state_sheet(states.of_pair(pair))),
    }
