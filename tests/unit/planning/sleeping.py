"""Simulate the best duration of a trial of blocking threads; `python -m tests.unit.planning.sleeping` prints it.

The planted noise is that of blocked threads on two virtual CPUs of a Xeon: means of 100 ms scatter by 9 to 14% from
process to process, means of a second by 5 to 6%, and windows of 20 ms are uncorrelated beyond 60 to 100 ms.
"""

from collections.abc import Sequence
from math import exp, sqrt
from random import Random
from statistics import fmean, stdev

from threadping.analysis.percentiles import estimate

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


def scatter(length_s: float, trials: int = 2000) -> float:
    chance = Random(1)
    return stdev(figure(length_s, chance) for _ in range(trials))


def errors(fixed_s: float, lengths: Sequence[float] = LENGTHS) -> list[float]:
    """The standard error of a figure for which there are ten seconds, by the length of its trials."""
    return [scatter(each) * sqrt((fixed_s + each) / 10) for each in lengths]


def half(fixed_s: float, length_s: float, seconds: float, runs: int = 300) -> float:
    """Half of the 95% interval of as many trials as there is time for, at least six."""
    chance, trials = Random(1), max(6, int(seconds / (fixed_s + length_s)))
    made = ([exp(figure(length_s, chance)) for _ in range(trials)] for _ in range(runs))
    return fmean(estimate(values).half or 0 for values in made)


def main() -> None:
    print("| measured (s) | " + " | ".join(f"{one:g}" for one in LENGTHS) + " |")
    print("|---" + "|---:" * len(LENGTHS) + "|")
    print("| a trial scatters by | " + " | ".join(f"{scatter(one):.1%}" for one in LENGTHS) + " |")
    for name, fixed_s in FIXED.items():
        print(f"| {name}, error in 10 s | " + " | ".join(f"{one:.2%}" for one in errors(fixed_s)) + " |")


if __name__ == "__main__":
    main()
