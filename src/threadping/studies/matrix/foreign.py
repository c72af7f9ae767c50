"""Matrices as other tools write them: core-to-core-latency's and c2clat's, read from any paste, and written exactly."""

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from threadping.analysis.latency_map import LatencyMap, map_of
from threadping.model.bounds import Record
from threadping.model.cases import Pair
from threadping.model.errors import MatrixUnreadable
from threadping.studies.matrix.pasted import MOST_CPUS, Broken, Figures, Form, believed, excerpt, lines_of, tables

MOST_LINES = 100_000
"""Of a paste: a hundred matrices of as many CPUs as are read."""

ROUNDED = 0.500001
"""A whole number differs by so much, and by an error of arithmetic, from what it was made of (ns)."""


class PastedMatrix(Record, frozen=True):
    """A matrix of another tool.

    Attributes:
        form: of which tool.
        title: of its benchmark; empty where the file does not say.
        map: its figures, of one line, and of no known state.
        note: what was taken for granted in reading it, a sentence; empty where nothing was.
    """

    form: Form
    title: str
    map: LatencyMap
    note: str = ""


def read(text: str, what: object) -> tuple[PastedMatrix, ...]:
    """Read every matrix in a text; where one is there as CSV and as it was printed, what is exact.

    Raises:
        MatrixUnreadable: there is none, or one that cannot be believed; `what` names the text.
    """
    if text.count("\n") + text.count("\r") > 2 * MOST_LINES:
        raise MatrixUnreadable(what, f"it has more than {MOST_LINES:,} lines, and no matrix of {MOST_CPUS:,} CPUs has")
    lines = lines_of(text)
    try:
        found, refused = _believed(lines)
    except Broken as error:
        raise MatrixUnreadable(what, str(error)) from error
    if not found:
        raise MatrixUnreadable(what, refused or _nothing(lines))
    left_out = f"Something else that may be a matrix was left out: {refused}." if refused else ""
    return tuple(_published(one, left_out) for one in _without_printed(found))


def _believed(lines: Sequence[str]) -> tuple[list[Figures], str]:
    """Every matrix, and why the largest table that may be one is none; Broken where one of the tools' own is broken."""
    found: list[Figures] = []
    refused: dict[int, str] = {}
    for table in tables(lines):
        try:
            found += believed(table)
        except Broken as error:
            if not table.by_columns:
                raise
            refused.setdefault(len(table.rows), str(error))
    return found, refused[max(refused)] if refused else ""


def _published(of: Figures, left_out: str) -> PastedMatrix:
    notes = (of.note, left_out)
    return PastedMatrix(of.of.form, of.of.title, _map(of.cpus, of.values), " ".join(filter(None, notes)))


def _nothing(lines: Sequence[str]) -> str:
    number, first = next(((number, line) for number, line in enumerate(lines, start=1) if line.strip()), (1, ""))
    return f"it is no matrix of core-to-core-latency or c2clat: line {number} is '{excerpt(first)}'"


def _without_printed(found: Sequence[Figures]) -> list[Figures]:
    """All, but one for each measurement: of what was printed, rounded, and written as CSV what is exact.

    It keeps the CPUs' numbers and the title, which the CSV lacks.
    """
    left = [*found]
    for printed in found:
        exact = None if printed.of.by_columns else next((one for one in left if _rounds_to(one, printed)), None)
        if exact is not None:
            left[left.index(exact)] = replace(printed, values=_renamed(exact, printed.cpus))
            left.remove(printed)
    return left


def _rounds_to(exact: Figures, printed: Figures) -> bool:
    """Whether what was printed are the rounded figures of a CSV, which names no CPUs."""
    cpus = tuple(range(len(printed.cpus)))
    if not exact.of.by_columns or exact.of.form != printed.of.form or exact.cpus != cpus:
        return False
    values = _renamed(exact, printed.cpus)
    return values.keys() == printed.values.keys() and all(
        abs(ns - printed.values[pair]) <= ROUNDED for pair, ns in values.items()
    )


def _renamed(of: Figures, cpus: Sequence[int]) -> dict[Pair, float]:
    return {(cpus[a], cpus[b]): ns for (a, b), ns in of.values.items()}


def _map(cpus: Sequence[int], values: Mapping[Pair, float]) -> LatencyMap:
    """The map of what a tool wrote: where it wrote one figure for both ways of a pair, that is kept once."""
    both = {pair for pair in values if values.get(pair[::-1], values[pair]) != values[pair]}
    kept = {pair: ns for pair, ns in values.items() if pair in both or pair[::-1] not in values or pair[0] < pair[1]}
    return map_of(cpus, kept, None)


def core_to_core_latency(of: LatencyMap) -> str:
    """A line for each CPU, by number: its latency to those before it, and to all where both directions are known."""
    cpus, directed = sorted(of.cpus), any(pair[::-1] in of.ns for pair in of.ns)
    lines = []
    for place, cpu in enumerate(cpus):
        shown = [of.between(cpu, other) if directed or at < place else None for at, other in enumerate(cpus)]
        lines.append(",".join("" if ns is None else _exactly(ns) for ns in shown))
    return "".join(f"{line}\n" for line in lines)


def _exactly(ns: float) -> str:
    """The shortest decimal number that is this one, as Rust writes it: never with an exponent."""
    return np.format_float_positional(ns, trim="-")


def c2clat(of: LatencyMap) -> str:
    """A table of whole nanoseconds; 0 of a CPU with itself, and where nothing is known."""
    cpus = sorted(of.cpus)
    lines = ["".join([f"{'CPU':>4}", *(f" {cpu:>4}" for cpu in cpus)])]
    for cpu in cpus:
        lines.append("".join([f"{cpu:>4}", *(f" {round(of.between(cpu, other) or 0):>4}" for other in cpus)]))
    return "".join(f"{line}\n" for line in lines)
