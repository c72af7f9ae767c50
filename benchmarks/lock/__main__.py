"""The command: `python -m benchmarks.lock`."""

from typing import Annotated

import typer

from benchmarks.cli import ONLY, Again, Form, Record, Rounds, Runtimes, Seed, run, show
from benchmarks.lock.bare import BUILD
from benchmarks.lock.gathering import gather, one_cpu
from benchmarks.lock.jmh import Effort
from benchmarks.lock.questions import LOCK, Group
from benchmarks.session import Where, hold, look_around, read

PLACEMENT = "C++; Java is not pinned"


def lock(
    rounds: Rounds = 10,
    cpu: Annotated[int | None, typer.Option(min=0, help="Where the C++ sides are pinned.")] = None,
    only: Annotated[list[Group] | None, ONLY] = None,
    runtime: Runtimes = None,
    operations: Annotated[int, typer.Option(min=1000, help="Of a bare program.")] = 50_000_000,
    iterations: Annotated[int, typer.Option(min=1, help="Of a JMH fork: so many to warm up, so many measured.")] = 5,
    iteration_ms: Annotated[int, typer.Option(min=10, help="How long each of them is.")] = 1000,
    seed: Seed = None,
    form: Form = "table",
    record: Record = BUILD / "session.json",
    again: Again = None,
) -> None:
    """Compare one thread's lock with bare loops and with JMH: in one run, in random order, a process each."""
    groups = only or [*Group]
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
