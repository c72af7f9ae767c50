"""The commands that are no study: what was measured, looked at again; and what there is to measure."""

from pathlib import Path

import click

from threadping.options import syntax
from threadping.options.command import command, file, form, output, path, run_argument, several, what
from threadping.options.shared import (
    ANYWAY,
    CHART,
    EXPORT_NAMES,
    FILE,
    IDENTIFY,
    LISTING,
    LOCATION,
    ONE_EXPERIMENT,
    PAGE,
    RUN_FORMAT,
    RUNTIME,
    STRICT,
    TABULAR,
)
from threadping.studies.matrix.options import OF_MATRIX

RESUME = command(
    "resume",
    """Go on with a run that was interrupted, killed, or ended by a full disk: its number, or 'last'.

    What it has not measured yet is measured now, on the same machine and by the same builds, in the rest of its budget;
    then it shows what it would have shown.
    """,
    "conduct.resume.resume",
    click.Argument(["which"], metavar="RUN", required=True),
    ANYWAY,
    form("a table, or a format that this kind of run has; all else goes to stderr.", *EXPORT_NAMES, "markdown"),
    *(FILE, CHART, PAGE, STRICT, LOCATION),
)

IMPORT = command(
    "import",
    """Store the runs that pages and .run files carry; or show the matrix of another tool beside yours.

    Runs of a page (.html) or a .run file are shown and compared like yours. What core-to-core-latency and c2clat
    print, as CSV or for a person, alone or in a paste with other text, is shown and not stored. `-` is standard input.
    """,
    "cli.report.import_files",
    several("files", "PAGE.html|FILE.run|MATRIX...", required=True, type=click.Path(path_type=Path)),
    *OF_MATRIX,
)

SHOW = command(
    "show",
    "Show every case of a run: its number, or 'last' by default.",
    "cli.stored.show",
    *(run_argument(), ONE_EXPERIMENT),
    what(
        "--state",
        "Only cases measured in this state: near, far, or a range of core-to-core latency (20-40ns).",
        syntax.STATE,
    ),
    output("--percentiles", "Every percentile, and histograms.", is_flag=True),
    output("--outliers", "Outliers too, by their causes.", is_flag=True),
    output("--trials", "Each trial by itself, failed ones too.", is_flag=True),
    *(RUN_FORMAT, FILE, CHART, LOCATION),
)
REPORT = command(
    "report",
    "Write a page that holds a run, or several side by side: numbers, 'last', or pages of others.",
    "cli.report.report",
    several("which", "[RUN|PAGE]..."),
    file("--output -o page", "The page; threadping-RUN.html here by default.", "the page", "html"),
    *(path(f"--{one}", f"Write each chart into this folder as .{one}.", "DIR") for one in ("svg", "png")),
    output("--markdown", "Print its answers as markdown, for a pull request.", is_flag=True),
    *(IDENTIFY, LOCATION),
)
EXPLAIN = command(
    "explain",
    "Say what a warning or a figure means; with a run, with its figures.",
    "cli.stored.explain",
    *(click.Argument(["term"], metavar="WORD"), run_argument(None), LOCATION),
)

LIST = command(
    "list",
    "List the runs, newest first.",
    "cli.stored.list_runs",
    output("--limit", "Show N runs at most; 20 by default.", syntax.NumberInRange(1), default=20),
    *(TABULAR, LOCATION),
)
REMOVE = command(
    "rm",
    "Remove runs from the store.",
    "cli.stored.remove",
    several("which", "RUN...", required=True),
    what("--force", "Remove even a run that another host seems to be still measuring.", is_flag=True),
    LOCATION,
)
MECHANISMS = command(
    "mechanisms",
    "List every mechanism: what it does, its parameters, and what it costs the CPU.",
    "cli.runtimes.list_mechanisms",
    *(RUNTIME, LISTING),
)
RUNTIMES = command(
    "runtimes",
    "List the C++ probes and the JVMs found here, and which of them can be used.",
    "cli.runtimes.list_runtimes",
    TABULAR,
)

NEW = command(
    "new",
    """Write a mechanism of your own to begin with: a signal, queue or lock that compiles and works.

    Its comments say what each operation promises. The commands that measure it, and compare it with one of ours, are
    printed.
    """,
    "cli.new.write_skeleton",
    click.Argument(["concept"], metavar="signal|queue|lock", type=click.Choice(["signal", "queue", "lock"])),
    what("--language", "cpp, a header, or java.", click.Choice(["cpp", "java"]), default="cpp", metavar="LANGUAGE"),
    click.Argument(["name"], metavar="NAME"),
)
