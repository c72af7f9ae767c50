"""Options and output that the commands of all benchmarks share."""

import sys
from collections.abc import Callable, Collection
from enum import StrEnum
from functools import reduce
from pathlib import Path
from typing import Any

import click

from benchmarks.questions import Benchmark
from benchmarks.records import Session
from benchmarks.report import answers_of, as_json, as_markdown, as_table
from benchmarks.rounds import HIGHEST_SEED
from threadping.model.errors import ThreadpingError
from threadping.output.printing import stdout

WIDE = 200
"""Columns for a table that goes into a file or a pipe: as many as the widest needs."""

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
PATH = click.Path(path_type=Path)
FORMATS = ("table", "markdown", "json")
CPUS = click.option("--cpus", help="The two CPUs, such as 0,1.")


def only(groups: type[StrEnum]) -> Decorator:
    """The option that asks some kinds of question only; the value is their names."""
    kinds = click.Choice([*groups], case_sensitive=False)
    return click.option("--only", multiple=True, type=kinds, help="Ask only this kind of question; may be repeated.")


def comparing(rounds: int, record: Path) -> Decorator:
    """The options of every benchmark, with the usual number of rounds and the usual place of its record."""
    options = (
        click.option("--rounds", type=click.IntRange(1), default=rounds, help="How many processes of each."),
        click.option("--runtime", multiple=True, help="As threadping's --runtime takes it; may be repeated."),
        click.option("--seed", type=click.IntRange(0, HIGHEST_SEED), help="Of every random choice."),
        click.option("--format", "form", type=click.Choice(FORMATS), default="table", help="How to write the answers."),
        click.option("--record", type=PATH, default=record, help="Written after every round."),
        click.option("--from", "again", type=PATH, help="Measure nothing: report this record."),
    )
    return lambda command: reduce(lambda made, option: option(made), reversed(options), command)


def show(benchmark: Benchmark, session: Session, groups: Collection[str], form: str) -> None:
    """Write the answers to standard output."""
    answers = answers_of(benchmark, session, groups)
    match form:
        case "table":
            console = stdout()
            console.width = console.width if console.is_terminal else WIDE
            console.print(as_table(benchmark, session, answers))
        case "markdown":
            sys.stdout.write(as_markdown(benchmark, session, answers))
        case "json":
            sys.stdout.buffer.write(as_json(session, answers))


def run(name: str, command: Callable[..., None]) -> None:
    """Run the command; every error that a person can meet ends as one sentence and an exit code."""
    try:
        click.command(command)()
    except ThreadpingError as error:
        print(f"{name}: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
