"""Labels beside the ends of lines: as near to them as they can be without touching each other."""

from collections.abc import Sequence
from statistics import fmean


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Move positions apart until all are `gap` from each other, the order kept and the movement shared.

    Less a gap for each that stands before them, positions need not be apart but only in order: neighbours that are not
    stand together at their mean (isotonic regression by pooling). All stay between `low` and `high` as far as there is
    room.
    """
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    pools: list[list[float]] = []
    for rank, index in enumerate(order):
        pools.append([wanted[index] - rank * gap])
        while len(pools) > 1 and fmean(pools[-2]) > fmean(pools[-1]):
            pools[-2:] = [pools[-2] + pools[-1]]
    highest = high - gap * (len(wanted) - 1)
    together = [max(low, min(highest, fmean(pool))) for pool in pools for _ in pool]
    found = {index: place + rank * gap for rank, (index, place) in enumerate(zip(order, together, strict=True))}
    return [found[index] for index in range(len(wanted))]
