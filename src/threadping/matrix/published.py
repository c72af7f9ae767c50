"""Matrices as other tools write them: core-to-core-latency's CSV and c2clat's text, read and written exactly."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from threadping.analysis.estimate import Estimate
from threadping.errors import MatrixUnreadable
from threadping.matrix.matrix import Cell, Matrix, with_clusters
from threadping.quantities import memory

Form = Literal["core-to-core-latency", "c2clat"]

MOST_BYTES = 64 * 1024 * 1024
MOST_CPUS = 4096

NUMBER = re.compile(r"\d+(\.\d+)?")


def read(path: Path) -> tuple[Form, Matrix]:
    """Read what one of these tools has written; the figures are of one line, and of no known state.

    Raises:
        MatrixUnreadable: the file cannot be read, is too large, or is none of this.
    """
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise MatrixUnreadable(path, f"a matrix of {MOST_CPUS:,} CPUs would be smaller than its {memory(size)}")
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise MatrixUnreadable(path, f"{error.strerror}") from error
    except UnicodeDecodeError as error:
        raise MatrixUnreadable(path, "it is no text") from error
    lines = text.splitlines()
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        raise MatrixUnreadable(path, "it is empty")
    form: Form = "c2clat" if lines[0].split()[:1] == ["CPU"] else "core-to-core-latency"
    if form == "c2clat":
        cpus = [_whole(name, path, 1) for name in lines[0].split()[1:]]
        rows = [line.split() for line in lines[1:]]
        named = [_whole(row[0], path, place) for place, row in enumerate(rows, start=2) if row]
        if named != cpus:
            raise MatrixUnreadable(path, "its rows and its first line name different CPUs")
        cells, first_line = [row[1:] for row in rows], 2
    else:
        if ";" in lines[0]:
            raise MatrixUnreadable(path, "it has semicolons where core-to-core-latency writes commas. Replace them")
        cells, cpus, first_line = [line.split(",") for line in lines], list(range(len(lines))), 1
    values = _values(cells, cpus, path, first_line)
    if len(cpus) < 2 or not values:
        raise MatrixUnreadable(path, "it has no latency between two CPUs")
    return form, _matrix(cpus, values)


def _values(
    rows: Sequence[Sequence[str]], cpus: Sequence[int], path: Path, first_line: int
) -> dict[tuple[int, int], float]:
    """The figure of each row's CPU to each column's, where there is one."""
    found = {}
    for number, (cpu, row) in enumerate(zip(cpus, rows, strict=True), start=first_line):
        if len(row) != len(cpus):
            raise MatrixUnreadable(
                path, f"a matrix of {len(cpus)} rows has as many columns, but line {number} has {len(row)}"
            )
        for other, written in zip(cpus, map(str.strip, row), strict=True):
            if not written or written == "NaN" or cpu == other:
                continue
            if not NUMBER.fullmatch(written):
                raise MatrixUnreadable(path, f"'{written[:40]}' in line {number} is no latency in nanoseconds")
            if float(written):
                found[cpu, other] = float(written)
    return found


def _whole(text: str, path: Path, line: int) -> int:
    if not re.fullmatch(r"\d{1,6}", text):
        raise MatrixUnreadable(path, f"'{text[:40]}' in line {line} is no CPU")
    return int(text)


def _matrix(cpus: Sequence[int], values: Mapping[tuple[int, int], float]) -> Matrix:
    both = {pair for pair in values if values.get(pair[::-1], values[pair]) != values[pair]}
    kept = {pair: ns for pair, ns in values.items() if pair in both or pair[::-1] not in values or pair[0] < pair[1]}
    cells = tuple(Cell(pair, "unknown", Estimate(ns)) for pair, ns in kept.items())
    return with_clusters(Matrix(tuple(cpus), ("unknown",), cells), None)


def core_to_core_latency(of: Matrix) -> str:
    """A line for each CPU, by number: its latency to those before it, and to all where both directions are known."""
    cpus, leading = sorted(of.cpus), of.leading()
    ways = {cell.cpus for cell in leading.values()}
    directed = any(pair[::-1] in ways for pair in ways)
    lines = []
    for place, cpu in enumerate(cpus):
        shown = [leading.get((cpu, other)) if directed or at < place else None for at, other in enumerate(cpus)]
        lines.append(",".join("" if cell is None else repr(cell.latency.value).removesuffix(".0") for cell in shown))
    return "".join(f"{line}\n" for line in lines)


def c2clat(of: Matrix) -> str:
    """A table of whole nanoseconds; 0 of a CPU with itself, and where nothing is known."""
    cpus, leading = sorted(of.cpus), of.leading()
    lines = ["".join([f"{'CPU':>4}", *(f" {cpu:>4}" for cpu in cpus)])]
    for cpu in cpus:
        shown = [leading.get((cpu, other)) for other in cpus]
        lines.append("".join([f"{cpu:>4}", *(f" {round(cell.latency.value) if cell else 0:>4}" for cell in shown)]))
    return "".join(f"{line}\n" for line in lines)
