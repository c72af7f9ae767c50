"""Which rows of `lock` belong together: those that differ in their number of threads only."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import UNSET, Struct

from threadping.model import Row
from threadping.report import words


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
        return not loses(self.rows.values())


def loses(rows: Iterable[Row]) -> bool:
    """Whether the counters of any hold another number than was counted."""
    updates = [row.lock.updates for row in rows if row.lock is not UNSET]
    return any(one.made != one.found for one in updates)


def scaled(rows: Sequence[Row]) -> list[Scaled]:
    """Gather rows, in their order.

    Threads that become more come to stand on more CPUs, so the placement may change its name on the way. Only where
    one number of threads was measured at several placements, each of them is by itself.
    """
    families: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        free = "unpinned" if all(cpu is None for cpu in row.cpus) else ""
        key = (words.mechanism(row), words.plain(row.runtime), row.warmup, row.pin, row.home or "", free)
        families.setdefault(key, []).append(row)
    return [
        Scaled(mechanism, runtime, standing, warmup, dict(sorted(of.items())))
        for (mechanism, runtime, warmup, *_), family in families.items()
        for standing, of in _standings(family)
    ]


def _standings(family: Sequence[Row]) -> Iterator[tuple[str, dict[int, Row]]]:
    """The rows of each placement by their number of threads, and how the placement is called."""
    if len({row.threads for row in family}) == len(family):
        yield _called(family), {row.threads: row for row in family}
        return
    single = [row for row in family if row.threads == 1]
    several = [row for row in family if row.threads > 1]
    for name in dict.fromkeys(row.placement for row in several):
        of_it = [row for row in several if row.placement == name]
        yield _called(of_it), {row.threads: row for row in [*_nearest(single, of_it), *of_it]}
    if not several:
        for row in single:
            yield words.standing(row), {1: row}


def _nearest(single: Sequence[Row], several: Sequence[Row]) -> list[Row]:
    """One thread has no neighbours, so it belongs to every placement: there the one that stands on one of its CPUs."""
    cpus = {cpu for row in several for cpu in row.cpus}
    return sorted(single, key=lambda row: not cpus.issuperset(row.cpus))[:1]


def _called(rows: Sequence[Row]) -> str:
    """The placement without its CPUs, which become more with the threads: `same-l3`, `same-l3 to cross-node`."""
    ordered = sorted(rows, key=lambda row: row.threads)
    names = list(dict.fromkeys(row.placement for row in ordered if row.threads > 1)) or [ordered[-1].placement]
    name = names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"
    return words.placement(name, (), rows[0].pin, rows[0].home)
