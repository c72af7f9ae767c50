"""The command: `python -m benchmarks.states`."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from benchmarks.agreement.gathering import two_cpus
from benchmarks.cli import CPUS, run
from benchmarks.session import look_around
from benchmarks.states.turns import Row, Turn, spreads, turns
from threadping.probes.placements import name_of

HEADS = ("run", "at (UTC)", "core-to-core-latency", "threadping", "interval", "trials", "state")


@click.option("--rounds", type=click.IntRange(1), default=20, help="How many runs of each.")
@click.option("--matrix", is_flag=True, help="Ours is `threadping matrix`: how far do its cells vary from run to run?")
@CPUS
def states(rounds: int, cpus: str | None, *, matrix: bool) -> None:
    """Alternate threadping and core-to-core-latency (bench 1, its defaults) on the same two CPUs."""
    _, topology = look_around(None)
    ping, pong = two_cpus(topology, cpus)
    print(f"CPUs {ping},{pong} ({name_of(topology, (ping, pong))}), one way, ns\n")
    print(f"| {' | '.join(HEADS)} |\n|{'---:|' * len(HEADS)}")
    taken: list[Turn] = []
    with TemporaryDirectory(prefix="threadping-") as folder:
        every = turns(rounds, ping, pong, Path(folder) / "runs.sqlite3", matrix=matrix)
        for number, turn in enumerate(every, start=1):
            taken.append(turn)
            at = datetime.fromtimestamp(turn.at, UTC).strftime("%H:%M:%S")
            for place, row in enumerate(turn.rows):
                first = ("", "", "") if place else (str(number), at, f"{turn.theirs:.1f}")
                print(f"| {' | '.join((*first, *_cells(row)))} |", flush=True)
    print("\n" + "\n".join(f"- {line}" for line in spreads(taken)))


def _cells(row: Row) -> Iterator[str]:
    if row.latency_ns is None:
        yield from ("-", "-")
    else:
        ends = row.latency_ns.ci95 or row.latency_ns.range
        yield f"{row.latency_ns.typical:.1f}"
        yield f"{ends[0]:.1f} to {ends[1]:.1f}" if ends else "-"
    yield str(row.trials)
    yield "-" if row.state is None else f"{row.state.core_to_core_ns:.1f}"


run("states", states)
