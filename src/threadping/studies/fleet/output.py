"""A fleet in tables, JSON and CSV: which hosts differ, and how far they are from each other."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec.structs import fields
from rich.text import Text

from threadping.analysis.declaration import Unit
from threadping.model.cases import Pair, Skipped
from threadping.model.quantities import counted, fold, pair, percent
from threadping.model.run import Fleet, Host, Member
from threadping.model.text import plain
from threadping.output.heading import local_time, named_cpus
from threadping.output.layout import Block, Field, Flow, Sheet, attribute, grid_of, together
from threadping.output.listings import reasons
from threadping.output.records import fields_of
from threadping.studies.fleet.differing import (
    FALSE_ALARMS,
    FEWEST_HOSTS,
    DifferingHost,
    FleetFindings,
    HostFigure,
    HostKind,
    Spread,
    Value,
)


@together
def fleet_table(fleet: Fleet, members: Sequence[Member], found: FleetFindings) -> Iterator[Block]:
    """Show which hosts differ, what could not be measured, and each figure over the hosts of each kind."""
    measured = sum(one.run is not None for one in members)
    of = counted(len(members), "host") + ("" if measured == len(members) else f", {measured} measured")
    texts = [Text(plain(one)) for one in (" ".join(fleet.words), of, local_time(fleet.started))]
    yield Flow([Text(f"fleet {fleet.id}", "bold"), *texts])
    missing = [Skipped(one.host.name, one.problem or "its run was removed") for one in members if not one.run]
    yield from reasons("\nNot measured", missing)
    yield from reasons("\nNoted", [Skipped(one.host.name, one.note) for one in members if one.run and one.note])
    yield Text()
    decides = any(one.differs_from for one in found.spreads)
    yield Text(verdict(found), "bold red" if found.outliers else "green" if decides else "yellow")
    if decides:
        share = percent(FALSE_ALARMS)
        yield Text(f"Of fleets whose hosts are alike, at most {share} have a host that differs by chance.", "dim")
    if found.outliers:
        yield Text()
        yield grid_of(differing_sheet(found, members))
    for kind in dict.fromkeys(one.kind for one in found.spreads):
        number = sum(of == kind for of in found.kinds.values())
        named = named_cpus(kind.cpu_model, kind.allowed, kind.cpus, kind.hypervisor)
        yield Text()
        yield Text.assemble((named, "bold"), f": {counted(number, 'host')}")
        yield grid_of(spread_sheet([one for one in found.spreads if one.kind == kind]))


def verdict(found: FleetFindings) -> str:
    """Say how many hosts differ."""
    judged = {host for one in found.spreads if one.differs_from for host in one.values}
    if not judged:
        return f"cannot tell: {FEWEST_HOSTS} hosts of a kind are needed, measured in the same cases"
    differ = {one.host for one in found.outliers}
    differs = "differs from its" if len(differ) == 1 else "differ from their"
    return f"{len(differ) or 'none'} of {counted(len(judged), 'host')} {differs} kind"


def name_of(subject: HostFigure) -> str:
    """Name what is compared: `signal cas-one-line cpp same-l3`, `core to core CPUs 0,1`."""
    if subject.case is None:
        return f"core to core, {pair(subject.pair or (0, 0))}"
    called = f", {subject.called}" if subject.called else ""
    return plain(f"{subject.case.experiment} {subject.case.title}{called}")


def _subject(of: Callable[[Any], Spread]) -> tuple[Field[Any], ...]:
    """Return what is compared among hosts: a case, or how far a pair of CPUs is apart; in which state."""

    def case(one: Any) -> str | None:
        subject = of(one).subject
        return f"{subject.case.experiment} {subject.case.title}" if subject.case else None

    apart: Any = {"head": "core to core", "key": "core_to_core_ns", "unit": "ns", "rank": 2, "if_known": True}
    return (
        Field(of=lambda one: name_of(of(one).subject), head="case", names=True),
        Field(of=case, key="case", type=str | None),
        Field(of=lambda one: of(one).subject.pair, key="pair", type=Pair | None),
        Field(of=lambda one: of(one).subject.unit, key="unit"),
        Field(of=lambda one: of(one).core_to_core_ns, **apart),
    )


def differing_sheet(found: FleetFindings, members: Sequence[Member]) -> Sheet[DifferingHost]:
    """Return a line for each host that differs, and in what."""
    hosts = {one.host.key: one for one in members}

    def unit(one: DifferingHost) -> Unit:
        return one.spread.subject.unit

    table: tuple[Field[Any], ...] = (
        attribute("host", type=str),
        Field(of=lambda one: plain(hosts[one.host].host.name), head="host", names=True, style="bold"),
        *_subject(lambda one: one.spread),
        attribute("value.value", head="here", key="value", unit=unit),
        attribute("spread.median", head="its kind", key="median", unit=unit),
        attribute("ratio", type=float, show=fold, head="ratio"),
        Field(
            of=lambda one: one.value.warnings,
            head="warnings",
            key="warnings",
            type=tuple[str, ...],
            write=lambda one: ", ".join(one.value.warnings),
            style="yellow",
            rank=2,
        ),
        Field(of=lambda one: hosts[one.host].run, head="run", key="run", type=int | None, rank=1),
    )
    return Sheet("outliers", table, found.outliers)


def spread_sheet(spreads: Sequence[Spread]) -> Sheet[Spread]:
    """Return a line for each figure over the hosts of a kind."""

    def unit(one: Spread) -> Unit:
        return one.subject.unit

    def ordered(one: Spread) -> list[Value]:
        return sorted(one.values.values(), key=lambda value: value.value)

    each = Field[Spread](
        of=lambda one: {host: value.value for host, value in one.values.items()},
        key="values",
        type=dict[str, float],
        means="Of each host, by its key.",
    )
    table: tuple[Field[Any], ...] = (
        *(attribute(f"kind.{one.name}", key=f"kind.{one.name}", type=one.type) for one in fields(HostKind)),
        *_subject(lambda one: one),
        Field(of=lambda one: len(one.values), head="hosts", key="hosts", unit="count", type=int),
        Field(of=lambda one: ordered(one)[0].value, head="least", key="least", unit=unit, rank=1),
        attribute("median", head="median", unit=unit),
        Field(of=lambda one: ordered(one)[-1].value, head="most", key="most", unit=unit, rank=1),
        attribute("deviation", type=float),
        attribute("differs_from", type=float | None, show=fold, head="differs from"),
        each,
    )
    return Sheet("spreads", table, spreads)


def host_sheet(members: Sequence[Member], found: FleetFindings) -> Sheet[Member]:
    """Return a line for each host, whether it was measured or not."""
    of_host = (attribute(f"host.{name}", type=str) for name in Host.__struct_fields__)
    kind = Field[Member](of=lambda one: found.kinds.get(one.host.key), key="kind", type=HostKind | None)
    return Sheet("hosts", (*of_host, *fields_of(Member, "host"), kind), members)
