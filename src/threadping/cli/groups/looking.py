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
    path,
)

COMMANDS = Group()


def _run(optional: str = "last") -> click.Argument:
    return click.Argument(["run"], metavar="[RUN]", required=False, default=optional or None)


TRIALS = Option("--trials", "Each trial by itself, failed ones too.", WHAT, is_flag=True)
IN_STATE = Option(
    "--state", "Only cases of this state: near, far, or core to core as in 20-40ns.", WHAT, type=syntax.STATE
)
PERCENTILES = Option("--percentiles", "Every percentile, and histograms.", WHAT, is_flag=True)
CAUSES = Option("--outliers", "Outliers too, by their causes.", WHAT, is_flag=True)
LIMIT = Option("--limit", "How many at most; 20 by default.", WHAT, metavar="N", type=click.IntRange(1), default=20)
FORCE = Option("--force", "Even a run that another host seems to be measuring still.", WHAT, is_flag=True)


PAGE_FILE = path("--output -o page", "The page; threadping-RUN.html here by default.")
SVG, PNG = (path(f"--{one}", f"Write each chart into this folder as .{one}.", "DIR") for one in ("svg", "png"))
MARKDOWN = Option("--markdown", "Print its answers as markdown, for a pull request.", OUTPUT, is_flag=True)
IDENTIFY = Option("--identify", "Name the host, and the folders of users.", OUTPUT, is_flag=True)


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
