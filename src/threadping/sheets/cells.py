"""Figures as the cells of a table, whatever their unit."""

import re
from collections.abc import Mapping, Sequence

from rich.text import Text

from threadping import quantities
from threadping.analysis.declaration import Row
from threadping.analysis.estimate import Estimate
from threadping.analysis.figures import Figure, Unit

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
