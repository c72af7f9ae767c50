"""Ping between CPUs: a ping of each pair every interval, printed for a person, as JSON or for Prometheus."""

import os
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib.metadata import version
from itertools import combinations, islice
from pathlib import Path

import msgspec
from rich.text import Text

from threadping.analysis.states import states_of
from threadping.analysis.validity import of_machine
from threadping.conduct import environment, presenting, streams
from threadping.conduct.pings import LINES, MEASURE_NS, MECHANISM, ping_lines, reference_pings, spread
from threadping.model import base, cases, run
from threadping.model.errors import UsageError
from threadping.model.files import write
from threadping.model.quantities import counted, duration, time
from threadping.model.text import plain
from threadping.output import findings, printing, records, run_records
from threadping.output.layout import Block, Blocks, figure
from threadping.probes import interrupts, placements, runtimes
from threadping.probes.machine import describe_machine
from threadping.probes.owner import machine_lock
from threadping.studies.states import show_states

MAX_RECENT = 100_000  # lines: 30 MB, and their states take a second

WIDEST_TIME = 7  # characters of `63.2 ns` and `5.32 ms`

WIDEST_SECONDS, MOST_DECIMALS = 4, 2  # digits before the point, enough for hours, and after it


class PingTally:
    """The number of pings of each pair, and the recent pings of all: days of pings fit into memory."""

    def __init__(self) -> None:
        self.recent = deque[run.PingLine](maxlen=MAX_RECENT)
        self.last: dict[cases.Pair, run.ReferencePing] = {}
        self.known_ns: dict[cases.Pair, float] = {}  # the last latency of each pair that is known
        self.highest_ns: float | None = None  # of all
        self.first_at: dict[cases.Pair, float] = {}
        # The number of lines of each pair; also of those taken again, that failed, and with a changed state
        self.pings, self.again, self.failed, self.changed = (Counter[cases.Pair]() for _ in range(4))

    def add(self, line: run.PingLine) -> None:
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

    def taken(self, pair: cases.Pair) -> int:
        """Return how many pings of a pair were taken, also those that were taken again."""
        return self.pings[pair] + self.again[pair]

    def watched_s(self, pair: cases.Pair) -> float:
        """Return for how many seconds a pair was watched."""
        return self.last[pair].at - self.first_at[pair] if pair in self.last else 0.0


def heading(placed: Mapping[cases.Pair, str], interval_s: float, protocol: str) -> Text:
    """Say which pairs are pinged, each with its placement, how often, and by which protocol."""
    by_name = base.gathered((name, _cpus(pair)) for pair, name in placed.items())
    where = "; ".join(f"{' '.join(pairs)} ({name})" for name, pairs in by_name.items())
    where = where.replace("(", "(the system calls them ", 1)
    return Text.assemble(
        (f"Ping between CPUs {where}", "bold"),
        f" every {interval_s:g} s: {protocol}. One way is half a round trip. Ctrl-C ends it.",
    )


def notes(machine: run.Machine) -> Iterator[Text]:
    """Say what there is of this machine that pings suffer from, a line each."""
    for one in of_machine(machine):
        said, command = one.text("brief"), f"threadping explain {one.code}"
        yield Text.assemble(findings.mark(one.level), f" {one.code}: {said} (", (command, "cyan"), ")")


def line(pinged: run.PingLine, interval_s: float) -> Text:
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


def summary(tally: PingTally, placed: Mapping[cases.Pair, str]) -> Block:
    """Summarise the pings of each pair, and its recent states."""
    states, seen = states_of(pings(tally.recent)), [Text()]
    for pair, name in placed.items():
        recent = [(one, state) for one, state in zip(states.pings, states.of, strict=True) if one.cpus == pair]
        taken, changes = tally.taken(pair), states.changes.get(pair, 0)
        lately = f" in the last {len(recent):,}" if len(recent) < taken else ""
        stray = sum(state is None for one, state in recent if one.ns is not None)
        counts = {"taken again": tally.again[pair], "failed": tally.failed[pair], f"in no state{lately}": stray}
        of_them = ", ".join(f"{number:,} {what}" for what, number in counts.items() if number)
        moved = f"changed {counted(changes, 'time')}" if changes else "did not change"
        number = f"{counted(taken, 'ping')} in {duration(tally.watched_s(pair))}{of_them and f' ({of_them})'}"
        seen.append(Text(f"CPUs {_cpus(pair)} ({name}): {number}; the state {moved}{lately}."))
    found = [state for pair in placed for state in states.of_pair(pair)]
    table = (Text(), run_records.state_table(found, with_cpus=True)) if found else ()
    return Blocks.of(*seen, *table)


