"""How evenly work fell to those who shared it."""

from collections.abc import Sequence

FEWEST_EACH = 100


def jain(work: Sequence[float]) -> float:
    """Jain's index of fairness: 1 where all did alike, 1/n where one of n did everything.

    (sum x)^2 / (n * sum x^2); Jain, Chiu and Hawe, A Quantitative Measure of Fairness and Discrimination for Resource
    Allocation in Shared Computer Systems, DEC-TR-301, 1984.

    Args:
        work: what each did; at least one did something.
    """
    total = sum(work)
    return total * total / (len(work) * sum(part * part for part in work))


def is_told(work: Sequence[float]) -> bool:
    """Whether there was enough to share: with fewer than 100 for each the index is of chance.

    Of a perfectly fair multinomial it is n / (n + k - 1) for n operations of k threads: 0.57 for four of four.
    """
    return sum(work) >= FEWEST_EACH * len(work)


def shares(work: Sequence[float]) -> list[float]:
    """What each had of the whole, which is more than nothing."""
    total = sum(work)
    return [part / total for part in work]
