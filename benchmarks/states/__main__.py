"""The command: `python -m benchmarks.states`."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from benchmarks.agreement.gathering import two_cpus
from benchmarks.cli import run
from benchmarks.session import look_around
from benchmarks.states.turns import Row, Turn, turns, variation
from threadping.figures.states import alike
from threadping.machine.placements import name_of

HEADS = ("run", "at (UTC)", "core-to-core-latency", "threadping", "interval", "trials", "state", "sounding", "over it")


def states(
    rounds: Annotated[int, typer.Option(min=1, help="How many runs of each.")] = 20,
    cpus: Annotated[str | None, typer.Option(help="Ping's CPU and pong's, such as 0,1.")] = None,
) -> None:
    """Run threadping and core-to-core-latency (bench 1, its defaults) on the same two CPUs in turn."""
    _, topology = look_around(None)
    ping, pong = two_cpus(topology, cpus)
    print(f"CPUs {ping},{pong} ({name_of(topology, (ping, pong))}), one way, ns\n")
    print(f"| {' | '.join(HEADS)} |\n|{'---:|' * len(HEADS)}")
    told: list[Turn] = []
    with TemporaryDirectory(prefix="threadping-") as folder:
        for number, turn in enumerate(turns(rounds, ping, pong, Path(folder) / "runs.sqlite3"), start=1):
            told.append(turn)
            at = datetime.fromtimestamp(turn.at, UTC).strftime("%H:%M:%S")
            for place, row in enumerate(turn.rows):
                first = ("", "", "") if place else (str(number), at, f"{turn.theirs:.1f}")
                print(f"| {' | '.join((*first, *_cells(row)))} |", flush=True)
    print("\n" + "\n".join(_summary(told)))


def _cells(row: Row) -> Iterator[str]:
    if row.latency_ns is None:
        yield from ("-", "-")
    else:
        low, high = row.latency_ns.ci95 or row.latency_ns.range
        yield f"{row.latency_ns.typical:.1f}"
        yield f"{low:.1f} to {high:.1f}"
    yield str(row.trials)
    yield "-" if row.state is None else f"{row.state.sounding_ns:.1f}"
    yield "-" if row.sounding_ns is None else f"{row.sounding_ns:.1f}"
    yield "-" if row.over_sounding is None else f"{row.over_sounding:.3f}"


def _summary(told: Sequence[Turn]) -> Iterator[str]:
    """How far theirs varies, and ours within each state."""
    yield f"- core-to-core-latency: {_spread([turn.theirs for turn in told])}"
    of_all = [(row.state.sounding_ns, row) for turn in told for row in turn.rows if row.state]
    groups: list[list[tuple[float, Row]]] = []
    for apart, row in sorted(of_all, key=lambda one: one[0]):
        if not groups or not alike(groups[-1][-1][0], apart):
            groups.append([])
        groups[-1].append((apart, row))
    for rows in groups:
        yield (
            f"- threadping, {rows[0][0]:.1f} to {rows[-1][0]:.1f} apart: "
            f"{_spread([row.latency_ns.typical for _, row in rows if row.latency_ns])}; "
            f"over its soundings {_spread([row.over_sounding for _, row in rows if row.over_sounding])}"
        )
    yield f"- trials that crossed: {sum(turn.rows[0].crossed_trials for turn in told)}"


def _spread(values: Sequence[float]) -> str:
    share = variation(values)
    said = "" if share is None else f", standard deviation {100 * share:.1f}%"
    return f"{min(values):.4g} to {max(values):.4g} in {len(values)} runs{said}"


run("states", states)