def _cpus(pair: cases.Pair) -> str:
    return ",".join(map(str, pair))


def _time(ns: float | None, style: str = "") -> Text:
    """Write a time as wide as the widest, so that those of all lines are below each other."""
    text = figure("ns", ns, style)
    text.pad_left(WIDEST_TIME - text.cell_len)
    return text


def pings(pinged: Iterable[run.PingLine]) -> list[run.ReferencePing]:
    """Return every ping in the order in which they were taken, also those that were taken again."""
    return [one for line in pinged for one in (line.disturbed, line.ping) if one]


def line_json(line: run.PingLine) -> str:
    one = line.ping
    entry = {"at": one.at, "seq": line.seq, "cpus": one.cpus, "one_way_ns": one.ns}
    entry |= {"round_trip_p99_ns": one.round_trip_p99_ns, "round_trip_max_ns": one.round_trip_max_ns}
    entry |= {"changed": line.changed_from is not None}
    return msgspec.json.encode(entry | {"failure": one.failure}).decode()


def summary_json(pairs: Sequence[cases.Pair], tally: PingTally) -> str:
    """Write the last line: for each pair how often and for how long it was pinged, and its recent states."""
    states = states_of(pings(tally.recent))
    lines = [
        {
            "cpus": pair,
            "pings": tally.taken(pair),
            "seconds": tally.watched_s(pair),
            "changes": states.changes.get(pair, 0),
            "states": records.records_of(run_records.state_sheet(states.of_pair(pair))),
        }
        for pair in pairs
    ]
    return msgspec.json.encode({"summary": lines}).decode()


Sample = tuple[Mapping[str, object], float]  # the labels of a value, and the value
MOST_RECENT = 3_600  # lines of a pair whose states are found, anew each time: a few ms


def exposition(tally: PingTally, placed: Mapping[cases.Pair, str]) -> str:
    """Write the last ping of each pair, the numbers of pings, and the states of the recent ones."""
    labels = {pair: {"cpu_a": pair[0], "cpu_b": pair[1], "placement": name} for pair, name in placed.items()}
    last = [(labels[pair], one) for pair, one in tally.last.items()]
    first = max(0, len(tally.recent) - MOST_RECENT * len(labels))
    states = states_of(pings(islice(tally.recent, first, None)))
    in_states = [
        ({**of, "state": place}, state)
        for pair, of in labels.items()
        for place, state in enumerate(states.of_pair(pair), start=1)
    ]

    def in_s(figure: str) -> Iterator[Sample]:
        return ((of, ns / 1e9) for of, one in last if (ns := getattr(one, figure)) is not None)

    def times(counts: Mapping[cases.Pair, int]) -> Iterator[Sample]:
        return ((of, counts[pair]) for pair, of in labels.items())

    nearest = "Half of a round trip in each state; state 1 has the lowest latency."
    in_state = "For what share of the time two CPUs were in a state."
    changes = "How often two consecutive pings agreed on another latency than before."
    families: Sequence[tuple[str, str, str, Iterable[Sample]]] = (
        ("one_way_seconds", "gauge", "Half of the round trip of the last ping between two CPUs.", in_s("ns")),
        ("round_trip_p99_seconds", "gauge", "The p99 of the round trips of the last ping.", in_s("round_trip_p99_ns")),
        ("round_trip_max_seconds", "gauge", "The max of the round trips of the last ping.", in_s("round_trip_max_ns")),
        ("ping_timestamp_seconds", "gauge", "When the last ping was taken.", [(of, one.at) for of, one in last]),
        ("pings_total", "counter", "Pings since threadping began.", times(tally.pings)),
        ("ping_failures_total", "counter", "Those of them that failed.", times(tally.failed)),
        ("state_changes_total", "counter", changes, times(tally.changed)),
        ("state_one_way_seconds", "gauge", nearest, [(of, one.core_to_core_ns / 1e9) for of, one in in_states]),
        ("state_ratio", "gauge", in_state, [(of, one.share) for of, one in in_states]),
        ("build_info", "gauge", "The version of threadping.", [({"version": version("threadping")}, 1)]),
    )
    text = ""
    for name, kind, means, samples in families:
        text += f"# HELP threadping_{name} {means}\n# TYPE threadping_{name} {kind}\n"
        for of, value in samples:  # whose texts are quoted as in JSON
            written = ",".join(f"{label}={msgspec.json.encode(str(one)).decode()}" for label, one in of.items())
            text += f"threadping_{name}{{{written}}} {value:.12g}\n"
    return text


