"""An analysed run of pairs becomes a matrix: a cell for every pair in every state, and the groups they fall into."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from statistics import median

from msgspec.structs import replace

from threadping.analysis.analyse import state_of
from threadping.analysis.answer import Answer, Observed
from threadping.analysis.declaration import RowState
from threadping.analysis.estimate import Estimate, estimate
from threadping.analysis.states import States
from threadping.contract import Topology
from threadping.grouping import gathered
from threadping.matrix.clusters import Cluster, clusters, grouped, misnamed
from threadping.matrix.locality import ordered, system_says
from threadping.matrix.parallel import Measured, Parallel, parallel
from threadping.model.bounds import Record
from threadping.model.cases import Case, Home, Pair, Placement
from threadping.model.studies import Pairing
from threadping.relation import nodes, relation

LATENCY, SPREAD = "latency_ns.typical", "lines_spread"

NORMAL = 1.96
"""Half of a 95% interval is so many standard errors."""

TENTH = 10
"""So many lines are left out at both ends of their spread: of some every visit was disturbed."""


class Cell(Record, frozen=True):
    """Two CPUs, in one state.

    Attributes:
        cpus: of ping and of pong.
        home: where the lines are made: at the `first` of them, the `second`, or a node.
        latency: one way, over trials (ns).
        lines_spread: by how much the slower lines are slower than the faster ones, as a share: the ninth decile against
            the first; the median of the trials.
        trials: of how many.
        state: in which the two CPUs were; None where it is not known.
        leads: whether they were in no other state for longer.
    """

    cpus: tuple[int, int]
    home: str
    latency: Estimate
    lines_spread: float | None = None
    trials: int = 0
    state: RowState | None = None
    leads: bool = True


class Matrix(Record, frozen=True):
    """Every pair of CPUs.

    Attributes:
        cpus: in the order in which they are shown.
        homes: where the lines were made, each a matrix of its own.
        cells: pair by pair, the state that was held longest first.
        clusters: groups of the pairs that lead, of the first home, the nearest first.
        misnamed: where the system says something else, a sentence each.
        parallel: how pairs measured at once compare with those alone; None where that was not measured.
        missing: pairs without a figure.
        failures: why trials failed, each reason once, with the pairs.
    """

    cpus: tuple[int, ...]
    homes: tuple[str, ...]
    cells: tuple[Cell, ...]
    clusters: tuple[Cluster, ...] = ()
    misnamed: tuple[str, ...] = ()
    parallel: Parallel | None = None
    missing: tuple[Pair, ...] = ()
    failures: Mapping[str, tuple[Pair, ...]] = {}

    def leading(self, home: str | None = None) -> dict[tuple[int, int], Cell]:
        """The cell of each pair in the state that it was in longest; where one way was measured, for both."""
        home = self.homes[0] if home is None else home
        found = {cell.cpus: cell for cell in self.cells if cell.leads and cell.home == home}
        return {cpus[::-1]: cell for cpus, cell in found.items()} | found


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


def spread_of(lines: Sequence[float]) -> float:
    """By how much the ninth decile of lines is slower than the first, as a share."""
    ordered = sorted(lines)
    out = len(ordered) // TENTH
    return ordered[-1 - out] / ordered[out] - 1


def home_of(case: Case) -> str:
    """Where the lines of a case are made."""
    return case.home.name if case.home else "first"


def matrix(answer: Answer) -> Matrix:
    """The matrix of a run that measured one; of figures that were measured at once only if these can be used."""
    of = answer.run.matrix
    assert of is not None
    topology = answer.run.machine.topology
    trials: dict[tuple[tuple[int, int], str], list[Observed]] = {}
    failures: dict[str, list[Pair]] = {}
    for one in answer.trials:
        case, failure = one.observation.case, one.observation.failure
        first, second = case.placement.used
        if one.observation.figures:
            trials.setdefault(((first, second), home_of(case)), []).append(one)
        elif failure:
            failures.setdefault(failure.message, []).append((first, second))
    found = parallel([[measured(one) for one in of_it] for of_it in trials.values()])
    by_pair = gathered((state.cpus, place) for place, state in enumerate(answer.states.found))
    cells = [
        cell
        for (cpus, home), of_it in trials.items()
        for cell in _cells(cpus, home, of_it, by_pair.get((min(cpus), max(cpus)), ()), answer.states, found)
    ]
    cells.sort(key=lambda cell: (cell.cpus, of.homes.index(cell.home), not cell.leads))
    made = Matrix(ordered(topology, of.cpus), of.homes, tuple(cells), parallel=found)
    there = made.leading()
    missing = tuple(pair for pair in combinations(made.cpus, 2) if pair not in there)
    why = {message: tuple(sorted(set(pairs))) for message, pairs in failures.items()}
    return with_clusters(replace(made, missing=missing, failures=why), topology)


def surveyed(answer: Answer) -> Matrix | None:
    """The map of a run that pinged pairs of CPUs before its first trial; None of one that did not.

    Those that it measured are as far apart as in the state that they were in for longest.
    """
    seen = {one.cpus: one.ns for one in answer.survey if one.ns}
    cpus = {cpu for pair in seen for cpu in pair}
    states = [one for one in answer.states.found if cpus.issuperset(one.cpus)]
    seen |= {one.cpus: one.core_to_core_ns for one in sorted(states, key=lambda state: state.share)}
    topology = answer.run.machine.topology
    cells = tuple(Cell(pair, "first", Estimate(ns)) for pair, ns in seen.items())
    return with_clusters(Matrix(ordered(topology, cpus), ("first",), cells), topology) if answer.survey else None


def with_clusters(of: Matrix, topology: Topology | None) -> Matrix:
    """The matrix with its groups, named where the topology of the machine is known."""
    known = {cpu.cpu: cpu for cpu in topology.cpus} if topology else {}
    leading = [cell for cell in of.cells if cell.leads and cell.home == of.homes[0] and cell.latency.value]
    values = [cell.latency.value for cell in leading]
    said = [system_says(known[cell.cpus[0]], known[cell.cpus[1]]) if known else "" for cell in leading]
    halves = [half for cell in leading if cell.latency.kind == "ci95" and (half := cell.latency.half) is not None]
    groups = grouped(values, len(of.cpus), median(halves) / NORMAL if halves else 0.0)
    found = clusters(values, groups, said)
    return replace(of, clusters=tuple(found), misnamed=tuple(misnamed(found, groups, said)))


def measured(one: Observed) -> Measured:
    """What a trial that has figures says of its pair."""
    seen, standing = one.observation, one.standing
    return Measured(seen.figures[LATENCY], standing.core_to_core_ns, seen.beside > 0, seen.round == 1)


def _cells(
    cpus: tuple[int, int],
    home: str,
    trials: Sequence[Observed],
    places: Sequence[int],
    states: States,
    found: Parallel | None,
) -> Iterator[Cell]:
    """A cell for each state of the pair that was more than a moment; without pings one for all."""
    alone = [one for one in trials if not one.observation.beside]
    counted = trials if found is None or found.is_used else alone
    if found and found.alike == "cannot tell":
        counted = counted or trials  # better than nothing, and said
    longest = max(places, key=lambda place: states.found[place].share, default=None)
    by_state: dict[int | None, list[Observed]] = {}
    for one in counted:
        if one.standing.states:
            by_state.setdefault(one.standing.states[0], []).append(one)
        elif not one.standing.crossed and len(places) < 2:  # of a large batch not all are pinged
            by_state.setdefault(longest, []).append(one)
    held = {
        place: of_it
        for place, of_it in by_state.items()
        if place is None or place == longest or states.found[place].lasted
    }
    shares = {place: 0.0 if place is None else states.found[place].share for place in held}
    for order, place in enumerate(sorted(held, key=lambda place: -shares[place])):
        of_it = [one.observation.figures for one in held[place]]
        spreads = [each[SPREAD] for each in of_it if SPREAD in each]
        yield Cell(
            cpus,
            home,
            estimate([each[LATENCY] for each in of_it]),
            median(spreads) if spreads else None,
            len(of_it),
            None if place is None else state_of([place], states),
            order == 0,
        )
