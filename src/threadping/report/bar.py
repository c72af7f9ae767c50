"""Bars on a logarithmic axis: a block to the mean, a line on to p99.9."""

import math
from collections.abc import Callable, Iterable

from msgspec import Struct
from rich.text import Text

from threadping.report import figures

EIGHTHS = " \N{LEFT ONE EIGHTH BLOCK}\N{LEFT ONE QUARTER BLOCK}\N{LEFT THREE EIGHTHS BLOCK}\N{LEFT HALF BLOCK}" + (
    "\N{LEFT FIVE EIGHTHS BLOCK}\N{LEFT THREE QUARTERS BLOCK}\N{LEFT SEVEN EIGHTHS BLOCK}"
)

END = "\N{BOX DRAWINGS LIGHT VERTICAL AND LEFT}"


class Axis(Struct, frozen=True):
    """A logarithmic axis from one power of ten to another, of nanoseconds or of what `write` writes."""

    low: int
    high: int
    write: Callable[[float], str] = figures.time

    @classmethod
    def over(cls, values: Iterable[float], write: Callable[[float], str] = figures.time) -> "Axis":
        """The shortest axis of whole decades on which every value has a length."""
        positive = [value for value in values if value > 0] or [1.0]
        low = math.ceil(math.log10(min(positive)) - 1e-9) - 1
        return cls(low, max(low + 1, math.ceil(math.log10(max(positive)) - 1e-9)), write)

    def label(self) -> str:
        """Name both ends."""
        ends = [self.write(10.0**power) for power in (self.low, self.high)]
        short = [end.replace(".00", "").replace(".0", "") for end in ends]
        return f"{short[0]} \N{HORIZONTAL ELLIPSIS} {short[1]}"

    def eighths(self, value: float, width: int) -> int:
        """How many eighths of a character reach from the low end to the value, at least one."""
        share = (math.log10(value) - self.low) / (self.high - self.low) if value > 0 else 0.0
        return max(1, min(8 * width, round(share * 8 * width)))

    def bar(self, mean: float, tail: float | None, width: int) -> Text:
        """Draw the mean as a block, and a line from there to the tail where it lies beyond."""
        whole, rest = divmod(self.eighths(mean, width), 8)
        block = figures.BLOCK * whole + (EIGHTHS[rest] if rest else "")
        reach = 0 if tail is None else math.ceil(self.eighths(tail, width) / 8) - len(block)
        line = figures.LINE * (reach - 1) + END if reach > 0 else ""
        return Text.assemble((block, "cyan"), (line, "dim cyan"))
