"""The help of a command: how it is called, examples to copy, its options in groups, and how it ends."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

REQUIRED, OTHER = "Required", "Other"
HEADINGS = ("What to measure", "For how long", "How to measure", "Output", OTHER)
"""Of the groups of options in the help, in their order, behind those that are required."""

Examples = Sequence[tuple[str, str]]
"""What stands behind `threadping`, and what that does: each is one line of the help, to be copied as it is."""

EXIT_CODES = {
    0: "Done.",
    1: "Something could not be measured, read or written.",
    2: "Wrong usage: nothing was begun.",
    130: "Ctrl-C: what was measured until then is stored.",
}
"""What the exit codes mean that every command has."""


class Command(click.Command):
    """A command whose help shows examples, its options in groups, and its exit codes."""

    def __init__(self, name: str, *, examples: Examples = (), ends: Mapping[int, str] | None = None, **rest: Any):
        """Take click's arguments, the examples, and the exit codes that mean something of its own here."""
        super().__init__(name, **rest)
        self.examples, self.ends = examples, {**EXIT_CODES, **(ends or {})}

    def get_short_help_str(self, limit: int = 0) -> str:
        """Its first sentence, whole: the list of commands wraps it."""
        return super().get_short_help_str(max(limit, 200))

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """What must be given stands in the line that says how it is called."""
        required = [one for one in self.params if isinstance(one, click.Option) and one.required]
        return [*(f"{one.opts[0]} {one.make_metavar(ctx)}" for one in required), *super().collect_usage_pieces(ctx)]

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what it does, and right behind that what to type."""
        super().format_help_text(ctx, formatter)
        write_examples(formatter, "Examples", self.examples)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each group under its heading."""
        groups: dict[str, list[tuple[str, str]]] = {name: [] for name in (REQUIRED, *HEADINGS)}
        for param in self.get_params(ctx):
            if isinstance(param, click.Option) and (record := param.get_help_record(ctx)):
                groups[REQUIRED if param.required else getattr(param, "group", OTHER)].append(record)
        for name, records in groups.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what its exit codes mean."""
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code), self.ends[code]) for code in sorted(self.ends)])


class Commands(click.Group):
    """Commands, in groups of the help, which begins with where to start."""

    def __init__(self, groups: Mapping[str, Sequence[click.Command]], start: Examples, **rest: Any) -> None:
        """Have these commands, of which one starts with some; `rest` is click's."""
        commands = {one.name or "": one for each in groups.values() for one in each}
        super().__init__(commands=commands, context_settings={"help_option_names": ["-h", "--help"]}, **rest)
        self.groups, self.start = groups, start

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what it is, and right behind that where to start."""
        super().format_help_text(ctx, formatter)
        write_examples(formatter, "Start here", self.start)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each group under its heading."""
        for heading, commands in self.groups.items():
            with formatter.section(heading):
                formatter.write_dl([(one.name or "", one.get_short_help_str(200)) for one in commands])


def write_examples(formatter: click.HelpFormatter, heading: str, examples: Examples) -> None:
    """Write commands under a heading, each in a line that a shell takes as it is; nothing where there are none."""
    width = max((len(words) for words, _ in examples), default=0)
    room = formatter.width - formatter.current_indent - len("  threadping   # ")
    if examples:
        with formatter.section(heading):
            for words, says in examples:
                command = f"threadping {words:<{max(0, min(width, room - len(says)))}}"
                formatter.write(f"{'':{formatter.current_indent}}{command}  # {says}\n")
