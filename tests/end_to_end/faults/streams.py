"""Terminals and streams that are closed, full, or cannot show what is printed."""

import os

from tests.end_to_end.conftest import Done
from tests.end_to_end.faults.fault import ANSWER, MEASURE, NOTHING, SILENCE, UNCHANGED, WHOLE, Bench, Fault, in_shell

HEADING = "Terminals and streams"
ABOUT = "An answer that cannot be printed is stored all the same. A reader who has seen enough is no error."

CLOSED = (
    "The output could not be written: stdout is closed. Write it to another place; `threadping show` prints the last "
    "run again."
)
QUICK = MEASURE.replace("1s", "2s")


def into_nobody(bench: Bench, command: str) -> Done:
    """Standard output is a pipe of which the reader has gone."""
    reader, writer = os.pipe()
    os.close(reader)
    return _into(bench, command, writer)


def into_a_hung_terminal(bench: Bench, command: str) -> Done:
    """Standard output is a terminal of which the other side is gone."""
    master, terminal = os.openpty()
    os.close(master)
    return _into(bench, command, terminal)


def _into(bench: Bench, command: str, output: int) -> Done:
    process = bench.start(command, stdout=output)
    os.close(output)
    _, stderr = process.communicate(timeout=60)
    return Done(process.returncode, "", stderr)


FAULTS = (
    Fault(
        "standard output is full",
        QUICK,
        1,
        "The output could not be written: No space left on device. Write it to another place; `threadping show` "
        "prints the last run again.",
        WHOLE,
        run=in_shell('exec "$@" > /dev/full'),
    ),
    Fault(
        "the terminal has gone",
        QUICK,
        1,
        "The output could not be written: Input/output error. Write it to another place; `threadping show` prints "
        "the last run again.",
        WHOLE,
        run=into_a_hung_terminal,
    ),
    Fault("a reader who has seen enough, as `| head -1`", QUICK, 0, SILENCE, WHOLE, run=into_nobody),
    Fault("help for a reader who has seen enough", "signal --help", 0, SILENCE, NOTHING, run=into_nobody),
    Fault("standard error and input are closed", QUICK, 0, ANSWER, WHOLE, run=in_shell('exec "$@" 2>&- <&-')),
    Fault("a terminal of one column", "show", 0, ANSWER, UNCHANGED, Bench.store_a_run, env={"COLUMNS": "1"}),
    Fault("a width that is no number", "show", 0, ANSWER, UNCHANGED, Bench.store_a_run, env={"COLUMNS": "abc"}),
    Fault("a terminal that can do nothing", "show", 0, ANSWER, UNCHANGED, Bench.store_a_run, env={"TERM": "dumb"}),
    Fault(
        "a terminal of ASCII alone",
        "show",
        0,
        ANSWER,
        UNCHANGED,
        Bench.store_a_run,
        in_shell('exec "$@"'),
        env={"PYTHONIOENCODING": "ascii"},
    ),
    Fault("standard output is closed", "list", 1, CLOSED, UNCHANGED, Bench.store_a_run, in_shell('exec "$@" >&-')),
    Fault("standard output is closed while it is measured", QUICK, 1, CLOSED, WHOLE, run=in_shell('exec "$@" >&-')),
    Fault("all streams are closed", QUICK, 1, SILENCE, WHOLE, run=in_shell('exec "$@" <&- >&- 2>&-')),
)
