"""The program: which commands there are, what each does, and how an error becomes an exit code."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from threadping.conduct import streams
from threadping.model.errors import ThreadpingError, cause_of
from threadping.options.program import QUIETLY, VERBOSELY, LazyCommands, Program, print_version

# Commands by headings of the help: where each is defined, and its help's first sentence. The help imports no command
COMMAND_TABLE = {
    "Measure": {
        "run": ("options.measuring.RUN", "Measure the overview in a minute, or one subject in depth."),
        "compare": ("studies.options.COMPARE", "Test whether B is slower than A; exit with 3 if so."),
        "ping": ("studies.options.PING", "Measure core-to-core latency every second until Ctrl-C."),
        "matrix": ("studies.options.MATRIX", "Measure the one-way latency between every two CPUs."),
    },
    "Decide": {
        "recommend": ("studies.options.RECOMMEND", "Recommend a wait strategy, a queue, or CPUs for your threads."),
        "doctor": ("studies.options.DOCTOR", "Check in 15 seconds whether this machine is fit."),
    },
    "Check": {
        "reproduce": ("studies.options.REPRODUCE", "Reproduce published figures, or the number of another tool.")
    },
    "Look": {
        "show": ("cli.commands.SHOW", "Show every case of a run."),
        "report": ("cli.commands.REPORT", "Write an HTML report of one run, or of several side by side."),
        "explain": ("cli.commands.EXPLAIN", "Explain a term, warning, metric, mechanism or row."),
    },
    "More": {
        "runs": ("cli.commands.RUNS", "List, remove, import, export or resume stored runs."),
        "info": ("cli.commands.INFO", "List mechanisms, runtimes and tools."),
        "new": ("cli.commands.NEW", "Write a custom mechanism to start from; it compiles and works."),
        "fleet": ("studies.options.FLEET", "Measure on every host of a Dask cluster, and find those that differ."),
        "completion": ("cli.shell.COMPLETION", "Print a script that completes words in your shell."),
        "help": ("cli.shell.HELP", "Print the help of a command, or the manual page."),
    },
}

PROGRAM = Program(
    {heading: {name: says for name, (_, says) in each.items()} for heading, each in COMMAND_TABLE.items()},
    LazyCommands({name: place for each in COMMAND_TABLE.values() for name, (place, _) in each.items()}),
    start=(
        ("run", "what a handoff between threads costs here"),
        ("ping", "core-to-core latency, every second"),
        ("recommend wait --rate 20k --latency p99=50us", "which wait strategy"),
        ("compare signal condition,futex", "is futex slower?"),
        ("explain p99", "any printed word"),
    ),
    help="ping, but for threads: measure what it costs to reach another thread on this machine.",
    epilog="`threadping help COMMAND` has examples, and lists the options of a command.",
    params=[
        click.Option(["--version"], is_flag=True, is_eager=True, expose_value=False, callback=print_version),
        click.Option(["--quiet", "-q"], help="Print only the answer and errors.", **QUIETLY),
        click.Option(["--verbose", "-v"], help="Print each trial on stderr as it begins.", **VERBOSELY),
    ],
    no_args_is_help=True,
)


def main() -> None:
    """Run the command line and end with its exit code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run a command; its exit code: 1 not measured, 2 wrong usage, 3 no, 4 undecided (--strict), 130 interrupted."""
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
    except ImportError as error:  # of numpy, the cause names the library
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
