"""The order in which cases answer a question soonest: the corners of its axes first. Pure.

Cases stand on axes: mechanism, runtime, number of threads, each parameter. If a budget has no room for all, those that
are measured show the ends of each number, and every value of what is no number.
"""

from collections.abc import Collection, Hashable, Iterator, Sequence
from heapq import heapify, heappop, heapreplace
from itertools import chain, combinations

from threadping.model.base import gathered
from threadping.model.cases import Case

HOW_AXES = ("threads", "placement", "pin", "home", "warmup", "busy")
"""Axes that say how a mechanism is measured. Of all others each value has a group of cases, unless it was named."""


def axes_of(case: Case) -> dict[str, Hashable]:
    return {
        "mechanism": case.mechanism,
        "runtime": case.runtime,
        "experiment": case.experiment,
        **{f"{name}=": value for name, value in case.params.items()},
        "threads": case.groups,
        "placement": case.placement.title,
        "pin": case.placement.pin,
        "home": case.home.text if case.home else "usual home",
        "warmup": case.warmup.text,
        "busy": case.busy.threads,
    }


def covering_order(cases: Sequence[Case], named: Collection[str]) -> list[int]:
    """Return the indices of cases in the order in which to measure them, the most wanted first.

    Where numbers were named, cases at their least and greatest come first; the range between is halved again and
    again. Of those the next case has the most values that no case before it has, then the most new pairs of values,
    and then is the first as given. What was not named makes groups: each has all of its corners before the next one
    begins.
    """
    points = [axes_of(case) for case in cases]
    named = [axis for axis in named if len({point[axis] for point in points if axis in point}) > 1]
    if not named:
        return list(range(len(cases)))
    values = [[(axis, point[axis]) for axis in named if axis in point] for point in points]
    depths = _depths({*chain.from_iterable(values)})
    groups: dict[Hashable, int] = {}

    def rank(at: int) -> tuple[int, int]:
        group = tuple(item for item in points[at].items() if item[0] not in (*named, *HOW_AXES))
        return sum(depths[value] for value in values[at]), groups.setdefault(group, len(groups))

    ranked = gathered((rank(at), at) for at in range(len(cases)))
    number = {value: at for at, value in enumerate(depths)}
    numbered = [[number[value] for value in of_it] for of_it in values]
    return [at for place in sorted(ranked) for at in _most_new_first(ranked[place], numbered)]


AxisValue = tuple[str, Hashable]  # An axis, and a value on it


def _depths(values: Collection[AxisValue]) -> dict[AxisValue, int]:
    """Return how often the range of each number is halved until a value is met: 0 for its ends, and for words."""
    depths = dict.fromkeys(values, 0)
    for axis, found in gathered(values).items():
        numbers, depth = sorted(value for value in found if isinstance(value, int)), 0
        gaps = [(0, len(numbers) - 1)] if len(numbers) == len(found) else []
        while gaps := [(low, high) for low, high in gaps if high - low > 1]:
            depth += 1
            middles = [(low + high) // 2 for low, high in gaps]
            depths |= {(axis, numbers[middle]): depth for middle in middles}
            gaps = [half for (low, high), at in zip(gaps, middles, strict=True) for half in ((low, at), (at, high))]
    return depths


def _most_new_first(indices: Sequence[int], values: Sequence[Sequence[int]]) -> Iterator[int]:
    """Yield indices by how many values, and pairs of values, each adds; that only shrinks, so few are counted anew."""
    single = {at: frozenset(values[at]) for at in indices}
    paired = {at: frozenset(combinations(values[at], 2)) for at in indices}
    seen: set[int] = set()
    seen_pairs: set[tuple[int, ...]] = set()

    def added(at: int) -> tuple[int, int, int]:
        return -len(single[at] - seen), -len(paired[at] - seen_pairs), at

    heap = [added(at) for at in indices]
    heapify(heap)
    while heap:
        if (now := added(heap[0][-1])) != heap[0]:
            heapreplace(heap, now)
            continue
        at = heappop(heap)[-1]
        seen |= single[at]
        seen_pairs |= paired[at]
        yield at
