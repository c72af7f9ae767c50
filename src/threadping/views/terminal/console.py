"""The two consoles: the answer goes to stdout, everything else to stderr."""

import io
import sys
from typing import TextIO

from msgspec import Struct
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment


def stdout() -> Console:
    """For the answer."""
    return _console(sys.stdout)


def stderr() -> Console:
    """For what accompanies it."""
    return _console(sys.stderr)


def _console(stream: TextIO) -> Console:
    """Colour where the terminal has it and NO_COLOR does not forbid it; nothing in a foreign string is markup."""
    if isinstance(stream, io.TextIOWrapper) and not stream.encoding.lower().startswith("utf"):
        stream.reconfigure(errors="replace")  # a bar that this terminal cannot show must not end the program
    return _Console(file=stream, markup=False, highlight=False, emoji=False)


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave it to the command line, which knows what exit code a run has; rich would exit with 1."""
        raise


class Trimmed(Struct, frozen=True):
    """Lines without the blanks with which rich fills them up, so that they can be copied and compared."""

    body: RenderableType

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Print it line by line."""
        for line in console.render_lines(self.body, options, pad=False):
            while line and not line[-1].text.strip():
                line.pop()
            if line:
                line[-1] = Segment(line[-1].text.rstrip(), line[-1].style)
            yield from (*line, Segment.line())
