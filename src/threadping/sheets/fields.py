"""A sheet: lines of one kind, and the fields that say what of each line stands in a column, in JSON and in CSV.

It is data alone: grids for a person are made of it (`grid.py`), and records for a program (`records.py`).
"""

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, Generic, TypeVar

from msgspec import Struct

from threadping.analysis.figures import Unit

Line = TypeVar("Line")

Ends = tuple[float, float]
"""Of an interval, in the unit of its figure."""


class Field(Struct, Generic[Line], frozen=True, kw_only=True):
    """What is known of each line of a sheet: a column for a person, an entry of a record for a program.

    Attributes:
        of: its value of a line: a number, an Estimate, a text, a sequence; None where it is not known.
        head: what stands over its column; empty where it has none.
        key: its name in records; every dot but one before a number at the end leads into a group. Empty: it is in none.
        unit: of its values, or the unit of each line; None of texts.
        type: of its value in records, for the schema; by default a number or null where it has a unit, else a text.
        means: what it says, in a sentence, for the schema.
        write: how it is written for a person, where that is not its value in its unit.
        style: of its cells, or of the cell of each line: words that a terminal and a page know, such as `bold green`.
        rank: where not all columns fit, those of the highest go first; 0 stays.
        names: whether it names its lines: it then stands on the left, and wraps.
        least: names are not wrapped to less before another column goes.
        if_known: whether its column goes where no line knows it.
        sparse: whether its entry goes from the record of a line that does not know it; a group of none is null.
    """

    of: Callable[[Line], Any]
    head: str = ""
    key: str = ""
    unit: Unit | Callable[[Line], Unit] | None = None
    type: Any = None
    means: str = ""
    write: Callable[[Line], Any] | None = None
    style: str | Callable[[Line], str] = ""
    rank: int = 0
    names: bool = False
    least: int = 0
    if_known: bool = False
    sparse: bool = False


def attribute(
    path: str, means: str = "", type: Any = None, *, show: Callable[[Any], Any] | None = None, **how: Any
) -> Field[Any]:
    """A field that is an attribute of its line, as `test.ratio`.

    Args:
        path: where it is; its last name is the key, unless another is among the other attributes.
        means: what it says.
        type: of its value in records.
        show: writes the value for a person.
        how: other attributes of the field.
    """
    of = attrgetter(path)
    write = show and (lambda line: show(of(line)))
    return Field(**{"key": path.rpartition(".")[2], "of": of, "type": type, "means": means, "write": write, **how})


class Sheet(Struct, Generic[Line], frozen=True):
    """Lines with their fields; `name` is the key of its records in JSON."""

    name: str
    fields: Sequence[Field[Line]]
    lines: Sequence[Line]
