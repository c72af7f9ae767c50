"""The command: `python -m benchmarks.lock`."""

from collections.abc import Sequence
from pathlib import Path

import click

from benchmarks.cli import comparing, only, run, show
from benchmarks.lock.bare import BUILD
from benchmarks.lock.gathering import gather, one_cpu
from benchmarks.lock.jmh import Effort
from benchmarks.lock.questions import LOCK, Group
from benchmarks.session import Where, hold, look_around, read

PLACEMENT = "C++ and Rust; Java is not pinned"


@comparing(10, BUILD / "session.json")
@only(Group)
@click.option("--cpu", type=click.IntRange(0), help="Where the sides of C++ and Rust are pinned.")
@click.option("--operations", type=click.IntRange(1000), default=50_000_000, help="Of a bare program.")
@click.option("--iterations", type=click.IntRange(1), default=5, help="Of a JMH fork: to warm up, and to measure.")
@click.option("--iteration-ms", type=click.IntRange(10), default=1000, help="How long each of them is.")
def lock(
    rounds: int,
    cpu: int | None,
    only: Sequence[str],
    runtime: Sequence[str],
    operations: int,
    iterations: int,
    iteration_ms: int,
    seed: int | None,
    form: str,
    record: Path,
    again: Path | None,
) -> None:
    """Compare one thread's lock with hand-written baselines and JMH: one run, random order, a process each."""
    groups = [Group(one) for one in only] or [*Group]
    if again is None:
        runtimes, topology = look_around(runtime)
        first = one_cpu(topology, cpu)
        where = Where(topology, (first, *(other for other in topology.allowed if other != first))[:2], PLACEMENT)
        gathering = gather(runtimes, where.cpus, operations, Effort(iterations, iteration_ms), groups)
        session = hold(LOCK, groups, gathering, where, rounds=rounds, seed=seed, record=record)
    else:
        session = read(again)
    show(LOCK, session, groups, form)


run(LOCK.name, lock)
