"""Fields of a sheet, each declared once: its key, its type, its cell.

It is data alone: grids for a person are made of it (`grid.py`), and records for a program (`records.py`).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Generic, TypeVar

from msgspec import Struct
from rich.text import Text

from threadping.analysis.declaration import Row
from threadping.analysis.figures import Figure, Unit
from threadping.analysis.percentiles import Estimate
from threadping.model import quantities

UNIT_STYLES = {"ns": "dim", "\N{MICRO SIGN}s": "yellow", "ms": "red", "s": "bold red"}
"""A unit stands out the more, the more time it means: 12 and 12 are not the same."""

ONES = ((1.0, ""),)
UNIT_SCALES: Mapping[Unit, Sequence[tuple[float, str]]] = {"ns": quantities.UNITS, "per_s": quantities.MULTIPLES}


def figure(unit: Unit, value: float | Estimate | None, style: str = "") -> Text:
    """Write a figure, without how sure it is; a dash where it is not known."""
    if isinstance(value, Estimate):
        value = value.value
    if value is None:
        return Text(quantities.ABSENT, "dim")
    if unit != "ns":
        return Text(written(unit, value), style)
    digits, of_time = written(unit, value).split()
    return Text.assemble((digits, style), " ", (of_time, UNIT_STYLES[of_time]))


def headline(row: Row | None, column: Figure, style: str = "") -> Text:
    """Write the headline of a row, and what it is where the column is called otherwise: `14.2 us mean`."""
    found = row.headline if row else None
    if row is None or found is None:
        return figure(column.unit, None)
    return figure(row.leading.unit, found.value, style) + Text(
        "" if row.leading == column else f" {row.leading.head}", "dim"
    )


def written(unit: Unit, value: float) -> str:
    """Write a figure in its unit: `59.3 ns`, `16.9 M`, `4.2%`, `1,200`, `0.87`."""
    match unit:
        case "ns":
            return quantities.time(value)
        case "per_s":
            return quantities.count(value)
        case "share":
            return quantities.percent(value)
        case "percent":
            return quantities.percent(value / 100)
        case "count":
            return f"{value:,.0f}"
        case "index":
            return f"{value:.2f}"


def tick(unit: Unit, value: float) -> str:
    """Write a round figure as an axis has it, without digits that say nothing: `10 ns`, `1 M`."""
    return re.sub(r"\.0+\b", "", written(unit, value))


def interval(unit: Unit, found: Estimate | None, trials: int) -> Text:
    """Write the ends of an interval in the unit of its figure; a range in brackets; of fewer trials how many."""
    if found is None:
        return Text(quantities.ABSENT, "dim")
    if found.kind is None:
        return Text(quantities.counted(trials, "trial"), "dim")
    return _bracketed(found, _reach(unit, found))


def late(unit: Unit, found: Estimate) -> Text:
    """Write the headline of the last thirds, which stands beside that of whole trials."""
    return Text(f"last third {written(unit, found.value)}", "red")


def _reach(unit: Unit, found: Estimate) -> str:
    if unit == "share":
        return quantities.shares(*found.ends)
    return quantities.interval(found.value, *found.ends, UNIT_SCALES.get(unit, ONES))


def sure(unit: Unit, found: Estimate, trials: int) -> Text:
    """Write how sure a figure is: `±4%`, or from where to where; a range in brackets; of one or two trials how many."""
    if found.kind is None:
        return Text(quantities.counted(trials, "trial"), "dim")
    return surely(unit, found)


def with_interval(unit: Unit, found: Estimate | None, style: str = "") -> Text:
    """Write a figure, and how sure it is where that is known: `65.0 µs ±4%`."""
    text = figure(unit, found.value if found else None, style)
    return text if found is None or found.kind is None else Text(" ").join((text, surely(unit, found)))


def surely(unit: Unit, found: Estimate) -> Text:
    """Write how sure a figure is that has an interval or a range: `±4%`, beyond 10% from where to where."""
    narrow = found.half is not None and found.half <= quantities.PLAIN
    if narrow and found.kind == "ci95":
        return Text(quantities.around(found.half or 0.0))
    return _bracketed(found, (_reach if narrow else _from_to)(unit, found))


def _from_to(unit: Unit, found: Estimate) -> str:
    if unit == "share":
        return quantities.shares(*found.ends)
    return quantities.from_to(found.value, *found.ends, UNIT_SCALES.get(unit, ONES))


def _bracketed(found: Estimate, reach: str) -> Text:
    return Text(reach) if found.kind == "ci95" else Text(f"({reach})", "dim")


Line = TypeVar("Line")

Ends = tuple[float, float]  # Of an interval, in the unit of its figure


class Field(Struct, Generic[Line], frozen=True, kw_only=True):
    """What is known of each line of a sheet: a column for a person, an entry of a record for a program."""

    # its value of a line: a number, an Estimate, a text, a sequence; None where it is not known
    of: Callable[[Line], Any]
    head: str = ""  # what stands over its column; empty where it has none
    # its name in records; every dot but one before a number at the end leads into a group. Empty: it is in none.
    key: str = ""
    unit: Unit | Callable[[Line], Unit] | None = None  # of its values, or the unit of each line; None of texts
    # of its value in records, for the schema; by default a number or null where it has a unit, else a text
    type: Any = None
    means: str = ""  # what it says, in a sentence, for the schema
    # how it is written for a person, where that is not its value in its unit
    write: Callable[[Line], Any] | None = None
    # of its cells, or of the cell of each line: words that a terminal and a page know, such as `bold green`
    style: str | Callable[[Line], str] = ""
    rank: int = 0  # where not all columns fit, those of the highest go first; 0 stays
    names: bool = False  # whether it names its lines: it then stands on the left, and wraps
    least: int = 0  # names are not wrapped to less before another column goes
    if_known: bool = False  # whether its column goes where no line knows it
    # whether its entry goes from the record of a line that does not know it; a group of none is null
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
