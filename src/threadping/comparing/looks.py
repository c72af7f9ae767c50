"""After how many blocks a comparison is looked at, and what each look may cost of the one error in a hundred."""

from threadping.model import Record

ALPHA = 0.01
"""How often a comparison of equals may say that they differ, whenever it stops."""


class Looks(Record, frozen=True):
    """After how many blocks to look, and the share of ALPHA that each look may spend."""

    blocks: tuple[int, ...]
    alphas: tuple[float, ...]


def looks(compiles: bool) -> Looks:
    """The looks at a comparison: fewer where a runtime compiles as it runs, since its trials are long."""
    if compiles:
        return Looks((4, 6, 8, 10), (0.002, 0.002, 0.003, 0.003))
    return Looks((4, 6, 9, 14, 21, 30), (0.0015, 0.0015, 0.0015, 0.0015, 0.002, 0.002))
