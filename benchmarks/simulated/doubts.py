"""Simulate how often `compare` reports carry-over and unequal spread, with and without them."""

import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.random import Generator
from numpy.typing import NDArray

from threadping.studies.compare import permutation
from threadping.studies.compare.verdict import DOUBTED

Floats = NDArray[np.float64]
Draw = Callable[[Generator, tuple[int, ...]], Floats]

BLOCKS = (4, 6, 9, 14)


def normal(noise: float) -> Draw:
    """Trials that differ by so much."""
    return lambda draw, size: draw.normal(0, noise, size)


def lottery(draw: Generator, size: tuple[int, ...]) -> Floats:
    """Three in ten are 1.3 times as slow."""
    found: Floats = draw.normal(0, 0.01, size) + np.log(1.3) * (draw.random(size) < 0.3)
    return found


def skewed(draw: Generator, size: tuple[int, ...]) -> Floats:
    """Draw 10% of an exponential distribution."""
    found: Floats = np.log1p(0.1 * draw.exponential(size=size))
    return found


class Planted(Struct, frozen=True):
    """Planted distributions of A and B, B's slowdown, and its carry-over to the next trial."""

    a: Draw = normal(0.011)
    b: Draw = normal(0.011)
    slower: float = 0.0
    carried: float = 0.0


MACHINES: Mapping[str, Planted] = {
    "equal, 1.1%": Planted(),
    "B 5% slower": Planted(slower=0.05),
    "B 30% slower": Planted(slower=0.3),
    "equal, 12%": Planted(normal(0.12), normal(0.12)),
    "both skewed": Planted(skewed, skewed),
    "3 in 10 of both 1.3x slower": Planted(lottery, lottery),
    "B twice as noisy": Planted(normal(0.01), normal(0.02)),
    "B five times as noisy": Planted(normal(0.01), normal(0.05)),
    "3 in 10 of B 1.3x slower": Planted(normal(0.01), lottery),
    "B skewed, A not": Planted(normal(0.01), skewed),
    "1% slower behind B": Planted(carried=0.01),
    "3% slower behind B": Planted(carried=0.03),
    "3% slower behind B, B 5% slower": Planted(carried=0.03, slower=0.05),
}


def seen(draw: Generator, of: Planted, blocks: int) -> tuple[bool, bool]:
    """Return whether a comparison with this number of blocks reports carry-over, and unequal spread."""
    of_b = permutation.SIGNS[draw.integers(len(permutation.SIGNS), size=blocks)] > 0
    behind = np.concatenate([np.zeros((blocks, 1), bool), of_b[:, :-1]], axis=1)
    values = np.where(of_b, of.b(draw, of_b.shape) + np.log1p(of.slower), of.a(draw, of_b.shape))
    values = values + np.log1p(of.carried) * behind
    found: Any = permutation.shift(values, of_b, ())
    asked: tuple[dict[str, Any], ...] = ({"weights": permutation.CARRIED}, {"of_distances": True})
    carried, unlike = (permutation.p_value(values, of_b, found[0], **how) < DOUBTED for how in asked)
    return carried, unlike


def main(times: int = 500) -> None:
    """Print a row for each machine: shares of the comparisons after 4, 6, 9 and 14 blocks."""
    heads = [f"{what}, {blocks}" for what in ("carry-over", "unlike spread") for blocks in BLOCKS]
    print("| trials |", " | ".join(heads), "|\n|---|" + "---:|" * len(heads))
    for name, of in MACHINES.items():
        draw = np.random.default_rng([*name.encode()])
        each = [[seen(draw, of, blocks) for _ in range(times)] for blocks in BLOCKS]
        shares = [np.mean([one[which] for one in found]) for which in (0, 1) for found in each]
        print(f"| {name} |", " | ".join(f"{share:.1%}" for share in shares), "|", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
