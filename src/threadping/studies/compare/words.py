"""What is said of a comparison, in sentences without marks: for a terminal, a comment, a chart."""

from collections import Counter
from collections.abc import Sequence
from math import inf

from threadping import quantities
from threadping.quantities import fold
from threadping.studies.compare.ratio import RatioTest, WordOfB

DAY_S = 86_400.0

REASONS = {
    "failures": "trials of a side failed",
    "metric-absent": "trials do not carry the metric",
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
        known = f"{surely(one, margin)}, " if one.direction else ""
        return f"{known}{word}: {open_to(one)}{takes(one, margin)}"
    if one.answer == "same" or one.decides is None:
        return word
    return f"{word}: {fold(one.ratio)} ({reach(one.decides)})"


def surely(one: RatioTest, margin: float) -> str:
    """What is known of a B that differs and cannot be told at the margin."""
    return f"B is {one.direction}, by less than {percentage(margin)} or more"


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
    """From how many blocks they are: `9 blocks`, `0 to 30 blocks`."""
    least, most = (end(one.blocks for one in found) for end in (min, max))
    return f"{least} to {most} blocks" if least < most else quantities.counted(most, "block")


def verdict_of_all(found: Sequence[RatioTest], margin: float) -> str:
    """Say it of several comparisons: `B is slower in 1 of 5 cases; faster in 2; same within 3% in 2`."""
    if len(found) == 1:
        return verdict(found[0], margin)
    number = Counter(one.answer for one in found)
    words = _words(margin) | ({"faster": "faster"} if number["slower"] else {})
    parts = [f"{text} in {number[word]}" for word, text in words.items() if number[word]]
    parts[0] += f" of {quantities.counted(len(found), 'case')}"
    return "; ".join(parts)
