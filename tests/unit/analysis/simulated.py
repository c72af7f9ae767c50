"""Simulate how often false and true groups are found; `python -m tests.unit.analysis.simulated` prints it."""

from collections.abc import Callable, Sequence
from math import exp, sqrt
from random import Random

from threadping.analysis.latency_map import grouped

CPUS = (4, 6, 8, 16, 32)
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


def main() -> None:
    print("| one level, noise | " + " | ".join(f"{cpus} CPUs" for cpus in CPUS) + " |")
    print("|---" + "|---:" * len(CPUS) + "|")
    for kind in KINDS:
        for noise in (0.01, 0.05, 0.1):
            shares = (f"{100 * false_groups(cpus, noise, kind):.1f}%" for cpus in CPUS)
            print(f"| {kind}, {noise:.0%} | " + " | ".join(shares) + " |")
    print("\n| siblings nearer by, noise | " + " | ".join(f"{cpus} CPUs" for cpus in CPUS) + " |")
    print("|---" + "|---:" * len(CPUS) + "|")
    for ratio, noise in ((1.07, 0.002), (1.1, 0.005), (1.2, 0.002), (1.2, 0.01), (1.2, 0.02), (1.5, 0.02), (2.5, 0.05)):
        shares = (f"{100 * found_groups(cpus, ratio, noise):.1f}%" for cpus in CPUS)
        print(f"| {ratio - 1:.0%}, {noise:.1%} | " + " | ".join(shares) + " |")


if __name__ == "__main__":
    main()
