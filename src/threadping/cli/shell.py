"""The commands whose output another program reads: a shell, and man(1)."""

import click
from click.shell_completion import get_completion_class

from threadping.options.program import COMPLETING, command

SHELLS = ("bash", "zsh", "fish")

COMPLETION = command(
    "completion",
    """Print what makes a shell complete commands, options, mechanisms, runtimes, placements, runs and words.

    bash and zsh: eval "$(threadping completion bash)" in ~/.bashrc, or zsh in ~/.zshrc. fish: threadping completion
    fish > ~/.config/fish/completions/threadping.fish.
    """,
    "cli.shell.print_script",
    click.Argument(["shell"], type=click.Choice(SHELLS, case_sensitive=False), metavar="|".join(SHELLS)),
    examples=[("completion bash", "for bash 4.4 and later"), ("completion zsh", "for zsh")],
)
MAN = command(
    "man",
    """Print the manual page, threadping(1).

    To read it: threadping man | man -l -
    """,
    "cli.completing.print_manual",
    examples=[("man", "the help of every command, for man(1)")],
)


def print_script(shell: str) -> None:
    """Print what makes a shell complete, to be evaluated by it."""
    script = get_completion_class(shell)
    assert script
    print(script(click.Command("threadping"), {}, "threadping", COMPLETING).source(), end="")
