"""The two consoles: the answer goes to stdout, everything else to stderr."""

import io
import sys
from collections.abc import Iterable
from typing import Any, TextIO

from msgspec import Struct
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.control import Control
from rich.segment import Segment

from threadping.characters import LEGIBLE, in_columns
from threadping.sheets.printing import rendered


def stdout() -> Console:
    """The console on standard output, for the answer."""
    return _console(sys.stdout)


def stderr() -> Console:
    """The console on standard error, for progress and remarks."""
    return _console(sys.stderr)


def _console(stream: TextIO) -> Console:
    """Colour where the terminal has it and NO_COLOR does not forbid it; nothing in a foreign string is markup."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors=LEGIBLE)  # a bar that this terminal cannot show must not end the program
    return TrimmingConsole(file=stream, markup=False, highlight=False, emoji=False)


class TrimmingConsole(Console):
    """Prints no blanks at the ends of lines, with which rich fills them up: so they can be copied and compared."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print, unless as one long line."""
        kept = (object,) if options.get("soft_wrap") else (str, Control)  # a bar prints a control to be drawn anew
        blocks = (one if isinstance(one, kept) else _Trimmed(rendered(one)) for one in objects)
        super().print(*blocks, **options)


class _Trimmed(Struct, frozen=True):
    body: RenderableType

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in console.render_lines(self.body, options, pad=False):
            while line and not line[-1].text.strip():
                line.pop()
            if line:
                line[-1] = Segment(line[-1].text.rstrip(), line[-1].style)
            yield from (*_in_columns(line, console.encoding), Segment.line())


def _in_columns(line: list[Segment], encoding: str) -> Iterable[Segment]:
    """A line that a terminal of this encoding can show, with its columns below those of other lines."""
    if encoding.startswith("utf"):
        return line
    texts = in_columns((one.text for one in line), encoding)
    return (Segment(text, one.style) for text, one in zip(texts, line, strict=True))
