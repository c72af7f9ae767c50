"""Options: their building blocks, and those that several commands have."""

from collections.abc import Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from threadping.model import files
from threadping.model.errors import UsageError, require_extra
from threadping.model.text import keep_store
from threadping.options import syntax
from threadping.options.program import HEADINGS, function_named
from threadping.output.formats import EXPORTS, ending_of, form_of


class Option(click.Option):
    """An option in a group of the help; one whose values are lists may be repeated, and each value counts once."""

    def __init__(self, group: str, names: str, help: str, type: Any = None, **rest: Any) -> None:
        if isinstance(type, syntax.Many):
            rest = {"multiple": True, "default": (), "callback": flat, **rest}
        super().__init__(names.split(), help=help, type=type, **rest)
        self.group = group

    def get_help_extra(self, ctx: click.Context) -> Any:
        return {}


def flat(_context: click.Context, _option: click.Parameter, values: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(values)))


def completed_by(known: str) -> dict[str, Any]:
    """Return click's arguments that complete a parameter, a list with commas too, by `cli.completing`."""

    def complete(context: click.Context, _param: click.Parameter, given: str) -> Any:
        return function_named("cli.completing.complete_word")(known, context, given)

    return {"shell_complete": complete}


subject_option, time_option, method_option, output_option, other_option = (partial(Option, of) for of in HEADINGS)


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


def alias_of(option: str, argument: str, help: str, type: syntax.Syntax) -> Option:
    """Return an option that stands for an argument, as other commands have an option for it."""

    def take(context: click.Context, _option: click.Parameter, given: Any) -> None:
        if given is not None:
            context.params[argument] = given

    return subject_option(f"{option} {argument}_too", help, type, callback=take, expose_value=False)


def form(named: str, *formats: str) -> Option:
    """Return the option for a table or one of these formats, which are `named` in its help."""

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
    return output_option(names, help, click.Path(), metavar="FILE", callback=partial(_writable, kind, endings))


def file_argument(name: str, kind: str, *endings: str) -> click.Argument:
    """Return an argument for an output file, as the option for one."""
    return click.Argument([name], metavar="FILE", type=click.Path(), callback=partial(_writable, kind, endings))


def _writable(
    kind: str, endings: Sequence[str], _context: click.Context, _param: click.Parameter, given: str | None
) -> Path | None:
    if given is None:
        return None
    path = Path(given)
    _installed(form_of(path), kind)
    files.check(path, endings, kind)
    return path


def _installed(form: str, kind: str = "") -> None:
    if form in EXPORTS and (extra := EXPORTS[form].extra):
        require_extra(*extra)
    elif form in ("svg", "png", "html"):
        require_extra("charts", f"{kind.removeprefix('the ').capitalize()}s")


# Those of `experiments.EXPERIMENTS`, which imports what analyses them: a list of runs does not
EXPERIMENT_NAMES = ("signal", "lock", "wakeup", "queue", "load", "barrier", "network", "jitter", "self-test")
READERS = ", ".join(f"{ending_of(name)} ({one.says})" for name, one in EXPORTS.items())

RUNTIME = subject_option(
    "--runtime runtimes",
    "Languages and JVMs: cpp, 'cpp -march=native', java-17, java (every JVM), 'java-17 -XX:+UseParallelGC', rust, a "
    "path to a JVM, or NAME=PATH: a probe of your own (docs/how-to/custom-mechanism.md). Repeatable.",
    syntax.RUNTIMES,
    **completed_by("runtimes"),
)
ONE_EXPERIMENT = subject_option(
    "--experiment",
    f"Only the cases of this experiment: {', '.join(EXPERIMENT_NAMES)}.",
    syntax.one_of(*EXPERIMENT_NAMES),
    metavar="NAME",
)
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
RUN_FORMAT = form(f"table, {', '.join(EXPORTS)} (docs/reference/formats.md); all else goes to stderr.", *EXPORTS)
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
IDENTIFY = output_option(
    "--identify", "Keep the names of hosts and of users' folders, which a page leaves out otherwise.", is_flag=True
)


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
