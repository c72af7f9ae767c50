"""A matrix for programs: JSON, CSV, and as other tools write theirs."""

from collections.abc import Callable, Mapping, Sequence

from msgspec import structs

from threadping.analysis.answer import Answer, RowState
from threadping.analysis.estimate import Estimate
from threadping.analysis.states import NO_STATES
from threadping.matrix.clusters import Cluster
from threadping.matrix.matrix import Matrix
from threadping.matrix.parallel import Parallel
from threadping.matrix.published import c2clat, core_to_core_latency
from threadping.model import Case, Pair, Record, State
from threadping.views.export import as_csv
from threadping.views.export.as_json import RunEntry, described, indented

COLUMNS = (
    *("ping", "pong", "home", "latency_ns", "low_ns", "high_ns"),
    *("lines_spread", "trials", "core_to_core_ns", "leads"),
)
"""Of the CSV."""


class LatencyEntry(Record, frozen=True):
    """One way, in nanoseconds: the median over trials, its 95% interval from six trials on, their range from three."""

    typical: float
    ci95: tuple[float, float] | None
    range: tuple[float, float] | None


class CellEntry(Record, frozen=True):
    """Two CPUs, ping's and pong's, in one state.

    Attributes:
        cpus: the pair.
        home: where its lines are made: at the first of them, the second, or on a node.
        latency_ns: one way.
        lines_spread: by how much the ninth decile of its lines is slower than the first, as a share.
        trials: of how many.
        state: of the two CPUs; null where it is not known.
        leads: whether they were in no other state for longer.
    """

    cpus: tuple[int, int]
    home: str
    latency_ns: LatencyEntry
    lines_spread: float | None
    trials: int
    state: RowState | None
    leads: bool


class MatrixEntry(Record, frozen=True):
    """What `threadping matrix --format json` writes; `run` is null, and `case` too, of what another tool measured."""

    run: RunEntry | None
    case: str | None
    states: Sequence[State]
    cpus: tuple[int, ...]
    cells: tuple[CellEntry, ...]
    clusters: tuple[Cluster, ...]
    misnamed: tuple[str, ...]
    parallel: Parallel | None
    missing: tuple[Pair, ...]


def _entry(answer: Answer | None, of: Matrix) -> MatrixEntry:
    case: Case | None = answer.run.matrix.case if answer and answer.run.matrix else None
    return MatrixEntry(
        run=described(answer.run) if answer else None,
        case=f"{case.mechanism} {case.runtime}" if case else None,
        states=(answer.states if answer else NO_STATES).found,
        cpus=of.cpus,
        cells=tuple(
            CellEntry(one.cpus, one.home, _latency(one.latency), one.lines_spread, one.trials, one.state, one.leads)
            for one in of.cells
        ),
        clusters=of.clusters,
        misnamed=of.misnamed,
        parallel=of.parallel,
        missing=of.missing,
    )


def _latency(of: Estimate) -> LatencyEntry:
    return LatencyEntry(of.value, *(of.ends if of.kind == kind else None for kind in ("ci95", "range")))


def matrix_json(answer: Answer | None, of: Matrix) -> str:
    """Write `{"run", "states", "cells", "clusters", …}`."""
    return indented(_entry(answer, of))


def matrix_csv(_answer: Answer | None, of: Matrix) -> str:
    """Write a line for each cell."""
    states = (cell.state.core_to_core_ns if cell.state else None for cell in of.cells)
    lines = (
        (*cell.cpus, cell.home, *structs.astuple(cell.latency)[:3], cell.lines_spread, cell.trials, ns, int(cell.leads))
        for cell, ns in zip(of.cells, states, strict=True)
    )
    return as_csv.table(COLUMNS, (dict(zip(COLUMNS, line, strict=True)) for line in lines))


FORMATS: Mapping[str, Callable[[Answer | None, Matrix], str]] = {
    "json": matrix_json,
    "csv": matrix_csv,
    "core-to-core-latency": lambda _, of: core_to_core_latency(of),
    "c2clat": lambda _, of: c2clat(of),
}
