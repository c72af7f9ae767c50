"""A fleet in tables, JSON and CSV: which hosts differ, how far they are from each other, and which are unfit."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import fields
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Row, Unit
from threadping.analysis.health import HealthVerdict
from threadping.analysis.percentiles import Estimate
from threadping.model.base import Record
from threadping.model.cases import Pair, Skipped
from threadping.model.quantities import counted, fold, pair, percent
from threadping.model.run import Fleet, Host, Member
from threadping.model.text import plain
from threadping.output.heading import local_time, named_cpus
from threadping.output.layout import Block, Field, Flow, Sheet, attribute, grid_of, together
from threadping.output.listings import reasons
from threadping.output.records import fields_of
from threadping.studies.doctor.output import HEALTH_MARKS, sentence
from threadping.studies.doctor.reading import DoctorResult, read_checkup
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


def head_of(fleet: Fleet, members: Sequence[Member], what: str, of: str) -> Iterator[Block]:
    """Say which fleet, what was measured, of how many and when; then what was not, and what is noted of the others."""
    texts = [Text(plain(one)) for one in (what, of, local_time(fleet.started))]
    yield Flow([Text(f"fleet {fleet.id}", "bold"), *texts])
    missing = [Skipped(one.name, one.problem or "its run was removed") for one in members if not one.run]
    yield from reasons("\nNot measured", missing)
    yield from reasons("\nNoted", [Skipped(one.name, one.note) for one in members if one.run and one.note])


def _warned(of: Callable[[Any], Sequence[str]]) -> Field[Any]:
    how: Any = {"write": lambda one: ", ".join(of(one)), "style": "yellow", "rank": 2}
    return Field(of=of, head="warnings", key="warnings", type=tuple[str, ...], **how)


# ---- which hosts differ ----


@together
def fleet_table(fleet: Fleet, members: Sequence[Member], found: FleetFindings) -> Iterator[Block]:
    """Show which hosts differ, what could not be measured, and each figure over the hosts of each kind."""
    measured = sum(one.run is not None for one in members)
    of = counted(len(members), "host") + ("" if measured == len(members) else f", {measured} measured")
    yield from head_of(fleet, members, " ".join(fleet.words), of)
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
        _warned(lambda one: one.value.warnings),
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
    return Sheet("hosts", (*of_host, *fields_of(Member, "host", "peer"), kind), members)


# ---- what it costs to reach one host from another ----


class Hop(Record, frozen=True):
    """A message's way: from which host, to which where it is another one, and the figures of one mechanism."""

    member: Member
    row: Row


def hops_of(members: Sequence[Member], answers: Mapping[str, Answer]) -> list[Hop]:
    """Return the loopback of each host, then every two hosts, of which there is a run."""
    of_each = ((one, answers[one.key].rows) for one in members if one.key in answers)
    return [Hop(one, row) for one, rows in of_each for row in rows if row.case.experiment == "hop"]


@together
def hops_table(fleet: Fleet, members: Sequence[Member], found: Sequence[Hop]) -> Iterator[Block]:
    """Show what it takes to reach each host from each other."""
    hosts = {host.key for one in members for host in (one.host, one.peer) if host}
    measured = sum(one.run is not None for one in members if one.peer)
    of = f"{counted(len(hosts), 'host')}, {counted(measured, 'pair')} measured"
    yield from head_of(fleet, members, f"hop by {fleet.transport}", of)
    if found:
        yield Text()
        yield grid_of(hop_sheet(found))
        ends = "CPU is that of the near end for a round trip, far CPU that of the far end."
        yield Text(f"\nOne way is half a round trip. {ends}", "dim")


def hop_sheet(found: Sequence[Hop]) -> Sheet[Hop]:
    """Return a line for each mechanism of each way."""

    def figure(of: str, key: str, head: str, unit: Unit, **how: Any) -> Field[Hop]:
        return Field(of=lambda one: one.row.figures.get(of), key=key, head=head, unit=unit, type=Estimate, **how)

    def peer(one: Hop) -> str | None:
        return plain(one.member.peer.name) if one.member.peer else None

    table: tuple[Field[Hop], ...] = (
        Field(of=lambda one: plain(one.member.host.name), head="from", key="host", names=True, style="bold"),
        attribute("member.host.key", key="host_key", type=str),
        Field(
            of=lambda one: "host" if one.member.peer else "loopback",
            head="to",
            key="to",
            write=lambda one: peer(one) or "loopback",
            names=True,
        ),
        Field(of=peer, key="peer", type=str | None),
        Field(of=lambda one: one.member.peer and one.member.peer.key, key="peer_key", type=str | None),
        Field(of=lambda one: plain(one.row.case.mechanism), head="by", key="mechanism", names=True),
        attribute(
            "row.case.blocking", type=bool, show=lambda sleeps: "sleeps" if sleeps else "spins", head="waiting", rank=3
        ),
        Field(of=lambda one: one.row.headline, head="one way", key="one_way_ns", unit="ns", type=Estimate),
        figure("round_trip_ns.p99", "round_trip_p99_ns", "round trip p99", "ns"),
        figure("cpu_ns_per_op", "cpu_ns_per_op", "CPU", "ns"),
        figure("hop.far_cpu_ns_per_op", "far_cpu_ns_per_op", "far CPU", "ns", rank=1, if_known=True),
        figure("hop.lost", "lost", "lost", "share", if_known=True),
        _warned(lambda one: one.row.warned),
        attribute("member.run", head="run", type=int | None, rank=1),
    )
    return Sheet("hops", table, found)


