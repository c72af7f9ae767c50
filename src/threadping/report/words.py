"""Words for a sentence, and words that are not ours."""

from collections.abc import Iterable, Sequence

from threadping.contract import Pin
from threadping.model import DEFAULT_WARMUP, Case, Row, with_params

MOST_PARTS = 8
"""Of the CPUs of a placement so many numbers and ranges are shown at most."""


def plain(foreign: str) -> str:
    """Make a foreign string safe to show: on one line, and without anything that moves the cursor or the direction."""
    one_line = " ".join(foreign.split())
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in one_line)


def counted(number: int, noun: str) -> str:
    """Write `1 trial`, `3 trials`, `1,200 trials`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def mechanism(of: Case | Row) -> str:
    """Name the mechanism with the parameters that differ from its defaults: `ring size=1024`."""
    return plain(with_params(of.mechanism, of.params, of.varied))


def placement(name: str, cpus: Iterable[int | None], pin: Pin = "thread", home: str | None = None) -> str:
    """Name where threads and cells stand: `same-l3 0,1`, `same-l3 0,1 process`, `same-cpu 1`, `unpinned home node 0`.

    A CPU is named once, however many threads stand there: `same-l3 0-7` also for sixteen threads.
    """
    where = [] if not (numbers := [*dict.fromkeys(cpus)]) or numbers == [None] else [_in_order(numbers)]
    unusual = [*(["process"] if pin == "process" else []), *([f"home {plain(home)}"] if home else [])]
    return " ".join([plain(name), *where, *unusual])


def standing(of: Case | Row) -> str:
    """Name where the threads and the cells of a case stand."""
    if isinstance(of, Row):
        return placement(of.placement, of.cpus, of.pin, of.home)
    return placement(of.placement.name, of.placement.cpus, of.placement.pin, of.home.name if of.home else None)


def _in_order(numbers: Iterable[int | None]) -> str:
    """Write CPUs in their order, three and more that follow each other as a range, and of many parts the ends only."""
    runs: list[list[int | None]] = []
    for number in numbers:
        last = runs[-1][-1] if runs else None
        if last is not None and number == last + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    parts = [part for run in runs for part in _run(run)]
    if len(parts) > MOST_PARTS:
        parts = [*parts[: MOST_PARTS - 2], "\N{HORIZONTAL ELLIPSIS}", parts[-1]]
    return ",".join(parts)


def _run(numbers: Sequence[int | None]) -> list[str]:
    shown = ["-" if number is None else str(number) for number in numbers]
    return [f"{shown[0]}-{shown[-1]}"] if len(shown) > 2 else shown


def tells_warmups(texts: Iterable[str]) -> bool:
    """Whether the warm-up must be said: there is more than one, or another than the default."""
    return bool(set(texts) - {DEFAULT_WARMUP.text})


def ranges(numbers: Iterable[int]) -> str:
    """Write numbers for a sentence, three and more in a row as a range: `1, 2, 5-8`."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    parts = (f"{run[0]}-{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)
    return ", ".join(parts)
