"""When a figure is known well enough to be measured no more: one rule for every run that ends before its budget."""

from collections.abc import Sequence
from statistics import median

from threadping.analysis.estimate import Estimate, interval

LOOKS: tuple[int, ...] = (12, 16, 24, 36, 60, 90, 135, 200)
"""After so many trials it is looked at. Whoever looks after each one stops where an interval is narrow by chance."""

CONFIDENCE = 0.99
"""Of the interval that must be narrow; told is that of 95%, which is then what it claims however often it was looked
at. Simulated (`python -m tests.unit.plan.stopped`): 95% intervals of figures that stopped themselves hold the median in
95 to 97%; looked at after every trial by the interval that is told, in 88 to 91%."""

LEAST_S = 20.0
"""Not before so many seconds: trials of a shorter time are too alike."""


def half_of(values: Sequence[float]) -> float:
    """Half of the interval that must be narrow, as a share of its median; of the fewest trials of a look at least."""
    return Estimate(median(values), *interval(values, CONFIDENCE)).half or 0.0


class Looking:
    """The looks at one figure: each is due once, at the first trial that is as many as it asks for."""

    def __init__(self, until: float | None) -> None:
        """Begin; it is narrow when it is known within `until` to each side, as a share of it. Without that never."""
        self._until, self._looks, self.is_narrow = until, LOOKS, False

    def look(self, values: Sequence[float]) -> bool:
        """Whether it is narrow, or has been; looks only where one is due."""
        if self._until is not None and self._looks and len(values) >= self._looks[0]:
            self._looks = tuple(look for look in self._looks if look > len(values))
            self.is_narrow = self.is_narrow or half_of(values) <= self._until
        return self.is_narrow

    @property
    def has_ended(self) -> bool:
        """Whether it is narrow, or was looked at so often that no more is measured of it."""
        return self.is_narrow or not self._looks
