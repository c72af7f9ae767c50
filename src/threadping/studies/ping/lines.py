"""A ping: what is measured, a line for each ping as it is taken, and the summary; for a person, and as JSON."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

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

MAX_RECENT = 100_000  # lines: 30 MB, and their states take a second

WIDEST_TIME = 7
"""As `63.2 ns` and `5.32 ms`."""

WIDEST_SECONDS, MOST_DECIMALS = 4, 2
"""Before the point, which is enough for some hours, and after it."""


class PingTally:
    """How many pings each pair had, and the recent ones of all: days of pings fit into memory.

    Attributes:
        recent: the last lines, MAX_RECENT at most.
        last: the last ping of each pair.
        known_ns: the last latency of each pair that is known.
        highest_ns: the highest latency of all; None while none is known.
        first_at: when the first ping of each pair was taken.
        pings: the number of lines of each pair; also of those taken `again`, `failed`, and with a `changed` state.
    """

    def __init__(self) -> None:
        """Begin without a ping."""
        self.recent = deque[PingLine](maxlen=MAX_RECENT)
        self.last: dict[Pair, ReferencePing] = {}
        self.known_ns: dict[Pair, float] = {}
        self.highest_ns: float | None = None
        self.first_at: dict[Pair, float] = {}
        self.pings, self.again, self.failed, self.changed = (Counter[Pair]() for _ in range(4))

    def add(self, line: PingLine) -> None:
        """Count a line, and keep it while it is recent."""
        pair, ns = line.ping.cpus, line.ping.ns
        self.recent.append(line)
        self.last[pair] = line.ping
        self.first_at.setdefault(pair, (line.disturbed or line.ping).at)
        self.pings[pair] += 1
        self.again[pair] += line.disturbed is not None
        self.failed[pair] += ns is None
        self.changed[pair] += line.changed_from is not None
        if ns is not None:
            self.known_ns[pair] = ns
            self.highest_ns = max(ns, self.highest_ns or ns)

    def taken(self, pair: Pair) -> int:
        """Return how many pings of a pair were taken, also those that were taken again."""
        return self.pings[pair] + self.again[pair]

    def watched_s(self, pair: Pair) -> float:
        """Return for how many seconds a pair was watched."""
        return self.last[pair].at - self.first_at[pair] if pair in self.last else 0.0


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


def summary(tally: PingTally, placed: Mapping[Pair, str]) -> Block:
    """Sum up what each pair was seen to do, and the states that it was in recently."""
    states = states_of(pings(tally.recent))
    seen = [Text(_seen(pair, name, tally, states)) for pair, name in placed.items()]
    found = [state for pair in placed for state in states.of_pair(pair)]
    table = (Text(), state_table(found, with_cpus=True)) if found else ()
    return Blocks.of(Text(), *seen, *table)


def _seen(pair: Pair, name: str, tally: PingTally, states: States) -> str:
    recent = [(one, state) for one, state in zip(states.pings, states.of, strict=True) if one.cpus == pair]
    taken, changes = tally.taken(pair), states.changes.get(pair, 0)
    lately = f" in the last {len(recent):,}" if len(recent) < taken else ""
    stray = sum(state is None for one, state in recent if one.ns is not None)
    counts = {"taken again": tally.again[pair], "failed": tally.failed[pair], f"in no state{lately}": stray}
    of_them = ", ".join(f"{number:,} {what}" for what, number in counts.items() if number)
    moved = f"changed {counted(changes, 'time')}" if changes else "did not change"
    number = f"{counted(taken, 'ping')} in {duration(tally.watched_s(pair))}{of_them and f' ({of_them})'}"
    return f"CPUs {_cpus(pair)} ({name}): {number}; the state {moved}{lately}."


def _cpus(pair: Pair) -> str:
    return ",".join(map(str, pair))


def _time(ns: float | None, style: str = "") -> Text:
    """A time as wide as the widest, so that those of all lines stand below each other."""
    text = figure("ns", ns, style)
    text.pad_left(WIDEST_TIME - text.cell_len)
    return text


def pings(pinged: Iterable[PingLine]) -> list[ReferencePing]:
    """Every ping in the order in which they were taken, also those that were taken again."""
    return [one for line in pinged for one in (line.disturbed, line.ping) if one]


def line_json(line: PingLine) -> str:
    """Write a ping, or what changed, as a line of JSON."""
    one = line.ping
    entry = {"at": one.at, "seq": line.seq, "cpus": one.cpus, "one_way_ns": one.ns}
    entry |= {"round_trip_p99_ns": one.round_trip_p99_ns, "round_trip_max_ns": one.round_trip_max_ns}
    entry |= {"changed": line.changed_from is not None}
    return msgspec.json.encode(entry | {"failure": one.failure}).decode()


def summary_json(pairs: Sequence[Pair], tally: PingTally) -> str:
    """Write the last line: for each pair how often and for how long it was pinged, and its recent states."""
    states = states_of(pings(tally.recent))
    return msgspec.json.encode({"summary": [_summary(pair, tally, states) for pair in pairs]}).decode()


def _summary(pair: Pair, tally: PingTally, states: States) -> dict[str, object]:
    return {
        "cpus": pair,
        "pings": tally.taken(pair),
        "seconds": tally.watched_s(pair),
        "changes": states.changes.get(pair, 0),
        "states": records_of(state_sheet(states.of_pair(pair))),
    }
