"""A matrix as records: its cells, its groups, how pairs at once compare with those alone; and a map of another tool."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from threadping.analysis.answer import Answer
from threadping.analysis.at_once import AreAlike, Parallel
from threadping.analysis.clusters import Cluster
from threadping.analysis.declaration import Row
from threadping.analysis.estimate import Estimate
from threadping.analysis.latency_map import LatencyMap
from threadping.characters import plain
from threadping.model.cases import Pair
from threadping.rows.sheets import ROW_STATE_FIELDS
from threadping.sheets.cells import figure
from threadping.sheets.entries import RunEntry, case_fields
from threadping.sheets.fields import Field, Sheet
from threadping.sheets.records import records_of, type_of
from threadping.sheets.states import state_sheet
from threadping.studies.matrix.matrix import Matrix

CELL_LATENCY = "latency_ns.typical"

CELL_FIELDS: Sequence[Field[Row]] = (
    *case_fields(lambda row: row.case, lambda row: row.declared),
    Field(
        key=CELL_LATENCY,
        of=lambda row: row.headline,
        unit="ns",
        type=Estimate,
        means="One way: the median over trials, its 95% interval from six trials on, their range from three.",
    ),
    Field(
        key="lines_spread",
        of=lambda row: row.figures.get("lines_spread"),
        unit="share",
        type=Estimate,
        means="By how much the ninth decile of its lines is slower than the first, as a share.",
    ),
    Field(key="trials", of=lambda row: len(row.trials), type=int),
    *ROW_STATE_FIELDS,
    Field(key="leads", of=lambda row: row.leads, type=bool, means="Whether they were in no other state for longer."),
)
"""Two CPUs, ping's and pong's, in one state."""

PASTED_FIELDS: Sequence[Field[tuple[Pair, float]]] = (
    Field(key="cpus", of=lambda one: one[0], type=Pair),
    Field(key=CELL_LATENCY, of=lambda one: one[1], unit="ns", type=float),
)
"""Two CPUs as another tool measured them: one line, in an unknown state."""

GROUP_FIELDS: Sequence[Field[Cluster]] = (
    Field(head="group", key="named", of=lambda one: one.named, write=lambda one: plain(one.named), names=True),
    Field(
        head="one way",
        key="latency_ns",
        of=lambda one: Estimate(one.latency_ns, *one.range, "range"),
        write=lambda one: figure("ns", one.latency_ns),
        unit="ns",
        type=Estimate,
        means="Their median, one way, the least and the most.",
    ),
    Field(head="from", of=lambda one: one.range[0], unit="ns"),
    Field(head="to", of=lambda one: one.range[1], unit="ns"),
    Field(head="pairs", key="pairs", of=lambda one: one.pairs, unit="count", type=int),
)
"""Pairs that are as far from each other, the nearest first."""

PARALLEL_FIELDS: Sequence[Field[Parallel]] = (
    Field(key="ratio", of=lambda one: one.ratio, type=Estimate, means="At once over alone, the median over pairs."),
    Field(key="pairs", of=lambda one: one.pairs, type=int),
    Field(key="slowest", of=lambda one: one.slowest, type=Estimate, means="Of the slowest; null: too few."),
    Field(key="alike", of=lambda one: one.alike, type=AreAlike),
    Field(key="is_used", of=lambda one: one.is_used, type=bool, means="Whether trials beside others count."),
)
"""Pairs measured at once against the same alone."""

FACTS: Any = msgspec.defstruct(
    "MatrixFacts",
    [
        ("run", RunEntry),
        ("cpus", tuple[int, ...]),
        ("misnamed", tuple[str, ...]),
        ("parallel", type_of("Parallel", PARALLEL_FIELDS) | None),
        ("missing", tuple[Pair, ...]),
    ],
    kw_only=True,
)
"""The types of what JSON says of the whole, for its schema."""


def sheets_of(answer: Answer, found: Matrix) -> Sequence[Sheet[Any]]:
    """The cells, the groups, and the states of each pair."""
    return (Sheet("cells", CELL_FIELDS, found.cells), groups_of(found.map), state_sheet(answer.states.found))


def groups_of(found: LatencyMap) -> Sheet[Cluster]:
    """The groups of a map."""
    return Sheet("groups", GROUP_FIELDS, found.groups)


def pasted_sheets(found: LatencyMap) -> Sequence[Sheet[Any]]:
    """The pairs of another tool's matrix, and their groups."""
    return (Sheet("cells", PASTED_FIELDS, [*found.ns.items()]), groups_of(found))


def facts_of(answer: Answer, found: Matrix) -> Mapping[str, Any]:
    """What JSON says of the whole, beside the run."""
    at_once = answer.at_once
    return {
        "cpus": found.map.cpus,
        "misnamed": found.map.misnamed,
        "parallel": records_of(Sheet("parallel", PARALLEL_FIELDS, [at_once]))[0] if at_once else None,
        "missing": found.missing,
    }
