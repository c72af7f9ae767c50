"""The standard streams, as the parent process left them: closed, or of an encoding that has not all that we print."""

import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from errno import EBADF
from pathlib import Path
from textwrap import fill
from typing import TextIO

from threadping.model.errors import OutputUnwritable, ThreadpingError
from threadping.model.quantities import memory
from threadping.model.text import LEGIBLE, escape, made_literal, plain, verbosity

# Flags to reopen a closed standard stream on /dev/null, so that no file of ours gets its number. Reading stdin finds
# its end, and stderr is lost; stdout was asked for, so writing to it fails.
CLOSED = {"stdin": os.O_RDONLY, "stdout": os.O_RDONLY, "stderr": os.O_WRONLY}


def prepare() -> None:
    """See that each of the three is there, of a size, and that a reader who leaves ends nothing."""
    for name in ("COLUMNS", "LINES"):  # rich prints nothing in 0 columns, and ends at a superscript
        if not re.fullmatch("[1-9][0-9]{0,4}", os.environ.get(name, ""), re.ASCII):
            os.environ.pop(name, None)
    for name, flags in CLOSED.items():
        if getattr(sys, name) is None:
            number = os.open(os.devnull, flags)
            opened = os.fdopen(number, "r" if name == "stdin" else "w", encoding="utf-8", closefd=False)
            setattr(sys, name, opened)
            setattr(sys, f"__{name}__", opened)  # which keeps it open
    sys.stdout, sys.stderr = _lasting(sys.stdout, is_answer=True), _lasting(sys.stderr, is_answer=False)


class _Lasting(io.TextIOWrapper):
    """Standard output or error, which drops what nobody reads, so that `| head` changes neither exit code nor files.

    An answer that cannot be written for another reason, such as a full disk, raises OutputUnwritable once.
    """

    is_answer, is_read = True, True

    def write(self, text: str) -> int:
        with self._lost_without_reader():
            super().write(text)
        return len(text)

    def flush(self) -> None:
        with self._lost_without_reader():
            super().flush()

    @contextmanager
    def _lost_without_reader(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            # What is left of it goes nowhere: Python would try again at its end, and make the exit code 120.
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            self.is_read = False
            if self.is_answer and not isinstance(error, BrokenPipeError):
                why = "stdout is closed" if error.errno == EBADF else error.strerror
                raise OutputUnwritable(
                    f"The output could not be written: {why}. Write it to another place; `threadping show` prints the "
                    "last run again."
                ) from error


def _lasting(stream: TextIO, *, is_answer: bool) -> TextIO:
    """Return the stream with substitutes for what it cannot print: all in ASCII on a dumb terminal."""
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    dumb = os.environ.get("TERM") == "dumb" and stream.isatty()
    stream.reconfigure(encoding="ascii" if dumb else None, errors=LEGIBLE)
    if type(stream) is not io.TextIOWrapper:  # a test's
        return stream
    lasting = _Lasting(stream.buffer, stream.encoding, LEGIBLE, line_buffering=stream.line_buffering)
    lasting.is_answer = is_answer
    return lasting


def is_read() -> bool:
    """Return whether somebody still reads standard output, as far as writing to it has shown."""
    return bool(getattr(sys.stdout, "is_read", True))


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
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors=LEGIBLE)
    sys.stdout.write(text)
    sys.stdout.flush()


def say_written(path: Path) -> None:
    """Name on stderr a written file with its size."""
    if verbosity() >= 0:
        print(f"{plain(str(path))}: {memory(path.stat().st_size if path.is_file() else 0)}", file=sys.stderr)


def fail(sentence: str, code: int) -> int:
    """Print an error on stderr, wrapped to a terminal's width, and return the exit code."""
    text = f"threadping: {escape(made_literal(sentence))}"
    if sys.stderr.isatty():
        width = USUAL_COLUMNS
        with suppress(OSError):
            width = os.get_terminal_size(sys.stderr.fileno()).columns or USUAL_COLUMNS
        whole = re.sub("`[^`]*`", lambda command: command[0].replace(" ", HELD), text)  # a command is to be typed
        lines = (fill(line, width, break_long_words=False, break_on_hyphens=False) for line in whole.split("\n"))
        text = "\n".join(lines).replace(HELD, " ")
    print(text, file=sys.stderr)
    return code


USUAL_COLUMNS = 80  # of a terminal that does not report its width
HELD = "\0"  # in place of a blank at which no line ends: nothing that is printed has one
