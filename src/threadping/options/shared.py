"""Options: their building blocks, and those that several commands have."""

from collections.abc import Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from threadping.model import files
from threadping.model.errors import UsageError, import_by_path, require_extra
from threadping.model.text import keep_store, proposed
from threadping.options import syntax
from threadping.options.program import HEADINGS, QUIETLY, VERBOSELY
from threadping.output.formats import EXPORTS, PICTURES, ending_of, form_of


class Option(click.Option):
    """An option in a group of the help; one whose values are lists may be repeated, and each value counts once."""

    def __init__(self, group: str, names: str, help: str, type: Any = None, **rest: Any) -> None:
        if isinstance(type, syntax.Syntax) and type.many:
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
        return import_by_path("cli.completing.complete_word")(known, context, given)

    return {"shell_complete": complete}


subject_option, time_option, method_option, output_option, other_option = (partial(Option, of) for of in HEADINGS)


def rejected_option(option: str, help: str) -> Option:
    """Return an option that other commands have and this one rejects: hidden, with a remedy."""

    def refuse(_context: click.Context, _option: click.Parameter, values: Any) -> None:
        if values:
            raise UsageError(help)

    return subject_option(option, help, multiple=True, hidden=True, callback=refuse, expose_value=False)


def run_argument(
    default: str | None = "last", *, metavar: str = "[RUN]", required: bool = False, nargs: int = 1
) -> click.Argument:
    """Return the argument for a run, its number or `last`; for several, where a page will do too.

    It raises UsageError for any other file.
    """

    def read(given: str) -> str:
        is_page = nargs < 0 and given.lower().endswith(".html")
        if given != "last" and not given.isdecimal() and not is_page and Path(given).is_file():
            raise UsageError(f"No run is called '{given}', but a file: `{proposed('runs', 'import', given)}` reads it.")
        return given

    form, known = syntax.Syntax(metavar, read), completed_by("runs")
    return click.Argument(
        ["which"], type=form, metavar=metavar, required=required, default=default, nargs=nargs, **known
    )


def alias_option(names: str, help: str, type: syntax.Syntax) -> Option:
    """Return an option that sets an argument, for those who know it from other commands."""
    _, argument = names.split()

    def take(context: click.Context, _option: click.Parameter, given: Any) -> None:
        if given is not None:
            context.params[argument] = given

    return subject_option(f"{names}_too", help, type, callback=take, expose_value=False)


def answers(*formats: str, files: Sequence[str] = ()) -> tuple[Option, Option]:
    """Return the options for the format on stdout, one of these, and for files, each of a format or of `files`."""
    endings = [ending_of(one) for one in (*files, *formats)]
    text = f"Print table [default], {', '.join(formats)}."
    choice, checked = syntax.one_of("table", *formats), lambda _context, _option, form: _installed(form)
    return (
        output_option("--format form", text, choice, metavar="FORMAT", default="table", callback=checked),
        output_option(
            "--output -o files",
            f"Write FILE too: {' '.join(endings)}.",
            click.Path(),
            metavar="FILE",
            multiple=True,
            callback=lambda _context, _option, given: tuple(_writable(endings, name) for name in given),
        ),
    )


def file_argument(name: str, *formats: str) -> click.Argument:
    """Return an argument for an output file, as the option for one."""

    def writable(_context: click.Context, _param: click.Parameter, given: str) -> tuple[Path, ...]:
        return (_writable([ending_of(one) for one in formats], given),)

    return click.Argument([name], metavar="FILE", type=click.Path(), callback=writable)


def _writable(endings: Sequence[str], given: str) -> Path:
    path = Path(given)
    _installed(form_of(path))
    files.check(path, endings, "the output")
    return path


def _installed(form: str) -> str:
    """Return the format, if what it needs is installed; raise ThreadpingError otherwise."""
    if form in EXPORTS and (extra := EXPORTS[form].extra):
        require_extra(*extra)
    elif form in PICTURES:
        require_extra("charts", "Pages" if form == "html" else "Charts")
    return form


# Those of `experiments.EXPERIMENTS`, which imports what analyses them: a list of runs does not
EXPERIMENT_NAMES = ("signal", "lock", "wakeup", "queue", "load", "barrier", "network", "jitter", "self-test")

RUNTIME = subject_option(
    "--runtime runtimes",
    "Measure in cpp, rust, java (every JVM), java-17, 'java-17 -XX:+UseZGC', a JVM's path, or your probe NAME=PATH.",
    syntax.RUNTIMES,
    **completed_by("runtimes"),
)
ONE_EXPERIMENT = output_option(
    "--subject experiment", "Show only the cases of this subject.", syntax.one_of(*EXPERIMENT_NAMES), metavar="NAME"
)
SHOWN_ROWS = (  # which rows are shown, and what leads them
    output_option("--mechanism mechanisms", "Show only these mechanisms.", syntax.NAMES),
    output_option("--runtime runtimes", "Show only these runtimes.", syntax.RUNTIMES),
    output_option("--placement placements", "Show only these placements.", syntax.NAMES),
    output_option("--state", "Show only rows of this state: low, high, or 20-40ns.", syntax.STATE),
    output_option("--metric", "Lead and order rows by this: p99.9, max, mean, ...", syntax.METRIC, metavar="WHICH"),
)
ANYWAY = method_option("--anyway", "Measure while another threadping measures.", is_flag=True)
PLAN = method_option("--plan", "Print the cases and the time; measure nothing.", is_flag=True)


SILENT = output_option("--quiet -q", "Print only the answer and errors.", **QUIETLY)
VERBOSE = output_option("--verbose -v", "Print each trial on stderr as it begins.", **VERBOSELY)
MEASURING = (ANYWAY, PLAN, SILENT, VERBOSE)


def _keep(context: click.Context, option: click.Parameter, location: str | None) -> str | None:
    """Have every proposed command name the store that was named."""
    if context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE:  # not a command inside a fleet's
        keep_store(location)
    return location


LOCATION = output_option(
    "--store location",
    "Keep runs here [default: $THREADPING_STORE, or yours].",
    metavar="PATH|URL",
    envvar="THREADPING_STORE",
    callback=_keep,
)
ROWS = answers(*EXPORTS, "markdown", files=PICTURES)
OF_ANY_RUN = answers(*EXPORTS, "markdown", "core-to-core-latency", "c2clat", files=PICTURES)  # what its kind has
OF_A_STUDY = answers("json", "csv", "markdown", files=(*PICTURES, "run"))
TABULAR = answers("json", "csv", "markdown")
OF_PINGS = answers("json", "prometheus", files=("svg", "png", "html"))
STRICT = output_option("--strict", "Fail if a case failed or is in doubt.", is_flag=True)
IDENTIFY = output_option("--identify", "Keep the names of hosts and users' folders.", is_flag=True)


OF_MATRIX = (
    *answers("json", "csv", "markdown", "core-to-core-latency", "c2clat", files=(*PICTURES, "run")),
    LOCATION,
)
