"""Hops between hosts, beside those inside each: a line each."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from threadping.comparing.hops import Hop
from threadping.model import Fleet, Member
from threadping.quantities import counted
from threadping.views.terminal import cells
from threadping.views.terminal.console import grouped
from threadping.views.terminal.fleet import head_of
from threadping.views.terminal.names import plain
from threadping.views.terminal.table import FittingTable, column, figures, named


@grouped
def hops_table(fleet: Fleet, members: Sequence[Member], found: Sequence[Hop]) -> Iterator[RenderableType]:
    """Show what it takes to reach each host from each other, and what is nearer."""
    hosts = {host.key for one in members for host in (one.host, one.peer) if host}
    pairs = [one for one in members if one.peer]
    of = f"{counted(len(hosts), 'host')}, {counted(sum(one.run is not None for one in pairs), 'pair')} measured"
    yield from head_of(fleet, members, f"hop by {fleet.transport}", of)
    if not found:
        return
    yield Text()
    yield _table(found)
    yield Text(
        "\nOne way is half a round trip. CPU is that of the near end for a round trip, far CPU that of the far end; to "
        "threads and processes CPU is that of both for a hand-over.",
        "dim",
    )


def _table(found: Sequence[Hop]) -> FittingTable:
    far_cpu = figures("far CPU", "ns", [one.far_cpu_ns for one in found], 1)
    lost = figures("lost", "share", [one.lost for one in found])
    return FittingTable(
        [
            named("from", (plain(one.member.host.name) for one in found), "bold"),
            named("to", (plain(one.member.peer.name) if one.member.peer else one.to for one in found)),
            named("by", (plain(one.mechanism) for one in found)),
            column("waiting", ("sleeps" if one.blocking else "spins" for one in found), rank=3),
            figures("one way", "ns", (one.latency.value if one.latency else None for one in found)),
            column("interval", (cells.interval("ns", one.latency, 1) for one in found), rank=1),
            figures("p99", "ns", (one.p99_ns for one in found)),
            figures("CPU", "ns", (one.cpu_ns for one in found)),
            *([far_cpu] if any(one.far_cpu_ns is not None for one in found) else []),
            *([lost] if any(one.lost is not None for one in found) else []),
            column("warnings", (", ".join(one.warnings) for one in found), "yellow", 2),
            column("run", (str(one.member.run) for one in found), rank=1),
        ]
    )
