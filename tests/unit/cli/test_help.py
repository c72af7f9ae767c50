"""The help of every command: examples that are taken, what is required, how it ends; and the manual page of it."""

import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence

import click
import pytest

from tests.commands import parsed
from threadping.cli.app import PROGRAM
from threadping.cli.completing import manual
from threadping.model.errors import UsageError
from threadping.options.command import CALLED, MEANT, Command, Commands

WIDTH = 78
"""Of a help in a terminal of 80 columns."""


def each() -> Iterator[tuple[click.Context, Command]]:
    """Every command, those of groups too."""
    top = click.Context(PROGRAM, info_name="threadping")
    for name, one in PROGRAM.commands.items():
        within = click.Context(one, parent=top, info_name=name)
        for below, other in one.commands.items() if isinstance(one, Commands) else [(name, one)]:
            assert isinstance(other, Command)
            yield (click.Context(other, parent=within, info_name=below) if other is not one else within), other


EACH = [pytest.param(context, one, id=context.command_path) for context, one in each()]


def help_of(context: click.Context) -> str:
    formatter = click.HelpFormatter(width=WIDTH)
    context.command.format_help(context, formatter)
    return formatter.getvalue()


@pytest.mark.parametrize(("context", "command"), EACH)
def test_every_help_begins_with_examples_that_are_taken(context: click.Context, command: Command) -> None:
    text = help_of(context)
    usage, _, rest = text.partition("\nExamples:\n")
    assert usage.startswith(f"Usage: {context.command_path}") and "Output:" not in usage
    lines = rest.partition("\n\n")[0].splitlines()
    assert 1 <= len(lines) <= 3 and len(lines) == len(command.examples)
    for line in lines:
        assert len(line) <= WIDTH, line
        assert parsed(line.strip()).command is command


@pytest.mark.parametrize(("context", "command"), EACH)
def test_every_help_says_what_is_required_and_how_it_ends(context: click.Context, command: Command) -> None:
    text = help_of(context)
    required = [one.opts[0] for one in command.params if isinstance(one, click.Option) and one.required]
    assert ("\nRequired:\n" in text) == bool(required)
    assert all(option in text.partition("\n\n")[0] for option in required), "the usage names them"
    codes = re.findall(r"^  (\d+) ", text.partition("\nExit codes:\n")[2], re.MULTILINE)
    assert {"0", "1", "2", "130"} <= {*codes}
    for option in ("--above", "--fail-above", "--strict"):
        for code in re.findall(r"exit with (\d)", _help_of_option(command, option), re.IGNORECASE):
            assert code in codes


def _help_of_option(command: Command, option: str) -> str:
    return next((one.help or "" for one in command.params if isinstance(one, click.Option) and option in one.opts), "")


def test_the_programs_help_names_where_to_start() -> None:
    text = help_of(click.Context(PROGRAM, info_name="threadping"))
    start = text.partition("Start here:\n")[2].partition("\n\n")[0].splitlines()
    assert [parsed(line.strip()).info_name for line in start] == ["run", "ping", "advise", "compare", "explain"]
    assert text.index("Start here") < text.index("Options:")
    assert all(len(line) <= 80 for line in text.splitlines())


def test_what_people_call_things_leads_to_what_is_there() -> None:
    options = {name for _, one in each() for param in one.params for name in param.opts}
    assert {meant.split()[0] for meant in MEANT.values()} <= options
    assert {*CALLED.values()} <= {*PROGRAM.commands, "--help"} and not {*CALLED} & {*PROGRAM.commands}
    with pytest.raises(UsageError, match=r"Did you mean 'show'\? `threadping fleet --help` lists the commands\."):
        PROGRAM.call(["fleet", "shwo"])


@pytest.mark.parametrize("words", [("signal", "--queue", "x"), ("signal", "--threads", "3"), ("fleet", "history")])
def test_nothing_is_suggested_that_is_unlike_what_was_typed_or_is_not_there(words: Sequence[str]) -> None:
    with pytest.raises(UsageError) as refused:
        PROGRAM.call(words)
    assert "Did you mean" not in str(refused.value)


def test_a_word_that_is_to_be_chosen_may_be_written_in_letters_of_any_case() -> None:
    assert parsed("threadping advise --rate 20k --p99 50us --for Disruptor").params["system"] == "disruptor"
    assert parsed("threadping show --format JSON").params["form"] == "json"


def test_ping_takes_its_cpus_as_other_commands_do() -> None:
    assert parsed("threadping ping --cpus 1,0").params["cpus"] == parsed("threadping ping 0,1").params["cpus"] == (0, 1)
    assert parsed("threadping ping").params["cpus"] is None


def test_the_manual_has_every_command_and_every_option() -> None:
    page = manual()
    for context, command in each():
        assert f".SH {context.command_path.upper()}".replace("-", "\\-") in page
        for one in command.params:
            assert not isinstance(one, click.Option) or one.opts[0].replace("-", "\\-") in page


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed")
def test_man_reads_the_manual_without_a_warning() -> None:
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-P-cbou"], input=manual(), capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert "threadping advise --rate 20k --p99 50us" in done.stdout
