"""The program: which commands there are, what each does, and how an error becomes an exit code."""

import gc
import sys
from collections.abc import Sequence
from pathlib import Path

from threadping.conduct import streams
from threadping.model.errors import ThreadpingError, cause_of
from threadping.options.program import LazyCommands, Program, shows

# Commands by headings of the help: where each is defined, and its help's first sentence. The help imports no command
COMMAND_TABLE = {
    # Each conducts a study: measure, store, print; `ping` stores nothing, `fleet` does it on many hosts.
    "Measure": {
        "run": (
            "options.measuring.measuring",
            "Measure signal, lock, wakeup, queue and barrier, in C++, on every JVM and in Rust.",
        ),
        "signal": (
            "options.measuring.measuring",
            "Measure what it costs one thread to signal another (one-way latency).",
        ),
        "lock": (
            "options.measuring.measuring",
            "Measure what contention does to a lock: threads take it, count, and release it.",
        ),
        "wakeup": (
            "options.measuring.measuring",
            "Measure the call that wakes a thread: what it costs, how late the thread wakes, and why slow calls "
            "are slow.",
        ),
        "queue": (
            "options.measuring.measuring",
            "Measure streams of messages through a queue: how many a second, in what batches, at what latency "
            "and cost.",
        ),
        "load": (
            "options.measuring.measuring",
            "Measure messages on a schedule: their latency from when they are due, and the CPU that waiting takes.",
        ),
        "barrier": (
            "options.measuring.measuring",
            "Measure what it costs to let many threads go and wait for all: barriers, broadcasts, fork and join.",
        ),
        "network": (
            "options.measuring.measuring",
            "Measure the one-way latency of the network, over loopback.",
        ),
        "jitter": (
            "options.measuring.measuring",
            "Measure when, for how long and why a thread that always wants to run does not: on every CPU at once.",
        ),
        "self-test": (
            "options.measuring.measuring",
            "Check threadping itself: known delays and stalls planted in a signal (`doctor --instrument` judges them).",
        ),
        "matrix": ("studies.options.MATRIX", "Measure the one-way latency between every two CPUs."),
        "compare": ("studies.options.COMPARE", "Say whether B is slower than A, with an exit code."),
        "advise": (
            "studies.options.ADVISE",
            "Find the cheapest wait strategy that meets a latency, and say what it costs; exit with 3 if none does.",
        ),
        "which": (
            "studies.options.WHICH_QUEUE",
            "Say which queue to take: which are best, and which fall apart, on CPUs of their own, on one CPU, "
            "unpinned, and beside busy threads.",
        ),
        "place": (
            "studies.options.PLACE",
            "Say on which CPUs to put threads that talk to each other, by which line of which tool, and what "
            "that gains.",
        ),
        "ping": (
            "studies.options.PING",
            "Measure core-to-core latency every second until Ctrl-C, as ping(8) does for hosts.",
        ),
        "doctor": (
            "studies.options.DOCTOR",
            "Say in about ten seconds whether this machine can be trusted with latency, benchmarks or real time "
            "(--for).",
        ),
        "published": (
            "studies.options.PUBLISHED",
            "Repeat published experiments, and compare their figures with those of this machine.",
        ),
        "like": (
            "studies.options.LIKE",
            "Say what a number of another tool means here: our cases that repeat its protocol, by its rules and "
            "by ours.",
        ),
        "fleet": (
            "studies.options.FLEET",
            "Run the same measurement on every host of a Dask cluster, and find those that differ.",
        ),
        "resume": (
            "cli.commands.RESUME",
            "Go on with a run that was interrupted, killed, or ended by a full disk: its number, or 'last'.",
        ),
    },
    # Each reads what is stored, and prints or writes it.
    "Look at what was measured": {
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
        "states": (
            "studies.options.STATES",
            "Show how the core-to-core latency changed: in a run, or in all runs of this machine.",
        ),
        "list": ("cli.commands.LIST", "List the runs, newest first."),
        "import": (
            "cli.commands.IMPORT",
            "Store the runs that pages and .run files carry; or show the matrix of another tool beside yours.",
        ),
        "rm": ("cli.commands.REMOVE", "Remove runs from the store."),
    },
    # Each asks the probes; `new` writes what they are to measure.
    "What there is to measure": {
        "mechanisms": (
            "cli.commands.MECHANISMS",
            "List every mechanism: what it does, its parameters, and what it costs the CPU.",
        ),
        "runtimes": (
            "cli.commands.RUNTIMES",
            "List the probes of C++ and Rust and the JVMs found here, and which of them can be used.",
        ),
        "new": (
            "cli.commands.NEW",
            "Write a mechanism of your own to begin with: a signal, queue, lock or barrier that compiles and works.",
        ),
    },
    # Each prints what is read by another program.
    "For your shell": {
        "completion": (
            "cli.shell.COMPLETION",
            "Print what makes a shell complete commands, options, mechanisms, runtimes, placements, runs and words.",
        ),
        "man": ("cli.shell.MAN", "Print the manual page, threadping(1)."),
    },
}

PROGRAM = Program(
    {heading: {name: says for name, (_, says) in each.items()} for heading, each in COMMAND_TABLE.items()},
    LazyCommands({name: place for each in COMMAND_TABLE.values() for name, (place, _) in each.items()}),
    start=(
        ("run", "what a hand-over between threads costs here, in a minute"),
        ("ping", "how far apart the CPUs are, every second"),
        ("advise --rate 20k --p99 50us", "which wait strategy to choose"),
        ("compare signal --mechanism condition,futex", "is futex slower?"),
        ("explain p99", "any word that is printed"),
    ),
    help="ping, but for threads: what it costs to reach another thread, on this machine, as it is now.",
    epilog="`threadping COMMAND --help` has examples, and lists the options of a command.",
    params=[shows("--version", "probes.runtimes.about")],
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
