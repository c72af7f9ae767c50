"""The permutation test of values in blocks, and the interval of the shifts that it does not reject.

The order of each block was drawn, so if B is like A every order was equally likely, whatever the machine did:
drift, states, heavy tails. The test counts in how many of all 6^k orders of k blocks B's trials would rank as high as
they do. What a block adds is a whole number, so the distribution of the sum is found exactly, block by block; that of
many blocks is close to normal, and Edgeworth's expansion (Biometrika 13, 1905) takes no longer for more of them.
"""

from collections.abc import Callable, Sequence
from math import erfc, exp, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from threadping.studies.compare.blocks import ORDERS, TrialBlock

Floats = NDArray[np.float64]
WholeNumbers = NDArray[np.int64]
Flags = NDArray[np.bool_]

SIGNS = np.array([[1 if side == "b" else -1 for side in order] for order in ORDERS])
BEHIND = np.array([(0, *signs[:3]) for signs in SIGNS])
"""The side of the trial before each, in each order; 0 for the first of a block."""

CARRIED = 4 * BEHIND + SIGNS
"""BEHIND without the effect of a trial's own side: of two and two, one of B is behind one of A more often."""

MOST_BLOCKS = 30
"""With more, the distribution of the sum is approximated: a p of 0.01 is right within 1%, one of 0.0005 within 3%."""

MOST_SUMS = 1024
"""Maximum number of values of the sum over MOST_BLOCKS: beyond it the blocks' parts are rounded, which keeps it
exact."""

EXACT = 6  # factor that makes differences of centred ranks whole, in blocks with two, three or four known trials

BISECTIONS = 14  # of a bisection: to less than a part in 10,000 of the widest difference between two trials


def table(blocks: Sequence[TrialBlock], of: Callable[[TrialBlock], Sequence[float | None]]) -> Floats:
    """Return a number for each trial of each block (blocks x 4); NaN where a trial has none."""
    return np.array([of(block) for block in blocks], dtype=float)


def sides(blocks: Sequence[TrialBlock]) -> Flags:
    """Mark the trials of B (blocks x 4)."""
    return table(blocks, lambda block: [trial.side == "b" for trial in block.trials]) > 0


def shift(values: Floats, of_b: Flags, alphas: Sequence[float]) -> tuple[float, list[tuple[float, float]]] | None:
    """Estimate by how much B lies above A.

    Args:
        values: of each trial of each block (blocks x 4); NaN where it is masked.
        of_b: whether that trial is of B.
        alphas: the levels of two-sided tests.

    Returns:
        The shift at which B ranks neither higher nor lower than A; and for each level the interval of the shifts that
        are not rejected, infinite where so few blocks reject nothing. None where no block has trials of both sides.
    """
    b, a = np.where(of_b, values, np.nan), np.where(of_b, np.nan, values)
    apart = (b[:, :, None] - a[:, None, :]).ravel()
    apart = apart[~np.isnan(apart)]
    if not apart.size:
        return None
    # Beyond every difference each B lies above, or below, every A of its block: there the test has its least p.
    beyond = 1e-9 + 1e-3 * float(np.ptp(apart))
    ends = np.array([apart.min() - beyond, apart.max() + beyond])
    middle = float(_edge(ends, ends[::-1], lambda at: np.array([1, -1]) * _statistic(values, of_b, at)[1] > 0).mean())
    levels, count = np.array(alphas) / 2, len(alphas)

    def rejected(ends: Floats) -> Flags:
        high, low = tails(values, of_b, ends)
        return np.concatenate([high[:count] <= levels, low[count:] <= levels])

    ends = _edge(ends.repeat(count), np.full(2 * count, middle), rejected)
    return middle, [(float(low), float(high)) for low, high in ends.reshape(2, -1).T]


def tails(
    values: Floats, of_b: Flags, shifts: Floats, *, weights: WholeNumbers | None = None, of_distances: bool = False
) -> tuple[Floats, Floats]:
    """Return the chances that B, lowered by each shift, ranks at least as high, and at most as high, as it does.

    Each trial's score weighs in an order what `weights` say; without them 1 if it is B's and -1 if it is A's. With
    `of_distances` B lies as far from its blocks' middles in place of as high.
    """
    adds, seen = _statistic(values, of_b, shifts, weights, of_distances=of_distances)
    high, low = np.empty(len(shifts)), np.empty(len(shifts))
    for place, blocks in enumerate(adds):
        if len(blocks) > MOST_BLOCKS:
            high[place], low[place] = _of_many(blocks, seen[place]), _of_many(blocks, -seen[place])
            continue
        chances = _chances(blocks)
        at = seen[place] - blocks.min(axis=1).sum()
        high[place], low[place] = chances[at:].sum(), chances[: at + 1].sum()
    return high, low


