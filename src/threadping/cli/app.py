"""The program: which commands there are, what each does, and how an error becomes an exit code."""

import gc
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from threadping.conduct import streams
from threadping.model.errors import ThreadpingError, cause_of
from threadping.options.program import LazyCommands, Program, shows, verbosity_of

# Commands by headings of the help: where each is defined, and its help's first sentence. The help imports no command
COMMAND_TABLE = {
    "Measure": {
        "run": (
            "options.measuring.RUN",
            "Measure signal, lock, wakeup, queue and barrier in a minute, or one subject in depth.",
        ),
        "compare": ("studies.options.COMPARE", "Say whether B is slower than A, with an exit code."),
        "ping": (
            "studies.options.PING",
            "Measure core-to-core latency every second until Ctrl-C, as ping(8) does for hosts.",
        ),
        "matrix": ("studies.options.MATRIX", "Measure the one-way latency between every two CPUs."),
    },
    "Decide": {
        "recommend": (
            "studies.options.RECOMMEND",
            "Recommend a wait strategy, a queue, or CPUs for your threads, from what is measured now.",
        ),
        "doctor": (
            "studies.options.DOCTOR",
            "Say in about ten seconds whether this machine can be trusted with latency, benchmarks or real time "
            "(--purpose).",
        ),
    },
    "Check": {
        "reproduce": (
            "studies.options.REPRODUCE",
            "Repeat published figures, or the number of another tool, and compare them with this machine's.",
        ),
    },
    "Look": {
        "show": ("cli.commands.SHOW", "Show every case of a run: its number, or 'last' by default."),
        "report": (
            "cli.commands.REPORT",
            "Write a page that holds a run, or several side by side: numbers, 'last', or pages of others.",
        ),
        "explain": (
            "cli.commands.EXPLAIN",
            "Say what a word means that is printed or asked for: a warning, a figure, a mechanism, a row; with "
            "a run, in that.",
        ),
    },
    "More": {
        "runs": ("cli.commands.RUNS", "List, remove, import, export or resume stored runs."),
        "info": ("cli.commands.INFO", "List the mechanisms, runtimes and tools that threadping knows."),
        "new": (
            "cli.commands.NEW",
            "Write a mechanism of your own to begin with: a signal, queue, lock or barrier that compiles and works.",
        ),
        "fleet": (
            "studies.options.FLEET",
            "Run the same measurement on every host of a Dask cluster, and find those that differ.",
        ),
        "completion": (
            "cli.shell.COMPLETION",
            "Print what makes a shell complete commands, options, mechanisms, runtimes, placements, runs and words.",
        ),
        "help": (
            "cli.shell.HELP",
            "Print the help of a command, or with --man the manual page, threadping(1).",
        ),
    },
}

PROGRAM = Program(
    {heading: {name: says for name, (_, says) in each.items()} for heading, each in COMMAND_TABLE.items()},
    LazyCommands({name: place for each in COMMAND_TABLE.values() for name, (place, _) in each.items()}),
    start=(
        ("run", "what a hand-over between threads costs here, in a minute"),
        ("ping", "how far apart the CPUs are, every second"),
        ("recommend wait --rate 20k --latency p99=50us", "which wait strategy"),
        ("compare signal condition,futex", "is futex slower?"),
        ("explain p99", "any word that is printed"),
    ),
    help="ping, but for threads: what it costs to reach another thread, on this machine, as it is now.",
    epilog="`threadping help COMMAND` has examples, and lists the options of a command.",
    params=[
        shows("--version", "probes.runtimes.about"),
        click.Option(["--quiet", "-q"], help="Print only the answer and errors.", **verbosity_of(-1)),
        click.Option(["--verbose", "-v"], help="Print each trial on stderr as it begins.", **verbosity_of(1)),
    ],
    no_args_is_help=True,
)


def main() -> None:
    """Run the command line and end with its exit code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run a command; its exit code: 1 not measured, 2 wrong usage, 3 no, 4 undecided (--strict), 130 interrupted."""
    gc.set_threshold(50_000)  # records are trees: looking for cycles in them took a twentieth of `report`
    streams.prepare()
    try:
        try:
            code = PROGRAM.call(arguments)
        finally:
            sys.stdout.flush()
    except ThreadpingError as error:
        code = streams.fail(str(error), error.exit_code)
    except KeyboardInterrupt:
        code = streams.fail("Interrupted.", 130)
    except OverflowError as error:  # of Python's, which has no time after 2262: importing logging is enough
        from threadping.model.base import read_clock

        try:
            read_clock()
        except ThreadpingError as wrong:
            code = streams.fail(str(wrong), wrong.exit_code)
        else:
            raise error
    except MemoryError:
        code = streams.fail("There is too little memory. Raise the limit (`ulimit -v`), or end other programs.", 1)
    except ImportError as error:  # of numpy the cause is the library that has no room
        cause = cause_of(error.__cause__ or error)
        code = streams.fail(
            f"A library cannot be loaded: {cause}. Raise the limit on memory (`ulimit -v`), or reinstall.", 1
        )
    except EOFError:  # of a module that Python compiled and kept though not all of it was written
        below = Path(__file__).parents[2]
        code = streams.fail(
            f"A compiled module is cut off, as on a full disk: remove every __pycache__ below {below}.", 1
        )
    except OSError as error:
        of = f" of {error.filename}" if error.filename else ""
        said = f"The operating system reports{of}: {error.strerror or error}."
        if isinstance(error, FileNotFoundError) and not error.filename:  # of the system's calls only getcwd
            said = "The current folder was removed. Change into another one."
        code = streams.fail(said, 1)
    return code
