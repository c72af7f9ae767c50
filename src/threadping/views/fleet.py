"""A fleet: which hosts differ from their kind, a figure over the hosts, hops; tables, exports, charts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import asdict
from rich.text import Text

from threadping.comparing.fleet import FALSE_ALARMS, FEWEST_HOSTS, Judged, Kind, Outlier, Spread, Subject
from threadping.comparing.hops import FIGURES, Hop
from threadping.comparing.words import fold
from threadping.model.cases import Skipped
from threadping.model.fleet import Fleet, Member
from threadping.numbers import pair
from threadping.quantities import counted, percent, time
from threadping.rows.heading import local_time, named_cpus
from threadping.rows.lists import reasons
from threadping.sheets import cells, records
from threadping.sheets.cells import written
from threadping.sheets.grid import (
    Block,
    Flow,
    Grid,
    column,
    figures,
    grid,
    known,
    named,
    sure_figures,
    together,
)
from threadping.sheets.names import plain
from threadping.sheets.records import indented
from threadping.views.charts import style
from threadping.views.charts.style import field, marks


@together
def fleet_table(fleet: Fleet, members: Sequence[Member], found: Judged) -> Iterator[Block]:
    """Show what the hosts of a fleet say together."""
    yield from summary(fleet, members, found)
    for kind in dict.fromkeys(one.kind for one in found.spreads):
        number = sum(of == kind for of in found.kinds.values())
        yield Text()
        yield Text.assemble((name_of_kind(kind), "bold"), f": {counted(number, 'host')}")
        yield _spreads([one for one in found.spreads if one.kind == kind])


def summary(fleet: Fleet, members: Sequence[Member], found: Judged) -> Iterator[Block]:
    """What leads: which hosts differ, and what could not be measured."""
    measured = [one for one in members if one.run]
    of = counted(len(members), "host") + ("" if len(measured) == len(members) else f", {len(measured)} measured")
    yield from head_of(fleet, members, " ".join(fleet.words), of)
    yield Text()
    yield from _verdict(found)
    hosts = {one.host.key: one for one in members}
    if found.outliers:
        yield Text()
        yield _outliers(found.outliers, hosts)


def head_of(fleet: Fleet, members: Sequence[Member], what: str, of: str) -> Iterator[Block]:
    """Which fleet, what was measured, of how many and when; what of it was not, and what is noted of the others."""
    texts = [Text(plain(one)) for one in (what, of, local_time(fleet.started))]
    yield Flow([Text(f"fleet {fleet.id}", "bold"), *texts])
    missing = [Skipped(one.name, one.problem or "its run was removed") for one in members if not one.run]
    yield from reasons("\nNot measured", missing)
    yield from reasons("\nNoted", [Skipped(one.name, one.note) for one in members if one.run and one.note])


def verdict(found: Judged) -> str:
    """Say how many hosts differ."""
    judged = {host for one in found.spreads if one.differs_from for host in one.values}
    if not judged:
        return f"cannot tell: {FEWEST_HOSTS} hosts of a kind are needed, measured in the same cases"
    differ = {one.host for one in found.outliers}
    differs = "differs from its" if len(differ) == 1 else "differ from their"
    return f"{len(differ) or 'none'} of {counted(len(judged), 'host')} {differs} kind"


def name_of_kind(kind: Kind) -> str:
    """Name a kind of hosts: `AMD EPYC 9B45, 2 CPUs (KVM)`."""
    return named_cpus(kind.cpu_model, kind.allowed, kind.cpus, kind.hypervisor)


def name_of(subject: Subject) -> str:
    """Name what is compared: `signal cas-one-line cpp same-l3`, `core to core CPUs 0,1`."""
    if subject.case is None:
        return f"core to core, {pair(subject.pair or (0, 0))}"
    return plain(f"{subject.case.experiment} {subject.case.title}")


def _verdict(found: Judged) -> Iterator[Text]:
    decides = any(one.differs_from for one in found.spreads)
    yield Text(verdict(found), "bold red" if found.outliers else "green" if decides else "yellow")
    if decides:
        share = percent(FALSE_ALARMS)
        yield Text(f"Of fleets whose hosts are alike, at most {share} have a host that differs by chance.", "dim")


def _outliers(outliers: Sequence[Outlier], hosts: Mapping[str, Member]) -> Grid:
    units = [one.spread.subject.unit for one in outliers]
    return grid(
        named("host", (plain(hosts[one.host].host.name) for one in outliers), "bold"),
        named("case", (name_of(one.spread.subject) for one in outliers)),
        figures("here", units, (one.value.value for one in outliers)),
        figures("its kind", units, (one.spread.median for one in outliers)),
        column("ratio", (fold(one.ratio) for one in outliers)),
        column("warnings", (", ".join(one.value.warnings) for one in outliers), "yellow", 2),
        column("run", (str(hosts[one.host].run) for one in outliers), rank=1),
    )


def _spreads(spreads: Sequence[Spread]) -> Grid:
    units = [one.subject.unit for one in spreads]
    of_hosts = [sorted(value.value for value in one.values.values()) for one in spreads]
    return grid(
        named("case", (name_of(one.subject) for one in spreads)),
        *known(figures("core to core", "ns", (one.core_to_core_ns for one in spreads), 2)),
        column("hosts", (str(len(one)) for one in of_hosts)),
        figures("least", units, (one[0] for one in of_hosts), 1),
        figures("median", units, (one.median for one in spreads)),
        figures("most", units, (one[-1] for one in of_hosts), 1),
        column("differs from", (fold(one.differs_from) for one in spreads)),
    )


@together
def hops_table(fleet: Fleet, members: Sequence[Member], found: Sequence[Hop]) -> Iterator[Block]:
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


def _table(found: Sequence[Hop]) -> Grid:
    return grid(
        named("from", (plain(one.member.host.name) for one in found), "bold"),
        named("to", (plain(one.member.peer.name) if one.member.peer else one.to for one in found)),
        named("by", (plain(one.row.case.mechanism) for one in found)),
        column("waiting", ("sleeps" if one.row.case.blocking else "spins" for one in found), rank=3),
        figures("one way", "ns", (one.latency.value if one.latency else None for one in found)),
        column("interval", (cells.interval("ns", one.latency, 1) for one in found), rank=1),
        sure_figures("round trip p99", "ns", [one.estimate("round_trip_p99_ns") for one in found]),
        figures("CPU", "ns", (one.value("cpu_ns_per_op") for one in found)),
        *known(figures("far CPU", "ns", (one.value("far_cpu_ns_per_op") for one in found), 1)),
        *known(figures("lost", "share", (one.value("lost") for one in found))),
        column("warnings", (", ".join(one.row.warned) for one in found), "yellow", 2),
        column("run", (str(one.member.run) for one in found), rank=1),
    )


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
    return records.table(lines or [{"host": ""}])


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


WIDTH, HEIGHT = 230, 96
ALIKE, DIFFERS = "like its kind", "differs"


def chart(spread: Spread, outliers: Sequence[Outlier], names: Mapping[str, str]) -> style.Chart:
    """Draw a spread and the outliers in it; `names` are of all hosts."""
    unit = spread.subject.unit
    differing = {one.host: one.ratio for one in outliers if one.host in spread.values}
    ordered = sorted(spread.values.items(), key=lambda one: one[1].value)
    data: list[style.Json] = []
    for place, (host, value) in enumerate(ordered):
        what = DIFFERS if host in differing else ALIKE
        name = f"{plain(names[host])} {fold(differing[host])}" if host in differing else ""
        data.append({"x": place, "y": value.value, "what": what, "name": name, "at": place / len(ordered)})
    least, most = ordered[0][1].value, ordered[-1][1].value
    scale = {"type": "log", "domain": [0.985 * least, 1.015 * most], "nice": False, "zero": False}
    labels = {value: written(unit, value) for value in (least, spread.median, most)}
    y = field("y:Q", scale=scale, title=None, axis=style.labelled(labels, grid=False, ticks=False))
    x = field("x:Q", scale={"domain": [-1, len(ordered)], "nice": False}, axis=None)
    colour = field("what:N", scale={"domain": [ALIKE, DIFFERS], "range": style.COLOURS[:2]}, legend=None)
    middle = {**marks("rule", {"y": field("y:Q", scale=scale)}, color=style.FAINT, strokeDash=[3, 3])}
    text = {"x": x, "y": y, "text": field("name:N")}
    layers = [
        {**middle, "data": {"values": [{"y": spread.median}]}},
        marks("point", {"x": x, "y": y, "color": colour}, filled=True, size=22, opacity=1),
        *(
            {"transform": [{"filter": f"datum.name && datum.at {side} 0.5"}], **marks("text", text, **looks)}
            for side, looks in (("<", {"align": "left", "dx": 6}), (">=", {"align": "right", "dx": -6}))
        ),
    ]
    said = [counted(len(ordered), "host"), f"median {written(unit, spread.median)}"]
    if spread.subject.case and spread.core_to_core_ns:
        said.append(f"core to core {time(spread.core_to_core_ns)}")
    if spread.differs_from:
        said.append(f"differs from {fold(spread.differs_from)}")
    drawn = {"layer": layers, "data": {"values": data}, "width": WIDTH, "height": HEIGHT}
    return style.Chart("spread", name_of(spread.subject), [", ".join(said)], [drawn])
