"""The command: `python -m benchmarks.agreement`."""

from pathlib import Path
from typing import Annotated

import typer

from benchmarks.agreement.bare import BUILD
from benchmarks.agreement.benchmark import AGREEMENT
from benchmarks.agreement.questions import Group
from benchmarks.agreement.session import Wanted, measure
from benchmarks.cli import Format, chosen_seed, run, show
from benchmarks.rounds import HIGHEST_SEED
from benchmarks.session import read


def agreement(
    rounds: Annotated[int, typer.Option(min=1, help="How many processes of each.")] = 20,
    cpus: Annotated[str | None, typer.Option(help="Ping's CPU and pong's, such as 0,1.")] = None,
    only: Annotated[list[Group] | None, typer.Option(help="Ask only this kind of question; may be repeated.")] = None,
    runtime: Annotated[list[str] | None, typer.Option(help="As `threadping signal` takes it; may be repeated.")] = None,
    iterations: Annotated[int, typer.Option(min=1000, help="Round trips of peers and bare programs.")] = 2_000_000,
    seed: Annotated[int | None, typer.Option(min=0, max=HIGHEST_SEED, help="Of every random choice.")] = None,
    form: Annotated[Format, typer.Option("--format", help="How to write the answers.")] = Format.TABLE,
    record: Annotated[Path, typer.Option(help="Written after every round.", show_default=False)] = BUILD
    / "session.json",
    again: Annotated[Path | None, typer.Option("--from", help="Measure nothing: report this record.")] = None,
) -> None:
    """Compare our probes with peers and with the published programs: in one run, in random order, a process each."""
    groups = only or [*Group]
    if again is None:
        session = measure(Wanted(groups, runtime or (), cpus, rounds, iterations, chosen_seed(seed)), record)
    else:
        session = read(again)
    show(AGREEMENT, session, groups, form)


run(AGREEMENT.name, agreement)
