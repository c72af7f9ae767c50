"""Rounds in which every two meet once, and nobody twice in one."""

from collections.abc import Sequence

from threadping.model.cases import Pair


def rounds(players: Sequence[int]) -> list[list[Pair]]:
    """Rounds in which every two players meet once, and nobody twice in one: of an odd number one rests in each.

    The circle method: one stays, all others move on by a place each round.
    """
    circle: list[int | None] = [*players, *([None] if len(players) % 2 else [])]
    half = len(circle) // 2
    made = []
    for _ in range(len(circle) - 1):
        opposite = zip(circle[:half], reversed(circle[half:]), strict=True)
        made.append([(min(a, b), max(a, b)) for a, b in opposite if a is not None and b is not None])
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return made if len(players) > 1 else []
