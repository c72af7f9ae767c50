"""A ping as JSON, one object a line: each ping as it was taken, and the summary last."""

from collections.abc import Sequence

import msgspec

from threadping.analysis.states import States
from threadping.model import Pair, PingLine, ReferencePing


def pings(pinged: Sequence[PingLine]) -> list[ReferencePing]:
    """Every ping in the order in which they were taken, also those that were taken again."""
    return [one for line in pinged for one in (line.disturbed, line.ping) if one]


def watched_s(of_pair: Sequence[ReferencePing]) -> float:
    """For how many seconds a pair was watched."""
    return of_pair[-1].at - of_pair[0].at if of_pair else 0.0


def line_json(line: PingLine) -> str:
    """Write a line."""
    one = line.ping
    entry = {"at": one.at, "seq": line.seq, "cpus": one.cpus, "one_way_ns": one.ns}
    entry |= {"p99_ns": one.p99_ns, "max_ns": one.max_ns, "changed": line.changed_from is not None}
    return msgspec.json.encode(entry | {"failure": one.failure}).decode()


def summary_json(pairs: Sequence[Pair], states: States) -> str:
    """Write the last line: for each pair how often and for how long it was pinged, and its states."""
    return msgspec.json.encode({"summary": [_summary(pair, states) for pair in pairs]}).decode()


def _summary(pair: Pair, states: States) -> dict[str, object]:
    of_pair = [one for one in states.pings if one.cpus == pair]
    kept = ("core_to_core_ns", "range", "share", "pings", "dwell_s")
    return {
        "cpus": pair,
        "pings": len(of_pair),
        "seconds": watched_s(of_pair),
        "changes": states.changes.get(pair, 0),
        "states": [{name: getattr(state, name) for name in kept} for state in states.of_pair(pair)],
    }
