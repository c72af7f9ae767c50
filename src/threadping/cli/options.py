"""The options of the commands, in groups, and how the help shows them."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, Literal, get_args

import click

from threadping import files
from threadping.cli import syntax
from threadping.experiments import EXPERIMENTS
from threadping.experiments.experiment import Experiment
from threadping.extras import require
from threadping.plan.rounds import HIGHEST_SEED

Format = Literal["table", "json", "csv", "hgrm", "hlog", "run"]
Listing = Literal["table", "json"]
CompareFormat = Literal["table", "json", "csv", "markdown"]
HopFormat = Literal["table", "json", "csv"]
MatrixFormat = Literal["table", "json", "csv", "core-to-core-latency", "c2clat"]
WHAT, TIME, HOW, OUTPUT, OTHER = "What to measure", "For how long", "How to measure", "Output", "Other"


class Option(click.Option):
    """An option in a group of the help."""

    def __init__(self, names: str, help: str, group: str, **rest: Any) -> None:
        """Take its names, with blanks in between, and click's arguments; `group` is its heading in the help."""
        super().__init__(names.split(), help=help, **rest)
        self.group = group

    def get_help_extra(self, ctx: click.Context) -> Any:
        """Nothing but what the help says."""
        return {}


class Command(click.Command):
    """A command whose help shows its options in groups."""

    def get_short_help_str(self, limit: int = 0) -> str:
        """Its first sentence, whole: the list of commands wraps it."""
        return super().get_short_help_str(max(limit, 200))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each group under its heading."""
        groups: dict[str, list[tuple[str, str]]] = {name: [] for name in (WHAT, TIME, HOW, OUTPUT, OTHER)}
        for param in self.get_params(ctx):
            if isinstance(param, click.Option) and (record := param.get_help_record(ctx)):
                groups[getattr(param, "group", OTHER)].append(record)
        for name, records in groups.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records)


def command(
    name: str, help: str, calls: str, *params: click.Parameter, settings: Mapping[str, Any] | None = None, **fixed: Any
) -> Command:
    """A command that calls a function of this room with its parameters by their names, and with what is fixed.

    Args:
        name: of the command.
        help: its first sentence stands in the list of commands.
        calls: `module.function`, imported when it is called: the help waits for none.
        params: their names are those of the function's.
        settings: of click's context.
        fixed: further parameters of the function.
    """

    def call(**given: Any) -> Any:
        module, _, function = calls.partition(".")
        return getattr(import_module(f"threadping.cli.{module}"), function)(**given, **fixed)

    return Command(name, params=[*params], callback=call, help=help, context_settings=dict(settings or {}))


def listed(names: str, help: str, group: str, type: syntax.Syntax, default: Sequence[str] = ()) -> Option:
    """An option that may be repeated, and whose values are lists; each value once."""

    def flat(_context: click.Context, _option: click.Parameter, values: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
        return tuple(dict.fromkeys(chain.from_iterable(values)))

    return Option(names, help, group, type=type, multiple=True, default=default, callback=flat)


def _drawable(_context: click.Context, _option: click.Parameter, chart: Path | None) -> Path | None:
    """Refuse a chart that cannot be drawn there, before anything is measured for it."""
    if chart is not None:
        from threadping.views.charts import check_chart

        check_chart(chart)
    return chart


def _exportable(_context: click.Context, _option: click.Parameter, file: Path | None) -> Path | None:
    """Refuse a file that cannot be written there; its ending says in which format."""
    if file is not None:
        from threadping.views.export import FORMATS

        files.check(file, [f".{name}" for name in FORMATS], "the output")
        _available(_context, _option, file.suffix.lower()[1:])
    return file


def _available(_context: click.Context, _option: click.Parameter, form: str) -> str:
    """Refuse a format whose package is not installed."""
    if form in ("hgrm", "hlog"):
        require("hdrhistogram", "HdrHistogram's formats")
    return form


def _pageable(_context: click.Context, _option: click.Parameter, page: Path | None) -> Path | None:
    """Refuse a page that cannot be written there."""
    if page is not None:
        from threadping.cli.report import check_page

        check_page(page)
    return page


def _param(option: str, type: syntax.Syntax, help: str) -> Option:
    """An option for parameters: all of them are gathered in `params`."""

    def gather(context: click.Context, _option: click.Parameter, given: Sequence[tuple[str, tuple[str, ...]]]) -> None:
        params: dict[str, tuple[str, ...]] = context.params.setdefault("params", {})
        for name, values in given:
            params[name] = tuple(dict.fromkeys((*params.get(name, ()), *values)))

    return Option(option, help, HOW, type=type, multiple=True, callback=gather, expose_value=False)


def _jvm_flag(name: str, flags: tuple[str, ...], help: str) -> Option:
    """An option that stands for flags of every JVM: those given are gathered in `jvm_flags`."""

    def gather(context: click.Context, _option: click.Parameter, given: bool) -> None:
        context.params.setdefault("jvm_flags", {}).update({name: flags} if given else {})

    return Option(f"--{name}", help, HOW, is_flag=True, callback=gather, expose_value=False)


def form(formats: Any, named: str) -> Option:
    """The option for one of these formats, which are `named` in its help."""
    text, choice = f"What goes to stdout: {named}", click.Choice(get_args(formats))
    return Option("--format form", text, OUTPUT, type=choice, metavar="FORMAT", default="table", callback=_available)


def path(names: str, help: str, metavar: str = "FILE", **rest: Any) -> Option:
    """An option for a file that is written."""
    return Option(names, help, OUTPUT, metavar=metavar, type=click.Path(path_type=Path), **rest)


def flag(names: str, help: str, group: str) -> Option:
    """An option without a value."""
    return Option(names, help, group, is_flag=True)


RUNTIME = listed(
    "--runtime runtimes",
    "Languages and JVMs: cpp, 'cpp -march=native', java-17, java (every JVM), 'java-17 -XX:+UseParallelGC', a path to "
    "a JVM, or cpp=PATH: a C++ probe of your own. Repeatable.",
    WHAT,
    type=syntax.RUNTIMES,
)
EXPERIMENT = Option("--experiment", "Only the cases of this experiment.", WHAT, type=click.Choice([*EXPERIMENTS]))
MECHANISM = listed(
    "--mechanism mechanisms",
    "Only these: NAME,NAME; `threadping mechanisms` lists them. Repeatable.",
    WHAT,
    type=syntax.NAMES,
)
PLACEMENT = listed(
    "--placement placements",
    "Where the threads run, by what their CPUs share: same-cpu, smt (a core), same-l2, same-l3, same-node, cross-node; "
    "or unpinned. Repeatable.",
    WHAT,
    type=syntax.NAMES,
)
CPUS = Option("--cpus", "These CPUs, one for each thread, instead of a placement.", WHAT, type=syntax.CPUS)
BUDGET = Option(
    "--budget budget_s", "How long in all: 30s, 2m, 1h; by default 60s.", TIME, type=syntax.TIME, default="60s"
)
TRIAL = Option("--trial trial_s", "The length of each trial: 300ms, 2s.", TIME, type=syntax.TIME)
SEED = Option(
    "--seed", "Repeat the random orders of another run.", TIME, type=click.IntRange(0, HIGHEST_SEED), metavar="N"
)
ANYWAY = flag("--anyway", "Measure although another threadping is measuring.", HOW)
CHART = path("--chart", "Draw a chart: .svg, .png or .html.", callback=_drawable)
PAGE = path("--report page", "Write a page too: FILE.html.", callback=_pageable)
LOCATION = Option(
    "--store location",
    "Where runs are kept, $THREADPING_STORE; by default in the user's data folder.",
    OUTPUT,
    metavar="PATH|URL",
    envvar="THREADPING_STORE",
)
FORMAT = form(Format, "table, json, csv, hgrm, hlog or run (for import); all else goes to stderr.")
LISTING = form(Listing, "table or json.")
HOPS = form(HopFormat, "table or json; csv for hops and comparisons.")
FILE = path(
    "--output -o file",
    "Also write a file: .json, .csv, .hgrm (percentiles), .hlog (HdrHistogram's interval log), .run (for import).",
    callback=_exportable,
)
STRICT = flag("--strict", "Exit with 1 if a case failed or has a warning.", OUTPUT)


def measuring(experiments: Sequence[Experiment]) -> list[click.Parameter]:
    """The options of a command that measures these experiments: fields of Selection, and those of the output."""
    return [*selecting(experiments), STATE, FORMAT, FILE, CHART, PAGE, STRICT, LOCATION]


def selecting(experiments: Sequence[Experiment]) -> list[click.Parameter]:
    """Those that say what of these experiments is measured, and how: fields of Selection."""
    counted = {one.asking.group for one in experiments if one.asking.threads is None}
    short = {name: text for one in experiments for name, text in one.options.items()}
    jvm_options = {name: given for one in experiments for name, given in one.jvm_options.items()}
    return [
        MECHANISM,
        RUNTIME,
        PLACEMENT,
        CPUS,
        *([THREADS] if 1 in counted else []),
        *([PAIRS] if 2 in counted else []),
        BUDGET,
        TRIAL,
        SEED,
        *(_param(f"--{name}", _values_of(name), text) for name, text in short.items()),
        _param(
            "--param",
            syntax.PARAM,
            "Any parameter that `threadping mechanisms` lists; VALUE,VALUE measures both. Repeatable.",
        ),
        *(_jvm_flag(name, flags, text) for name, (flags, text) in jvm_options.items()),
        *STANDING,
        _outliers("10x,5us" if any(one.looks for one in experiments) else "off"),
        ANYWAY,
    ]


def _outliers(default: str) -> Option:
    text = "10x,5us (ten medians, and at least 5 us), 20us, off"
    return Option(
        "--outliers",
        f"What counts as an outlier, whose cause is looked for: {text}; by default {default}.",
        HOW,
        type=syntax.OUTLIER,
        default=default,
    )


def _values_of(name: str) -> syntax.Syntax:
    return syntax.Syntax("VALUE", lambda text: syntax.param(f"{name}={text}"))


THREADS = Option(
    "--threads",
    "How many threads: 4, 1-8 or 1,2,8; by default 1, 2, 4, ... beyond the number of CPUs.",
    WHAT,
    type=syntax.THREADS,
    default=(),
)
PAIRS = Option(
    "--pairs",
    "How many pairs of threads: 16, 1-4 or 1,16,256; by default 1, 16 and 256.",
    WHAT,
    type=syntax.PAIRS,
    default=(),
)
STATE = Option(
    "--state",
    "Measure only while the core-to-core latency is near (the least that is known), far, or in a range of ns (20-40); "
    "waits for that within the budget.",
    WHAT,
    type=syntax.STATE,
)
BUSY = (
    listed(
        "--busy",
        "Measure beside N busy threads that compete for the CPUs; N,M measures both; none (0) by default.",
        HOW,
        type=syntax.BUSY,
        default=("0",),
    ),
    Option(
        "--busy-nice",
        "Their niceness: by how much the busy threads give way to others, 0 (the default) to 19.",
        HOW,
        type=click.IntRange(0, 19),
        metavar="N",
        default=0,
    ),
)
STANDING = (
    *BUSY,
    listed(
        "--pin pins",
        "Pin each thread to its CPU (thread, the default), or the process to all of them (process).",
        HOW,
        type=syntax.PINS,
        default=("thread",),
    ),
    listed(
        "--warmup warmups",
        "Warm up until the pace is steady (steady, the default), or for R rounds of N operations: 10x100k, 1x500M. "
        "Repeatable.",
        HOW,
        type=syntax.WARMUPS,
        default=("steady",),
    ),
    Option(
        "--lines",
        "Measure over N cache lines; by default as many as suit the mechanism.",
        HOW,
        type=click.IntRange(1, 65536),
        metavar="N",
    ),
    listed(
        "--home homes",
        "Touch the memory first on the CPUs of this role or NUMA node; by default of the first thread. Repeatable.",
        HOW,
        type=syntax.NAMES,
    ),
)

SELECTED = selecting([*EXPERIMENTS.values()])
"""Every option that says what is measured, and how."""
