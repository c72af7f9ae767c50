"""What commands and their options are made of: groups of the help, and checks before anything is measured."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

import click

from threadping import files
from threadping.cli import syntax
from threadping.extras import require

OTHER = "Other"
GROUPS = ("What to measure", "For how long", "How to measure", "Output", OTHER)
"""The headings of the help, in their order."""


class Option(click.Option):
    """An option in a group of the help; one whose values are lists may be repeated, and each value counts once."""

    def __init__(self, group: str, names: str, help: str, type: Any = None, **rest: Any) -> None:
        """Take its names, with blanks in between, and click's arguments; `group` is its heading in the help."""
        if isinstance(type, syntax.Many):
            rest = {"multiple": True, "default": (), "callback": _flat, **rest}
        super().__init__(names.split(), help=help, type=type, **rest)
        self.group = group

    def get_help_extra(self, ctx: click.Context) -> Any:
        """Nothing but what the help says."""
        return {}


def _flat(_context: click.Context, _option: click.Parameter, values: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(values)))


what, time, how, output = (partial(Option, group) for group in GROUPS[:-1])


class Command(click.Command):
    """A command whose help shows its options in groups."""

    def get_short_help_str(self, limit: int = 0) -> str:
        """Its first sentence, whole: the list of commands wraps it."""
        return super().get_short_help_str(max(limit, 200))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each group under its heading."""
        groups: dict[str, list[tuple[str, str]]] = {name: [] for name in GROUPS}
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
    """A command that calls a function with its parameters by their names, and with what is fixed.

    Args:
        name: of the command.
        help: its first sentence stands in the list of commands.
        calls: `module.function`, imported when it is called: the help waits for none.
        params: their names are those of the function's.
        settings: of click's context.
        fixed: further parameters of the function.
    """

    def call(**given: Any) -> Any:
        module, _, function = calls.rpartition(".")
        return getattr(import_module(f"threadping.{module}"), function)(**given, **fixed)

    return Command(name, params=[*params], callback=call, help=help, context_settings=dict(settings or {}))


def studying(name: str, study: str, help: str, *params: click.Parameter, **fixed: Any) -> Command:
    """A command that conducts a study: what its output is not asked for is the question."""

    def call(**given: Any) -> int:
        conduct = import_module("threadping.conduct.conduct")
        registry = import_module("threadping.conduct.registry")
        return int(conduct.conduct_asked(registry.study_named(study), {**given, **fixed}))

    return Command(name, params=[*params], callback=call, help=help)


def _gathered(into: str, pairs: Callable[[Any], Iterable[tuple[str, tuple[str, ...]]]]) -> dict[str, Any]:
    """How the values of several options become one parameter of the function: a mapping `into` which these pairs go."""

    def gather(context: click.Context, _option: click.Parameter, given: Any) -> None:
        found: dict[str, tuple[str, ...]] = context.params.setdefault(into, {})
        for name, values in pairs(given):
            found[name] = tuple(dict.fromkeys((*found.get(name, ()), *values)))

    return {"callback": gather, "expose_value": False}


def param(option: str, help: str, type: syntax.Syntax) -> Option:
    """An option for parameters: all of them are gathered in `params`."""
    return how(option, help, type, multiple=True, **_gathered("params", iter))


def jvm_flag(name: str, flags: tuple[str, ...], help: str) -> Option:
    """An option that stands for flags of every JVM: those given are gathered in `jvm_flags`."""
    return how(
        f"--{name}", help, is_flag=True, **_gathered("jvm_flags", lambda given: [(name, flags)] if given else ())
    )


def form(named: str, *formats: str) -> Option:
    """The option for a table or one of these formats, which are `named` in its help."""

    def available(_context: click.Context, _option: click.Parameter, form: str) -> str:
        _installed(form)
        return form

    choice = click.Choice(["table", *formats])
    text = f"What goes to stdout: {named}"
    return output("--format form", text, choice, metavar="FORMAT", default="table", callback=available)


def path(names: str, help: str, metavar: str = "FILE", **rest: Any) -> Option:
    """An option for a file that is written."""
    return output(names, help, click.Path(path_type=Path), metavar=metavar, **rest)


def file(names: str, help: str, kind: str, *formats: str) -> Option:
    """An option for a file of a kind, in the format that its ending names; refused where it cannot be written."""

    def writable(_context: click.Context, _option: click.Parameter, path: Path | None) -> Path | None:
        if path is not None:
            _installed(path.suffix.lower()[1:], kind)
            files.check(path, [f".{one}" for one in formats], kind)
        return path

    return path(names, help, callback=writable)


def _installed(form: str, kind: str = "") -> None:
    """Refuse a format whose package is not installed."""
    if form in ("hgrm", "hlog"):
        require("hdrhistogram", "HdrHistogram's formats")
    elif form in ("svg", "png", "html"):
        require("charts", f"{kind.removeprefix('the ').capitalize()}s")
