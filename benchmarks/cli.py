"""What the commands of all benchmarks have in common."""

import random
import sys
from collections.abc import Callable, Sequence
from enum import StrEnum

import typer

from benchmarks.benchmark import Benchmark
from benchmarks.records import Session
from benchmarks.report import answers_of, as_json, as_markdown, as_table
from benchmarks.rounds import HIGHEST_SEED
from threadping.errors import ThreadpingError
from threadping.report.console import stdout

WIDE = 200
"""Columns for a table that goes into a file or a pipe: as many as the widest needs."""


class Format(StrEnum):
    """How the answers are written."""

    TABLE = "table"
    MARKDOWN = "markdown"
    JSON = "json"


def chosen_seed(given: int | None) -> int:
    """The seed that a person gave, or any."""
    return random.SystemRandom().randrange(HIGHEST_SEED) if given is None else given


def show(benchmark: Benchmark, session: Session, groups: Sequence[str], form: Format) -> None:
    """Write the answers to standard output."""
    answers = answers_of(benchmark, session, groups)
    match form:
        case Format.TABLE:
            console = stdout()
            console.width = console.width if console.is_terminal else WIDE
            console.print(as_table(benchmark, session, answers))
        case Format.MARKDOWN:
            sys.stdout.write(as_markdown(benchmark, session, answers))
        case Format.JSON:
            sys.stdout.buffer.write(as_json(session, answers))


def run(name: str, command: Callable[..., None]) -> None:
    """Run the command; every error that a person can meet ends as one sentence and an exit code."""
    try:
        typer.run(command)
    except ThreadpingError as error:
        print(f"{name}: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
