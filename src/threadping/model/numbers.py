"""Numbers as a person writes and reads them: `0,4-6`."""

import re
from collections import Counter
from collections.abc import Iterable
from itertools import groupby

from threadping.model.errors import UsageError

HIGHEST_CPU = 65535  # the contract's limit
LONGEST_QUOTED = 60

SCALES = {"G": 1_000_000_000, "M": 1_000_000, "k": 1_000, "": 1}


def compact(number: int) -> str:
    """Write a whole number as a person does: `500`, `10k`, `1500k`, `2M`."""
    letter, scale = next((letter, scale) for letter, scale in SCALES.items() if number % scale == 0 or scale == 1)
    return f"{number // scale}{letter}" if number else "0"


def parse_count(text: str) -> int | None:
    """Read a whole number such as `500`, `-1`, `10k`, `1.5M`; None if it is none."""
    match = re.fullmatch(r"(-?)(\d{1,19})(?:\.(\d{1,9}))?([kMG]?)", text.strip(), re.ASCII)
    if not match:
        return None
    sign, digits, decimals, letter = match.groups(default="")
    number, rest = divmod(int(digits + decimals) * SCALES[letter], 10 ** len(decimals))
    return None if rest else int(f"{sign}{number}")


def parse_cpus(text: str) -> tuple[int, ...]:
    """Read the value of `--cpus`, in the order given; UsageError where a CPU is given twice."""
    cpus = parse(text, "--cpus", 0, HIGHEST_CPU, what="CPU numbers", example="0,1 or 2-3")
    if (twice := next((cpu for cpu, times in Counter(cpus).items() if times > 1), None)) is not None:
        raise UsageError(
            f"--cpus '{_cut(text)}' names CPU {twice} twice. For threads on one CPU write --placement same-cpu."
        )
    return cpus


def parse(text: str, option: str, least: int, most: int, *, what: str, example: str) -> tuple[int, ...]:
    """Read `0,1`, `2-3` or `0,4-6`: every number in the order given, as often as it was given.

    Args:
        text: what a person wrote.
        option: after which option, with its dashes.
        least: the lowest number that may be written.
        most: the highest one.
        what: what the numbers are, in the plural.
        example: how they are written.

    Raises UsageError: some part is no number and no range, runs backwards, or is out of bounds; or there are more of
    them than there are such numbers.
    """
    asked, advice = f"{option} '{_cut(text)}'", f"Write {what} from {least} to {most}: {example}."
    numbers: list[int] = []
    for part in map(str.strip, text.split(",")):
        match = re.fullmatch(r"(\d{1,19})(?:\s*-\s*(\d{1,19}))?", part, re.ASCII)
        if not match:
            raise UsageError(f"{asked} cannot be read at '{_cut(part)}'. {advice}")
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            raise UsageError(f"{asked} runs backwards at '{part}'. Write {last}-{first}, or {first},{last}.")
        if first < least or last > most:
            raise UsageError(f"{asked} is out of bounds at '{part}'. {advice}")
        numbers += range(first, last + 1)
        if len(numbers) > most - least + 1:
            raise UsageError(f"{asked} names some of its numbers twice. {advice}")
    return tuple(numbers)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_QUOTED else f"{text[: LONGEST_QUOTED - 1]}\N{HORIZONTAL ELLIPSIS}"


def ranges(numbers: Iterable[int | None], at_least: int = 2, at_most: int | None = None) -> list[str]:
    """Write numbers in the order given: 0, 1, 2, 5, None are `0-2`, `5` and `-`.

    Args:
        numbers: what to write; sort and thin them out first where their order says nothing.
        at_least: so many that follow each other are a range.
        at_most: so many parts are shown, of more only those at the ends.
    """
    parts: list[str] = []
    # What follows its predecessor is as far from its index; None follows nothing, so its index is its own.
    for _, run in groupby(enumerate(numbers), lambda at: (at[1] is None, at[0] - (at[1] or 0))):
        shown = ["-" if number is None else str(number) for _, number in run]
        parts += [f"{shown[0]}-{shown[-1]}"] if len(shown) >= at_least else shown
    if at_most is not None and len(parts) > at_most:
        parts = [*parts[: at_most - 2], "\N{HORIZONTAL ELLIPSIS}", parts[-1]]
    return parts


def pair(cpus: tuple[int, int]) -> str:
    """Name two CPUs: `CPUs 0,1`."""
    return "CPUs {},{}".format(*cpus)


def named(numbers: Iterable[int]) -> str:
    """Name CPUs for a sentence: `CPU 3`, `CPUs 0-1`, `CPUs 0-3,8`."""
    distinct = sorted(set(numbers))
    return f"{'CPU' if len(distinct) == 1 else 'CPUs'} {','.join(ranges(distinct))}"


def letters(place: int) -> str:
    """Name a place from 0 as spreadsheets do: A to Z, then AA."""
    before, last = divmod(place, 26)
    return (letters(before - 1) if before else "") + chr(ord("A") + last)
