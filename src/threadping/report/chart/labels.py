"""Labels beside the ends of lines: as near to them as they can be without touching each other."""

from collections.abc import Sequence


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Move positions apart until all are `gap` from each other, the order kept and the movement shared.

    Neighbours that are too close become a block around the middle of where its members want to be; blocks that then
    touch are joined. All stay between `low` and `high` as far as there is room.
    """
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    blocks: list[tuple[float, int]] = []  # where the middle of a block is, and how many labels it has
    for index in order:
        block = _within(wanted[index], 1, gap, low, high)
        while blocks and block[0] - blocks[-1][0] < gap * (block[1] + blocks[-1][1]) / 2:
            middle, members = blocks.pop()
            together = members + block[1]
            block = _within((middle * members + block[0] * block[1]) / together, together, gap, low, high)
        blocks.append(block)
    placed = [middle + gap * (place - (members - 1) / 2) for middle, members in blocks for place in range(members)]
    found = dict(zip(order, placed, strict=True))
    return [found[index] for index in range(len(wanted))]


def _within(middle: float, members: int, gap: float, low: float, high: float) -> tuple[float, int]:
    half = gap * (members - 1) / 2
    return max(low + half, min(high - half, middle)), members
