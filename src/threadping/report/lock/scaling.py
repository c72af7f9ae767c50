"""How mechanisms scale: a line each, a column for each number of threads."""

from collections.abc import Sequence

from rich.text import Text

from threadping.model import Row
from threadping.report import words
from threadping.report.columns import Column, Line
from threadping.report.grid import Grid
from threadping.report.lock.scaled import Scaled, scaled
from threadping.report.rungs import MECHANISM, RUNTIME, WARMUP, WIDER, count

ABOVE = "operations/s by number of threads"


def scaling_grid(rows: Sequence[Row]) -> Grid:
    """Lay out a line for each mechanism and runtime, those that do most with the most threads first."""
    lines = scaled(rows)
    threads = sorted({row.threads for row in rows})
    lines = sorted(lines, key=lambda line: [-(line.ops(number) or 0.0) for number in reversed(threads)])
    best = {number: max((line.ops(number) or 0.0 for line in lines if line.exact), default=0.0) for number in threads}
    standings = len({line.standing for line in lines}) > 1
    warmups = words.tells_warmups(line.warmup for line in lines)
    columns = (
        MECHANISM,
        RUNTIME,
        *([Column(name="placement", head="placement", naming=True, right=False)] if standings else []),
        *([WARMUP] if warmups else []),
        *(
            Column(name=words.counted(number, "thread"), head=str(number), above=ABOVE, leave_out=place, matters=True)
            for number, place in zip(threads, _leaving(len(threads)), strict=True)
        ),
    )
    return Grid(
        columns,
        tuple(
            Line(
                (
                    Text(line.mechanism, "bold"),
                    Text(line.runtime),
                    *([Text(line.standing)] if standings else []),
                    *([Text(line.warmup)] if warmups else []),
                    *(_cell(line, number, best[number]) for number in threads),
                )
            )
            for line in lines
        ),
        WIDER,
    )


def _cell(line: Scaled, threads: int, best: float) -> Text:
    ops = line.ops(threads)
    return count(ops, "bold green" if line.exact and ops == best else "")


def _leaving(number: int) -> list[int | None]:
    """In which order columns go where not all fit: every other one from the second, both ends never."""
    inner = [*range(1, number - 1)]
    order = [*inner[::2], *inner[1::2]]
    return [order.index(place) + 1 if place in order else None for place in range(number)]
