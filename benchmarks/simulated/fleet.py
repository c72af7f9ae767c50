"""Simulate fleets in which hosts were planted, and print a Markdown table: `python -m benchmarks.simulated.fleet`."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.unit.studies.fleet.test_fleet import fleet
from threadping.studies.fleet.command import differing

FLEETS = {8: 1000, 20: 1000, 50: 1000, 100: 400, 200: 200}
"""Number of fleets by number of hosts; four times as many if all hosts are equal."""

HOP_FIGURES = 10
EQUALS: Mapping[str, Mapping[str, Any]] = {
    "all equal": {},
    "every tenth host five times as noisy": {"noisy": 5.0},
    "one trial in twenty disturbed": {"disturbed": 0.05},
}
SLOW: Mapping[str, tuple[float, int]] = {
    "one host slow in one figure": (0.0, 1),
    "one host slow in all": (0.0, HOP_FIGURES),
    "10% slow in one figure": (0.1, 1),
}
"""Share of hosts that are 20% slower (at least one host), and the number of figures in which they are."""


def main() -> None:
    """Print how many fleets have a host that is said to differ and does not, and how often a planted one is found."""
    print("| hosts | what | fleets | others differ | planted found |\n|---:|---|---:|---:|---:|")
    for hosts, fleets in FLEETS.items():
        for what, planted in EQUALS.items():
            _row(hosts, what, fleets if planted else 4 * fleets, 0, planted)
        for what, (share, figures) in SLOW.items():
            number = max(1, round(share * hosts))
            _row(hosts, what, fleets, number, {"slow": 1.2, "planted": number, "figures": figures})


def _row(hosts: int, what: str, fleets: int, slow: int, planted: Mapping[str, Any]) -> None:
    chance, names, alarms, found = np.random.default_rng(29), {str(host) for host in range(slow)}, 0, 0
    for _ in range(fleets):
        differ = {one.host for one in differing(fleet(chance, hosts, HOP_FIGURES, **planted))[1]}
        alarms += bool(differ - names)
        found += len(differ & names)
    shown = f"{found / fleets / slow:.1%}" if slow else ""
    print(f"| {hosts} | {what} | {fleets:,} | {alarms / fleets:.2%} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
