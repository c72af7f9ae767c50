"""The figures of outliers: the threshold, how many; for each cause how many, how long in all, the worst."""

from collections.abc import Iterator, Mapping, Sequence

from threadping.analysis.causes import CAUSES, causes, threshold
from threadping.analysis.declaration import Figure, Percentiles, of_no_result
from threadping.contract import OutliersRequest, Result
from threadping.model import Case


def figures_of(*distributions: Percentiles) -> tuple[Figure, ...]:
    """What is declared for the outliers of each of these distributions."""
    return tuple(figure for one in distributions for figure in _figures(one.outliers))


def found(of: Percentiles, case: Case, result: Result, policy: OutliersRequest | None) -> dict[str, list[int]]:
    """The durations of a trial's outliers by cause; none where nothing was looked into or timed."""
    if policy is None or not of.read(result).counts:
        return {}
    return causes(of.of or next(iter(result.distributions)), result, policy, blocking=case.blocking)


def read(
    of: Percentiles, result: Result, policy: OutliersRequest | None, caused: Mapping[str, Sequence[int]]
) -> dict[str, float]:
    """The figures of one trial, by name; nothing where nothing was looked into or timed."""
    timed = of.read(result)
    if policy is None or not timed.counts:
        return {}
    figures = {"threshold_ns": threshold(timed, policy), "count": float(sum(map(len, caused.values())))}
    for cause, durations in caused.items():
        figures |= {f"causes.{cause}": len(durations)}
        if any(durations):  # of those that were not kept one by one the time is not known
            figures |= {f"time_ns.{cause}": sum(durations), f"worst_ns.{cause}": max(durations)}
    return {f"{of.outliers}.{figure}": value for figure, value in figures.items()}


def _figures(name: str) -> Iterator[Figure]:
    yield Figure(f"{name}.threshold_ns", "ns", of_no_result, says="outliers.threshold_ns")
    yield Figure(f"{name}.count", "count", of_no_result, over="total")
    for cause in CAUSES:
        yield Figure(f"{name}.causes.{cause}", "count", of_no_result, over="total")
        yield Figure(f"{name}.time_ns.{cause}", "ns", of_no_result, over="total")
        yield Figure(f"{name}.worst_ns.{cause}", "ns", of_no_result, over="most")