# ---- which hosts are unfit ----

MAX_LOST_NAMED = 3  # hosts without a check-up that the first line names


class HostCheckup(Record, frozen=True):
    """A host of a fleet, with its check-up; None where it has no run."""

    member: Member
    found: DoctorResult | None

    @property
    def health(self) -> HealthVerdict | None:
        """The verdict of its check-up."""
        return self.found.health.whole if self.found else None

    @property
    def verdict(self) -> str:
        """The verdict in words, or why there is none."""
        return sentence(self.found) if self.found else plain(self.member.problem or "its run was removed")


def host_checkups(members: Sequence[Member], answers: Mapping[str, Answer]) -> list[HostCheckup]:
    """Return all hosts: those that are unfit first, then those without a check-up."""
    found = [HostCheckup(one, read_checkup(answers[one.key]) if one.key in answers else None) for one in members]
    return sorted(found, key=lambda one: ("unfit", None, "doubt", "fit").index(one.health))


def exit_code(hosts: Sequence[HostCheckup]) -> int:
    """Return 3 where a host is unfit, 1 where one has no check-up."""
    health = [one.health for one in hosts]
    return 3 if "unfit" in health else 1 if None in health or not hosts else 0


def health_verdict(hosts: Sequence[HostCheckup]) -> str:
    """Say how many hosts are unfit, and which could not be checked."""
    health = [one.health for one in hosts]
    unfit, doubted = health.count("unfit"), health.count("doubt")
    lost = [f"{plain(one.member.host.name)}: {one.verdict}" for one in hosts if one.found is None]
    of = f" of {counted(len(hosts), 'host')}"
    said = f"{unfit or 'none'}{'' if lost else of} {'is' if unfit == 1 else 'are'} unfit"
    said += f", {doubted} in doubt" if doubted else ""
    if not lost:
        return said
    more = [f"and {len(lost) - MAX_LOST_NAMED} more"] if lost[MAX_LOST_NAMED:] else []
    have = f"{len(lost)} {'has' if len(lost) == 1 else 'have'} no result"
    why = "; ".join([*lost[:MAX_LOST_NAMED], *more])
    return f"{len(hosts) - len(lost)}{of} were checked: {said}; {have}: {why}"


@together
def checkups_table(fleet: Fleet, members: Sequence[Member], hosts: Sequence[HostCheckup]) -> Iterator[Block]:
    """Show how many hosts are unfit, and a line for each."""
    worst = hosts[0].health if hosts else None
    yield Text(health_verdict(hosts), HEALTH_MARKS[worst][1] or "bold yellow")
    yield Text()
    yield from head_of(fleet, [one for one in members if one.run], " ".join(fleet.words), counted(len(members), "host"))
    yield Text()
    yield grid_of(checkups_sheet(hosts))


def checkups_sheet(hosts: Sequence[HostCheckup]) -> Sheet[HostCheckup]:
    """Return a line for each host."""

    def findings(one: HostCheckup) -> tuple[str, ...]:
        return tuple(found.code for _, found in one.found.grave) if one.found else ()

    table: tuple[Field[HostCheckup], ...] = (
        Field(head=" ", of=lambda one: one.health, write=lambda one: Text(*HEALTH_MARKS[one.health])),
        attribute("member.key", key="host", type=str),
        Field(of=lambda one: plain(one.member.host.name), head="host", names=True, style="bold"),
        attribute("health", type=HealthVerdict | None),
        attribute("verdict", type=str, head="verdict", names=True),
        Field(of=findings, key="findings", type=tuple[str, ...]),
        attribute("member.run", head="run", type=int | None),
    )
    return Sheet("checkups", table, hosts)
