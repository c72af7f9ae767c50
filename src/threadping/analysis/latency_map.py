"""A map of a machine: the latency between every two of its CPUs, the groups they fall into, and their names.

Groups end where the density of latencies has a valley, or a gap that is wide for how little they vary.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby, pairwise
from math import log
from statistics import median

import numpy as np

from threadping.analysis.answer import Answer
from threadping.analysis.states import GAP
from threadping.model.base import Record
from threadping.model.cases import Pair
from threadping.model.contract import Cpu, Topology
from threadping.probes.placements import kinds_of, rank, relation

OUTER, INNER = ("package", "node"), ("l3", "l2", "core")
"""Things that CPUs share, the largest first: those that share one are neighbours, and in a node those of a kind."""


def ordered(topology: Topology, cpus: Iterable[int]) -> tuple[int, ...]:
    """Order CPUs by package, node, kind of core (the most capable first), L3, L2, core and number."""
    wanted = set(cpus)
    found = [cpu for cpu in topology.cpus if cpu.cpu in wanted]
    return tuple(cpu.cpu for cpu in sorted(found, key=lambda cpu: (*_locality(cpu), cpu.cpu)))


def groups(topology: Topology | None, cpus: Sequence[int], at_most: int) -> list[tuple[int, ...]]:
    """Divide ordered CPUs into groups of neighbours, as small as `at_most` groups allow.

    They share a core, else an L2, an L3, a node or a package; where there are too many of those too, or less than half
    as many, or the machine does not tell, they are equal parts of the order.
    """
    if len(cpus) <= at_most:
        return [(cpu,) for cpu in cpus]
    known = {cpu.cpu: cpu for cpu in topology.cpus} if topology else {}
    if known.keys() >= set(cpus):
        for depth in range(len(OUTER) + 1 + len(INNER), 0, -1):
            within = {cpu: _locality(known[cpu])[:depth] for cpu in cpus}
            divided = [tuple(one) for _, one in groupby(cpus, within.__getitem__)]
            if max(2, at_most / 2) <= len(divided) <= at_most:
                return divided
    size = -(-len(cpus) // at_most)
    return [tuple(cpus[first : first + size]) for first in range(0, len(cpus), size)]


def system_says(one: Cpu, other: Cpu) -> str:
    """Name what two CPUs share: `same core`, `other L3`, `same L3 P-E`; empty where the system does not list one."""
    if not (one.is_listed and other.is_listed):
        return ""
    return " ".join(filter(None, (_shared(one, other), kinds_of(sorted((one, other), key=rank)))))


def _shared(one: Cpu, other: Cpu) -> str:
    closest = relation(one, other)
    if closest in ("same-node", "cross-node") and one.package != other.package:
        return "other package"  # several may share a node
    if closest == "same-node":
        return "same node" if one.l3 is None or other.l3 is None else "other L3"
    if closest == "cross-node":
        return "other node"
    return {"smt": "same core", "same-l2": "same L2", "same-l3": "same L3"}[closest]


def _locality(cpu: Cpu) -> tuple[object, ...]:
    numbers = {what: -1 if getattr(cpu, what) is None else getattr(cpu, what) for what in (*OUTER, *INNER)}
    return (*(numbers[what] for what in OUTER), rank(cpu), *(numbers[what] for what in INNER))


WIDTH = log(GAP) / 3.3
"""The width of the kernel, in logarithms: two latencies alone are two groups from GAP on. Pairs of a kind differ
less."""

STEPS = 8  # steps of the grid in a kernel's width
VALLEY = 0.5  # Between two groups the density is lower than this share of the lower one's peak
HALF = 0.5  # Maximum rounding of a figure in whole nanoseconds; the variance of that is a third of its square
OUTLYING = 8  # A group of fewer pairs than the number of CPUs through this is no group: some pairs were disturbed
NARROW, NARROW_OF_FEW = 4.5, 45.0
"""A gap divides a group if it is this many times as wide as the spread on both sides of it, and this many times
more over the number of pairs: noise alone does that on fewer than 1 of 100 machines (tests/unit/analysis/simulated.py).
"""

NARROWEST = log(1.05)
"""A gap that is less parts nothing, however little the figures vary: that is a place on a ring or a mesh."""

FEWEST = 2  # Pairs on either side of such a gap: one alone has no spread
MISNAMED = 0.05  # minimum share of the pairs that the system calls alike, but that measure as others do, to say so
Logs = np.ndarray[tuple[int], np.dtype[np.float64]]


class Cluster(Record, frozen=True):
    """Pairs that are as far from each other."""

    latency_ns: float  # one way, their median
    range: tuple[float, float]  # the least and the most of them
    pairs: int  # how many they are
    named: str = ""  # what the system says of most of them; empty where it is not known


def grouped(latencies: Sequence[float], cpus: int, noise: float = 0.0, hidden: Sequence[float] = ()) -> list[int]:
    """Return the group of each latency, the nearest group 0.

    `noise` is the standard error of one, as a share; `hidden` has the differences (ns) that their clock or error hides.
    """
    if not latencies:
        return []
    logs = np.log(latencies)
    grid = np.arange(logs.min() - 4 * WIDTH, logs.max() + 4 * WIDTH, WIDTH / STEPS)
    counts, _ = np.histogram(logs, bins=len(grid), range=(grid[0], grid[-1]))
    kernel = np.exp(-0.5 * (np.arange(-4 * STEPS, 4 * STEPS + 1) / STEPS) ** 2)
    density = np.convolve(counts, kernel, "same")
    cuts = [grid[0] + (at + 0.5) / len(grid) * (grid[-1] - grid[0]) for at in _valleys(density)]
    hides = np.array(hidden or [0.0] * len(latencies))
    cuts = _without_false(logs, cuts, max(1, cpus // OUTLYING), hides)
    of = np.searchsorted(cuts, logs)
    rounded = HALF if all(ns == round(ns) for ns in latencies) else 0.0
    for group in range(len(cuts) + 1):
        cuts += _gaps(np.sort(logs[of == group]), max(FEWEST, cpus // OUTLYING), noise, rounded)
    cuts = _without_false(logs, sorted(cuts), 1, hides)
    return [int(place) for place in np.searchsorted(cuts, logs)]


def _gaps(logs: Logs, least: int, noise: float, rounded: float) -> list[float]:
    """Return the middles of the gaps in sorted latencies that are wide for the spread on both of their sides."""
    pairs = len(logs)
    below = np.arange(least, pairs - least + 1)
    if not len(below):
        return []
    sums, squares = np.cumsum(logs), np.cumsum(logs**2)
    near = squares[below - 1] - sums[below - 1] ** 2 / below
    far = squares[-1] - squares[below - 1] - (sums[-1] - sums[below - 1]) ** 2 / (pairs - below)
    values = np.exp(logs)
    spread = np.sqrt(np.maximum(near + far, 0.0) / (pairs - 2) + noise**2 + (rounded / values[0]) ** 2 / 3)
    wide = np.log((values[below] - rounded) / (values[below - 1] + rounded))
    ratio = np.where(wide >= NARROWEST, wide / np.maximum(spread, 1e-9), 0.0)
    at = int(below[int(ratio.argmax())])
    if ratio.max() < NARROW + NARROW_OF_FEW / pairs:
        return []
    middle = float(logs[at - 1] + logs[at]) / 2
    return [*_gaps(logs[:at], least, noise, rounded), middle, *_gaps(logs[at:], least, noise, rounded)]


def _valleys(density: Logs) -> list[int]:
    """Return where the density is least between peaks, where it falls low enough; the shallowest are filled first."""
    rises = np.flatnonzero(np.diff(np.sign(np.diff(density))) > 0)
    found = [int(at) + 1 for at in rises]
    while found:
        ends = [0, *found, len(density)]
        peaks = [density[first:last].max() for first, last in pairwise(ends)]
        lower = [min(peaks[place : place + 2]) for place in range(len(found))]
        depths = [density[at] / peak if peak else 1.0 for at, peak in zip(found, lower, strict=True)]
        shallowest = max(range(len(found)), key=depths.__getitem__)
        if depths[shallowest] < VALLEY:
            break
        del found[shallowest]
    return found


def _without_false(logs: Logs, cuts: list[float], least: int, hides: Logs) -> list[float]:
    """Return the cuts but those that part too few pairs from the nearest others, or medians within `hides` (ns)."""
    while cuts:
        of = np.searchsorted(cuts, logs)
        members = [of == place for place in range(len(cuts) + 1)]
        middles = [float(np.median(logs[each])) if each.any() else cuts[-1] for each in members]
        fewest = min(range(len(members)), key=lambda place: members[place].sum())
        false = [place for place in (fewest - 1, fewest) if 0 <= place < len(cuts)]
        if members[fewest].sum() >= least:
            within, apart = [np.median(hides[each]) for each in members], np.diff(np.exp(middles))
            false = [place for place in range(len(cuts)) if apart[place] <= max(within[place : place + 2])]
        if not false:
            break
        del cuts[min(false, key=lambda place: middles[place + 1] - middles[place])]
    return cuts


def clusters(latencies: Sequence[float], of: Sequence[int], said: Sequence[str]) -> list[Cluster]:
    """Describe groups by the latency and the group of each pair, and what the system says of it; empty if unknown."""
    members = [[place for place, group in enumerate(of) if group == each] for each in range(max(of, default=-1) + 1)]
    words = [Counter(said[place] for place in places).most_common(1)[0][0] for places in members]
    made = []
    for number, places in enumerate(members):
        values = [latencies[place] for place in places]
        alike = [place for place, word in enumerate(words) if word == words[number]]
        place, of_it = alike.index(number), len(alike)
        which = (", nearer", ", further")[place] if of_it == 2 else f" ({place + 1} of {of_it})"
        which = which if words[number] and of_it > 1 else ""
        made.append(Cluster(median(values), (min(values), max(values)), len(values), words[number] + which))
    return made


def misnamed(found: Sequence[Cluster], of: Sequence[int], said: Sequence[str]) -> list[str]:
    """Say where the system and the figures disagree, a sentence each."""
    words = Counter(word for word in said if word)
    if len(words) == 1 and len(found) > 1:
        (word,) = words
        return [
            f"The system calls every pair {word}, but they fall into {len(found)} groups: it does not tell how its "
            "CPUs are, as virtual machines often do not."
        ]
    sentences = []
    for word, number in words.items():
        for group, times in sorted(Counter(group for group, one in zip(of, said, strict=True) if one == word).items()):
            measured = found[group].named.partition(",")[0].partition(" (")[0]
            if measured != word and times >= max(1, MISNAMED * number):
                count = f"all {number}" if times == number else f"{times} of {number}"
                sentences.append(f"The system says {word} of {number} pairs, but {count} measure as {measured}.")
    return sentences


class LatencyMap(Record, frozen=True):
    """The latency between every two CPUs."""

    cpus: tuple[int, ...]  # in the order in which they are shown
    ns: Mapping[Pair, float]  # one way, of pairs; of one that was measured one way, that way alone
    groups: tuple[Cluster, ...] = ()  # of the pairs, the nearest first
    misnamed: tuple[str, ...] = ()  # where the system says something else, a sentence each

    def between(self, one: int, other: int) -> float | None:
        """The latency from one CPU to another, or else the other way; None where neither is known."""
        found = self.ns.get((one, other))
        return self.ns.get((other, one)) if found is None else found


def map_of(
    cpus: Sequence[int],
    ns: Mapping[Pair, float],
    topology: Topology | None,
    noise: float = 0.0,
    hidden: Mapping[Pair, float] | None = None,
) -> LatencyMap:
    """Return the map of latencies with their groups, named where the topology is known; a pair of 0 ns is in none."""
    known = {cpu.cpu: cpu for cpu in topology.cpus} if topology else {}
    measured = {pair: of_it for pair, of_it in ns.items() if of_it}
    said = [system_says(known[one], known[other]) if known else "" for one, other in measured]
    values = list(measured.values())
    of = grouped(values, len(cpus), noise, [hidden[pair] for pair in measured] if hidden else ())
    found = clusters(values, of, said)
    return LatencyMap(tuple(cpus), ns, tuple(found), tuple(misnamed(found, of, said)))


def surveyed_map(answer: Answer) -> LatencyMap | None:
    """Return the map of a run that pinged pairs of CPUs before its first trial; None of one that did not."""
    if not answer.survey:
        return None
    seen = {one.cpus: one.ns for one in answer.survey if one.ns}
    cpus = {cpu for pair in seen for cpu in pair}
    states = [one for one in answer.states.found if cpus.issuperset(one.cpus)]
    seen |= {one.cpus: one.core_to_core_ns for one in sorted(states, key=lambda state: state.share)}
    topology = answer.run.machine.topology
    return map_of(ordered(topology, cpus), seen, topology)
