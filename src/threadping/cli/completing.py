"""Completion of commands, options and values in a shell, and the manual page.

Nothing is started for it, and nothing said where something is wrong: a shell that completes has no place for it.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

import click
from click.shell_completion import CompletionItem

from threadping import VERSION
from threadping.cli.app import PROGRAM
from threadping.experiments import EXPERIMENTS, declared
from threadping.model.errors import ThreadpingError
from threadping.model.text import plain
from threadping.output.explanation import terms
from threadping.output.heading import local_time
from threadping.probes.language import words
from threadping.probes.placements import PLACEMENT_NAMES
from threadping.probes.runtimes import find_runtimes
from threadping.store.store import open_store
from threadping.studies.reproduce.stated import articles, tools

MOST_OFFERED = 30  # newest runs offered
Offered = Iterator[tuple[str, str]]  # names, each with a description for shells that show one


def complete_word(known: str, context: click.Context, given: str) -> list[CompletionItem[str]]:
    """Complete the last of some names with commas in between by those that are `known`."""
    begun, comma, last = given.rpartition(",")
    items = []
    with suppress(ThreadpingError, OSError):
        for name, says in KNOWN[known](context):
            if name.startswith(last):
                items.append(CompletionItem(f"{begun}{comma}{plain(name)}", help=plain(says)))
    return items


def _mechanisms(context: click.Context) -> Offered:
    said, found = words(), dict[str, str]()
    for experiment in _experiments(context):
        for name in said.experiments[experiment].mechanisms:
            of_it = said.of(experiment, name)
            found.setdefault(name, of_it.summary if of_it else "")
    yield from found.items()


def _params(context: click.Context) -> Offered:
    found: dict[str, str] = {}
    for experiment in _experiments(context):
        for name, sentence in words().experiments[experiment].params.items():
            found.setdefault(f"{name}=", sentence)
    yield from found.items()


def _experiments(context: click.Context) -> list[str]:
    named = {context.info_name}
    return [one for one in words().experiments if one in named or not named & EXPERIMENTS.keys()]


def _runs(context: click.Context) -> Offered:
    yield "last", "the newest run"
    with open_store(context.params.get("location"), create=False) as store:
        for run, _ in store.listed(MOST_OFFERED)[0]:
            yield str(run.id), f"{local_time(run.started)}, {' '.join(run.arguments)}"


def _reproducible(context: click.Context) -> Offered:
    if "articles" in (context.params.get("what") or ()):
        yield from ((one, "") for one in articles().experiments)
    else:
        yield "articles", "published figures"
        yield from ((name, one.says) for name, one in tools().items())


KNOWN: Mapping[str, Callable[[click.Context], Offered]] = {
    "mechanisms": _mechanisms,
    "params": _params,
    "runtimes": lambda _: ((one.label, one.version) for one in find_runtimes(os.environ).runtimes),
    "placements": lambda _: ((name, "") for name in PLACEMENT_NAMES),
    "runs": _runs,
    "words": lambda _: ((one, "") for one in terms(declared(), None, words())),
    "reproducible": _reproducible,
}


class Roff(click.HelpFormatter):
    """Writes what a help writes in the language of man(7)."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        self.write(f".PP\n\\fB{_escaped(prog)}\\fR {_escaped(args)}\n")

    def write_heading(self, heading: str) -> None:
        self.write(f".PP\n.I {_escaped(heading)}\n")

    def write_text(self, text: str) -> None:
        for paragraph in text.split("\n\n"):
            self.write(f".PP\n{_escaped(' '.join(paragraph.split()))}\n")

    def write_dl(self, rows: Iterable[tuple[str, str]], *_how: Any, **_more: Any) -> None:
        for term, text in rows:
            self.write(f".TP\n.B {_escaped(term)}\n{_escaped(text)}\n")

    def write(self, string: str) -> None:
        """Write an example as a tagged paragraph and requests unchanged; drop blank lines."""
        if string.startswith(" "):
            command, _, says = string.strip().partition("  # ")
            string = f".TP\n.B {_escaped(command.strip())}\n{_escaped(says)}\n"
        if string.strip():
            super().write(string)

    def write_paragraph(self) -> None:
        """Each paragraph begins by itself."""


def _escaped(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga").replace("'", "\\(aq")
    return f"\\&{text}" if text.startswith(".") else text


def manual() -> str:
    page = Roff()
    page.write(f'.TH THREADPING 1 "" "threadping {VERSION}" "User Commands"\n.SH NAME\n')
    page.write("threadping \\- what it costs to reach another thread\n")
    _write(page, PROGRAM, None, "threadping")
    return page.getvalue()


def _write(page: Roff, command: click.Command, parent: click.Context | None, name: str) -> None:
    context = command.context_class(command, parent=parent, info_name=name)
    page.write(f".SH {_escaped(context.command_path.upper())}\n")
    command.format_help(context, page)
    for below, one in command.commands.items() if isinstance(command, click.Group) else ():
        _write(page, one, context, below)
