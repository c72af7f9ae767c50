"""What a matrix measures: one mechanism of one runtime, between every two of some CPUs, with each home of its lines."""

from collections.abc import Sequence
from itertools import combinations

from msgspec.structs import replace

from threadping.conduct.describing import describe_all
from threadping.conduct.scene import Scene, inventory_of
from threadping.contract import Topology
from threadping.errors import NothingToMeasure, UsageError
from threadping.model.cases import Case, Home, Placement, Runtime
from threadping.model.studies import Pairing
from threadping.numbers import named
from threadping.probes.description import Described
from threadping.relation import nodes, relation, usable
from threadping.selection.cases import expand
from threadping.selection.places import refuse_unknown_homes
from threadping.selection.selection import Selection

HOMES = ("first", "second")
"""Roles of `--home`: lines are made at the first CPU of a pair, or at the second."""


def cases_of(of: Pairing, topology: Topology) -> tuple[Case, ...]:
    """The case of every two of the CPUs, with each home, and in both directions where these are wanted."""
    known = {cpu.cpu: cpu for cpu in topology.cpus}
    on_nodes = nodes(topology)
    pairs = list(combinations(of.cpus, 2))
    made = []
    for first, second in [*pairs, *((b, a) for a, b in pairs if of.directions)]:
        placement = Placement(relation(known[first], known[second]), (first, second))
        for home in of.homes:
            cpus = {"second": (second,)}.get(home) or on_nodes.get(home)
            made.append(replace(of.case, placement=placement, home=Home(home, cpus) if cpus else None))
    return tuple(made)


def home_of(case: Case) -> str:
    """Where the lines of a case are made."""
    return case.home.name if case.home else HOMES[0]


def pairing_of(
    selection: Selection, topology: Topology, scene: Scene, *, directions: bool
) -> tuple[Pairing, Described]:
    """What is selected, and the runtime that measures it; raises ProbeUnusable."""
    runtime, cpus = _runtime(scene, selection), _cpus(topology, selection.cpus)
    case, described = _case(replace(selection, cpus=cpus[:2], homes=()), topology, runtime)
    refuse_unknown_homes(selection.homes, [*HOMES, *nodes(topology)])
    return Pairing(case, cpus, tuple(selection.homes) or HOMES[:1], directions), described


def _runtime(scene: Scene, selection: Selection) -> Runtime:
    """The one that was named, or else the first that measures a mechanism of the user's own, or C++."""
    own = {one.language for one in selection.own}
    usual = [one for one in scene.found.defaults() if one.probe in own][:1]
    wanted = scene.found.select(selection.runtimes) or usual or scene.found.select(("cpp",))
    if len(wanted) != 1:
        raise UsageError(
            f"A matrix takes one runtime, but {len(wanted)} are named: {', '.join(one.label for one in wanted)}."
        )
    return scene.with_own(wanted, selection, beside_loop=False)[0]


def _cpus(topology: Topology, asked: Sequence[int] | None) -> tuple[int, ...]:
    """Those that were asked for, or all that may be used; by number."""
    cpus = tuple(sorted(asked or usable(topology)))
    if len(cpus) < 2:
        who = "--cpus names" if asked else "this process's mask has"
        way_out = "" if asked else " Name those that the kernel permits: --cpus A,B."
        raise NothingToMeasure(f"A matrix needs two CPUs or more, but {who} {named(cpus)} alone.{way_out}")
    return cpus


def _case(selection: Selection, topology: Topology, runtime: Runtime) -> tuple[Case, Described]:
    """What is measured, between the first two CPUs, and the runtime; raises ProbeUnusable."""
    described = describe_all([runtime], prepare=True)[0][0]
    selection = replace(selection, experiments=("signal",), mechanisms=selection.mechanisms or ("cas-one-line",))
    found = expand(selection, inventory_of(topology, [described])).every
    if len(found) != 1:
        raise UsageError(
            f"A matrix takes one mechanism, but these are {len(found)}: {', '.join(one.title for one in found)}."
        )
    return found[0], described
