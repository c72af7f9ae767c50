"""Every pair of CPUs: the options of `matrix` and of `import`, and what they call."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from threadping.cli import options, syntax
from threadping.cli.options import (
    ANYWAY,
    CHART,
    HOW,
    RUNTIME,
    SEED,
    STORE,
    TIME,
    WHAT,
    Group,
    MatrixFormat,
    Option,
)
from threadping.errors import UsageError

COMMANDS = Group()

OF_PAIRS = Option("--cpus", "These CPUs instead of all: 0-3,8.", WHAT, type=syntax.CPUS)
MECHANISM = Option(
    "--mechanism",
    "Between the two threads; cas-one-line by default. `threadping mechanisms` lists those of signal.",
    WHAT,
    metavar="NAME",
)
HOMES = options.listed(
    "--home homes",
    "Where the lines are made: at the first CPU of a pair (the default), the second, or on a NUMA node. Each is a "
    "matrix of its own. Repeatable.",
    HOW,
    type=syntax.NAMES,
)
DIRECTIONS = Option("--directions", "Both ways: ping and pong change places.", HOW, is_flag=True)
AT_MOST = Option(
    "--budget budget_s",
    "How long at most; by default 10s, or what measuring every pair three times takes.",
    TIME,
    type=syntax.TIME,
)
RESUME = Option("--resume", "Go on with an interrupted one.", WHAT, metavar="RUN")
AS_MATRIX = options.form(
    MatrixFormat, "table, json, csv, or as core-to-core-latency and c2clat write theirs.", "--format form"
)


IN_FILES = click.Argument(
    ["files"], metavar="PAGE.html|FILE.run|MATRIX...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
GIVEN = (AS_MATRIX, CHART, STORE)


@COMMANDS.command(
    "matrix", params=[OF_PAIRS, MECHANISM, RUNTIME, RESUME, AT_MOST, SEED, HOMES, DIRECTIONS, ANYWAY, *GIVEN]
)
def _matrix(
    cpus: tuple[int, ...] | None,
    mechanism: str | None,
    runtimes: Sequence[str],
    resume: str | None,
    budget_s: float | None,
    seed: int | None,
    homes: Sequence[str],
    directions: bool,
    anyway: bool,
    **given: Any,
) -> None:
    """Measure the one-way latency between every two CPUs.

    Pairs that share no CPU are measured at once, as long as that changes nothing. It ends when every figure is within
    1%, or with its budget.
    """
    from threadping.cli import matrix
    from threadping.cli.answer import Asked
    from threadping.selection.selection import Selection

    asked = Asked(**given)
    if resume:
        if cpus or mechanism or runtimes or homes or directions or seed is not None:
            raise UsageError("--resume goes on as the run began: give it with --budget, or with options of the output.")
        matrix.resumed(resume, budget_s, asked, anyway=anyway)
        return
    selection = Selection(
        cpus=cpus, mechanisms=(mechanism,) if mechanism else (), runtimes=tuple(runtimes), seed=seed, anyway=anyway
    )
    matrix.measured(selection, homes, budget_s, asked, directions=directions)


@COMMANDS.command("import", params=[IN_FILES, *GIVEN])
def _import(files: Sequence[Path], form: MatrixFormat, chart: Path | None, store: str | None) -> None:
    """Store the runs that pages and .run files carry; or show the matrix of another tool beside one's own.

    Runs of a page (.html) or a .run file are shown and compared like one's own. core-to-core-latency's CSV and
    c2clat's text are shown and not stored.
    """
    from threadping.cli.report import ENDING, import_pages

    pages = [file for file in files if file.suffix.lower() in (*ENDING, ".run")]
    if pages and (form != "table" or chart):
        raise UsageError("--format and --chart are for a matrix; of a page runs are stored, for `threadping show`.")
    for file in files:
        if file not in pages:
            from threadping.cli.answer import Asked
            from threadping.cli.matrix import imported

            imported(file, Asked(form=form, chart=chart, store=store))
    import_pages(store, pages)
