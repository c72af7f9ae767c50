"""The command: `python -m benchmarks.queue`."""

from collections.abc import Sequence
from pathlib import Path

import click

from benchmarks.agreement.gathering import two_cpus
from benchmarks.cli import CPUS, comparing, run, show
from benchmarks.gathering import Gathering
from benchmarks.queue import bare
from benchmarks.queue.probe import STREAM
from benchmarks.queue.questions import QUEUE, Group
from benchmarks.session import Where, hold, look_around, read
from benchmarks.trials import contenders
from threadping.probes.placements import name_of


@comparing(10, bare.BUILD / "session.json")
@CPUS
@click.option("--messages", type=click.IntRange(1000), default=30_000_000, help="Of a bare program.")
def ring(
    rounds: int,
    cpus: str | None,
    runtime: Sequence[str],
    messages: int,
    seed: int | None,
    form: str,
    record: Path,
    again: Path | None,
) -> None:
    """Compare streams through our probes with hand-written baselines: one run, random order, a process each."""
    if again is None:
        runtimes, topology = look_around(runtime)
        pair = two_cpus(topology, cpus)
        gathering = Gathering(runtimes)
        for one in gathering.described:
            gathering.contenders += contenders(one, STREAM, pair)
        gathering.invite(lambda: bare.cpp_contenders(*pair, messages))
        if machines := gathering.virtual_machines:
            gathering.invite(lambda: bare.java_contenders(machines, *pair, messages))
        where = Where(topology, pair, name_of(topology, pair))
        session = hold(QUEUE, [*Group], gathering, where, rounds=rounds, seed=seed, record=record)
    else:
        session = read(again)
    show(QUEUE, session, [*Group], form)


run(QUEUE.name, ring)
