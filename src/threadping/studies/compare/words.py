"""What is said of a comparison, in sentences without marks: for a terminal, a comment, a chart."""

from collections import Counter
from collections.abc import Sequence
from math import inf

from threadping import quantities
from threadping.quantities import fold
from threadping.studies.compare.ratio import RatioTest, WordOfB

DAY_S = 86_400.0

REASONS = {
    "other-load": "other programs ran next to what is left out",
    "failures": "trials of one side failed",
    "metric-absent": "too many trials have too few samples for the metric",
    "masked": "the machine's state changed during too many trials",
    "too-few-blocks": "too few blocks for an answer",
    "coarse": "the metric moves in steps as large as the margin",
    "moves-the-state": "one side moves the machine's state",
    "not-held": "the rate was not held",
    "carry-over": "trials behind one of B differ from those behind one of A",
    "modes": "trials fall into two groups: the ratio is of ranks",
    "unlike-spread": "A and B scatter unlike: the ratio is of ranks",
    "not-steady": "trials were not steady",
}
"""Each reason in a few words; `threadping explain CODE` has more."""


def percentage(share: float) -> str:
    """Write a margin as it is given: `3%`, `0.5%`."""
    return f"{100 * share:g}%"


def reach(ends: tuple[float, float]) -> str:
    """Write an interval of a ratio: `1.022 to 1.041`; open ends are named."""
    low, high = (fold(end).removesuffix("x") if 0 < end < inf else "" for end in ends)
    if low and high:
        return f"{low} to {high}"
    return f"{low} or more" if low else f"{high} or less" if high else "anything"


def verdict(one: RatioTest, margin: float) -> str:
    """Say in a sentence how B is against A, by the interval that decides."""
    word = _words(margin)[one.answer]
    if one.answer == "cannot-tell":
        return f"{word}{whether(one, margin)}: {one.why or open_to(one)}{takes(one, margin)}"
    if one.answer == "same" or one.decides is None:
        return word
    if one.answer in ("slower", "faster"):
        word = f"B is {how_much(one)} {one.answer}"
    return f"{word}: {fold(one.ratio)} ({reach(one.decides)})"


def how_much(one: RatioTest) -> str:
    """Return by how much B is slower, or faster, whether its metric is a time or a rate: `5.1%`, `2.9 times`."""
    ratio = one.ratio or 1.0
    times = max(ratio, 1 / ratio)
    return f"{times:.2g} times" if times >= 2 else f"{100 * (times - 1):.2g}%"


def whether(one: RatioTest, margin: float) -> str:
    """Return what cannot be told, where it is known that B differs: ` whether B is slower by more than 3%`."""
    return f" whether B is {one.direction} by more than {percentage(margin)}" if one.direction else ""


def open_to(one: RatioTest) -> str:
    """Between what B may lie, as percentages of A, or as multiples where they are large; or why nothing is known."""
    if one.decides is None or one.decides[1] == inf or one.decides[0] <= 0:
        codes = [code for code in one.reasons if code in REASONS] or ["too-few-blocks"]
        return REASONS[codes[0]]
    if one.decides[1] - 1 >= quantities.FOLDS:
        return " to ".join(map(fold, one.decides))
    low, high = (100 * (end - 1) for end in one.decides)
    decimals = 1 if max(abs(low), abs(high)) < 99.95 else 0
    return f"{low:+.{decimals}f} to {high:+.{decimals}f}%"


def takes(one: RatioTest, margin: float) -> str:
    """What the margin would take, behind a semicolon; nothing where that is not known."""
    if one.needs_s is None:
        return ""
    needed = f"about {quantities.duration(one.needs_s)}" if one.needs_s <= DAY_S else "more than a day"
    return f"; {percentage(margin)} would take {needed}"


def _words(margin: float) -> dict[WordOfB, str]:
    """What each answer is called in a sentence, in the order of several."""
    within = percentage(margin)
    return {
        "slower": "B is slower",
        "faster": "B is faster",
        "same": f"same within {within}",
        "differs": f"differs by less than {within}",
        "cannot-tell": "cannot tell",
    }


def blocks_of_all(found: Sequence[RatioTest]) -> str:
    """Return from how many blocks they are: `9 blocks`, `0 to 30 blocks, 4 left out next to other programs`."""
    least, most = (end(one.blocks for one in found) for end in (min, max))
    number = f"{least} to {most} blocks" if least < most else quantities.counted(most, "block")
    out = sum(one.disturbed for one in found)
    return f"{number}, {out} left out next to other programs" if out else number


def verdict_of_all(found: Sequence[RatioTest], margin: float) -> str:
    """Say it of several comparisons: `B is slower in 1 of 5 cases; faster in 2; same within 3% in 2`."""
    if len(found) == 1:
        return verdict(found[0], margin)
    number = Counter(one.answer for one in found)
    words = _words(margin) | ({"faster": "faster"} if number["slower"] else {})
    parts = [f"{text} in {number[word]}" for word, text in words.items() if number[word]]
    parts[0] += f" of {quantities.counted(len(found), 'case')}"
    return "; ".join(parts)
