"""When a figure is known well enough to be measured no more: one rule for every run that ends before its budget."""

from collections.abc import Sequence
from math import log, pi, sqrt
from statistics import NormalDist, stdev

LOOKS: tuple[int, ...] = (12, 16, 24, 36, 60, 90, 135, 200)
"""After so many trials it is looked at. A run that looks after each one stops where an interval is narrow by chance."""

STOP_CONFIDENCE = 0.99
"""Of the interval that must be narrow. It is reckoned from how much trials scatter, and what is reported is the
95% interval by their ranks: an interval that decides itself when it is reported is too narrow. Simulated
(`python -m tests.unit.plan.stopped`), figures that scatter by 1 to 10%, until 1% or 60 trials and until 3% or 200: the
95% interval holds the median in 93.7 to 95.7% (skewed: 92.9 to 94.0), where ranks decide after each trial in 91.0 to
94.8%, and with an interval of 99% at these looks in 92.6 to 95.4%."""

FIRST_LOOK_S = 20.0
"""Not before so many seconds: trials of a shorter time are too alike."""

NOT_NARROW = "are not known within"
"""What the note of a run says of figures that are not narrow enough at its end."""


def half_of(values: Sequence[float]) -> float:
    """Half of the interval of their median that must be narrow, as a share; of two or more that are above 0."""
    error = sqrt(pi / 2) * stdev(map(log, values)) / sqrt(len(values))
    return NormalDist().inv_cdf((1 + STOP_CONFIDENCE) / 2) * error


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
