"""Rows side by side: a line for each mechanism, runtime and state, a column for each number of threads or batch."""

from collections.abc import Iterator, Mapping, Sequence
from math import inf

from msgspec import Struct
from rich.text import Text

from threadping import quantities
from threadping.analysis.declaration import Declaration, Row
from threadping.analysis.estimate import FEWEST_FOR_A_RANGE, Estimate
from threadping.analysis.validity import is_usable
from threadping.grouping import gathered
from threadping.model.cases import GROUPS, Case, read_all
from threadping.numbers import compact
from threadping.sheets import cells, names
from threadping.sheets.grid import Block, GridColumn, grid, named

MARK_OF_FEW = "*"
OF_FEW = f"{MARK_OF_FEW} of one or two trials"


class PivotLine(Struct, frozen=True):
    """Rows that differ in one dimension only, by where they stand in it; by their heads the words that name them."""

    state: float
    words: Mapping[str, str]
    rows: Mapping[int, Row]

    @property
    def case(self) -> Case:
        """Of one of its rows."""
        return next(iter(self.rows.values())).case

    @property
    def leads(self) -> bool:
        """Whether all of its rows may be ranked."""
        return all(is_usable(row, "rank") for row in self.rows.values())


def pivots(rows: Sequence[Row], declared: Declaration) -> Iterator[Block]:
    """Set the headline side by side along every dimension that is declared and varied; then other declared figures."""
    for param in declared.dimensions:
        lines = [one for one in pivot_lines(rows, param) if not param or len(one.rows) > 1]
        for figure in ("", *declared.pivoted):
            yield from _pivot(lines, param, figure, declared)


def pivot_lines(rows: Sequence[Row], param: str) -> list[PivotLine]:
    """Gather rows along a parameter, or along the number of threads or pairs where it is empty.

    Threads that become more stand on more CPUs, so that their placement may change its name: it makes lines differ only
    where one number of them was measured at several. A row of one CPU depends on no state: it stands beside those of
    the state that CPUs were in for longest, and beside no others.
    """
    families = gathered((_alike(row.case, param), row) for row in rows if not param or param in row.case.params)
    return [line for family in families.values() for line in _of_family(family, param)]


def _alike(case: Case, param: str) -> tuple[object, ...]:
    place = case.placement if param else set(case.placement.cpus) == {None}
    return names.mechanism(case, param), place, *read_all(case, "mechanism", "threads", "placement")


def _of_family(family: Sequence[Row], param: str) -> Iterator[PivotLine]:
    singles = [row for row in family if not param and row.case.threads == 1]
    others = [row for row in family if row not in singles] or singles[:1]
    several = len({row.core_to_core_ns for row in others if row.state}) > 1
    longest = next((row.core_to_core_ns for row in others if row.state and row.leads), None)
    for state in sorted({row.core_to_core_ns or 0.0 for row in others if row.state}) if several else [longest]:
        mine = [row for row in others if not several or (row.core_to_core_ns or longest) == state]
        points = {_point(row.case, param) for row in mine}
        places = dict.fromkeys(row.case.placement.name for row in mine) if len(points) < len(mine) else [None]
        for place in places:
            of_it = [row for row in mine if place in (None, row.case.placement.name)]
            cpus = {cpu for row in of_it for cpu in row.case.placement.cpus}
            near = [row for row in singles if cpus.issuperset(row.case.placement.cpus)] or singles
            alone = near[:1] if state == longest else []
            by_point = {_point(row.case, param): row for row in [*alone, *of_it]}
            case = of_it[0].case
            where = names.standing(case) if param else names.standing_of_all(row.case for row in of_it)
            distance = quantities.time(state) if several and state else ""
            words = {"mechanism": names.mechanism(case, param), "runtime": names.plain(case.runtime)}
            words |= {"placement": where, "core to core": distance}
            words |= {one.head: one.text(case) for one in names.FURTHER}
            yield PivotLine(state or inf, words, dict(sorted(by_point.items())))


def _point(case: Case, param: str) -> int:
    return int(case.params[param]) if param else case.groups


def merit(row: Row | None, figure: str = "") -> tuple[float, ...]:
    """A row's headline, or another figure, for sorting.

    The less, the better; what may not be ranked is behind, what has none last.
    """
    found = _estimate(row, figure)
    if row is None or found is None:
        return (2, 0)
    better = row.declared.figure(figure).better if figure else row.leading.better
    return (not is_usable(row, "rank"), -found.value if better == "more" else found.value)


def _estimate(row: Row | None, figure: str) -> Estimate | None:
    """The figure of this name, or the headline where it is empty."""
    if row is None:
        return None
    return row.figures.get(figure) if figure else row.headline


def _pivot(lines: Sequence[PivotLine], param: str, figure: str, declared: Declaration) -> Iterator[Block]:
    """Those first that are best at the last point; nothing where there is one point only.

    Of several figures each has a title.
    """
    points = sorted({point for one in lines for point in one.rows})
    if len(points) < 2:
        return
    lines = sorted(
        lines,
        key=lambda one: (one.state, *(merit(one.rows.get(at), figure) for at in points[::-1])),
    )
    if declared.pivoted:
        yield Text(f"{declared.figure(figure or declared.headline).head} by {param or declared.along}", "bold")
    naming = [
        named(head, (one.words[head] for one in lines), "bold" if head == "mechanism" else "")
        for head in lines[0].words
        if head in ("mechanism", "runtime") or len({one.words[head] for one in lines}) > 1
    ]
    group = GROUPS[lines[0].case.group]
    heads = [f"{param} {compact(at)}" if param else quantities.counted(at, group) for at in points]
    cells_of = [_cells(lines, at, figure, declared) for at in points]
    yield grid(*naming, *map(GridColumn, heads, cells_of, _ranks(len(points))))
    if any(_is_of_few(row) for one in lines for row in one.rows.values()):
        yield Text(OF_FEW, "dim")
    yield Text()


def _cells(lines: Sequence[PivotLine], point: int, figure: str, declared: Declaration) -> list[Text]:
    """What each line does at this point; the best that may be ranked stands out, where all are in one regime."""
    found = [(one.rows.get(point), merit(one.rows.get(point), figure)) for one in lines]
    alike = len({row.regime for row, _ in found if row and row.headline}) < 2
    best = min((of for one, (_, of) in zip(lines, found, strict=True) if alike and one.leads), default=None)

    def cell(row: Row | None, style: str) -> Text:
        if not figure:
            return cells.headline(row, declared.leading, style)
        known = _estimate(row, figure)
        return cells.figure(declared.figure(figure).unit, known.value if known else None, style)

    return [
        cell(row, "bold green" if of == best else "") + Text(MARK_OF_FEW if _is_of_few(row) else "", "dim")
        for row, of in found
    ]


def _is_of_few(row: Row | None) -> bool:
    return row is not None and 0 < len(row.trials) < FEWEST_FOR_A_RANGE


def _ranks(number: int) -> list[int]:
    """In which order columns go where not all fit: every other one from the second, both ends never."""
    inner = [*range(1, number - 1)]
    going = [*inner[::2], *inner[1::2]]
    return [len(going) - going.index(place) if place in going else 0 for place in range(number)]
