"""The program and its commands: the help in groups, the calls, and the sentences about what was mistyped.

It imports nothing but click: `threadping --help` waits for it.
"""

import os
from collections import UserDict
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, cast

import click
from click.shell_completion import CompletionItem

from threadping.model.errors import UsageError, did_you_mean, either, import_by_path, similar
from threadping.model.text import keep_store, keep_verbosity


@cache
def spellings() -> dict[str, dict[str, str]]:
    """Return what is suggested for options and commands of other names, and what is said of what is had elsewhere."""
    import tomllib

    return tomllib.loads(Path(__file__).with_name("spellings.toml").read_text())


def sentence_of(error: click.UsageError, program: click.Group, arguments: Sequence[str]) -> str:
    """Return what is wrong in these arguments, in a line, with a suggestion and the help to ask."""
    context = error.ctx or click.Context(program, info_name="threadping")
    for word in arguments if not error.ctx else ():  # click's parser of an option does not tell the command
        if isinstance(context.command, click.Group) and (named := context.command.commands.get(word)):
            context = click.Context(named, parent=context, info_name=word)
    what = "commands" if isinstance(context.command, Commands) else "options"
    said = " ".join(error.format_message().split())
    if isinstance(error, click.NoSuchOption):
        said = _meant_option(error.option_name, context)
    elif isinstance(error, click.exceptions.NoSuchCommand):
        called = spellings()["commands"] if isinstance(context.command, Program) else {}
        known = [*getattr(context.command, "commands", ()), *called]
        near = [error.command_name] if error.command_name in called else similar(error.command_name, known)
        said = _with_meant(error.message, list(dict.fromkeys(called.get(one, one) for one in near)))
    elif isinstance(error, click.BadOptionUsage):
        said = f"{error.option_name} needs a value."
    elif isinstance(error, click.BadParameter) and error.param:
        option = error.param.opts[0] if isinstance(error.param, click.Option) else ""
        if isinstance(error, click.MissingParameter):
            said = f"Missing {option} {error.param.make_metavar(context).removesuffix('...')}.".replace("  ", " ")
        elif isinstance(error.param.type, click.Choice):
            given = error.message.partition(" is not ")[0]
            said = f"{option or 'The argument'} must be {either(error.param.type.choices)}, not {given}."
            if option == "--format" and (elsewhere := spellings()["formats"].get(given.strip("'").lower())):
                return f"{said} {elsewhere}"
    said += "" if said.endswith((".", "?", ")")) else "."
    return f"{said} `{context.command_path} --help` lists the {what}."


def _meant_option(option: str, context: click.Context) -> str:
    """Return what is said of an option that is not there, with what it may mean: by meaning, else by spelling."""
    shown = (one for one in context.command.params if not getattr(one, "hidden", False))
    has = [name for one in shown for name in one.opts]
    meant, elsewhere = spellings()["options"].get(option, ""), spellings()["elsewhere"]
    if option in elsewhere and meant not in has:
        return f"No such option '{option}': {elsewhere[option]}"
    return _with_meant(
        f"No such option '{option}'.",
        [meant] if meant.split(" ")[0] in has else similar(option, [name for name in has if name.startswith("--")]),
    )


def _with_meant(sentence: str, near: Sequence[str]) -> str:
    return sentence + did_you_mean([f"'{one}'" for one in near])


REQUIRED, OTHER = "Required", "Other"
# Groups of options in the help, in order, after the required ones
HEADINGS = ("What to measure", "For how long", "How to measure", "Output", OTHER)
Examples = Sequence[tuple[str, str]]  # words behind `threadping`, each with what they do: a line of the help to copy

EXIT_CODES = {  # of every command
    0: "Done.",
    1: "Something could not be measured, read or written.",
    2: "Wrong usage: nothing was begun.",
    130: "Ctrl-C: what was measured until then is stored.",
}


class Command(click.Command):
    """A command whose help shows examples, its options in groups, and its exit codes."""

    def __init__(self, name: str, *, examples: Examples = (), ends: Mapping[str, str] | None = None, **rest: Any):
        super().__init__(name, **rest)
        self.examples, self.ends = examples, EXIT_CODES | {int(code): says for code, says in (ends or {}).items()}

    def get_short_help_str(self, limit: int = 0) -> str:
        return super().get_short_help_str(max(limit, 200))

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        required = [one for one in self.params if isinstance(one, click.Option) and one.required]
        return [*(f"{one.opts[0]} {one.make_metavar(ctx)}" for one in required), *super().collect_usage_pieces(ctx)]

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_help_text(ctx, formatter)
        write_examples(formatter, "Examples", self.examples)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {name: [] for name in (REQUIRED, *HEADINGS)}
        for param in self.get_params(ctx):
            if isinstance(param, click.Option) and (record := param.get_help_record(ctx)):
                groups[REQUIRED if param.required else getattr(param, "group", OTHER)].append(record)
        for name, records in groups.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Exit codes"):
            own = [
                (str(code), self.ends[code]) for code in sorted(self.ends) if self.ends[code] != EXIT_CODES.get(code)
            ]
            formatter.write_dl([*own, ("others", "0 done, 1 not measured, 2 wrong usage, 130 interrupted.")])


def named_like(begun: str, sentences: Mapping[str, str]) -> list[CompletionItem[str]]:
    return [CompletionItem(name, help=says) for name, says in sentences.items() if name.startswith(begun)]


class LazyCommands(UserDict[str, Any]):
    """Commands by name, each imported when it is first asked for.

    Until then the value is its place: the command's own, or a function's that returns the command of a name.
    """

    def __getitem__(self, name: str) -> click.Command:
        found = self.data[name]
        if isinstance(found, str):
            there = import_by_path(found)
            found = self.data[name] = there if isinstance(there, click.Command) else there(name)
        return cast(click.Command, found)


