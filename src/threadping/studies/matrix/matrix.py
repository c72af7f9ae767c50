"""An analysed run of pairs becomes a matrix: its rows pair by pair, and a map of those that lead for each home."""

from collections.abc import Mapping
from itertools import combinations
from statistics import median

from msgspec.structs import replace

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Row
from threadping.analysis.latency_map import LatencyMap, map_of
from threadping.analysis.locality import ordered
from threadping.grouping import gathered
from threadping.model.bounds import Record
from threadping.model.cases import Pair
from threadping.model.studies import Pairing
from threadping.studies.matrix.cases import home_of

HALF_IN_ERRORS = 1.96
"""Half of a 95% interval is so many standard errors."""


class Matrix(Record, frozen=True):
    """Every pair of CPUs.

    Attributes:
        cells: the rows with a figure, pair by pair; of each case the state first that was held longest, which leads.
        maps: by the home of the lines what leads; never empty.
        missing: pairs without a figure of the first home.
        failures: why trials failed, each reason once, with the pairs.
    """

    cells: tuple[Row, ...]
    maps: Mapping[str, LatencyMap]
    missing: tuple[Pair, ...]
    failures: Mapping[str, tuple[Pair, ...]]

    @property
    def map(self) -> LatencyMap:
        """That of the first home."""
        return next(iter(self.maps.values()))


def matrix_of(answer: Answer) -> Matrix:
    """The matrix of a run that measured one."""
    of = answer.run.study
    assert isinstance(of, Pairing)
    by_case = gathered((row.case, row) for row in answer.rows if row.headline)
    cells: list[Row] = []
    for case in sorted(by_case, key=lambda case: (case.placement.used, of.homes.index(home_of(case)))):
        longest_first = sorted(by_case[case], key=lambda row: -row.state.share if row.state else 0.0)
        cells += [replace(row, leads=not place) for place, row in enumerate(longest_first)]
    maps = {home: _map(answer, of, home, cells) for home in of.homes}
    first = maps[of.homes[0]]
    missing = tuple(pair for pair in combinations(first.cpus, 2) if first.between(*pair) is None)
    return Matrix(tuple(cells), maps, missing, _failures(answer))


def pair_of(row: Row) -> Pair:
    """The CPUs of ping and of pong."""
    first, second = row.case.placement.used
    return first, second


def _map(answer: Answer, of: Pairing, home: str, cells: list[Row]) -> LatencyMap:
    leading = [(row, row.headline) for row in cells if row.leads and home_of(row.case) == home]
    ns = {pair_of(row): found.value for row, found in leading if found}
    halves = [half for _, found in leading if found and found.kind == "ci95" and (half := found.half) is not None]
    topology, noise = answer.run.machine.topology, median(halves) / HALF_IN_ERRORS if halves else 0.0
    return map_of(ordered(topology, of.cpus), ns, topology, noise)


def _failures(answer: Answer) -> Mapping[str, tuple[Pair, ...]]:
    failed = (one for one in answer.observations if one.failure)
    why = gathered((one.failure.message, one.case.placement.used) for one in failed if one.failure)
    return {message: tuple(sorted({(first, second) for first, second in pairs})) for message, pairs in why.items()}
