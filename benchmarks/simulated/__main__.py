"""Simulate comparisons on machines whose truth is known, and print a Markdown table."""

from collections.abc import Callable

import click
import numpy as np
from numpy.random import Generator

from benchmarks.simulated.machines import MACHINES, OTHERS, Machine, blocks, measured
from threadping.studies.compare.blocks import looks
from threadping.studies.compare.power import power
from threadping.studies.compare.verdict import RatioTest

MARGIN = 0.03
RATIOS = (1.0, 1.02, 1.05)
"""Equals; what the margin excuses; what it does not."""

HEADINGS = (
    "machine",
    "noise",
    "equal: distinguished",
    "equal: same",
    "2% slower: fails",
    "5% slower: fails",
    "5% slower: same",
    "covers",
    "trials, equal",
    "trials, 5% slower",
)


@click.command(help=__doc__)
@click.option("--experiments", type=click.IntRange(1), default=1000, help="Of equals; a fifth as many of each other.")
@click.option("--noise", type=click.FloatRange(0), multiple=True, default=(1.1, 2.0, 3.0), help="Of trials, in %.")
@click.option("--most", type=click.IntRange(1), default=30, help="Maximum number of blocks of four trials.")
@click.option("--others", is_flag=True, help="More machines, at the least noise.")
@click.option("--alarms", is_flag=True, help="Only false alarms, at any look where a comparison would have ended.")
def simulated(experiments: int, noise: tuple[float, ...], most: int, others: bool, alarms: bool) -> None:
    """Print a row for each machine and noise."""
    headings = ("machine", "noise", "false alarms") if alarms else HEADINGS
    click.echo(" | ".join(("", *headings, "")).strip())
    click.echo("|" + "---|" * len(headings))
    for percent in noise:
        for name, machine in {**MACHINES, **(OTHERS if others and percent == min(noise) else {})}.items():
            draw = np.random.default_rng([*name.encode(), round(10 * percent)])
            row = (_alarms if alarms else _row)(machine, draw, percent / 100, most, experiments)
            click.echo(" | ".join(("", name, f"{percent:g}%", *row, "")).strip())


def _alarms(machine: Machine, draw: Generator, noise: float, most: int, experiments: int) -> tuple[str, ...]:
    given = [blocks(machine, draw, most, noise=noise) for _ in range(experiments)]
    found = power(given, looks=looks(most), shifts=(), draws=0)
    return (f"{found.false_alarms / experiments:.2%}",)


def _row(machine: Machine, draw: Generator, noise: float, most: int, experiments: int) -> tuple[str, ...]:
    answers: dict[float, list[RatioTest]] = {}
    trials: dict[float, float] = {}
    covers: list[bool] = []
    for truth in RATIOS:
        times = experiments if truth == 1 else max(1, experiments // 5)
        given = [blocks(machine, draw, most, noise=noise, ratio=truth) for _ in range(times)]
        found = [measured(one, looks(most), margin=MARGIN)[0] for one in given]
        answers[truth] = found
        trials[truth] = 4 * float(np.mean([one.blocks for one in found]))
        covers += [low <= truth <= high for low, high in (one.decides for one in found if one.decides)]

    def share(truth: float, is_so: Callable[[RatioTest], bool]) -> str:
        return f"{np.mean([is_so(one) for one in answers[truth]]):.1%}"

    return (
        share(1.0, lambda one: one.direction is not None),
        share(1.0, lambda one: one.answer == "same"),
        *(share(truth, lambda one: one.slower is True) for truth in RATIOS[1:]),
        share(1.05, lambda one: one.answer == "same"),
        f"{np.mean(covers):.1%}",
        f"{trials[1.0]:.0f}",
        f"{trials[1.05]:.0f}",
    )


if __name__ == "__main__":
    simulated()
