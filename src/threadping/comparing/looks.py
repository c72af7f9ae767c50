"""After how many blocks a comparison is looked at, and how often each look may err."""

from threadping.model import Record

ALPHA = 0.01
"""How often all looks together may say of two equals that they differ."""

GRID = (4, 6, 9, 14, 21, 30, 45, 66, 100)
"""A look costs little where half as many blocks again were measured since the last."""


class Looks(Record, frozen=True):
    """After how many blocks to look, and how often each look may err: its share of ALPHA."""

    blocks: tuple[int, ...]
    alphas: tuple[float, ...]

    def level(self, blocks: int, comparisons: int, final: bool) -> float | None:
        """The level of the test after so many blocks; None where none is due.

        Shares add up, whatever the dependence (Bonferroni). A look at so few blocks that no outcome is significant
        passes its share on to the next. The final look, whose time the data did not choose, spends all that is left.
        """
        blocks, left = min(blocks, self.blocks[-1]), 0.0
        for due, alpha in zip(self.blocks, self.alphas, strict=True):
            if due > blocks and not final:
                return None
            left += alpha
            can_reject = 2 / 6**due <= left / comparisons
            if due == blocks and not final:
                return left / comparisons if can_reject else None
            if due < blocks and can_reject:
                left = 0.0
        return left / comparisons


def looks(most: int = 30) -> Looks:
    """The looks at a comparison of at most so many blocks, the last of them when they are measured."""
    blocks = (*(due for due in GRID if due < most), most)
    return Looks(blocks, (ALPHA / len(blocks),) * len(blocks))
