"""The command: `python -m benchmarks.lock`."""

from pathlib import Path
from typing import Annotated

import typer

from benchmarks.cli import Format, chosen_seed, run, show
from benchmarks.lock.bare import BUILD
from benchmarks.lock.benchmark import LOCK
from benchmarks.lock.jmh import Effort
from benchmarks.lock.questions import Group
from benchmarks.lock.session import Wanted, measure
from benchmarks.rounds import HIGHEST_SEED
from benchmarks.session import read


def lock(
    rounds: Annotated[int, typer.Option(min=1, help="How many processes of each; of JMH, forks.")] = 10,
    cpu: Annotated[int | None, typer.Option(min=0, help="Where the C++ sides are pinned.")] = None,
    only: Annotated[list[Group] | None, typer.Option(help="Ask only this kind of question; may be repeated.")] = None,
    runtime: Annotated[list[str] | None, typer.Option(help="As `threadping lock` takes it; may be repeated.")] = None,
    operations: Annotated[int, typer.Option(min=1000, help="Of a bare program.")] = 50_000_000,
    iterations: Annotated[int, typer.Option(min=1, help="Of a JMH fork: so many to warm up, so many measured.")] = 5,
    iteration_ms: Annotated[int, typer.Option(min=10, help="How long each of them is.")] = 1000,
    seed: Annotated[int | None, typer.Option(min=0, max=HIGHEST_SEED, help="Of every random choice.")] = None,
    form: Annotated[Format, typer.Option("--format", help="How to write the answers.")] = Format.TABLE,
    record: Annotated[Path, typer.Option(help="Written after every round.", show_default=False)] = BUILD
    / "session.json",
    again: Annotated[Path | None, typer.Option("--from", help="Measure nothing: report this record.")] = None,
) -> None:
    """Compare one thread's lock with bare loops and with JMH: in one run, in random order, a process each."""
    groups = only or [*Group]
    if again is None:
        effort = Effort(iterations, iteration_ms)
        session = measure(Wanted(groups, runtime or (), cpu, rounds, operations, effort, chosen_seed(seed)), record)
    else:
        session = read(again)
    show(LOCK, session, groups, form)


run(LOCK.name, lock)
