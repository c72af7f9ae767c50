"""Simulate how often false and true groups are found; `python -m benchmarks.simulated.tables groups` prints it."""

from collections.abc import Callable, Sequence
from math import exp, sqrt
from random import Random

from threadping.analysis.latency_map import grouped

MACHINES = 1000

Noise = Callable[[Random], float]
"""Relative noise of one pair; its standard deviation is 1."""

KINDS: dict[str, Noise] = {
    "normal": lambda chance: chance.gauss(0, 1),
    "uniform": lambda chance: chance.uniform(-sqrt(3), sqrt(3)),
    "heavy tails": lambda chance: chance.gauss(0, 1) / sqrt(chance.gammavariate(2, 0.5)) / sqrt(2),
}
"""The last has those of Student's t with four degrees of freedom."""


def pairs(cpus: int) -> int:
    return cpus * (cpus - 1) // 2


def machine(levels: Sequence[tuple[float, int]], noise: float, kind: str, chance: Random) -> list[float]:
    """Return noisy latencies of a number of pairs at each level (ns)."""
    return [ns * exp(noise * KINDS[kind](chance)) for ns, number in levels for _ in range(number)]


def false_groups(cpus: int, noise: float, kind: str, machines: int = MACHINES, seed: int = 1) -> float:
    """The share of machines of one level that are cut."""
    chance = Random(seed)
    levels = [(40.0, pairs(cpus))]
    return sum(len({*grouped(machine(levels, noise, kind, chance), cpus)}) > 1 for _ in range(machines)) / machines


def found_groups(cpus: int, ratio: float, noise: float, machines: int = MACHINES, seed: int = 1) -> float:
    """Return the share of machines whose siblings form the only group; they are closer by a ratio."""
    chance = Random(seed)
    near, far = cpus // 2, pairs(cpus) - cpus // 2
    levels = [(40.0 / ratio, near), (40.0, far)]
    true = [0] * near + [1] * far
    return sum(grouped(machine(levels, noise, "normal", chance), cpus) == true for _ in range(machines)) / machines
