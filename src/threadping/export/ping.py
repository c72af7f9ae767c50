"""A ping as JSON, one object a line: each sounding as it was taken, and the summary last."""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from threadping.figures.states import States
from threadping.model import Pair, Sounding


class Pinged(Struct, frozen=True):
    """A line of a ping.

    Attributes:
        sounding: what it shows.
        seq: of which interval, from 1.
        after_s: how many seconds after the first interval that one began.
        disturbed: the sounding of a moment before, which was unlike those before it, so that it was taken again.
        changed_from: how far the pair stood apart before, where its state changed.
    """

    sounding: Sounding
    seq: int
    after_s: float
    disturbed: Sounding | None = None
    changed_from: float | None = None


def soundings(pinged: Sequence[Pinged]) -> list[Sounding]:
    """Every sounding in the order in which they were taken, also those that were taken again."""
    return [one for line in pinged for one in (line.disturbed, line.sounding) if one]


def watched_s(of_pair: Sequence[Sounding]) -> float:
    """For how many seconds a pair was watched."""
    return of_pair[-1].at - of_pair[0].at if of_pair else 0.0


def line_json(line: Pinged) -> str:
    """Write a line."""
    one = line.sounding
    told = {"at": one.at, "seq": line.seq, "cpus": one.cpus, "one_way_ns": one.ns}
    told |= {"p99_ns": one.p99_ns, "max_ns": one.max_ns, "changed": line.changed_from is not None}
    return msgspec.json.encode(told | {"failure": one.failure}).decode()


def summary_json(pairs: Sequence[Pair], states: States) -> str:
    """Write the last line: for each pair how often and for how long it was sounded, and its states."""
    return msgspec.json.encode({"summary": [_summary(pair, states) for pair in pairs]}).decode()


def _summary(pair: Pair, states: States) -> dict[str, object]:
    of_pair = [one for one in states.soundings if one.cpus == pair]
    kept = ("sounding_ns", "range", "share", "soundings", "dwell_s")
    return {
        "cpus": pair,
        "soundings": len(of_pair),
        "seconds": watched_s(of_pair),
        "changes": states.changes.get(pair, 0),
        "states": [{name: getattr(state, name) for name in kept} for state in states.of_pair(pair)],
    }
