"""The two consoles: the answer goes to stdout, everything else to stderr."""

import io
import sys
from typing import TextIO

from rich.console import Console


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
    return Console(file=stream, markup=False, highlight=False, emoji=False)
