"""The command line: its table of contents, and the one place where every error becomes a sentence and an exit code."""

import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from errno import EBADF

import click

from threadping.conduct import streams

MEASURE, LOOK_BACK, EQUIPMENT = "Measure", "Look at what was measured", "What there is to measure"


class Threadping(click.Group):
    """The commands, imported when one is asked for: `--version` waits for none."""

    def sections(self) -> dict[str, Sequence[str]]:
        """The names of all commands, as the help groups them."""
        from threadping.experiments import EXPERIMENTS

        return {
            MEASURE: ("run", *EXPERIMENTS, "matrix", "compare", "advise", "ping", "published", "fleet", "resume"),
            LOOK_BACK: ("show", "report", "explain", "states", "list", "import", "rm"),
            EQUIPMENT: ("mechanisms", "runtimes"),
        }

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every name, in the order of the help."""
        return [name for names in self.sections().values() for name in names]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, if there is one."""
        from threadping.cli import commands
        from threadping.experiments import EXPERIMENTS

        if cmd_name == "run" or cmd_name in EXPERIMENTS:
            return commands.measuring(cmd_name)
        return commands.OTHERS.get(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each section under its heading."""
        for section, names in self.sections().items():
            found = [(name, command) for name in names if (command := self.get_command(ctx, name))]
            with formatter.section(section):
                formatter.write_dl([(name, command.get_short_help_str(limit=200)) for name, command in found])


def _version(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        from threadping.cli.runtimes import about

        print(about())
        context.exit()


APP = Threadping(
    help="ping, but for threads: what it costs to reach another thread, on this machine, as it is now.",
    epilog="`threadping COMMAND --help` lists the options of a command.",
    params=[click.Option(["--version"], is_flag=True, is_eager=True, expose_value=False, callback=_version)],
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
)


def main() -> None:
    """Run the command line and end with its exit code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code; no error that a person can meet ends as a traceback."""
    gc.set_threshold(50_000)  # records are trees: looking for cycles in them took a twentieth of `report`
    streams.prepare()
    if "_THREADPING_COMPLETE" in os.environ:
        APP()  # a shell asks for completions
    code = _run(arguments)
    try:
        sys.stdout.flush()
    except OSError as error:
        code = _unwritten(error) or code
    return code


def _run(arguments: Sequence[str]) -> int:
    """The exit code: 0, 1 for a failure, 2 for a wrong request, 3 and 4 as a gate's, 130 for Ctrl-C."""
    from threadping.errors import ThreadpingError

    try:
        with APP.make_context("threadping", [*arguments]) as context:
            return APP.invoke(context) or 0
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.ctx.get_help() if error.ctx else "")
        return 2
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "threadping"
        return _failed(f"{error.format_message()} `{command} --help` lists the options.", error.exit_code)
    except ThreadpingError as error:
        return _failed(str(error), error.exit_code)
    except KeyboardInterrupt:
        return _failed("Interrupted.", 130)
    except OSError as error:
        if error.filename is not None:
            raise
        return _unwritten(error)


def _unwritten(error: OSError) -> int:
    """The exit code where stdout takes no more: `threadping show | head` has seen enough, all else is a failure."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # where the rest of it goes
    if isinstance(error, BrokenPipeError):
        return 0
    why = "stdout is closed" if error.errno == EBADF else error.strerror
    what = f"The output could not be written: {why}. Write it to another place"
    return _failed(f"{what}; `threadping show` prints the last run again.", 1)


def _failed(sentence: str, code: int) -> int:
    from threadping.characters import escape

    with suppress(OSError):  # a terminal that was closed
        print(f"threadping: {escape(sentence)}", file=sys.stderr)
    return code
