"""Words for a sentence, and words that are not ours."""

from collections.abc import Iterable

from threadping.contract import Pin
from threadping.model import DEFAULT_WARMUP, Case, Row, with_params


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


def placement(name: str, cpus: Iterable[int | None], pin: Pin = "thread") -> str:
    """Name where the threads stand: `same-l3 0,1`, `same-l3 0,1 process`, `same-cpu 1`, `unpinned`."""
    numbers = ["-" if cpu is None else str(cpu) for cpu in cpus]
    shown = numbers[:1] if len(set(numbers)) == 1 else numbers
    where = [] if shown in ([], ["-"]) else [",".join(shown)]
    return " ".join([plain(name), *where, *(["process"] if pin == "process" else [])])


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