def p_value(values: Floats, of_b: Flags, shift: float = 0.0, **how: Any) -> float:
    """Return the two-sided p of B's rank if B, lowered by a shift, is like A; `how` are those of `tails`.

    With the weights CARRIED it is the p of the difference between trials that follow one of B and those that follow one
    of A: the orders were drawn, so which trial follows which is random too.
    """
    high, low = tails(values, of_b, np.array([shift]), **how)
    return min(1.0, 2 * min(float(high[0]), float(low[0])))


def step(values: Floats) -> float:
    """Return the usual gap between neighbours if most values are equal to another; 0 if they are not.

    Infinite if all are equal, which does not say how far from it the next value would have been.
    """
    distinct, times = np.unique(values[~np.isnan(values)], return_counts=True)
    if times[times > 1].sum() <= times.sum() / 2:
        return 0.0
    return float(np.median(np.diff(distinct))) if len(distinct) > 1 else float("inf")


def _statistic(
    values: Floats, of_b: Flags, shifts: Floats, weights: WholeNumbers | None = None, *, of_distances: bool = False
) -> tuple[WholeNumbers, WholeNumbers]:
    """Return what each block adds to the statistic in each order (shifts x blocks x orders), and the observed sums."""
    adds = _scores(values, of_b, shifts, of_distances=of_distances) @ (SIGNS if weights is None else weights).T
    unit = np.full(len(shifts), float(EXACT))
    if len(values) <= MOST_BLOCKS:
        unit = np.minimum(EXACT, MOST_SUMS / np.maximum(np.ptp(adds, axis=2).sum(axis=1), 1.0))
        unit = np.where(unit > 1, np.floor(unit), unit)
    whole = np.rint(adds * unit[:, None, None]).astype(np.int64)
    drawn = (np.where(of_b, 1, -1)[:, None, :] == SIGNS).all(axis=2).argmax(axis=1)
    return whole, whole[:, np.arange(len(values)), drawn].sum(axis=1)


def _scores(values: Floats, of_b: Flags, shifts: Floats, *, of_distances: bool = False) -> Floats:
    """Return the score of each trial, with B's lowered by each shift (shifts x blocks x trials).

    A trial is ranked among all by how far it lies above its block's median, `of_distances` by how far above or below,
    and counts by how far its rank is from the mean of its block. One that is masked moves neither ranks, median nor
    mean, and adds nothing.
    """
    known = ~np.isnan(values)
    count, blocks = known.sum(axis=1), np.arange(len(values))
    lowered = values - shifts[:, None, None] * of_b
    ordered = np.sort(lowered, axis=2)  # masked last
    medians = (ordered[:, blocks, np.maximum(count - 1, 0) // 2] + ordered[:, blocks, count // 2 % values.shape[1]]) / 2
    ranks = np.zeros(lowered.shape)
    apart = lowered - medians[:, :, None]
    for place, centred in enumerate(np.round(np.abs(apart) if of_distances else apart, 12)[:, known]):
        every = np.sort(centred)  # of those that are alike the mean rank counts, here twice it
        ranks[place, known] = every.searchsorted(centred) + every.searchsorted(centred, "right")
    means = ranks.sum(axis=2) / np.maximum(count, 1)
    scores: Floats = np.where(known, ranks - means[:, :, None], 0.0)
    return scores


def _chances(adds: WholeNumbers) -> Floats:
    """Return the distribution of the statistic over all orders, from its minimum on."""
    chances = np.ones(1)
    for places in (adds - adds.min(axis=1, keepdims=True)).tolist():
        longer = np.zeros(len(chances) + max(places))
        for place in places:
            longer[place : place + len(chances)] += chances
        chances = longer / len(places)
    return chances


def _of_many(adds: WholeNumbers, seen: float) -> float:
    """Return the chance that the sum of many blocks is at least `seen`: a value is as likely as its negative.

    Sums are a step apart, which is wide where values are coarse: the half of it is what a step's own chance takes.
    """
    squares = (adds.astype(float) ** 2).mean(axis=1)
    if not (variance := float(squares.sum())):
        return 1.0
    step = int(np.gcd.reduce((adds - adds.min(axis=1, keepdims=True)).ravel()))
    x = (seen - step / 2) / sqrt(variance)
    excess = float(((adds.astype(float) ** 4).mean(axis=1) - 3 * squares**2).sum()) / variance**2
    return erfc(x / sqrt(2)) / 2 + exp(-x * x / 2) / sqrt(2 * pi) * excess / 24 * (x**3 - 3 * x)


def _edge(outside: Floats, inside: Floats, rejects: Callable[[Floats], Flags]) -> Floats:
    """Return the end where a test ceases to reject, by bisection; infinite where it rejects nowhere."""
    found = np.where(rejects(outside), outside, np.copysign(np.inf, outside - inside))
    for _ in range(BISECTIONS):
        between = (outside + inside) / 2
        out = rejects(between)
        outside, inside = np.where(out, between, outside), np.where(out, inside, between)
    return np.where(np.isfinite(found), outside, found)
