"""Hops for programs: JSON and CSV, the same lines in both."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import asdict

from threadping.comparing.hops import Hop
from threadping.model import Fleet, Member
from threadping.views.export import as_csv
from threadping.views.export.as_json import indented


def hops_json(fleet: Fleet, members: Sequence[Member], found: Sequence[Hop]) -> str:
    """Write `{"fleet", "members", "hops"}`; hosts are named by their `key` too."""
    return indented(
        {
            "fleet": fleet,
            "members": [asdict(one) for one in members],
            "hops": [_line(one) for one in found],
        }
    )


def hops_csv(_fleet: Fleet, _members: Sequence[Member], found: Sequence[Hop]) -> str:
    """Write a line for each hop."""
    lines = [_line(one) | {"warnings": ";".join(one.warnings)} for one in found]
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
        "mechanism": one.mechanism,
        "blocking": one.blocking,
        "one_way_ns": one.latency and one.latency.value,
        "low_ns": low,
        "high_ns": high,
        "p99_ns": one.p99_ns,
        "cpu_ns_per_op": one.cpu_ns,
        "far_cpu_ns_per_op": one.far_cpu_ns,
        "lost": one.lost,
        "run": one.member.run,
        "warnings": one.warnings,
    }
