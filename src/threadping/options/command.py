"""Building blocks of options: groups of the help, and checks before measuring."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import click

from threadping.model import files
from threadping.model.errors import UsageError, require_extra
from threadping.options import syntax
from threadping.options.program import HEADINGS, function_named
from threadping.output.formats import EXPORTS, form_of
from threadping.probes.custom.sources import read_mechanisms


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


subject_option, time_option, method_option, output_option = (partial(Option, group) for group in HEADINGS[:-1])


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
    """Return the option for a table or one of these formats, which are `named` in its help."""

    def available(_context: click.Context, _option: click.Parameter, form: str) -> str:
        _installed(form)
        return form

    choice = syntax.one_of("table", *formats)
    text = f"What goes to stdout: {named}"
    return output_option("--format form", text, choice, metavar="FORMAT", default="table", callback=available)


def path(names: str, help: str, metavar: str = "FILE", **rest: Any) -> Option:
    return output_option(names, help, click.Path(path_type=Path), metavar=metavar, **rest)


def file(names: str, help: str, kind: str, *endings: str, folder: bool = False) -> Option:
    """Return an option for an output file, whose ending names its format; refuse one that cannot be written.

    With `folder` it may be one, for files of their own names: it is made where there is none.
    """

    def writable(_context: click.Context, _option: click.Parameter, given: str | None) -> Path | None:
        if given is None:
            return None
        path = Path(given)
        if folder and path.name and (given.endswith("/") or (path.is_dir() and not path.suffix)):
            _installed("hgrm")
            files.make_folder(path, kind)
        else:
            _installed(form_of(path), kind)
            files.check(path, endings, kind)
        return path

    return output_option(names, help, click.Path(), metavar="FILE", callback=writable)


def _installed(form: str, kind: str = "") -> None:
    if form in EXPORTS and (extra := EXPORTS[form].extra):
        require_extra(*extra)
    elif form in ("svg", "png", "html"):
        require_extra("charts", f"{kind.removeprefix('the ').capitalize()}s")
