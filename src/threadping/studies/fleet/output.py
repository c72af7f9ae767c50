"""A fleet in tables, exports and charts, and its page."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any

from msgspec import Struct
from msgspec.structs import fields, replace
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Unit
from threadping.analysis.percentiles import Estimate
from threadping.model.cases import Pair, Skipped
from threadping.model.characters import plain
from threadping.model.fleet import Fleet, Host, Member
from threadping.model.numbers import pair
from threadping.model.quantities import counted, fold, percent, time
from threadping.output.bundle import without_names
from threadping.output.charts import style
from threadping.output.charts.style import field, marks
from threadping.output.heading import local_time, named_cpus
from threadping.output.layout import Block, Field, Flow, Sheet, grid_of, together, written
from threadping.output.listings import reasons
from threadping.output.page import page
from threadping.output.page.page import fill
from threadping.output.records import fields_of
from threadping.studies.fleet.differing import (
    FALSE_ALARMS,
    FEWEST_HOSTS,
    DifferingHost,
    FleetFindings,
    Hop,
    HostFigure,
    HostKind,
    Spread,
    Value,
    hops,
)


@together
def fleet_table(fleet: Fleet, members: Sequence[Member], found: FleetFindings) -> Iterator[Block]:
    """Show what the hosts of a fleet say together."""
    yield from summary(fleet, members, found)
    for kind in dict.fromkeys(one.kind for one in found.spreads):
        number = sum(of == kind for of in found.kinds.values())
        yield Text()
        yield Text.assemble((name_of_kind(kind), "bold"), f": {counted(number, 'host')}")
        yield grid_of(spread_sheet([one for one in found.spreads if one.kind == kind]))


def summary(fleet: Fleet, members: Sequence[Member], found: FleetFindings) -> Iterator[Block]:
    """What leads: which hosts differ, and what could not be measured."""
    measured = [one for one in members if one.run]
    of = counted(len(members), "host") + ("" if len(measured) == len(members) else f", {len(measured)} measured")
    yield from head_of(fleet, members, " ".join(fleet.words), of)
    yield Text()
    yield from _verdict(found)
    if found.outliers:
        yield Text()
        yield grid_of(differing_sheet(found, members))


def head_of(fleet: Fleet, members: Sequence[Member], what: str, of: str) -> Iterator[Block]:
    """Which fleet, what was measured, of how many and when; what of it was not, and what is noted of the others."""
    texts = [Text(plain(one)) for one in (what, of, local_time(fleet.started))]
    yield Flow([Text(f"fleet {fleet.id}", "bold"), *texts])
    missing = [Skipped(one.name, one.problem or "its run was removed") for one in members if not one.run]
    yield from reasons("\nNot measured", missing)
    yield from reasons("\nNoted", [Skipped(one.name, one.note) for one in members if one.run and one.note])


def verdict(found: FleetFindings) -> str:
    """Say how many hosts differ."""
    judged = {host for one in found.spreads if one.differs_from for host in one.values}
    if not judged:
        return f"cannot tell: {FEWEST_HOSTS} hosts of a kind are needed, measured in the same cases"
    differ = {one.host for one in found.outliers}
    differs = "differs from its" if len(differ) == 1 else "differ from their"
    return f"{len(differ) or 'none'} of {counted(len(judged), 'host')} {differs} kind"


def name_of_kind(kind: HostKind) -> str:
    """HostName a kind of hosts: `AMD EPYC 9B45, 2 CPUs (KVM)`."""
    return named_cpus(kind.cpu_model, kind.allowed, kind.cpus, kind.hypervisor)


def name_of(subject: HostFigure) -> str:
    """HostName what is compared: `signal cas-one-line cpp same-l3`, `core to core CPUs 0,1`."""
    if subject.case is None:
        return f"core to core, {pair(subject.pair or (0, 0))}"
    called = f", {subject.called}" if subject.called else ""
    return plain(f"{subject.case.experiment} {subject.case.title}{called}")


def _verdict(found: FleetFindings) -> Iterator[Text]:
    decides = any(one.differs_from for one in found.spreads)
    yield Text(verdict(found), "bold red" if found.outliers else "green" if decides else "yellow")
    if decides:
        share = percent(FALSE_ALARMS)
        yield Text(f"Of fleets whose hosts are alike, at most {share} have a host that differs by chance.", "dim")


def differing_sheet(found: FleetFindings, members: Sequence[Member]) -> Sheet[DifferingHost]:
    """A line for each host that differs, and in what."""
    hosts = {one.host.key: one for one in members}
    return Sheet(
        "outliers",
        (
            Field(of=lambda one: one.host, key="host"),
            Field(of=lambda one: plain(hosts[one.host].host.name), head="host", names=True, style="bold"),
            *_subject(lambda one: one.spread),
            Field(of=lambda one: one.value.value, head="here", key="value", unit=lambda one: _unit(one.spread)),
            Field(
                of=lambda one: one.spread.median,
                head="its kind",
                key="median",
                unit=lambda one: _unit(one.spread),
            ),
            Field(of=lambda one: one.ratio, head="ratio", key="ratio", type=float, write=lambda one: fold(one.ratio)),
            _warned(lambda one: one.value.warnings),
            Field(of=lambda one: hosts[one.host].run, head="run", key="run", type=int | None, rank=1),
        ),
        found.outliers,
    )


def spread_sheet(spreads: Sequence[Spread]) -> Sheet[Spread]:
    """A line for each figure over the hosts of a kind."""
    return Sheet("spreads", SPREAD_FIELDS, spreads)


def _subject(of: Callable[[Any], Spread]) -> tuple[Field[Any], ...]:
    """What is held against each other: a case, or how far a pair of CPUs is apart; in which state."""
    return (
        Field(of=lambda one: name_of(of(one).subject), head="case", names=True),
        Field(of=lambda one: _case(of(one).subject), key="case", type=str | None),
        Field(of=lambda one: of(one).subject.pair, key="pair", type=Pair | None),
        Field(of=lambda one: of(one).subject.unit, key="unit"),
        Field(
            of=lambda one: of(one).core_to_core_ns,
            head="core to core",
            key="core_to_core_ns",
            unit="ns",
            rank=2,
            if_known=True,
        ),
    )


def _case(subject: HostFigure) -> str | None:
    return None if subject.case is None else f"{subject.case.experiment} {subject.case.title}"


def _warned(of: Callable[[Any], Sequence[str]]) -> Field[Any]:
    return Field(
        of=of,
        head="warnings",
        key="warnings",
        type=tuple[str, ...],
        write=lambda one: ", ".join(of(one)),
        style="yellow",
        rank=2,
    )


def _unit(one: Spread) -> Unit:
    return one.subject.unit


SPREAD_FIELDS: Sequence[Field[Spread]] = (
    *(Field(of=attrgetter(f"kind.{one.name}"), key=f"kind.{one.name}", type=one.type) for one in fields(HostKind)),
    *_subject(lambda one: one),
    Field(of=lambda one: len(one.values), head="hosts", key="hosts", unit="count", type=int),
    Field(of=lambda one: min(one.values.values(), key=_value).value, head="least", key="least", unit=_unit, rank=1),
    Field(of=lambda one: one.median, head="median", key="median", unit=_unit),
    Field(of=lambda one: max(one.values.values(), key=_value).value, head="most", key="most", unit=_unit, rank=1),
    Field(of=lambda one: one.deviation, key="deviation", type=float),
    Field(
        of=lambda one: one.differs_from,
        head="differs from",
        key="differs_from",
        type=float | None,
        write=lambda one: fold(one.differs_from),
    ),
    Field(
        of=lambda one: {host: value.value for host, value in one.values.items()},
        key="values",
        type=dict[str, float],
        means="Of each host, by its key.",
    ),
)


def _value(one: Value) -> float:
    return one.value


def host_sheet(members: Sequence[Member], found: FleetFindings) -> Sheet[Member]:
    """A line for each host, whether it was measured or not."""
    of_host = (Field[Member](of=attrgetter(f"host.{name}"), key=name) for name in Host.__struct_fields__)
    kind = Field[Member](of=lambda one: found.kinds.get(one.host.key), key="kind", type=HostKind | None)
    return Sheet("hosts", (*of_host, *fields_of(Member, "host", "peer"), kind), members)


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
    yield grid_of(hop_sheet(found))
    yield Text(
        "\nOne way is half a round trip. CPU is that of the near end for a round trip, far CPU that of the far end; to "
        "threads and processes CPU is that of both for a hand-over.",
        "dim",
    )


def _host(one: Hop) -> Text:
    return Text(plain(one.member.host.name), "bold")


def hop_sheet(found: Sequence[Hop]) -> Sheet[Hop]:
    """A line for each way to reach a thread."""
    return Sheet("hops", HOP_FIELDS, found)


def _hop_figure(name: str, **how: Any) -> Field[Hop]:
    return Field(of=lambda one: one.estimate(name), key=name, type=Estimate, **how)


HOP_FIELDS: Sequence[Field[Hop]] = (
    Field(of=lambda one: one.member.host.name, head="from", key="host", names=True, write=_host),
    Field(of=lambda one: one.member.host.key, key="host_key"),
    Field(of=lambda one: one.to, key="to", head="to", write=lambda one: _reached(one) or one.to, names=True),
    Field(of=lambda one: _reached(one), key="peer", type=str | None),
    Field(of=lambda one: one.member.peer and one.member.peer.key, key="peer_key", type=str | None),
    Field(of=lambda one: plain(one.row.case.mechanism), head="by", key="mechanism", names=True),
    Field(
        of=lambda one: one.row.case.blocking,
        head="waiting",
        key="blocking",
        type=bool,
        write=lambda one: "sleeps" if one.row.case.blocking else "spins",
        rank=3,
    ),
    Field(of=lambda one: one.latency, head="one way", key="one_way_ns", unit="ns", type=Estimate),
    _hop_figure("round_trip_p99_ns", head="round trip p99", unit="ns"),
    _hop_figure("cpu_ns_per_op", head="CPU", unit="ns"),
    _hop_figure("far_cpu_ns_per_op", head="far CPU", unit="ns", rank=1, if_known=True),
    _hop_figure("lost", head="lost", unit="share", if_known=True),
    _warned(lambda one: one.row.warned),
    Field(of=lambda one: one.member.run, head="run", key="run", type=int | None, rank=1),
)


def _reached(one: Hop) -> str | None:
    return plain(one.member.peer.name) if one.member.peer else None


WIDTH, HEIGHT = 230, 96
ALIKE, DIFFERS = "like its kind", "differs"


def chart(spread: Spread, outliers: Sequence[DifferingHost], names: Mapping[str, str]) -> style.Chart:
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


class OfKind(Struct, frozen=True):
    """The hosts of a kind, and each figure over them: those first in which one of them differs."""

    title: str
    hosts: str
    figures: Sequence[page.DrawnChart]
    differ: bool


def fleet_page(fleet: Fleet, members: Sequence[Member], found: FleetFindings, *, identify: bool = False) -> str:
    """Write the page; without `identify` hosts have numbers for names."""
    if not identify:
        fleet, members = _nameless(fleet, members)
    names = {one.host.key: one.host.name for one in members}
    kinds = []
    for kind in dict.fromkeys(one.kind for one in found.spreads):
        spreads = [one for one in found.spreads if one.kind == kind]
        differ = {id(spread): [one for one in found.outliers if _is_in(one, spread)] for spread in spreads}
        spreads.sort(key=lambda one: not differ[id(one)])
        figures = page.drawn([chart(one, differ[id(one)], names) for one in spreads])
        number = sum(of == kind for of in found.kinds.values())
        kinds.append(OfKind(name_of_kind(kind), counted(number, "host"), figures, any(differ.values())))
    kinds.sort(key=lambda one: not one.differ)
    filters = (f"main:has(#kind-{n}:not(:checked)) .kind-{n}{{display:none}}" for n in range(len(kinds)))
    return fill(
        "fleet.html",
        "\n".join(filters),
        title=f"fleet {fleet.id}",
        said=[*summary(fleet, members, found)],
        differ=", ".join(dict.fromkeys(names[one.host] for one in found.outliers)),
        kinds=kinds,
    )


def hop_page(
    fleet: Fleet,
    members: Sequence[Member],
    answers: Mapping[str, Answer],
    local: Mapping[str, Answer],
    *,
    identify: bool = False,
) -> str:
    """Write the page of hops between hosts, from what `hops` takes; without `identify` hosts have numbers for names."""
    if not identify:
        fleet, members = _nameless(fleet, members)
    said = [hops_table(fleet, members, hops(members, answers, local))]
    return fill("fleet.html", "", title=f"fleet {fleet.id}", said=said, differ="", kinds=[])


def _nameless(fleet: Fleet, members: Sequence[Member]) -> tuple[Fleet, list[Member]]:
    """The same, where each host has a number for its name."""
    hosts = {host.key: host for one in members for host in (one.host, one.peer) if host}
    names = {host.name for host in hosts.values()}
    numbers = {key: f"host {number}" for number, key in enumerate(hosts, 1)}

    def numbered(host: Host) -> Host:
        return replace(host, name=numbers[host.key])

    return without_names(fleet, names), [
        replace(one, host=numbered(one.host), peer=one.peer and numbered(one.peer))
        for one in (without_names(one, names) for one in members)
    ]


def _is_in(one: DifferingHost, spread: Spread) -> bool:
    """Whether an outlier is drawn in a spread: its own, or where it stands if it was held against another state."""
    of_it = one.host in spread.values and one.spread.subject == spread.subject
    return one.spread is spread or (of_it and one.host not in one.spread.values)
