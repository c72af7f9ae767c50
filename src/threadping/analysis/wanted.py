"""The state that was asked for: the nearest, the farthest, or pings from so many nanoseconds to so many."""

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from threadping.analysis.states import alike
from threadping.errors import UsageError

NEAR, FAR = "near", "far"


class Wanted(Struct, frozen=True):
    """A state by its text: `near`, `far`, or the ends of a range of pings in nanoseconds.

    The only state that is known is near; there is a far one only where two are known.
    """

    text: str
    range: tuple[float, float] | None = None

    def holds(self, ns: float, seen: Iterable[float]) -> bool:
        """Whether a ping is of it; `seen` are other pings of the pair, of this run and of those before."""
        if self.range:
            return self.range[0] <= ns <= self.range[1]
        levels = [ns, *seen]
        if self.text == FAR:
            return alike(ns, max(levels)) and not alike(ns, min(levels))
        return alike(ns, min(levels))

    def is_only(self, seen: Sequence[float]) -> bool:
        """Whether these pings are of one state, so that it is not known which one is the far one."""
        return self.text == FAR and alike(min(seen, default=1), max(seen, default=1))


def parse_state(text: str | None) -> Wanted | None:
    """Read `near`, `far`, `20-40`, `20-40ns`; UsageError for anything else."""
    if text is None:
        return None
    if text in (NEAR, FAR):
        return Wanted(text)
    match = re.fullmatch(r"(\d{1,9}(?:\.\d+)?)-(\d{1,9}(?:\.\d+)?)(?:\s*ns)?", text.strip())
    if not match or float(match[1]) > float(match[2]):
        raise UsageError(f"--state '{text}' is not a state. Write near, far, or a range of pings in ns: 20-40.")
    return Wanted(text, (float(match[1]), float(match[2])))
