"""The command: `python -m benchmarks.agreement`."""

import random
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.agreement.command import BUILD
from benchmarks.agreement.questions import Group
from benchmarks.agreement.report import answers_of, as_json, as_markdown, as_table
from benchmarks.agreement.rounds import HIGHEST_SEED
from benchmarks.agreement.session import Wanted, hold, read
from threadping.errors import ThreadpingError
from threadping.report.console import stdout

RECORD = BUILD / "session.json"

WIDE = 200
"""Columns for a table that goes into a file or a pipe: as many as the widest needs."""


class Format(StrEnum):
    """How the answers are written."""

    TABLE = "table"
    MARKDOWN = "markdown"
    JSON = "json"


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
        chosen = random.SystemRandom().randrange(HIGHEST_SEED) if seed is None else seed
        session = hold(Wanted(groups, runtime or (), cpus, rounds, iterations, chosen), record)
    else:
        session = read(again)
    answers = answers_of(session, groups)
    match form:
        case Format.TABLE:
            console = stdout()
            console.width = console.width if console.is_terminal else WIDE
            console.print(as_table(session, answers))
        case Format.MARKDOWN:
            sys.stdout.write(as_markdown(session, answers))
        case Format.JSON:
            sys.stdout.buffer.write(as_json(session, answers))


def main() -> None:
    """Run the command; every error that a person can meet ends as one sentence and an exit code."""
    try:
        typer.run(agreement)
    except ThreadpingError as error:
        print(f"agreement: {error}", file=sys.stderr)
        sys.exit(error.exit_code)


main()
