"""Options: their building blocks, those that several commands have, and the commands that measure experiments."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from threadping.experiments import EXPERIMENTS, of_run
from threadping.model import files
from threadping.model.base import gathered
from threadping.model.contract import HIGHEST_SEED
from threadping.model.errors import UsageError, require_extra
from threadping.model.text import keep_store
from threadping.options import syntax
from threadping.options.program import HEADINGS, Command, function_named, studying
from threadping.output.formats import EXPORTS, ending_of, form_of
from threadping.probes.builds import read_mechanisms


class Option(click.Option):
    """An option in a group of the help; one whose values are lists may be repeated, and each value counts once."""

    def __init__(self, group: str, names: str, help: str, type: Any = None, **rest: Any) -> None:
        if isinstance(type, syntax.Many):
            rest = {"multiple": True, "default": (), "callback": _flat, **rest}
        super().__init__(names.split(), help=help, type=type, **rest)
        self.group = group

    def get_help_extra(self, ctx: click.Context) -> Any:
        return {}


def _flat(_context: click.Context, _option: click.Parameter, values: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(values)))


def completed_by(known: str) -> dict[str, Any]:
    """Return click's arguments that complete a parameter, a list with commas too, by `cli.completing`."""

    def complete(context: click.Context, _param: click.Parameter, given: str) -> Any:
        return function_named("cli.completing.complete_word")(known, context, given)

    return {"shell_complete": complete}


subject_option, time_option, method_option, output_option, other_option = (partial(Option, of) for of in HEADINGS)


def mechanisms(names: str, help: str) -> Option:
    """Return the option for mechanisms, by names or by files with custom ones, which `own` collects."""

    def read(context: click.Context, option: click.Parameter, values: Any) -> tuple[str, ...]:
        named, context.params["own"] = read_mechanisms(_flat(context, option, values))
        return named

    return subject_option(names, help, syntax.NAMES, callback=read, **completed_by("mechanisms"))


def rejected_option(option: str, why: str) -> Option:
    """Return an option that other commands have and this one rejects: hidden, with a remedy."""

    def refuse(_context: click.Context, _option: click.Parameter, values: Any) -> None:
        if values:
            raise UsageError(why)

    return subject_option(option, why, multiple=True, hidden=True, callback=refuse, expose_value=False)


def run_argument(default: str | None = "last", *, metavar: str = "[RUN]", required: bool = False) -> click.Argument:
    return click.Argument(["which"], metavar=metavar, required=required, default=default, **completed_by("runs"))


def variadic(name: str, metavar: str, **rest: Any) -> click.Argument:
    return click.Argument([name], metavar=metavar, nargs=-1, **rest)


def _gathered(into: str, pairs: Callable[[Any], Iterable[tuple[str, tuple[str, ...]]]]) -> dict[str, Any]:
    """Return a callback that collects the pairs of several options in one parameter, a mapping `into`."""

    def gather(context: click.Context, _option: click.Parameter, given: Any) -> None:
        found: dict[str, tuple[str, ...]] = context.params.setdefault(into, {})
        for name, values in pairs(given):
            found[name] = tuple(dict.fromkeys((*found.get(name, ()), *values)))

    return {"callback": gather, "expose_value": False}


def alias_of(option: str, argument: str, help: str, type: syntax.Syntax) -> Option:
    """Return an option that stands for an argument, as other commands have an option for it."""

    def take(context: click.Context, _option: click.Parameter, given: Any) -> None:
        if given is not None:
            context.params[argument] = given

    return subject_option(f"{option} {argument}_too", help, type, callback=take, expose_value=False)


def param(option: str, help: str, type: syntax.Syntax, **rest: Any) -> Option:
    """Return an option for parameters; `params` collects all of them."""
    return method_option(option, help, type, multiple=True, **_gathered("params", iter), **rest)


def jvm_flag(name: str, flags: tuple[str, ...], help: str) -> Option:
    """Return an option that stands for flags of every JVM; `jvm_flags` collects them."""
    return method_option(
        f"--{name}", help, is_flag=True, **_gathered("jvm_flags", lambda given: [(name, flags)] if given else ())
    )


def form(named: str, *formats: str) -> Option:

    def available(_context: click.Context, _option: click.Parameter, form: str) -> str:
        _installed(form)
        return form

    choice = syntax.one_of("table", *formats)
    text = f"What goes to stdout: {named}"
    return output_option("--format form", text, choice, metavar="FORMAT", default="table", callback=available)


def path(names: str, help: str, metavar: str = "FILE", **rest: Any) -> Option:
    return output_option(names, help, click.Path(path_type=Path), metavar=metavar, **rest)


