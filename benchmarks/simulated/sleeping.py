"""Simulate the best duration of a trial of blocking threads; `benchmarks.simulated.tables sleeping` prints a table.

The planted noise is that of blocked threads on two virtual CPUs of a Xeon: means of 100 ms scatter by 9 to 14% from
process to process, means of a second by 5 to 6%, and windows of 20 ms are uncorrelated beyond 60 to 100 ms.
"""

from collections.abc import Sequence
from functools import cache
from math import sqrt
from random import Random
from statistics import fmean, stdev

WINDOW_S, PERSISTS = 0.02, 0.3
"""Length of a window (s), and its correlation with the next; the fourth is independent of the first."""

OF_PROCESS, OF_WINDOW = 0.043, 0.175
"""Scatter between processes, and between windows within one."""

LENGTHS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5)
FIXED = {"C++": 0.16, "Java, hurried": 0.5, "Java": 0.9}
"""Time of a trial besides measuring: start, ping and warm-up (s)."""


def figure(length_s: float, chance: Random) -> float:
    """The logarithm of the figure of one trial that measures so long."""
    windows, value = [], chance.gauss(0, 1)
    for _ in range(max(1, round(length_s / WINDOW_S))):
        value = PERSISTS * value + sqrt(1 - PERSISTS**2) * chance.gauss(0, 1)
        windows.append(OF_WINDOW * value)
    return chance.gauss(0, OF_PROCESS) + fmean(windows)


@cache
def scatter(length_s: float, trials: int = 2000) -> float:
    chance = Random(1)
    return stdev(figure(length_s, chance) for _ in range(trials))


def errors(fixed_s: float, lengths: Sequence[float] = LENGTHS) -> list[float]:
    """The standard error of a figure for which there are ten seconds, by the length of its trials."""
    return [scatter(each) * sqrt((fixed_s + each) / 10) for each in lengths]
