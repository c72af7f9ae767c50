"""Print each library's stored rows next to its published figures."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from benchmarks.report import NOTHING
from threadping.model import quantities

PUBLISHED = Path(__file__).parent / "published.toml"
HEADS = ("mechanism", "runtime", "placement", "measured here", "published", "by", "there")


class PublishedFigure(Struct, frozen=True, forbid_unknown_fields=True):
    """A figure of a library that somebody published, as `published.toml` says.

    Attributes:
        example: what the library is called here: its example's file, its class, or its mechanism.
        value: in its unit.
        unit: what it counts.
        says: the published sentence with the figure, quoted.
        of: what it is of there.
        by: who published it.
        where: on which machine, and how.
        source: its address.
        read: when that was read.
        params: of what parameters of the mechanism it is, those that were not the usual ones.
    """

    example: str
    value: float
    unit: str
    says: str
    of: str
    by: str
    where: str
    source: str
    read: str
    params: dict[str, int] = {}


Row = Mapping[str, Any]


def is_stream(row: Row) -> bool:
    """Return whether a row measures a queue at full speed."""
    return bool(row["experiment"] == "queue" and not row["params"].get("depth"))


def is_one_by_one(row: Row) -> bool:
    """Return whether a row measures a queue at queue depth 1: each message waits for the one before."""
    return bool(row["experiment"] == "queue" and row["params"].get("depth") == 1)


UNITS: dict[str, tuple[Callable[[Row], bool], Callable[[float], str]]] = {
    "messages_per_s": (is_stream, lambda rate: f"{quantities.count(rate)} a second"),
    "round_trip_ns": (is_one_by_one, lambda ns: f"{quantities.time(ns / 2)} one way"),
}
"""Selector of our rows, and text in our unit, for each unit of a published figure."""


def published(file: Path = PUBLISHED) -> list[PublishedFigure]:
    """Everything that is known to be published, as a file has it."""
    return msgspec.toml.decode(file.read_bytes(), type=dict[str, list[PublishedFigure]])["figures"]


def table_of(files: Iterable[str | Path], figures: Sequence[PublishedFigure]) -> str:
    """Write the table of runs, each as `threadping show RUN --format json` writes it."""
    return table([row for file in files for row in json.loads(Path(file).read_text())["rows"]], figures)


def table(rows: Sequence[Row], figures: Sequence[PublishedFigure]) -> str:
    """Write the table in Markdown, in the order of the rows, and the sources below it."""
    lines = [HEADS, ("---",) * len(HEADS), *(line for row in rows for line in _lines(row, figures))]
    sources = dict.fromkeys((one.by, one.source, one.read) for one in figures)
    below = [f"- {by}: <{source}>, read on {read}" for by, source, read in sources]
    return "\n".join([*(f"| {' | '.join(line)} |" for line in lines), "", *below]) + "\n"


def _lines(row: Row, figures: Sequence[PublishedFigure]) -> Iterator[tuple[str, ...]]:
    """One line, or one for each figure that was published of it."""
    name = str(row["mechanism"]).rpartition("/")[2]
    params: Mapping[str, object] = row["params"]
    varied = (f" {one}={params[one]}" for one in row.get("varied", ()))
    ours = (f"{row['mechanism']}{''.join(varied)}", str(row["runtime"]), str(row["placement"]), _measured(row))
    found = [
        one
        for one in figures
        if one.example == name and one.params.items() <= params.items() and UNITS[one.unit][0](row)
    ]
    for one in found:
        written = UNITS[one.unit][1](one.value)
        yield (*ours, written, one.by, f"{one.of}: {one.says}; {one.where}")
    if not found:
        yield (*ours, NOTHING, NOTHING, NOTHING)


def _measured(row: Row) -> str:
    """A rate, of streams and locks; of all else the time of one way. With its 95% interval, or the range of trials."""
    if is_stream(row) or row["experiment"] == "lock":
        return f"{_text_of(row, 'ops_per_s', quantities.count)} a second"
    latency = row.get("latency_ns") or {}
    return f"{_text_of(latency, 'typical' if 'typical' in latency else 'p50', quantities.time)} one way"


def _text_of(of: Row, name: str, write: Callable[[float], str]) -> str:
    if of.get(name) is None:
        return NOTHING
    ends = of.get(f"{name}_ci95") or of.get(f"{name}_range")
    return write(of[name]) + (f" ({write(ends[0])} to {write(ends[1])})" if ends else "")
