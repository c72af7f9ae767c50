"""The commands that are no study: what was measured, looked at again; and what there is to measure."""

from pathlib import Path

import click

from threadping.options import shared, syntax
from threadping.options.program import command, group
from threadping.output.formats import EXPORTS, PICTURES

RESUME = command(
    "resume",
    """Resume a run that was interrupted, killed, or ended by a full disk.

    It measures the rest on the same machine and by the same builds, then shows the whole run.
    """,
    "conduct.conduct.resume",
    shared.run_argument(None, metavar="RUN", required=True),
    shared.time_option("--budget budget_s", "Measure on this long, a complete matrix too.", syntax.TIME),
    *(shared.ANYWAY, shared.SILENT, shared.VERBOSE),
    *(*shared.OF_ANY_RUN, shared.STRICT, shared.LOCATION),
    examples=[("runs resume last", "the newest run"), ("runs resume 12 -o page.html", "run 12, and a page of it")],
    ends={3: "As the run's own command: B is slower, or unfit.", 4: "With --strict: undecided, as there."},
)

IMPORT = command(
    "import",
    """Store the runs of reports and .run files, or show another tool's matrix next to yours.

    The output of core-to-core-latency and c2clat is shown and not stored. `-` is standard input.
    """,
    "cli.report.import_files",
    click.Argument(
        ["paths"], metavar="PAGE.html|FILE.run|MATRIX...", nargs=-1, required=True, type=click.Path(path_type=Path)
    ),
    *shared.OF_MATRIX,
    examples=[
        ("runs import page.html", "the runs that a page carries"),
        ("runs import matrix.csv -o map.svg", "of another tool"),
    ],
)

SHOW = command(
    "show",
    """Show every case of a run.

    RUN is its number, or 'last', the default.
    """,
    "cli.stored.show",
    *(shared.run_argument(), shared.ONE_EXPERIMENT, *shared.SHOWN_ROWS),
    shared.output_option("--percentiles", "Show only the percentiles.", is_flag=True),
    shared.output_option("--outliers", "Show only the causes of outliers.", is_flag=True),
    shared.output_option("--trials", "Show only the trials, failed ones too.", is_flag=True),
    shared.output_option("--states states", "Show only how core-to-core latency changed.", is_flag=True),
    *(*shared.OF_ANY_RUN, shared.LOCATION),
    examples=[
        ("show", "the newest run"),
        ("show 12 --outliers", "why its slowest were slow"),
        ("show 12 --runtime cpp --metric p99.9", "its C++ rows, by p99.9"),
    ],
)
REPORT = command(
    "report",
    """Write an HTML report of one run, or of several side by side.

    RUN is a number or 'last'; a PAGE is a report that somebody sent.
    """,
    "cli.report.report",
    shared.run_argument(None, metavar="[RUN|PAGE]...", nargs=-1),
    *shared.answers("markdown", files=PICTURES),
    *(shared.IDENTIFY, shared.LOCATION),
    examples=[
        ("report", "a page of the newest run"),
        ("report 11 12 -o both.html", "two runs side by side"),
        ("report 12 --format markdown", "for a pull request"),
    ],
)
EXPLAIN = command(
    "explain",
    """Explain a term, warning, metric, mechanism or row.

    With a RUN, it adds the numbers of that run. Without a word, it lists all words. '#7' is a row.
    """,
    "cli.explaining.explain",
    click.Argument(["term"], metavar="[WORD] [RUN]", nargs=-1, **shared.completed_by("words")),
    shared.LOCATION,
    examples=[
        ("explain p99", "what p99 means"),
        ("explain other-load last", "a warning of the newest run"),
        ("explain '#1' last", "a row, with all that is known of it"),
    ],
)

LIST = command(
    "list",
    "List the runs, newest first.",
    "cli.listed.list_runs",
    shared.output_option("--limit", "Show at most N runs [default: 20].", syntax.whole_number(1), default=20),
    *(*shared.TABULAR, shared.LOCATION),
    examples=[("runs list", "the newest 20 runs"), ("runs list --limit 1000 --format csv", "for a program")],
)
REMOVE = command(
    "rm",
    "Remove runs from the store.",
    "cli.listed.remove",
    click.Argument(["which"], metavar="RUN...", nargs=-1, required=True, **shared.completed_by("runs")),
    shared.other_option("--anyway force", "Remove a run that another host still measures.", is_flag=True),
    shared.LOCATION,
    examples=[("runs rm 11 12", "these two"), ("runs rm last", "the newest run")],
)
MECHANISMS = command(
    "mechanisms",
    "List every mechanism, its parameters and its cost.",
    "cli.mechanisms.list_mechanisms",
    click.Argument(["names"], metavar="[NAME]...", nargs=-1, **shared.completed_by("mechanisms")),
    *(shared.RUNTIME, *shared.TABULAR),
    examples=[
        ("info mechanisms", "in C++, on every JVM and in Rust"),
        ("info mechanisms disruptor", "one of them"),
        ("info mechanisms --runtime cpp --format json", "for a program"),
    ],
)
RUNTIMES = command(
    "runtimes",
    "List the probes and JVMs that can be used here.",
    "cli.mechanisms.list_runtimes",
    *shared.TABULAR,
    examples=[("info runtimes", "what `--runtime` takes here"), ("info runtimes --format json", "for a program")],
)
TOOLS = command(
    "tools",
    "List the tools whose numbers `threadping reproduce` repeats.",
    "studies.reproduce.study.list_tools",
    *shared.TABULAR,
    examples=[("info tools", "which tools are known")],
)
INFO = group(
    "info",
    "List mechanisms, runtimes and tools.",
    *(MECHANISMS, RUNTIMES, TOOLS),
    start=[("info mechanisms", "every mechanism"), ("info runtimes", "what `--runtime` takes here")],
)
EXPORT = command(
    "export",
    "Write a run into a file: its number, or 'last'.",
    "cli.stored.export",
    shared.run_argument(None, metavar="RUN", required=True),
    shared.file_argument("files", *EXPORTS, "markdown", *PICTURES),
    shared.LOCATION,
    examples=[("runs export 12 run.json", "run 12 as JSON"), ("runs export last last.run", "to import elsewhere")],
)
RUNS = group(
    "runs",
    "List, remove, import, export or resume stored runs.",
    *(LIST, REMOVE, IMPORT, EXPORT, RESUME),
    start=[("runs list", "the newest 20"), ("runs resume last", "go on with an interrupted run")],
)
OWN_KINDS = ("signal", "queue", "lock", "barrier")  # concepts of custom mechanisms

NEW = command(
    "new",
    """Write a custom mechanism to start from; it compiles and works.

    Its comments state the contract of each operation. The commands that measure it are printed.
    """,
    "cli.mechanisms.write_skeleton",
    click.Argument(["concept"], metavar="|".join(OWN_KINDS), type=click.Choice(OWN_KINDS)),
    shared.other_option(
        "--language",
        "Write cpp [default], java or rust.",
        click.Choice(["cpp", "java", "rust"]),
        default="cpp",
        metavar="LANGUAGE",
    ),
    click.Argument(["name"], metavar="NAME"),
    examples=[
        ("new queue my_queue", "my_queue.hpp, in C++"),
        ("new lock MyLock --language java", "MyLock.java"),
        ("new signal mine --language rust", "mine, a crate"),
    ],
)
