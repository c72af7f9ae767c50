"""Bounds of simulations: what chance alone exceeds with fewer than one seed in a million."""

from math import comb


def at_most(times: int, share: float) -> int:
    """Return the maximum number of errors of `times` independent runs that err with this chance each."""
    number, beyond = 0, 1 - (1 - share) ** times
    while beyond > 1e-6:
        number += 1
        beyond -= comb(times, number) * share**number * (1 - share) ** (times - number)
    return number


def at_least(times: int, share: float) -> int:
    """Return the minimum number of successes of `times` independent runs that succeed with this chance each."""
    return times - at_most(times, 1 - share)
