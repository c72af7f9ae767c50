"""The standard streams, as the parent process left them: closed, or of an encoding that has not all that we print."""

import io
import os
import re
import sys
from contextlib import suppress
from errno import EBADF
from pathlib import Path
from textwrap import fill
from typing import TextIO

from threadping.characters import LEGIBLE, escape, plain
from threadping.proposals import made_literal
from threadping.quantities import memory

CLOSED = {"stdin": os.O_RDONLY, "stdout": os.O_RDONLY, "stderr": os.O_WRONLY}
"""How /dev/null is opened in the place of a stream that was closed, lest a file of ours gets its number.

Who reads stdin finds its end, and what is said on stderr is lost, as it was wanted. What is written to stdout was asked
for: as that is lost, writing fails.
"""


def prepare() -> None:
    """See that each of the three is there, and that nothing which is printed ends the program."""
    for name, flags in CLOSED.items():
        if getattr(sys, name) is None:
            number = os.open(os.devnull, flags)
            setattr(sys, name, os.fdopen(number, "r" if name == "stdin" else "w", encoding="utf-8", closefd=False))
    for stream in (sys.stdout, sys.stderr):
        _make_legible(stream)


def _make_legible(stream: TextIO) -> None:
    """Have stand-ins printed for what this stream cannot; all in ASCII on a terminal that says that it can nothing."""
    if not isinstance(stream, io.TextIOWrapper):
        return
    if os.environ.get("TERM") == "dumb" and stream.isatty():
        stream.reconfigure(encoding="ascii", errors=LEGIBLE)
    else:
        stream.reconfigure(errors=LEGIBLE)


def write_export(text: str) -> None:
    """Write what is for a program to stdout: in UTF-8, whatever a terminal has."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", LEGIBLE))
    sys.stdout.buffer.flush()


def say_written(path: Path, *contents: Path) -> None:
    """Say on stderr what was written: a file with its size, or a folder with the number of files and theirs."""
    written = contents or (path,)
    size = memory(sum(one.stat().st_size for one in written if one.is_file()))
    print(f"{plain(str(path))}: {f'{len(written)} files, ' if len(written) > 1 else ''}{size}", file=sys.stderr)


def fail(sentence: str, code: int) -> int:
    """Say on stderr what went wrong; the exit code."""
    text = _wrapped(f"threadping: {escape(made_literal(sentence))}")
    try:
        print(text, file=sys.stderr)
    except OSError:  # a terminal that was closed
        _lose(sys.stderr)
    return code


def _lose(stream: TextIO) -> None:
    """Have what is left of it go nowhere: Python would try again at its end, and make the exit code 120."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _wrapped(sentence: str) -> str:
    """A sentence in lines of the terminal, which would break words; in one line where stderr is none.

    A command stays in one, however long: a line of ours that ends in it would end what is typed.
    """
    if not sys.stderr.isatty():
        return sentence
    width, whole = _columns(), re.sub("`[^`]*`", lambda command: command[0].replace(" ", HELD), sentence)
    lines = (fill(line, width, break_long_words=False, break_on_hyphens=False) for line in whole.split("\n"))
    return "\n".join(lines).replace(HELD, " ")


def _columns() -> int:
    with suppress(OSError):
        return os.get_terminal_size(sys.stderr.fileno()).columns or USUAL_COLUMNS
    return USUAL_COLUMNS


USUAL_COLUMNS = 80
"""Of a terminal that does not tell."""

HELD = "\0"
"""In place of a blank at which no line ends: nothing that is printed has one."""


def flush() -> int:
    """Write what is left to stdout; the exit code where it takes no more, else 0."""
    try:
        sys.stdout.flush()
    except OSError as error:
        return unwritten(error)
    return 0


def unwritten(error: OSError) -> int:
    """The exit code where stdout takes no more: `threadping show | head` has seen enough, all else is a failure.

    Raises the error where it is of a file.
    """
    if error.filename is not None:
        raise error
    _lose(sys.stdout)
    if isinstance(error, BrokenPipeError):
        return 0
    why = "stdout is closed" if error.errno == EBADF else error.strerror
    what = f"The output could not be written: {why}. Write it to another place"
    return fail(f"{what}; `threadping show` prints the last run again.", 1)
