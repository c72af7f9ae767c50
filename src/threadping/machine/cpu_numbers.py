"""CPU numbers as a person writes and reads them."""

import re
from collections.abc import Iterable

from threadping.errors import UsageError

HIGHEST = 65535


def parse_cpus(text: str) -> tuple[int, ...]:
    """Read `0,1`, `2-3` or `0,4-6`, in the order given; a CPU given twice (`0,0`) holds two threads."""
    numbers: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,5})(?:\s*-\s*(\d{1,5}))?\s*", part, re.ASCII)
        if not match:
            raise UsageError(f"--cpus '{text}' cannot be read at '{part.strip()}'. Write CPU numbers: 0,1 or 2-3.")
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            raise UsageError(
                f"--cpus '{text}' runs backwards at '{part.strip()}'. Write {last}-{first}, or {first},{last}."
            )
        if last > HIGHEST:
            raise UsageError(f"--cpus '{text}' names CPU {last}, but no CPU has a number above {HIGHEST}.")
        numbers += range(first, last + 1)
    return tuple(numbers)


def ranges(numbers: Iterable[int]) -> list[str]:
    """Write CPU numbers as ranges: 0, 1, 2, 5 are `0-2` and `5`."""
    found: list[list[int]] = []
    for number in sorted(set(numbers)):
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return [str(first) if first == last else f"{first}-{last}" for first, last in found]


def named(numbers: Iterable[int]) -> str:
    """Name CPUs for a sentence: `CPU 3`, `CPUs 0-1`, `CPUs 0-3,8`."""
    distinct = set(numbers)
    return f"{'CPU' if len(distinct) == 1 else 'CPUs'} {','.join(ranges(distinct))}"
