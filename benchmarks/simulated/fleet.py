"""Simulate fleets in which hosts were planted, and print a Markdown table: `python -m benchmarks.simulated.fleet`."""

import numpy as np

from tests.unit.comparing.test_fleet import fleet
from threadping.comparing.fleet import differing

FLEETS = {8: 1000, 20: 1000, 50: 1000, 100: 400, 200: 200}
"""How many of each number of hosts; ten times as many are of equals."""

FIGURES = 10
PLANTED = {"none": (0.0, 0), "one, in one figure": (0.0, 1), "one, in all": (0.0, FIGURES), "a tenth": (0.1, 1)}
"""Which hosts are a fifth slower: as a share of all, one at least, and in how many figures."""


def main() -> None:
    """Print how many fleets have a host that is said to differ and does not, and how often a planted one is found."""
    print("| hosts | planted | fleets | others differ | planted found |\n|---:|---|---:|---:|---:|")
    for hosts, fleets in FLEETS.items():
        for name, (share, figures) in PLANTED.items():
            chance = np.random.default_rng(29)
            planted = {str(host) for host in range(max(1, round(share * hosts)))} if figures else set()
            number, alarms, found = fleets if figures else 10 * fleets, 0, 0
            for _ in range(number):
                made = fleet(chance, hosts, FIGURES, slow=1.2, planted=len(planted), figures=figures)
                differ = {one.host for one in differing(made)[1]}
                alarms += bool(differ - planted)
                found += len(differ & planted)
            shown = f"{found / number / len(planted):.1%}" if planted else ""
            print(f"| {hosts} | {name} | {number} | {alarms / number:.2%} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
