"""Commands that are printed, and whether the program takes them."""

import re
import shlex
from collections.abc import Iterator

import click

from threadping.cli.app import PROGRAM
from threadping.model.errors import UsageError
from threadping.options.program import Commands

QUOTED = re.compile(r"`(threadping [^`]+)`")
IN_A_LINE = re.compile(r"(?:^|\s{2}|: |\N{MIDDLE DOT} )(threadping .*?)(?=\s{2}|\s\N{MIDDLE DOT}| says |$)")
"""A command begins where a line or a column does, and ends with it."""


def parsed(command: str) -> click.Context:
    """Return click's context of `threadping ...` without calling it; raise UsageError if click refuses it."""
    program, *words = shlex.split(command, comments=True)
    assert program == "threadping"
    context = click.Context(PROGRAM, info_name="threadping", **PROGRAM.context_settings)
    while isinstance(context.command, Commands) and words:
        name, *words = words
        if name not in context.command.commands:
            raise UsageError(f"{command}: there is no command {name}")
        below = context.command.commands[name]
        if isinstance(below, Commands):
            context = click.Context(below, parent=context, info_name=name)
            continue
        try:
            return below.make_context(name, words, parent=context)
        except click.UsageError as error:
            raise UsageError(f"{command}: {error.format_message()}") from error
        except click.exceptions.Exit:  # it asked for help
            return click.Context(below, parent=context, info_name=name)
    return context


def commands_in(text: str) -> Iterator[str]:
    """The commands that a screen or a page has, in backticks or not."""
    yield from (" ".join(found.split()) for found in QUOTED.findall(text))
    for line in QUOTED.sub("", text).splitlines():
        yield from IN_A_LINE.findall(line)
