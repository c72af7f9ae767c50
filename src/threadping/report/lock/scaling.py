"""How mechanisms scale: a line each, a column for each number of threads."""

from collections.abc import Sequence

from msgspec import UNSET, Struct
from rich.text import Text

from threadping.contract import Pin
from threadping.model import Row
from threadping.report import words
from threadping.report.columns import Column, Line
from threadping.report.grid import Grid
from threadping.report.rungs import MECHANISM, RUNTIME, WARMUP, WIDER, count

ABOVE = "operations/s by number of threads"


class Scaled(Struct, frozen=True):
    """What stays the same while the threads become more, and the row of each number of threads."""

    mechanism: str
    runtime: str
    standing: str
    warmup: str
    rows: dict[int, Row]

    def ops(self, threads: int) -> float | None:
        """The operations a second of so many threads."""
        return self.rows[threads].ops_per_s if threads in self.rows else None

    @property
    def exact(self) -> bool:
        """Whether every increment was kept."""
        locks = [row.lock for row in self.rows.values() if row.lock is not UNSET]
        return all(lock.updates.made == lock.updates.found for lock in locks)


def scaled(rows: Sequence[Row]) -> list[Scaled]:
    """Gather the rows that differ in their number of threads only.

    One thread has no neighbours, so how its CPU relates to theirs is not asked: its row belongs to every placement of
    the same mechanism that has none for one thread.
    """
    found: dict[tuple[str, str, str, str], dict[int, Row]] = {}
    for row in rows:
        found.setdefault(_key(row), {})[row.threads] = row
    alone = {key: of for key, of in found.items() if set(of) == {1}}
    for key, of in found.items():
        if key not in alone:
            for other, single in alone.items():
                if _but_standing(key) == _but_standing(other):
                    of.setdefault(1, single[1])
    joined = {id(of[1]) for key, of in found.items() if key not in alone and 1 in of}
    return [Scaled(*key, of) for key, of in found.items() if key not in alone or id(of[1]) not in joined]


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


def _key(row: Row) -> tuple[str, str, str, str]:
    return words.mechanism(row), words.plain(row.runtime), _standing(row.placement, row.pin), row.warmup


def _but_standing(key: tuple[str, str, str, str]) -> tuple[str, str, str]:
    return key[0], key[1], key[3]


def _standing(placement: str, pin: Pin) -> str:
    """The placement without its CPUs, which become more with the threads."""
    return words.placement(placement, (), pin)
