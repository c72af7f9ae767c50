"""The published figures, as they were collected: one record for each."""

import csv
from functools import cache
from importlib.resources import files
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

Text = Annotated[str, Meta(min_length=1)]


class Published(Struct, frozen=True, forbid_unknown_fields=True):
    """A published figure; a text that is empty was not told.

    Attributes:
        experiment: which of the published ones.
        source: the article, where it was published, and when.
        year: of the measurement.
        machine: on what.
        os: its system.
        runtime: the language and its implementation, and what was done with it.
        placement: where the threads stood, or how many pairs there were.
        threads: how many took part.
        metric: what the figure is of.
        value: the figure.
        unit: of it.
        note: whatever else was told.
    """

    experiment: Text
    source: Text
    year: Annotated[int, Meta(ge=1990, le=2100)]
    machine: str
    os: str
    runtime: Text
    placement: str
    threads: Annotated[int, Meta(ge=1)]
    metric: Text
    value: Annotated[float, Meta(ge=0)]
    unit: Literal["ns", "ops/s", "messages/s"]
    note: str

    @property
    def what(self) -> str:
        """What was measured, but for the number of threads and the machine: `Java, volatile, two cores`."""
        return ", ".join(filter(None, (self.runtime, self.placement)))

    @property
    def where(self) -> str:
        """On which machine: `Intel X5650, Linux`."""
        return ", ".join(filter(None, (self.machine, self.os))) or "machine not told"


def read(text: str) -> tuple[Published, ...]:
    """Read figures from CSV whose first line names the columns.

    Raises:
        ValueError: a column is missing, unknown or out of order, or a line has too many or too few values, or one that
            cannot be.
    """
    try:
        names, *lines = csv.reader(text.splitlines(), strict=True)
    except csv.Error as error:
        raise ValueError(f"This is not CSV: {error}.") from error
    if names != list(Published.__struct_fields__):
        raise ValueError(f"The columns are {', '.join(names)}, not {', '.join(Published.__struct_fields__)}.")
    found = []
    for number, line in enumerate(lines, start=2):
        try:
            found.append(msgspec.convert(dict(zip(names, line, strict=True)), Published, strict=False))
        except ValueError as error:  # msgspec's too
            raise ValueError(f"Line {number}: {error}") from error
    return tuple(found)


@cache
def figures() -> tuple[Published, ...]:
    """Every published figure, in the order of the articles."""
    return read((files(__package__) / "figures.csv").read_text(encoding="utf-8"))


def experiments() -> list[str]:
    """The names of the published experiments, in the same order."""
    return list(dict.fromkeys(one.experiment for one in figures()))