PROTOCOL = f"{MECHANISM}, C++, {LINES} lines, {MEASURE_NS / 1e6:g} ms"


def ping(
    cpus: cases.Pair | None,
    rounds: int | None,
    interval_s: float,
    form: str,
    *,
    above_ns: float | None = None,
    files: Sequence[Path] = (),
    anyway: bool = False,
    history: bool = False,
    location: str | None = None,
) -> int:
    """Ping until Ctrl-C, or for a number of rounds, and summarise.

    Without `cpus` all pairs of up to four are pinged. `form` is `table`, `json` for a line for each ping, or
    `prometheus` for the metrics once it ends; each of `files` has these after each interval. `above_ns` shows only the
    pings that cross this one-way latency. The exit code is 3 if a ping was above it, 1 if no ping succeeded. `history`
    measures nothing, and shows or charts the pings of this machine that are stored.
    """
    if history:
        if cpus or rounds or above_ns is not None:
            raise UsageError("--history shows the stored pings of all pairs: leave A,B, --count and --above out.")
        return show_states(None, presenting.Output(form=form, files=tuple(files), location=location))
    if others := [path for path in files if path.suffix.lower() != ".prom"]:
        raise UsageError(f"{others[0]} is of stored pings: add --history, or write FILE.prom.")
    cpp = runtimes.find_cpp(os.environ)
    with machine_lock(anyway=anyway, before_refusing=partial(environment.topology_with, cpp, cpus, "ping")) as warning:
        if warning:
            print(f"threadping: {warning}", file=sys.stderr)
        topology = environment.topology_with(cpp, cpus, "ping")
        chosen = cpus or spread(topology)
        placed = {pair: placements.placement_for_cpus(topology, pair).title for pair in combinations(chosen, 2)}
        lines = ping_lines(partial(reference_pings, cpp, trials=0), list(placed), interval_s, rounds)
        tally = PingTally()

        def shown(show: Callable[[run.PingLine], None]) -> None:
            """Show each line as it comes, until the last, Ctrl-C, or a reader who leaves, unless that would decide."""
            decides_at_its_end = bool(rounds) and above_ns is not None
            with suppress(KeyboardInterrupt), interrupts.as_interrupt():
                for line in lines:
                    before_ns = tally.known_ns.get(line.ping.cpus, 0.0)
                    tally.add(line)
                    if files and tally.pings.total() % len(placed) == 0:  # an interval is complete
                        for path in files:
                            write(path, exposition(tally, placed).encode(), "the output")
                    if above_ns is None or crosses(before_ns, line.ping.ns, above_ns):
                        show(line)
                    if not (decides_at_its_end or streams.is_read()):
                        break

        if form == "json":
            shown(lambda one: streams.write_export(line_json(one) + "\n"))
            streams.write_export(summary_json(list(placed), tally) + "\n")
        elif form == "prometheus":
            shown(lambda _: None)
            if not files:
                streams.write_export(exposition(tally, placed))
        else:
            console, allowed = printing.stdout(), len(placements.usable(topology))
            console.print(heading(placed, interval_s, PROTOCOL))
            for note in notes(describe_machine(topology, "")):
                console.print(note)
            if len(chosen) < allowed and not cpus:
                of_them = f"these are {','.join(map(str, chosen))}, far from each other."
                console.print(f"Of the {allowed} CPUs that may be used {of_them} `threadping ping A,B` takes others.")
            # Not wrapped: the terminal breaks a long line, and a pipe gets it whole.
            shown(lambda one: console.print(line(one, interval_s), soft_wrap=True))
            # A console of its own: one that was interrupted while it printed a line would print it again.
            printing.stdout().print(summary(tally, placed))
    if tally.highest_ns is None:
        return 1
    return 3 if above_ns is not None and tally.highest_ns > above_ns else 0


def crosses(before_ns: float, now_ns: float | None, above_ns: float) -> bool:
    """Return whether a ping is on another side of the threshold than the one before; all begin below."""
    return now_ns is not None and (before_ns > above_ns) != (now_ns > above_ns)
