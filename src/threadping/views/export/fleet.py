"""A fleet for programs: its hosts, each figure over the hosts, and those that differ; or the hops between hosts."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import asdict

from threadping.comparing.fleet import FALSE_ALARMS, Judged, Spread, Subject
from threadping.comparing.fleets import Contrast, Side
from threadping.comparing.hops import FIGURES, Hop
from threadping.model import Fleet, Member
from threadping.views.export import as_csv
from threadping.views.export.as_json import indented


def fleet_json(fleet: Fleet, members: Sequence[Member], found: Judged) -> str:
    """Write `{"fleet", "false_alarms", "hosts", "spreads", "outliers"}`.

    An outlier names its spread by `spread`, its place among them; hosts are named by their `key`.
    """
    places = {id(one): place for place, one in enumerate(found.spreads)}
    hosts = [
        {**asdict(one.host), "run": one.run, "problem": one.problem, "note": one.note}
        | {"kind": found.kinds.get(one.host.key)}
        for one in members
    ]
    outliers = [
        {"host": one.host, "spread": places[id(one.spread)], "value": one.value.value, "ratio": one.ratio}
        | {"warnings": one.value.warnings}
        for one in found.outliers
    ]
    spreads = [_spread(one) for one in found.spreads]
    return indented(fleet=fleet, false_alarms=FALSE_ALARMS, hosts=hosts, spreads=spreads, outliers=outliers)


def fleets_json(sides: Sequence[Side], paired: int, found: Sequence[Contrast], margin: float) -> str:
    """Write `{"a", "b", "paired", "margin", "comparisons"}`."""
    comparisons = [_contrast(one) for one in found]
    return indented(a=sides[0], b=sides[1], paired=paired, margin=margin, comparisons=comparisons)


def fleets_csv(_sides: Sequence[Side], _paired: int, found: Sequence[Contrast], _margin: float) -> str:
    """Write a line for each comparison; what is of both sides, or the ends of an interval, has two columns."""
    both = {"core_to_core_ns": "ab", "hosts": "ab", "ci95": ("lo", "hi"), "decides": ("lo", "hi")}
    lines = []
    for one in map(_contrast, found):
        line = one | {"pair": one["pair"] and "{},{}".format(*one["pair"]), "reasons": ";".join(one["reasons"])}
        for name, called in both.items():
            line |= as_csv.ends(name, line.pop(name), called)
        lines.append(line)
    return as_csv.table(lines[0], lines)


def _contrast(one: Contrast) -> dict[str, Any]:
    said = asdict(one.comparison)
    del said["blocks"], said["masked"], said["slower"]
    said["needs_hosts"] = said.pop("needs_s")
    of_it = {"core_to_core_ns": one.core_to_core_ns, "hosts": one.hosts, "a": one.values[0], "b": one.values[1]}
    return {**_subject(one.subject), **of_it, **said}


def _subject(one: Subject) -> dict[str, Any]:
    """A case, or a pair of CPUs."""
    case = one.case and f"{one.case.experiment} {one.case.title}"
    return {"case": case, "pair": one.pair, "unit": one.unit}


def _spread(one: Spread) -> dict[str, Any]:
    """Its case, or its pair of CPUs, with each host's figure."""
    return {
        "kind": one.kind,
        **_subject(one.subject),
        "core_to_core_ns": one.core_to_core_ns,
        "hosts": len(one.values),
        "median": one.median,
        "deviation": one.deviation,
        "differs_from": one.differs_from,
        "values": {host: value.value for host, value in one.values.items()},
    }


def hops_json(fleet: Fleet, members: Sequence[Member], found: Sequence[Hop]) -> str:
    """Write `{"fleet", "members", "hops"}`; hosts are named by their `key` too."""
    return indented(fleet=fleet, members=members, hops=[_line(one) for one in found])


def hops_csv(_fleet: Fleet, _members: Sequence[Member], found: Sequence[Hop]) -> str:
    """Write a line for each hop."""
    lines = [_line(one) | {"warnings": ";".join(one.row.warned)} for one in found]
    return as_csv.table(lines[0] if lines else ["host"], lines)


def _line(one: Hop) -> dict[str, Any]:
    low, high = one.latency.ends if one.latency else (None, None)
    peer = one.member.peer
    return {
        "host": one.member.host.name,
        "host_key": one.member.host.key,
        "to": one.to,
        "peer": peer and peer.name,
        "peer_key": peer and peer.key,
        "mechanism": one.row.case.mechanism,
        "blocking": one.row.case.blocking,
        "one_way_ns": one.latency and one.latency.value,
        "low_ns": low,
        "high_ns": high,
        **{name: one.value(name) for name in FIGURES},
        "run": one.member.run,
        "warnings": one.row.warned,
    }
