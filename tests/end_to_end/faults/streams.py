"""Terminals and streams that are closed, full, or cannot show what is printed."""

import os
import sys
from functools import partial

from tests.end_to_end.conftest import Done
from tests.end_to_end.faults.fault import NOTHING, STORED, UNCHANGED, WHOLE, Bench, How, Kept, in_shell, read_faults

HEADING = "Terminals and streams"
ABOUT = (
    "An answer that cannot be printed is stored all the same, and files come before it. A reader who has seen "
    "enough changes no exit code."
)

measured = partial(in_shell, real=False)
"""A command whose probes answer in its own process."""


def into_nobody(bench: Bench, command: str) -> Done:
    """Standard output is a pipe of which the reader has gone."""
    return _into(bench, command, _unread())


def _unread() -> int:
    reader, writer = os.pipe()
    os.close(reader)
    return writer


def here_into_nobody(bench: Bench, command: str) -> Done:
    """The same without a process: what one does at its end is the same for every command."""
    return _here_into(bench, command, _unread())


def here_into_full(bench: Bench, command: str) -> Done:
    """The same of a device that is full."""
    return _here_into(bench, command, os.open("/dev/full", os.O_WRONLY))


def _here_into(bench: Bench, command: str, output: int) -> Done:
    with open(output, "w", encoding="utf-8") as stream, bench.patch.context() as patch:
        patch.setattr("sys.stdout", stream)
        done = bench.run(command)
        sys.stdout.close()  # which the command has put in the stream's place
    return done


def remarks_into_nobody(bench: Bench, command: str) -> Done:
    """Standard error is such a pipe."""
    process = bench.start(command, stderr=(writer := _unread()), real=False)
    os.close(writer)
    stdout, _ = process.communicate(timeout=60)
    return Done(process.returncode, stdout, "")


def into_a_hung_terminal(bench: Bench, command: str) -> Done:
    """Standard output is a terminal of which the other side is gone."""
    master, terminal = os.openpty()
    os.close(master)
    return _into(bench, command, terminal)


def _into(bench: Bench, command: str, output: int) -> Done:
    process = bench.start(command, stdout=output, real=False)
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


WRITTEN = files("rows.json", "rows.hgrm")

FAULTS = read_faults(
    __file__,
    {
        "standard output is full": How(WHOLE, run=measured('exec "$@" > /dev/full')),
        "the terminal has gone": How(WHOLE, run=into_a_hung_terminal),
        "standard output is full, and there are files": How(WRITTEN, run=here_into_full),
        "a reader who has seen enough, as `| head -1`": How(WHOLE, run=into_nobody),
        "a reader who has seen enough, and files": How(WRITTEN, run=here_into_nobody),
        "a failing gate for a reader who has seen enough": How(files("ratio.json"), a_comparison, here_into_nobody),
        "a failing gate as JSON for a reader who has seen enough": How(UNCHANGED, a_comparison, here_into_nobody),
        "pings above a limit for a reader who has seen enough": How(NOTHING, run=here_into_nobody),
        "a stored run for a reader who leaves": STORED._replace(run=here_into_nobody),
        "pings without end for a reader who has seen enough": How(NOTHING, run=here_into_nobody),
        "nobody reads standard error": How(WHOLE, run=remarks_into_nobody),
        "standard error is full": How(WHOLE, run=measured('exec "$@" 2> /dev/full')),
        "help for a reader who has seen enough": How(NOTHING, run=here_into_nobody),
        "standard error and input are closed": How(WHOLE, run=measured('exec "$@" 2>&- <&-')),
        "a terminal of one column": STORED,
        "a terminal of no columns": STORED,
        "a width that is no number": STORED,
        "a terminal that can do nothing": STORED,
        "a terminal of ASCII alone": STORED._replace(run=in_shell('exec "$@"')),
        "standard output is closed": STORED._replace(run=in_shell('exec "$@" >&-')),
        "standard output is closed while it is measured": How(WHOLE, run=measured('exec "$@" >&-')),
        "all streams are closed": How(WHOLE, run=measured('exec "$@" <&- >&- 2>&-')),
    },
)
