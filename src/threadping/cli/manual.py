"""The manual page: the help of every command in one page, as `man` reads it."""

from collections.abc import Iterable
from importlib.metadata import version
from typing import Any

import click

from threadping.cli.app import PROGRAM


class Roff(click.HelpFormatter):
    """Writes what a help writes in the language of man(7)."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write how a command is called."""
        self.write(f".PP\n\\fB{_escaped(prog)}\\fR {_escaped(args)}\n")

    def write_heading(self, heading: str) -> None:
        """Write what stands above a group of options."""
        self.write(f".PP\n.I {_escaped(heading)}\n")

    def write_text(self, text: str) -> None:
        """Write paragraphs."""
        for paragraph in text.split("\n\n"):
            self.write(f".PP\n{_escaped(' '.join(paragraph.split()))}\n")

    def write_dl(self, rows: Iterable[tuple[str, str]], *_how: Any, **_more: Any) -> None:
        """Write terms, each with what it means."""
        for term, text in rows:
            self.write(f".TP\n.B {_escaped(term)}\n{_escaped(text)}\n")

    def write(self, string: str) -> None:
        """Write a line of an example as it is, and requests as they are; blank lines stand in no manual page."""
        if string.startswith(" "):
            command, _, says = string.strip().partition("  # ")
            string = f".TP\n.B {_escaped(command.strip())}\n{_escaped(says)}\n"
        if string.strip():
            super().write(string)

    def write_paragraph(self) -> None:
        """Each paragraph begins by itself."""


def _escaped(text: str) -> str:
    """A text in which man(7) reads nothing but a text."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga").replace("'", "\\(aq")
    return f"\\&{text}" if text.startswith(".") else text


def manual() -> str:
    """The page threadping(1)."""
    page = Roff()
    page.write(f'.TH THREADPING 1 "" "threadping {version("threadping")}" "User Commands"\n.SH NAME\n')
    page.write("threadping \\- what it costs to reach another thread\n")
    _write(page, PROGRAM, None, "threadping")
    return page.getvalue()


def _write(page: Roff, command: click.Command, parent: click.Context | None, name: str) -> None:
    """Write the help of a command, and of those below it."""
    context = command.context_class(command, parent=parent, info_name=name)
    page.write(f".SH {_escaped(context.command_path.upper())}\n")
    command.format_help(context, page)
    for below, one in command.commands.items() if isinstance(command, click.Group) else ():
        _write(page, one, context, below)


def print_manual() -> None:
    """Print the page."""
    print(manual(), end="")
