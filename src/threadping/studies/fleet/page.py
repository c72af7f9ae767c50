"""The page of a fleet: the hosts that differ, and a small picture of each figure over the hosts of a kind; or hops."""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis.answer import Answer
from threadping.model.fleet import Fleet, Host, Member
from threadping.quantities import counted
from threadping.sheets.anonymous import without_names
from threadping.studies.fleet.differing import DifferingHost, FleetFindings, Spread
from threadping.studies.fleet.hops import hops
from threadping.studies.fleet.sheets import chart, hops_table, name_of_kind, summary
from threadping.views.page import pictures
from threadping.views.page.page import fill


class OfKind(Struct, frozen=True):
    """The hosts of a kind, and each figure over them: those first in which one of them differs."""

    title: str
    hosts: str
    figures: Sequence[pictures.DrawnChart]
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
        figures = pictures.drawn([chart(one, differ[id(one)], names) for one in spreads])
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
