"""Look at what was measured, and what there is to measure: the options of each command, and what it calls."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from threadping.cli import syntax
from threadping.cli.options import (
    CHART,
    EXPERIMENT,
    FILE,
    FORMAT,
    LISTING,
    OUTPUT,
    RUNTIME,
    STORE,
    WHAT,
    Format,
    Group,
    Listing,
    Option,
)

COMMANDS = Group()


def _run(optional: str = "last") -> click.Argument:
    return click.Argument(["run"], metavar="[RUN]", required=False, default=optional or None)


TRIALS = Option("--trials", is_flag=True, help="Each trial by itself, failed ones too.", group=WHAT)
IN_STATE = Option(
    "--state", type=syntax.STATE, help="Only cases of this state: near, far, or core to core as in 20-40ns.", group=WHAT
)
PERCENTILES = Option("--percentiles", is_flag=True, help="Every percentile, and histograms.", group=WHAT)
CAUSES = Option("--outliers", is_flag=True, help="Outliers too, by their causes.", group=WHAT)
LIMIT = Option(
    "--limit", metavar="N", type=click.IntRange(1), default=20, help="How many at most; 20 by default.", group=WHAT
)
FORCE = Option("--force", is_flag=True, help="Even a run that another host seems to be measuring still.", group=WHAT)


PAGE_FILE = Option(
    *("--output", "-o", "page"),
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The page; threadping-RUN.html here by default.",
    group=OUTPUT,
)
SVG, PNG = (
    Option(
        f"--{ending}",
        metavar="DIR",
        type=click.Path(path_type=Path),
        help=f"Write each chart into this folder as .{ending}.",
        group=OUTPUT,
    )
    for ending in ("svg", "png")
)
MARKDOWN = Option("--markdown", is_flag=True, help="Print its answers as markdown, for a pull request.", group=OUTPUT)
IDENTIFY = Option("--identify", is_flag=True, help="Name the host, and the folders of users.", group=OUTPUT)


@COMMANDS.command(
    "show", params=[_run(), EXPERIMENT, IN_STATE, PERCENTILES, CAUSES, TRIALS, FORMAT, FILE, CHART, STORE]
)
def _show(
    run: str,
    trials: bool,
    output_format: Format,
    output_file: Path | None,
    chart: Path | None,
    store: str | None,
    **detail: Any,
) -> None:
    """Show a run again, with every case: its number, or 'last'."""
    from threadping.cli.answer import Output
    from threadping.cli.history import show
    from threadping.views.terminal.tables import Detail

    show(store, run, Output(output_format, output_file, chart, detail=Detail(**detail), trials=trials))


@COMMANDS.command(
    "report",
    params=[
        click.Argument(["runs"], metavar="[RUN|PAGE]...", nargs=-1),
        PAGE_FILE,
        SVG,
        PNG,
        MARKDOWN,
        IDENTIFY,
        STORE,
    ],
)
def _report(
    runs: Sequence[str],
    page: Path | None,
    svg: Path | None,
    png: Path | None,
    store: str | None,
    *,
    markdown: bool,
    identify: bool,
) -> None:
    """Write a run as a page that carries it, or several side by side: numbers, 'last', or pages of others."""
    from threadping.cli.report import Wanted, report

    report(store, runs or ("last",), Wanted(page, svg, png, markdown, identify))


@COMMANDS.command("explain", params=[click.Argument(["word"]), _run(""), STORE])
def _explain(word: str, run: str | None, store: str | None) -> None:
    """Say what a warning or a figure means; with a run, with its figures."""
    from threadping.cli.history import explain

    explain(store, word, run)


@COMMANDS.command("states", params=[_run(""), LISTING, CHART, STORE])
def _states(run: str | None, output_format: Listing, chart: Path | None, store: str | None) -> None:
    """Show how the core-to-core latency changed: in a run, or in all runs of this machine."""
    from threadping.cli.states import show_states

    show_states(store, run, output_format, chart)


@COMMANDS.command("list", params=[LIMIT, LISTING, STORE])
def _list(limit: int, output_format: Listing, store: str | None) -> None:
    """List the runs, newest first."""
    from threadping.cli.history import list_runs

    list_runs(store, limit, output_format)


@COMMANDS.command("rm", params=[click.Argument(["runs"], metavar="RUN...", nargs=-1, required=True), FORCE, STORE])
def _remove(runs: Sequence[str], force: bool, store: str | None) -> None:
    """Remove runs from the store."""
    from threadping.cli.history import remove

    remove(store, runs, force=force)


@COMMANDS.command("mechanisms", params=[RUNTIME, LISTING])
def _mechanisms(runtimes: Sequence[str], output_format: Listing) -> None:
    """List every mechanism: what it does, its parameters, and what it costs the CPU."""
    from threadping.cli.runtimes import list_mechanisms

    list_mechanisms(runtimes, output_format)


@COMMANDS.command("runtimes", params=[LISTING])
def _runtimes(output_format: Listing) -> None:
    """List the C++ probes and the JVMs found here, and which of them can be used."""
    from threadping.cli.runtimes import list_runtimes

    list_runtimes(output_format)
