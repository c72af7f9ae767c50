"""Which rows belong together: those that differ in one dimension only."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from threadping.analysis.declaration import Declaration, Figure
from threadping.model import Case, Row
from threadping.quantities import counted
from threadping.views.terminal import names
from threadping.views.terminal.rungs import state


class Along(Struct, frozen=True):
    """A dimension along which rows are set side by side: how many threads or pairs there are, or a parameter."""

    name: str
    is_param: bool = False

    def has(self, case: Case) -> bool:
        """Whether a case stands anywhere in it."""
        return not self.is_param or self.name in case.params

    def point(self, case: Case) -> int:
        """Where it stands."""
        return int(case.params[self.name]) if self.is_param else case.crews

    def head(self, point: int) -> str:
        """What stands over the first point: `1 thread`, `batch 1`."""
        return f"{self.name} {point}" if self.is_param else counted(point, self.name.removesuffix("s"))


THREADS = Along("threads")


class Family(Struct, frozen=True):
    """Rows of one mechanism and runtime, by where they stand in the dimension, ascending.

    Attributes:
        mechanism: its name, with the other parameters that are not its defaults; safe to show.
        runtime: its label; safe to show.
        standing: where they stand, whatever their number: `same-l3`, `same-l3 to cross-node`.
        warmup: as it is given, `10x100k`; shown only where `names.tells_warmups` says so.
        apart: the state of rows whose CPUs were in several: `26.3 ns apart`; nothing where there is one.
        rows: at least one.
    """

    mechanism: str
    runtime: str
    standing: str
    warmup: str
    apart: str
    rows: Mapping[int, Row]


def families(rows: Sequence[Row], along: Along = THREADS) -> list[Family]:
    """Gather the rows of an experiment that stand in the dimension, in their order.

    Threads that become more come to stand on more CPUs, so the placement may change its name on the way. Only where
    one number of threads was measured at several placements, each of them is by itself.
    """
    together: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        case = row.case
        key = (names.mechanism(case, along.name), case.runtime, case.warmup, case.placement.pin, case.home)
        place = case.placement if along.is_param else set(case.placement.cpus) == {None}
        if along.has(case):
            together.setdefault((*key, place), []).append(row)
    return [
        _family(standing, of, along)
        for family in together.values()
        for of_state in _by_state(family)
        for standing, of in ([(names.standing(of_state[0].case), of_state)] if along.is_param else _standings(of_state))
    ]


def _by_state(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    """The rows in the nearest state, in the next, ...; those that are of no state alone stand in each."""
    for at in sorted({state(row) for row in rows if row.one_of_several}) or [(True, 0.0)]:
        yield [row for row in rows if not row.one_of_several or state(row) == at]


def _family(standing: str, rows: Sequence[Row], along: Along) -> Family:
    case = rows[0].case
    by_point = {along.point(row.case): row for row in sorted(rows, key=lambda row: along.point(row.case))}
    apart = next((row.state for row in reversed(by_point.values()) if row.state), "")
    mechanism = names.mechanism(case, along.name)
    return Family(mechanism, names.plain(case.runtime), standing, case.warmup.text, apart, by_point)


def _standings(family: Sequence[Row]) -> Iterator[tuple[str, Sequence[Row]]]:
    """The rows of each placement, and how it is called."""
    if len({row.case.crews for row in family}) == len(family):
        yield names.standing_of_all(row.case for row in family), family
        return
    single = [row for row in family if row.case.crews == 1]
    several = [row for row in family if row.case.crews > 1]
    for name in dict.fromkeys(row.case.placement.name for row in several):
        of_it = [row for row in several if row.case.placement.name == name]
        yield names.standing_of_all(row.case for row in of_it), [*_nearest(single, of_it), *of_it]
    if not several:
        for row in single:
            yield names.standing(row.case), [row]


def _nearest(single: Sequence[Row], several: Sequence[Row]) -> Sequence[Row]:
    """One thread has no neighbours, so it belongs to every placement: there the one that stands on one of its CPUs."""
    cpus = {cpu for row in several for cpu in row.case.placement.cpus}
    return sorted(single, key=lambda row: not cpus.issuperset(row.case.placement.cpus))[:1]


def lost(family: Family, declared: Declaration) -> Figure | None:
    """The share of which less is better that some of its rows have: work that was done and is gone."""
    shares = (one for one in declared.figures if one.unit == "share" and one.better == "less" and one.column)
    return next((one for one in shares if any(row.figures.get(one.name) for row in family.rows.values())), None)
