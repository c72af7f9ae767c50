"""Help, the manual page, and completion: what a shell and man(1) read."""

from collections.abc import Sequence

import click
from click.shell_completion import get_completion_class

from threadping.model.errors import import_by_path
from threadping.options.program import COMPLETING, command

SHELLS = ("bash", "zsh", "fish")

COMPLETION = command(
    "completion",
    "cli.shell.print_script",
    click.Argument(["shell"], type=click.Choice(SHELLS, case_sensitive=False), metavar="|".join(SHELLS)),
    said={
        "help": """Print a script that completes words in your shell.

        bash and zsh: eval "$(threadping completion bash)" in ~/.bashrc, or zsh in ~/.zshrc. fish: threadping completion
        fish > ~/.config/fish/completions/threadping.fish.
        """,
        "examples": [("completion bash", "for bash 4.4 and later"), ("completion zsh", "for zsh")],
    },
)
HELP = command(
    "help",
    "cli.shell.print_help",
    click.Argument(["words"], nargs=-1, metavar="[COMMAND]..."),
    click.Option(["--man", "manual"], is_flag=True, help="Print the manual page for man(1)."),
    said={
        "help": """Print the help of a command, or the manual page.

        To read the manual page: threadping help --man | man -l -
        """,
        "examples": [("help run queue", "the help of `run queue`"), ("help --man", "every help, for man(1)")],
    },
)


def print_help(words: Sequence[str], *, manual: bool) -> int:
    """Print the help of the command that these words name, or the manual page."""
    if manual:
        print(import_by_path("cli.completing.manual")(), end="")
        return 0
    from threadping.cli.app import PROGRAM

    return PROGRAM.call([*words, "--help"])


def print_script(shell: str) -> None:
    """Print what makes a shell complete, to be evaluated by it."""
    script = get_completion_class(shell)
    assert script
    print(script(click.Command("threadping"), {}, "threadping", COMPLETING).source(), end="")
