"""What threadping's own loop costs around a mechanism of the user's own, beside a bare loop of the same operations."""

import math
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from threadping.analysis.percentiles import Estimate, estimate
from threadping.model.cases import LoopPairs

ALLOWED_SHARE, ALLOWED_NS = 0.02, 5.0
"""A loop that costs no more than either is as good as a bare one: the clock moves in steps of some nanoseconds, and no
loop of two threads repeats within less than 2%."""

LoopVerdict = Literal["within", "more", "less", "unknown"]


class LoopCost(Struct, frozen=True):
    """What the loop costs an operation, over pairs of a trial and a bare loop, each with its 95% interval."""

    bare_ns: float  # what an operation takes in a bare loop
    ns: Estimate  # what it takes longer in a trial
    ratio: Estimate  # how many times as long it takes there
    # whether that is within what is allowed, or surely beyond both; `less` is a bare loop that is slower
    verdict: LoopVerdict


def cost_of(pairs: LoopPairs) -> LoopCost:
    """Judge the pairs, which were measured in turn: whatever the machine did between two of them is in no difference.

    Fewer than six have no interval, and tell nothing.
    """
    each = list(zip(pairs.ours_ns, pairs.bare_ns, strict=True))
    ns = estimate([ours - bare for ours, bare in each])
    folds = estimate([math.log(ours / bare) for ours, bare in each])
    low, high = map(math.exp, folds.ends)
    ratio = Estimate(math.exp(folds.value), low, high, folds.kind)
    return LoopCost(estimate(pairs.bare_ns).value, ns, ratio, _verdict(ns, ratio))


def _verdict(ns: Estimate, ratio: Estimate) -> LoopVerdict:
    if ns.kind != "ci95":
        return "unknown"
    by_share = _side(ratio.ends, 1 - ALLOWED_SHARE, 1 + ALLOWED_SHARE)
    by_ns = _side(ns.ends, -ALLOWED_NS, ALLOWED_NS)
    if "within" in (by_share, by_ns):
        return "within"
    return by_ns if by_ns == by_share else "unknown"


def _side(ends: Sequence[float], least: float, most: float) -> LoopVerdict:
    """Where a whole interval lies."""
    low, high = ends
    if low > most:
        return "more"
    if high < least:
        return "less"
    return "within" if least <= low and high <= most else "unknown"