def file(names: str, help: str, kind: str, *endings: str) -> Option:
    """Return an option for an output file, whose ending names its format; refuse one that cannot be written."""

    def writable(_context: click.Context, _option: click.Parameter, given: str | None) -> Path | None:
        if given is None:
            return None
        path = Path(given)
        _installed(form_of(path), kind)
        files.check(path, endings, kind)
        return path

    return output_option(names, help, click.Path(), metavar="FILE", callback=writable)


def _installed(form: str, kind: str = "") -> None:
    if form in EXPORTS and (extra := EXPORTS[form].extra):
        require_extra(*extra)
    elif form in ("svg", "png", "html"):
        require_extra("charts", f"{kind.removeprefix('the ').capitalize()}s")


READERS = ", ".join(f"{ending_of(name)} ({one.says})" for name, one in EXPORTS.items())

RUNTIME = subject_option(
    "--runtime runtimes",
    "Languages and JVMs: cpp, 'cpp -march=native', java-17, java (every JVM), 'java-17 -XX:+UseParallelGC', rust, a "
    "path to a JVM, or NAME=PATH: a probe of your own (docs/own-probe.md). Repeatable.",
    syntax.RUNTIMES,
    **completed_by("runtimes"),
)
ONE_EXPERIMENT = subject_option(
    "--experiment",
    f"Only the cases of this experiment: {', '.join(EXPERIMENTS)}.",
    syntax.one_of(*EXPERIMENTS),
    metavar="NAME",
)
MECHANISM = mechanisms(
    "--mechanism mechanisms",
    "Only these: NAME,NAME; `threadping mechanisms` lists them. Or your own: ./my_queue.hpp, ./my_crate (docs/own.md). "
    "Repeatable.",
)
BUILDING = (
    method_option("--cxx", "What compiles your own; by default $CXX, or c++, g++, clang++.", metavar="COMMAND"),
    method_option("--cxxflags", "With which flags: '-I ../include -O2 -ltbb'.", metavar="FLAGS", default=""),
    method_option(
        "--cargoflags", "With which cargo builds your crate: '--features my_crate/fast'.", metavar="FLAGS", default=""
    ),
)
PLACEMENT = subject_option(
    "--placement placements",
    "Where the threads run, by what their CPUs share: same-cpu, smt (a core), same-l2, same-l3, same-node, cross-node; "
    "or unpinned. Repeatable.",
    syntax.NAMES,
    **completed_by("placements"),
)
CPUS = subject_option("--cpus", "These CPUs, one for each thread, instead of a placement.", syntax.CPUS)
BUDGET = time_option("--budget budget_s", "How long in all: 30s, 2m, 1h; by default 60s.", syntax.TIME, default="60s")
TRIAL_TIME = time_option("--trial trial_s", "The length of each trial: 300ms, 2s.", syntax.TRIAL)
END_EARLY = time_option(
    "--until",
    "End early: measure a case no more when half of its interval is within this, such as 3%.",
    syntax.UNTIL,
)
SEED = time_option("--seed", "Repeat the random orders of another run.", syntax.NumberInRange(0, HIGHEST_SEED))
ANYWAY = method_option("--anyway", "Measure although another threadping is measuring.", is_flag=True)
CHART = file("--chart", "Draw a chart: .svg, .png or .html.", "the chart", ".svg", ".png", ".html")
PAGE = file("--report page", "Write a page too: FILE.html.", "the page", ".html")


def _keep(context: click.Context, option: click.Parameter, location: str | None) -> str | None:
    """Have every proposed command name the store that was named."""
    if context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE:  # not a command inside a fleet's
        keep_store(location)
    return location


LOCATION = output_option(
    "--store location",
    "Where runs are kept, $THREADPING_STORE; by default in the user's data folder.",
    metavar="PATH|URL",
    envvar="THREADPING_STORE",
    callback=_keep,
)
RUN_FORMAT = form(f"table, {', '.join(EXPORTS)} (docs/formats.md); all else goes to stderr.", *EXPORTS)
LISTING = form("table or json.", "json")
OF_A_STUDY = form("table, json, csv or markdown.", "json", "csv", "markdown")
TABULAR = form("table, json or csv.", "json", "csv")
FILE = file(
    "--output -o file",
    f"Also write a file: {READERS}.",
    "the output",
    *map(ending_of, EXPORTS),
)
STRICT = output_option("--strict", "Exit with 1 if a case failed, with 4 if one is in doubt.", is_flag=True)
PAIRS = subject_option(
    "--pairs", "How many pairs of threads: 16, 1-4 or 1,16,256; by default 1, 16 and 256.", syntax.PAIRS, default=()
)
IN_STATE = subject_option(
    "--state",
    "Measure only while the core-to-core latency is near (the lowest known), far, or in a range (20-40ns); "
    "waits for that within the budget.",
    syntax.STATE,
)
BUSY_THREADS = (
    method_option(
        "--busy",
        "Measure beside N busy threads that compete for the CPUs; N,M measures both; none (0) by default.",
        syntax.BUSY,
        default=("0",),
    ),
    method_option(
        "--busy-nice",
        "Their niceness: by how much the busy threads give way to others, 0 (the default) to 19.",
        syntax.NumberInRange(0, 19),
        default=0,
    ),
)
STANDING = (
    *BUSY_THREADS,
    method_option(
        "--pin pins",
        "Pin each thread to its CPU (thread, the default), or the process to all of them (process).",
        syntax.PINS,
        default=("thread",),
    ),
    method_option(
        "--warmup warmups",
        "Warm up until the pace is steady (steady, the default), or for R rounds of N operations: 10x100k, 1x500M. "
        "Repeatable.",
        syntax.WARMUPS,
        default=("steady",),
    ),
    method_option(
        "--lines",
        "Measure over N lines of 128 bytes; by default as many as suit the mechanism.",
        syntax.NumberInRange(1, 65536),
    ),
    method_option(
        "--home homes",
        "Place the shared memory near this role or NUMA node; by default near the first thread. Repeatable.",
        syntax.NAMES,
    ),
)
IDENTIFY = output_option(
    "--identify", "Keep the names of hosts and of users' folders, which a page leaves out otherwise.", is_flag=True
)


