"""What leads in two figures, and figures over something that is varied, as lines of numbers."""

from collections.abc import Iterator, Sequence
from itertools import chain

from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.curves import CurveLine, frontiers, lines
from threadping.analysis.declaration import Declaration, Row
from threadping.analysis.layout import Curve
from threadping.numbers import compact
from threadping.quantities import counted
from threadping.sheets import cells, names
from threadping.sheets.grid import Block, column, figures, grid


def frontier_table(rows: Sequence[Row], declared: Declaration) -> Iterator[Block]:
    """At each place of the dimension those that none beats in both figures, and how many others there are."""
    found = frontiers([row for row in rows if row.leads], declared)
    if not declared.tradeoff or not any(one.beaten for one in found):
        return
    both = [declared.figure(name) for name in (declared.tradeoff.quick, declared.tradeoff.cheap)]
    leading = [row for one in found for row in one.leading]
    beaten = [[""] * (len(one.leading) - 1) + [f"{counted(len(one.beaten), 'other')} beaten"] for one in found]
    yield Text(f"frontier: what no other beats both in {' and in '.join(one.head for one in both)}", "dim")
    columns = [figures(one.head, one.unit, (row.value(one.name) for row in leading)) for one in both]
    yield grid(
        *names.columns([row.case for row in leading], declared),
        *columns,
        column("", chain.from_iterable(beaten), "dim", 1),
        gaps=[place for place, row in enumerate(leading) if place and row in [one.leading[0] for one in found]],
        silent=True,
    )
    yield Text()


def curve_tables(answer: Answer, rows: Sequence[Row], declared: Declaration) -> Iterator[Block]:
    """A table for each declared curve that has several places: a line for each place of a case."""
    for curve in declared.curves:
        found = lines(curve, [row for row in rows if row.leads])
        if not found:
            continue
        shown = [(line, place, place == min(line.points)) for line in found for place in line.points]
        naming = [
            replace(one, cells=[cell if first else Text() for cell, (*_, first) in zip(one.cells, shown, strict=True)])
            for one in names.columns([line.row.case for line, *_ in shown], declared, curve.param)
        ]
        columns = []
        for figure in curve.figures:
            found_there = [line.points[place].get(figure) for line, place, _ in shown]
            if any(found_there):
                values = (one.value if one else None for one in found_there)
                whole = declared.figure(curve.whole(figure))
                columns.append(figures(whole.head, whole.unit, values))
        yield Text(curve.title, "bold")
        yield grid(
            *naming,
            column(curve.name, (at(curve, place) for _, place, _ in shown)),
            *columns,
            gaps=[number for number, (*_, first) in enumerate(shown) if first and number],
            silent=True,
        )
        beneath = [curve.beneath(answer.run.machine), *conclusions(curve, found, declared)]
        yield from (Text(one, "dim") for one in beneath if one)
        yield Text()


def conclusions(curve: Curve, found: Sequence[CurveLine], declared: Declaration) -> Iterator[str]:
    """What follows from each line, and where its figure has doubled, in sentences, and what that means."""
    for line in found:
        who = _who(line, curve, declared)
        yield from (f"{who}: {one}" for one in line.concluded)
        if line.doubled is not None:
            yield f"{who}: break-even at {line.doubled:,.0f} {curve.along}"
    if curve.doubles and any(line.doubled is not None for line in found):
        yield curve.doubles[1]


def _who(line: CurveLine, curve: Curve, declared: Declaration) -> str:
    """Name the line of a curve: `condition java-17 rate 10k`, `false-sharing cpp 2 threads`."""
    case = line.row.case
    threads = f"{case.threads} threads" if declared.along == "threads" else ""
    mechanism = names.mechanism(case, declared.param, curve.param)
    return " ".join(filter(None, (mechanism, names.plain(case.runtime), threads, names.place(case, declared))))


def at(curve: Curve, place: float) -> str:
    """Write a place of a curve: `10 µs`, `5k`."""
    return cells.tick(curve.unit, place) if curve.unit == "ns" else compact(int(place))
