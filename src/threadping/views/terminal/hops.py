"""Hops between hosts, beside those inside each: a line each."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from threadping.comparing.hops import Hop
from threadping.model import Fleet, Member, Skipped
from threadping.quantities import counted
from threadping.views.terminal import cells
from threadping.views.terminal.console import grouped
from threadping.views.terminal.heading import Flow, local_time
from threadping.views.terminal.lists import reasons
from threadping.views.terminal.names import plain
from threadping.views.terminal.table import Column, FittingTable


@grouped
def hops_table(fleet: Fleet, members: Sequence[Member], found: Sequence[Hop]) -> Iterator[RenderableType]:
    """Show what it takes to reach each host from each other, and what is nearer."""
    hosts = {host.key for one in members for host in (one.host, one.peer) if host}
    pairs = [one for one in members if one.peer]
    of = f"{counted(len(hosts), 'host')}, {counted(sum(one.run is not None for one in pairs), 'pair')} measured"
    yield Flow(
        [
            Text(f"fleet {fleet.id}", "bold"),
            Text(f"hop by {fleet.transport}"),
            Text(of),
            Text(local_time(fleet.started)),
        ]
    )
    missing = [Skipped(one.name, one.problem or "its run was removed") for one in members if not one.run]
    yield from reasons("\nNot measured", missing)
    yield from reasons("\nNoted", [Skipped(one.name, one.note) for one in members if one.run and one.note])
    if not found:
        return
    yield Text()
    yield _table(found)
    yield Text(
        "\nOne way is half a round trip. CPU is that of the near end for a round trip; to threads and processes that "
        "of both for a hand-over.",
        "dim",
    )


def _table(found: Sequence[Hop]) -> FittingTable:
    lost = [cells.figure("share", one.lost) for one in found]
    return FittingTable(
        [
            Column("from", [Text(plain(one.member.host.name), "bold") for one in found], names=True),
            Column(
                "to", [Text(plain(one.member.peer.name) if one.member.peer else one.to) for one in found], names=True
            ),
            Column("by", [Text(plain(one.mechanism)) for one in found], names=True),
            Column("waiting", [Text("sleeps" if one.blocking else "spins") for one in found], rank=3),
            Column("one way", [cells.figure("ns", one.latency.value if one.latency else None) for one in found]),
            Column("interval", [cells.interval("ns", one.latency, 1) for one in found], rank=1),
            Column("p99", [cells.figure("ns", one.p99_ns) for one in found]),
            Column("CPU", [cells.figure("ns", one.cpu_ns) for one in found]),
            *([Column("lost", lost)] if any(one.lost is not None for one in found) else []),
            Column("warnings", [Text(", ".join(one.warnings), "yellow") for one in found], rank=2),
            Column("run", [Text(str(one.member.run)) for one in found], rank=1),
        ]
    )
