"""Numbers as a person writes and reads them: counts, lists of CPUs, and quantities in the unit that suits each."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
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
    """Read `0,1`, `2-3` or `0,4-6`: every number in the order given, repeated ones too.

    `what` names the numbers in the plural, `example` shows how they are written, and `option` has its dashes.

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

    A range has `at_least` consecutive numbers. Of more than `at_most` parts only those at the ends are shown.
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
    return "CPUs {},{}".format(*cpus)


def named(numbers: Iterable[int]) -> str:
    """Name CPUs for a sentence: `CPU 3`, `CPUs 0-1`, `CPUs 0-3,8`."""
    distinct = sorted(set(numbers))
    return f"{'CPU' if len(distinct) == 1 else 'CPUs'} {','.join(ranges(distinct))}"


def letters(place: int) -> str:
    """Name a place from 0 as spreadsheets do: A to Z, then AA."""
    before, last = divmod(place, 26)
    return (letters(before - 1) if before else "") + chr(ord("A") + last)


ABSENT = TO = "\N{EN DASH}"
BECAME = "\N{RIGHTWARDS ARROW}"
UNITS = ((1.0, "ns"), (1e3, "\N{MICRO SIGN}s"), (1e6, "ms"), (1e9, "s"))
MULTIPLES = ((1.0, ""), (1e3, " k"), (1e6, " M"), (1e9, " G"))
FOLDS = 10  # from this factor on a difference is a multiple: 74654% is unreadable


# Up to this share of a value half of its interval is printed, beyond it both ends. Of six trials that scatter by 5, 10,
# 20 and 40% (lognormal) the upper end is 1.07, 1.14, 1.27 and 1.6 times as far from the median as the lower one.
PLAIN = 0.1


def time(ns: float) -> str:
    """Write nanoseconds: `59.3 ns`, `28.1 µs`, `6.00 ms`."""
    scale, unit, decimals = _scale(ns, UNITS)
    return f"{ns / scale:.{decimals}f} {unit}"


def interval(value: float, low: float, high: float, scales: Sequence[tuple[float, str]] = UNITS) -> str:
    """Write the ends of an interval in the unit of its value, `36.4` to `41.7`; those far from it each in its own.

    One that is so narrow that three digits are the same has more of them.
    """
    scale, _, decimals = _scale(value, scales)
    if _is_far(low / scale, high / scale):
        return from_to(value, low, high, scales)
    for extra in range(3):
        ends = [f"{end / scale:.{decimals + extra}f}" for end in (low, high)]
        if ends[0] != ends[1]:
            break
    else:
        ends = [f"{end / scale:.{decimals}f}" for end in (low, high)]
    return TO.join(ends)


def from_to(value: float, low: float, high: float, scales: Sequence[tuple[float, str]] = UNITS) -> str:
    """Write the ends of a wide interval in two digits that count: `36` to `42`, `18 µs` to `35 ms`."""
    scale, *_ = _scale(value, scales)
    if not _is_far(low / scale, high / scale):
        return TO.join(_two_digits(end / scale) for end in (low, high))
    written = ((end / of, unit) for end in (low, high) for of, unit, _ in [_scale(end, scales)])
    return TO.join(f"{_two_digits(end)} {unit.strip()}".rstrip() for end, unit in written)


# An end below the first or from the second on, in the value's unit, is written in a unit of its own.
NEAREST, FARTHEST = 0.1, 10_000


def _is_far(low: float, high: float) -> bool:
    return 0 < low < NEAREST or high >= FARTHEST


def fold(ratio: float | None) -> str:
    """Write how many times: `1.031x`, `12.3x`, `945x`; a dash where it is not known."""
    if ratio is None:
        return ABSENT
    return f"{ratio:.3f}x" if ratio < 9.9995 else f"{ratio:.1f}x" if ratio < 99.95 else f"{ratio:.0f}x"


def span(times: Sequence[float]) -> str:
    """Write how far nanoseconds reach: `20.4 ns`, or `20.4` to `23.0 ns` with a dash."""
    low, high = time(min(times)), time(max(times))
    return low if low == high else f"{low.removesuffix(high[-3:])}{TO}{high}"