class Commands(click.Group):
    """Commands, in groups of the help, which has a sentence for each and begins with where to start."""

    def __init__(
        self,
        groups: Mapping[str, Mapping[str, str]],
        commands: MutableMapping[str, click.Command],
        start: Examples,
        **rest: Any,
    ) -> None:
        super().__init__(commands=commands, context_settings={"help_option_names": ["-h", "--help"]}, **rest)
        self.groups, self.start = groups, start

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_help_text(ctx, formatter)
        write_examples(formatter, "Start here", self.start)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, sentences in self.groups.items():
            with formatter.section(heading):
                formatter.write_dl([*sentences.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """Complete a command's name without importing the command."""
        sentences = {name: says for each in self.groups.values() for name, says in each.items()}
        return [*named_like(incomplete, sentences), *click.Command.shell_complete(self, ctx, incomplete)]


class OwnArgument(click.Argument):
    """An argument of a command itself, not of the subjects that may follow it: no usage names it."""

    def get_usage_pieces(self, ctx: click.Context) -> list[str]:
        return []


class Subjects(Command, click.Group):
    """A command that one of its subjects may follow, which is a command too; its own options hold without one."""

    allow_interspersed_args = True

    def __init__(self, name: str, sentences: Mapping[str, str], **rest: Any) -> None:
        super().__init__(name, **rest)
        self.sentences, self.no_args_is_help = sentences, False

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Return the context of the first word that is a subject, in any place, or the command's own."""
        taking = {name for one in self.params if isinstance(one, click.Option) and not one.is_flag for name in one.opts}
        values = {place + 1 for place, word in enumerate(args) if word in taking}
        place = next((at for at, word in enumerate(args) if word in self.commands and at not in values), None)
        if place is None:
            return super().make_context(info_name, args, parent, **extra)
        subject, args = args[place], [*args[:place], *args[place + 1 :]]
        within = click.Context(self, parent, info_name, **self.context_settings)
        return self.commands[subject].make_context(subject, args, within, **extra)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        left = click.Command.parse_args(self, ctx, args)
        if left and not ctx.resilient_parsing:
            raise click.exceptions.NoSuchCommand(left[0], ctx=ctx)
        return left

    def invoke(self, ctx: click.Context) -> Any:
        return click.Command.invoke(self, ctx)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        return [*named_like(incomplete, self.sentences), *click.Command.shell_complete(self, ctx, incomplete)]


def write_examples(formatter: click.HelpFormatter, heading: str, examples: Examples) -> None:
    """Write commands under a heading, one a line, ready to paste; nothing if there are none."""
    width = max((len(words) for words, _ in examples), default=0)
    width_left = formatter.width - formatter.current_indent - len("  threadping   # ")
    if examples:
        with formatter.section(heading):
            for words, says in examples:
                command = f"threadping {words:<{max(0, min(width, width_left - len(says)))}}"
                formatter.write(f"{'':{formatter.current_indent}}{command}  # {says}\n")


COMPLETING = "_THREADPING_COMPLETE"  # the variable by which a shell asks for completions


@cache
def texts() -> dict[str, dict[str, Any]]:
    """Return the help, the examples and the exit codes of each command, by the words that name it."""
    import msgspec

    found: dict[str, dict[str, Any]] = msgspec.json.decode(Path(__file__).with_name("commands.json").read_bytes())
    return found


def command(
    words: str,
    calls: str,
    *params: click.Parameter,
    settings: Mapping[str, Any] | None = None,
    kind: Callable[..., Command] = Command,
    said: Mapping[str, Any] | None = None,
    **fixed: Any,
) -> Command:
    """Return a command that calls `module.function`, imported then, with its parameters by name, and fixed ones.

    `said` are its texts, where `commands.json` does not have them by its words.
    """

    def call(**given: Any) -> Any:
        return import_by_path(calls)(**given, **fixed)

    how = {"context_settings": dict(settings or {}), **(said or texts()[words])}
    return kind(words.split()[-1], params=[*params], callback=call, **how)


def group(name: str, *commands: Command) -> "Commands":
    sentences = {one.name or "": one.get_short_help_str() for one in commands}
    return Commands({"Commands": sentences}, {one.name or "": one for one in commands}, name=name, **texts()[name])


CONDUCT = "conduct.conduct.conduct_asked"  # conducts a study: all options but those of its output are the question


def keep_level(level: int, _context: click.Context, _option: click.Parameter, given: bool) -> None:
    """Have standard error say as much as an option wants, if it is given."""
    if given:
        keep_verbosity(level)


# click's arguments of the options that say how much standard error has to say
QUIETLY: dict[str, Any] = {"is_flag": True, "expose_value": False, "callback": partial(keep_level, -1)}
VERBOSELY = {**QUIETLY, "callback": partial(keep_level, 1)}


def print_version(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    """Print the version and end, if that is what an option wants."""
    if wanted:
        print(import_by_path("probes.runtimes.about")())
        context.exit()


class Program(Commands):
    """The program: words to a call."""

    def call(self, arguments: Sequence[str]) -> int:
        """Call the command that these words name; its exit code. Raises UsageError for words that name none."""
        keep_store(None)
        keep_verbosity(0)
        if COMPLETING in os.environ:
            self.main(prog_name="threadping")  # a shell asks for completions
        try:
            with self.make_context("threadping", [*arguments]) as context:
                return self.invoke(context) or 0
        except click.exceptions.NoArgsIsHelpError as error:
            print(error.ctx.get_help() if error.ctx else "")
            return 2
        except click.exceptions.Exit as end:
            return end.exit_code
        except click.UsageError as error:
            raise UsageError(sentence_of(error, self, arguments)) from error
