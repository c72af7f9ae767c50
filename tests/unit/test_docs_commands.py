"""Every command line in a page parses: what a reader copies is never refused for a name or an option."""

import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stdout, suppress
from io import StringIO
from pathlib import Path

import click
import pytest

from tests.conftest import ROOT
from tests.unit.test_docs import PAGES, READMES
from threadping.cli.app import PROGRAM
from threadping.model.errors import OutputUnwritable, ThreadpingError
from threadping.options.program import Commands
from tools.docs import commands_of, options_of

FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
OF_A_SHELL = ("", "sh", "bash", "console", "yaml")
INLINE = re.compile(r"`threadping ([^`|>]+)")
LINE = re.compile(r"(?:^|\$ |[|&;] |run: |ARGS=\")\s*(?:uvx )?threadping ([^|&>;\n]+)", re.MULTILINE)
MEANT = {  # what a placeholder may be
    "RUN": "last",
    "CODE": "wide",
    "WORD": "p99",
    "NAME": "mutex",
    "SUBJECT": "signal",
    "COMMAND": "run",
    "TOOL": "c2clat",
    "FILE": "answer.json",
    "A,B": "0,1",
}
BEYOND = re.compile(r"\[OPTIONS\]|[$…*<]|\.\.\.|PORT|NUMBER|CLASS")  # needs a variable or a person
TOUR = sorted((ROOT / "examples" / "tour").glob("*.sh"))
SOURCE = re.compile(r"[\w./-]+\.(?:hpp|jar|html|run|csv)\b")
CRATES = ("my_queue", "my_crate", "base/my_queue", "head/my_queue", "base/bench", "bench")
CLASSES = ("classes", "none")
"""Names on command lines of files, of crates, and of folders with classes of Java, which a test makes."""


def _command_lines(page: Path) -> Iterator[str]:
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    blocks = [("sh", text)] if page.suffix == ".sh" else FENCE.findall(text)
    inside = [line for language, block in blocks if language in OF_A_SHELL for line in LINE.findall(block)]
    for line in dict.fromkeys((*inside, *INLINE.findall(FENCE.sub("", text)))):
        words = " ".join(MEANT.get(word, word) for word in line.split())
        if not BEYOND.search(words):
            yield words


def _parse(line: str) -> None:
    """Parse a command line as the program does, without calling the command."""
    command: click.Command = PROGRAM
    words, context = shlex.split(line, comments=True), click.Context(PROGRAM, info_name="threadping")
    while isinstance(command, Commands) and words and not words[0].startswith("-"):
        found = command.get_command(context, words[0])
        if found is None:
            raise click.UsageError(f"No such command {words[0]}.")
        command, context = found, click.Context(found, parent=context, info_name=words.pop(0))
    mentioned = (click.exceptions.Exit, click.exceptions.NoArgsIsHelpError, click.MissingParameter)
    with suppress(*mentioned), redirect_stdout(StringIO()):
        command.make_context(context.info_name, words, parent=context.parent)


def _touch(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()


@pytest.mark.parametrize("page", [*PAGES, *READMES, *TOUR], ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_line_parses(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if page.name == "faults.md":
        return  # wrong command lines, each with its message
    for crate in CRATES:
        _touch(tmp_path / crate / "Cargo.toml")
    for folder in CLASSES:
        (tmp_path / folder).mkdir()
    wrong = []
    for line in _command_lines(page):
        for source in SOURCE.findall(line):
            _touch(tmp_path / source.lstrip("/"))
        try:
            _parse(line)
        except OutputUnwritable:  # a folder of the reader's machine
            continue
        except (click.UsageError, ThreadpingError) as error:
            wrong.append(f"{line}: {error}")
    assert wrong == []


FOREIGN = {"--help", "--cpuset-cpus"}  # of docker
OF_THE_PROGRAM = {
    name for _, one in commands_of(PROGRAM) for option in options_of(one) for name in option.opts
} | FOREIGN


@pytest.mark.parametrize("folder", ["reference", "explanation"])
def test_every_option_that_a_page_names_is_one_of_the_program(folder: str) -> None:
    pages = [page for page in PAGES if page.parent.name == folder]
    named = {name for page in pages for name in re.findall(r"`(--[a-z-]+)", FENCE.sub("", page.read_text("utf-8")))}
    assert named - OF_THE_PROGRAM == set()


MARKED = re.compile(r"(?:<code>|\{@code |`)threadping ([^<}`(]+)")
JOINED = re.compile(r"\\\n|\"\s*\n\s*f?\"")  # where a sentence goes on in the next line of a source
TEXTS = [
    file
    for pattern in ("cli/skeletons/*", "output/page/*.html", "**/*.toml", "**/*.py")
    for file in (ROOT / "src/threadping").glob(pattern)
    if "_probes" not in file.parts
]


@pytest.mark.parametrize("text", [*TEXTS, ROOT / "contract/words.json"], ids=lambda text: text.name)
def test_every_command_that_the_program_prints_parses(text: Path) -> None:
    for line in MARKED.findall(JOINED.sub("", text.read_text(encoding="utf-8"))):
        words = " ".join(MEANT.get(word, word) for word in line.replace("PAGE.html", "last").split())
        if "{" not in words and not BEYOND.search(words):
            _parse(words.replace("report A B", "report 1 2"))
