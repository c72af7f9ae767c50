"""The commands that are no study: what was measured, looked at again; and what there is to measure."""

from pathlib import Path

import click

from threadping.options import shared, syntax
from threadping.options.program import command, group
from threadping.output.formats import EXPORTS, PICTURES

RESUME = command(
    "runs resume",
    "conduct.conduct.resume",
    shared.run_argument(None, metavar="RUN", required=True),
    shared.time_option("--budget budget_s", "Measure on this long, a complete matrix too.", syntax.TIME),
    *(shared.ANYWAY, shared.SILENT, shared.VERBOSE),
    *(*shared.OF_ANY_RUN, shared.STRICT, shared.LOCATION),
)

IMPORT = command(
    "runs import",
    "cli.report.import_files",
    click.Argument(
        ["paths"], metavar="PAGE.html|FILE.run|MATRIX...", nargs=-1, required=True, type=click.Path(path_type=Path)
    ),
    *shared.OF_MATRIX,
)

SHOW = command(
    "show",
    "cli.stored.show",
    *(shared.run_argument(), shared.ONE_EXPERIMENT, *shared.SHOWN_ROWS),
    shared.output_option("--percentiles", "Show only the percentiles.", is_flag=True),
    shared.output_option("--outliers", "Show only the causes of outliers.", is_flag=True),
    shared.output_option("--trials", "Show only the trials, failed ones too.", is_flag=True),
    shared.output_option("--states states", "Show only how core-to-core latency changed.", is_flag=True),
    *(*shared.OF_ANY_RUN, shared.LOCATION),
)
REPORT = command(
    "report",
    "cli.report.report",
    shared.run_argument(None, metavar="[RUN|PAGE]...", nargs=-1),
    *shared.answers("markdown", files=PICTURES),
    *(shared.IDENTIFY, shared.LOCATION),
)
EXPLAIN = command(
    "explain",
    "cli.explaining.explain",
    click.Argument(["term"], metavar="[WORD] [RUN]", nargs=-1, **shared.completed_by("words")),
    shared.LOCATION,
)

LIST = command(
    "runs list",
    "cli.listed.list_runs",
    shared.output_option("--limit", "Show at most N runs [default: 20].", syntax.whole_number(1), default=20),
    *(*shared.TABULAR, shared.LOCATION),
)
REMOVE = command(
    "runs rm",
    "cli.listed.remove",
    click.Argument(["which"], metavar="RUN...", nargs=-1, required=True, **shared.completed_by("runs")),
    shared.other_option("--anyway force", "Remove a run that another host still measures.", is_flag=True),
    shared.LOCATION,
)
MECHANISMS = command(
    "info mechanisms",
    "cli.mechanisms.list_mechanisms",
    click.Argument(["names"], metavar="[NAME]...", nargs=-1, **shared.completed_by("mechanisms")),
    *(shared.RUNTIME, *shared.TABULAR),
)
RUNTIMES = command("info runtimes", "cli.mechanisms.list_runtimes", *shared.TABULAR)
TOOLS = command("info tools", "studies.reproduce.study.list_tools", *shared.TABULAR)
INFO = group("info", MECHANISMS, RUNTIMES, TOOLS)
EXPORT = command(
    "runs export",
    "cli.stored.export",
    shared.run_argument(None, metavar="RUN", required=True),
    shared.file_argument("files", *EXPORTS, "markdown", *PICTURES),
    shared.LOCATION,
)
RUNS = group("runs", LIST, REMOVE, IMPORT, EXPORT, RESUME)
OWN_KINDS = ("signal", "queue", "lock", "barrier")  # concepts of custom mechanisms

NEW = command(
    "new",
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
)
