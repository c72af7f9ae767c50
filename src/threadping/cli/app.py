"""The program: which commands there are, what each does, and how an error becomes an exit code."""

import gc
import sys
from collections.abc import Sequence

from threadping.cli import commands
from threadping.conduct import streams
from threadping.model.bounds import read_clock
from threadping.model.errors import ThreadpingError, cause_of
from threadping.options.command import Program, shows
from threadping.studies.advise.options import ADVISE
from threadping.studies.compare.options import COMPARE
from threadping.studies.doctor.options import DOCTOR
from threadping.studies.fleet.options import FLEET
from threadping.studies.matrix.options import MATRIX
from threadping.studies.ping.options import PING
from threadping.studies.place.options import PLACE
from threadping.studies.reproduce.options import LIKE, PUBLISHED
from threadping.studies.states.options import STATES
from threadping.studies.survey import options as survey
from threadping.studies.which.options import WHICH_QUEUE

PROGRAM = Program(
    {
        # Each conducts a study: measure, store, print; `ping` stores nothing, `fleet` does it on many hosts.
        "Measure": [
            survey.RUN,
            *survey.EACH,
            MATRIX,
            COMPARE,
            ADVISE,
            WHICH_QUEUE,
            PLACE,
            PING,
            DOCTOR,
            PUBLISHED,
            LIKE,
            FLEET,
            commands.RESUME,
        ],
        # Each reads what is stored, and prints or writes it.
        "Look at what was measured": [
            *(commands.SHOW, commands.REPORT, commands.EXPLAIN, STATES),
            *(commands.LIST, commands.IMPORT, commands.REMOVE),
        ],
        # Each asks the probes; `new` writes what they are to measure.
        "What there is to measure": [commands.MECHANISMS, commands.RUNTIMES, commands.NEW],
        # Each prints what is read by another program.
        "For your shell": [commands.COMPLETION, commands.MAN],
    },
    help="ping, but for threads: what it costs to reach another thread, on this machine, as it is now.",
    start=commands.START,
    epilog="`threadping COMMAND --help` has examples, and lists the options of a command.",
    params=[shows("--version", "cli.runtimes.about")],
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
    except OSError as error:
        code = streams.fail(_reported(error), 1)
    return code


def _reported(error: OSError) -> str:
    if isinstance(error, FileNotFoundError) and not error.filename:  # of the system's calls only getcwd
        return "The current folder was removed. Change into another one."
    of = f" of {error.filename}" if error.filename else ""
    return f"The operating system reports{of}: {error.strerror or error}."
