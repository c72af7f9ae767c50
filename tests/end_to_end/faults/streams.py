"""Terminals and streams that are closed, full, or cannot show what is printed."""

import os

from tests.end_to_end.conftest import Done
from tests.end_to_end.faults.fault import (
    ANSWER,
    MEASURE,
    NOTHING,
    SILENCE,
    UNCHANGED,
    WHOLE,
    Bench,
    Fault,
    Kept,
    in_shell,
)

HEADING = "Terminals and streams"
ABOUT = (
    "An answer that cannot be printed is stored all the same, and files come before it. A reader who has seen "
    "enough changes no exit code."
)

CLOSED = (
    "The output could not be written: stdout is closed. Write it to another place; `threadping show` prints the "
    "last run again."
)
FULL = CLOSED.replace("stdout is closed", "No space left on device")
QUICK = MEASURE.replace("1s", "2s")


into_full = in_shell('exec "$@" > /dev/full')


def into_nobody(bench: Bench, command: str) -> Done:
    """Standard output is a pipe of which the reader has gone."""
    reader, writer = os.pipe()
    os.close(reader)
    return _into(bench, command, writer)


def remarks_into_nobody(bench: Bench, command: str) -> Done:
    """Standard error is such a pipe."""
    reader, writer = os.pipe()
    os.close(reader)
    process = bench.start(command, stderr=writer)
    os.close(writer)
    stdout, _ = process.communicate(timeout=60)
    return Done(process.returncode, stdout, "")


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


def a_comparison(bench: Bench) -> None:
    """B is slower than A."""
    bench.env |= {"FAKE_MECHANISMS": "steady,slow", "FAKE_NOISE": "0.01"}
    done = bench.run("compare signal --mechanism steady,slow --placement same-l3 --budget 9s --seed 3")
    assert done.returncode == 3, done.stderr


def files(*names: str) -> Kept:
    """These files, whole."""

    def holds(bench: Bench) -> None:
        assert {name: len(bench.files().get(name, "")) > 1000 for name in names} == dict.fromkeys(names, True)

    return Kept(", ".join(names), holds)


FILES = "-o rows.json -o rows.hgrm"
WRITTEN = files("rows.json", "rows.hgrm")

FAULTS = (
    Fault("standard output is full", QUICK, 1, FULL, WHOLE, run=into_full),
    Fault(
        "the terminal has gone",
        QUICK,
        1,
        "The output could not be written: Input/output error. Write it to another place; `threadping show` prints "
        "the last run again.",
        WHOLE,
        run=into_a_hung_terminal,
    ),
    Fault("standard output is full, and there are files", f"{QUICK} {FILES}", 1, FULL, WRITTEN, run=into_full),
    Fault("a reader who has seen enough, as `| head -1`", QUICK, 0, SILENCE, WHOLE, run=into_nobody),
    Fault("a reader who has seen enough, and files", f"{QUICK} {FILES}", 0, SILENCE, WRITTEN, run=into_nobody),
    Fault(
        "a failing gate for a reader who has seen enough",
        "compare last -o ratio.json",
        3,
        SILENCE,
        files("ratio.json"),
        a_comparison,
        into_nobody,
    ),
    Fault(
        "a failing gate as JSON for a reader who has seen enough",
        "compare last --format json",
        3,
        SILENCE,
        UNCHANGED,
        a_comparison,
        into_nobody,
    ),
    Fault(
        "pings above a limit for a reader who has seen enough",
        "ping 0,1 -c 2 -i 100ms --above 60ns",
        3,
        SILENCE,
        NOTHING,
        run=into_nobody,
    ),
    Fault("a stored run for a reader who leaves", "show", 0, SILENCE, UNCHANGED, Bench.store_a_run, into_nobody),
    Fault("pings without end for a reader who has seen enough", "ping -i 100ms", 0, SILENCE, NOTHING, run=into_nobody),
    Fault("nobody reads standard error", QUICK, 0, "100 ns", WHOLE, run=remarks_into_nobody),
    Fault("standard error is full", QUICK, 0, "100 ns", WHOLE, run=in_shell('exec "$@" 2> /dev/full')),
    Fault("help for a reader who has seen enough", "run signal --help", 0, SILENCE, NOTHING, run=into_nobody),
    Fault("standard error and input are closed", QUICK, 0, ANSWER, WHOLE, run=in_shell('exec "$@" 2>&- <&-')),
    Fault("a terminal of one column", "show", 0, ANSWER, UNCHANGED, Bench.store_a_run, env={"COLUMNS": "1"}),
    Fault("a terminal of no columns", "show", 0, ANSWER, UNCHANGED, Bench.store_a_run, env={"COLUMNS": "0"}),
    Fault(
        "a width that is no number",
        "show",
        0,
        ANSWER,
        UNCHANGED,
        Bench.store_a_run,
        env={"COLUMNS": "\N{SUPERSCRIPT TWO}"},
    ),
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
    Fault("standard output is closed", "runs list", 1, CLOSED, UNCHANGED, Bench.store_a_run, in_shell('exec "$@" >&-')),
    Fault("standard output is closed while it is measured", QUICK, 1, CLOSED, WHOLE, run=in_shell('exec "$@" >&-')),
    Fault("all streams are closed", QUICK, 1, SILENCE, WHOLE, run=in_shell('exec "$@" <&- >&- 2>&-')),
)