def shares(least: float, most: float) -> str:
    """Write from what share to what share, with two digits that count in the larger of them."""
    decimals = 0 if most >= 0.0995 else 1 if most >= 0.00995 else 2
    low, high = f"{100 * least:.{decimals}f}", f"{100 * most:.{decimals}f}"
    return f"{low}%" if low == high else f"{low}{TO}{high}%"


def percent(share: float) -> str:
    """Format a small share exactly: `0`, `<0.01%`, `4.2%`, `37%`."""
    if share <= 0:
        return f"-{percent(-share)}" if share else "0"
    percents = 100 * share
    if percents < 0.01:
        return "<0.01%"
    return f"{percents:.{2 if percents < 0.995 else 1 if percents < 9.95 else 0}f}%"


def around(half: float) -> str:
    """Write half of a 95% interval, given as a share of its value, at most PLAIN: `±4%`.

    A wider one is written with both ends: it is seldom as far above its value as below it, and `±103%` would let a
    time be negative.
    """
    return f"\N{PLUS-MINUS SIGN}{half:.0%}"


def more(by: float) -> str:
    """Write how much more something is than another thing, as a share of that: `4.2%`; from tenfold on `41x` in all."""
    return percent(by) if by < FOLDS else f"{1 + by:.0f}x"


def count(number: float) -> str:
    """Write how many: `16.9 M`, `35.6 k`, `167`."""
    scale, multiple, decimals = _scale(number, MULTIPLES)
    return f"{number / scale:.{decimals}f}{multiple}"


def counts(low: float, high: float) -> str:
    """Write from how many to how many: `16.9`, a dash, `35.6 M`."""
    least, most = count(low), count(high)
    unit = most.partition(" ")[2]
    return most if least == most else f"{least.removesuffix(f' {unit}') if unit else least}{TO}{most}"


def duration(seconds: float) -> str:
    """Write how long something takes for a person: `5.0 s`, `42 s`, `1 min 42 s`, `2 h 5 min`."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s" if whole % 60 else f"{whole // 60} min"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def budget(seconds: float) -> str:
    """Write a time as --budget takes it, never less than it is: `45s`, `3m`, `2h`."""
    if seconds < 10:
        return f"{math.ceil(10 * seconds) / 10:g}s"
    if seconds <= 120:
        return f"{math.ceil(seconds)}s"
    return f"{math.ceil(seconds / 60)}m" if seconds <= 7200 else f"{math.ceil(seconds / 3600)}h"


def at_most(expected: float) -> str:
    """Write an expected number, never less than it is: `0.1`, `0.8`, `3`."""
    return f"{math.ceil(10 * expected - 1e-6) / 10:.1f}" if expected < 2 else str(math.ceil(expected - 1e-6))


def counted_as(numbers: Sequence[int], noun: str) -> str:
    """Count things that have several numbers: `1 thread`, `1 → 2 threads`."""
    return f"{f' {BECAME} '.join(map(str, numbers))} {noun}{'' if numbers[-1] == 1 else 's'}"


def counted(number: int, noun: str) -> str:
    """Write `1 trial`, `3 trials`, `1,200 trials`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def memory(size: int) -> str:
    """Write bytes: `23.5 GiB`."""
    value, unit = float(size), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if value < 1024:
            break
        value, unit = value / 1024, larger
    return f"{value:.1f} {unit}".replace(".0 ", " ")


def _scale(value: float, scales: Sequence[tuple[float, str]]) -> tuple[float, str, int]:
    """Return the largest scale in which the value, in three digits, is at least 1, else the first; and its decimals."""
    scale, unit = next((scale for scale in reversed(scales) if value >= 0.9995 * scale[0]), scales[0])
    return scale, unit, 2 if value / scale < 9.995 else 1 if value / scale < 99.95 else 0


def _two_digits(value: float) -> str:
    decimals = 2 if value < 0.995 else 1 if value < 9.995 else 0
    return f"{value:.{decimals}f}" if value else "0"
