"""What the commands of all benchmarks have in common."""

import sys
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Annotated, Literal

import typer

from benchmarks.questions import Benchmark
from benchmarks.records import Session
from benchmarks.report import answers_of, as_json, as_markdown, as_table
from benchmarks.rounds import HIGHEST_SEED
from threadping.errors import ThreadpingError
from threadping.views.terminal.console import stdout

WIDE = 200
"""Columns for a table that goes into a file or a pipe: as many as the widest needs."""

ONLY = typer.Option(help="Ask only this kind of question; may be repeated.")

Format = Literal["table", "markdown", "json"]
Rounds = Annotated[int, typer.Option(min=1, help="How many processes of each.")]
Runtimes = Annotated[list[str] | None, typer.Option(help="As threadping's --runtime takes it; may be repeated.")]
Seed = Annotated[int | None, typer.Option(min=0, max=HIGHEST_SEED, help="Of every random choice.")]
Form = Annotated[Format, typer.Option("--format", help="How to write the answers.")]
Record = Annotated[Path, typer.Option(help="Written after every round.", show_default=False)]
Again = Annotated[Path | None, typer.Option("--from", help="Measure nothing: report this record.")]


def show(benchmark: Benchmark, session: Session, groups: Collection[str], form: Format) -> None:
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
        typer.run(command)
    except ThreadpingError as error:
        print(f"{name}: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