def selecting(names: Sequence[str]) -> list[click.Parameter]:
    """Return the options that select cases of these experiments, as fields of Selection."""
    experiments = [EXPERIMENTS[name] for name in names]
    counted = {one.defaults.group for one in experiments if one.defaults.threads is None}
    short = {name: _help_of(name, names) for one in experiments for name in one.options}
    jvm_options = {name: given for one in experiments for name, given in one.jvm_options.items()}
    looks = "10x,5us" if any(one.looks for one in experiments) else "off"
    shares = {one.defaults.of_cpus for one in experiments if one.defaults.threads is None and one.defaults.group == 1}
    usual = "2, and half, once and twice the number of CPUs"
    if () in shares:
        usual = "1, 2, 4, ... beyond the number of CPUs"
    text = f"How many threads: 4, 1-8 or 1,2,8; by default {usual}."
    threads = subject_option("--threads", text, syntax.THREADS, default=())
    return [
        *(MECHANISM, RUNTIME, PLACEMENT, CPUS),
        *([threads] if 1 in counted else []),
        *([PAIRS] if 2 in counted else []),
        *(BUDGET, TRIAL_TIME, SEED),
        *(param(f"--{name}", text, syntax.value_of(name)) for name, text in short.items()),
        param(
            "--param",
            "Any parameter that `threadping mechanisms` lists; VALUE,VALUE measures both. Repeatable.",
            syntax.PARAM,
            **completed_by("params"),
        ),
        *(jvm_flag(name, flags, text) for name, (flags, text) in jvm_options.items()),
        *STANDING,
        method_option(
            "--outliers",
            "What counts as an outlier, whose cause is looked for: 10x,5us (ten medians, and at least 5 us), 20us, "
            f"off; by default {looks}.",
            syntax.OUTLIER,
            default=looks,
        ),
        *BUILDING,
        ANYWAY,
    ]


def _help_of(option: str, names: Sequence[str]) -> str:
    """Return the help of an option; where experiments differ, each text with their names."""
    said = gathered((text, name) for name in names if (text := EXPERIMENTS[name].options.get(option)))
    return " ".join(said) if len(said) == 1 else " ".join(f"{', '.join(of)}: {text}" for text, of in said.items())


SELECTED = selecting([*EXPERIMENTS])  # every option that selects cases
*SOME, LAST = of_run()
RUN_HELP = f"""Measure {", ".join(SOME)} and {LAST}, in C++, on every JVM and in Rust.

The most useful cases come first, as many as the budget has room for: those of C++ and Java, and with a larger budget
those of Rust."""


RUN_EXAMPLES = [
    ("run", "the most useful cases, in a minute"),
    ("run --budget 10m --runtime cpp", "C++ alone, for longer"),
    ("run --report page.html", "and a page to show"),
]


def measuring(name: str) -> Command:
    experiments = [name] if name in EXPERIMENTS else list(of_run())
    text = EXPERIMENTS[name].help if name in EXPERIMENTS else RUN_HELP
    params = selecting(experiments)
    params += [
        END_EARLY,
        IN_STATE,
        RUN_FORMAT,
        FILE,
        CHART,
        PAGE,
        STRICT,
        LOCATION,
    ]
    examples = EXPERIMENTS[name].examples if name in EXPERIMENTS else RUN_EXAMPLES
    ends = {4: "With --strict: a case has a warning, or is not known within --until."}
    return studying(name, "survey", text, *params, examples=examples, ends=ends, experiments=tuple(experiments))


OF_MATRIX = (
    form(
        "table, json, csv, or as core-to-core-latency and c2clat write theirs.",
        "json",
        "csv",
        "core-to-core-latency",
        "c2clat",
    ),
    *(CHART, LOCATION),
)
