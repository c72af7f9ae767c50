"""The standard streams, as the parent process left them: closed, or of an encoding that has not all that we print."""

import io
import os
import re
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from errno import EBADF
from pathlib import Path
from textwrap import fill
from typing import Any, TextIO

from threadping.characters import LEGIBLE, escape, plain
from threadping.errors import OutputUnwritable, ThreadpingError
from threadping.proposals import made_literal
from threadping.quantities import memory

CLOSED = {"stdin": os.O_RDONLY, "stdout": os.O_RDONLY, "stderr": os.O_WRONLY}
"""How /dev/null is opened in the place of a stream that was closed, lest a file of ours gets its number.

Who reads stdin finds its end, and what is said on stderr is lost, as it was wanted. What is written to stdout was asked
for: as that is lost, writing fails.
"""


def prepare() -> None:
    """See that each of the three is there, and that a reader who leaves ends nothing."""
    for name, flags in CLOSED.items():
        if getattr(sys, name) is None:
            number = os.open(os.devnull, flags)
            setattr(sys, name, os.fdopen(number, "r" if name == "stdin" else "w", encoding="utf-8", closefd=False))
    sys.stdout, sys.stderr = _lasting(sys.stdout, is_answer=True), _lasting(sys.stderr, is_answer=False)


class _Lasting(io.FileIO):
    """Standard output or error, which drops what nobody reads, so that `| head` changes neither exit code nor files.

    An answer that cannot be written for another reason, such as a full disk, raises OutputUnwritable once.
    """

    def __init__(self, number: int, *, is_answer: bool) -> None:
        super().__init__(number, "w", closefd=False)
        self.is_answer, self.is_read = is_answer, True

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            self.is_read = False
            if self.is_answer and not isinstance(error, BrokenPipeError):
                why = "stdout is closed" if error.errno == EBADF else error.strerror
                raise OutputUnwritable(
                    f"The output could not be written: {why}. Write it to another place; `threadping show` prints the "
                    "last run again."
                ) from error
            return len(data)


def _lasting(stream: TextIO, *, is_answer: bool) -> TextIO:
    """The stream, with stand-ins for what it cannot print: all in ASCII on a terminal that says that it can nothing."""
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    dumb = os.environ.get("TERM") == "dumb" and stream.isatty()
    stream.reconfigure(encoding="ascii" if dumb else None, errors=LEGIBLE)
    if not isinstance(getattr(stream.buffer, "raw", stream.buffer), io.FileIO):
        return stream
    lasting = io.BufferedWriter(_Lasting(stream.fileno(), is_answer=is_answer))
    return io.TextIOWrapper(lasting, stream.encoding, stream.errors, line_buffering=stream.line_buffering)


def is_read() -> bool:
    """Whether somebody still reads standard output, as far as writing to it has shown."""
    return bool(getattr(getattr(sys.stdout.buffer, "raw", None), "is_read", True))


def deliver(print_answer: Callable[[], object], files: Iterable[Callable[[], object]] = ()) -> int:
    """Write files, then print the answer: standard output can lose no file. Return 0, or the code of a file's error."""
    code = 0
    for write in files:
        try:
            write()
        except ThreadpingError as error:
            code = fail(str(error), error.exit_code)
    print_answer()
    return code


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
    print(_wrapped(f"threadping: {escape(made_literal(sentence))}"), file=sys.stderr)
    return code


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
