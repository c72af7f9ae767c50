"""Bars on a logarithmic axis: a block to the figure, a thin line on to its tail."""

import math
from collections.abc import Iterable

from msgspec import Struct
from rich.bar import END_BLOCK_ELEMENTS, FULL_BLOCK
from rich.text import Text

from threadping.analysis.declaration import Unit
from threadping.views.terminal import cells

WIDTH = 18
"""In characters, of the whole axis."""

LINE, END = "\N{BOX DRAWINGS LIGHT HORIZONTAL}", "\N{BOX DRAWINGS LIGHT VERTICAL AND LEFT}"


class Axis(Struct, frozen=True):
    """A logarithmic axis from one power of ten to another."""

    low: int
    high: int

    @classmethod
    def over(cls, values: Iterable[float]) -> "Axis":
        """The shortest axis of whole decades on which every value has a length."""
        positive = [value for value in values if value > 0] or [1.0]
        low = math.ceil(math.log10(min(positive)) - 1e-9) - 1
        return cls(low, max(low + 1, math.ceil(math.log10(max(positive)) - 1e-9)))

    def label(self, unit: Unit) -> str:
        """Name both ends."""
        low, high = (cells.tick(unit, 10.0**power) for power in (self.low, self.high))
        return f"log {low} \N{HORIZONTAL ELLIPSIS} {high}"

    def bar(self, value: float, tail: float | None) -> Text:
        """Draw a figure as a block, and a line from there to the tail where that lies beyond."""
        whole, rest = divmod(self._eighths(value), 8)
        block = FULL_BLOCK * whole + END_BLOCK_ELEMENTS[rest].strip()
        reach = 0 if tail is None else math.ceil(self._eighths(tail) / 8) - len(block)
        line = LINE * (reach - 1) + END if reach > 0 else ""
        return Text.assemble((block, "cyan"), (line, "dim cyan"), justify="left")

    def _eighths(self, value: float) -> int:
        """How many eighths of a character reach from the low end to the value, at least one."""
        share = (math.log10(value) - self.low) / (self.high - self.low) if value > 0 else 0.0
        return max(1, min(8 * WIDTH, round(share * 8 * WIDTH)))
