"""What users read: each command line is one that the program takes, and README and CONTRIBUTING stay short."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tests.commands import parsed
from tests.conftest import ROOT
from threadping.model.errors import OutputUnwritable, UsageError
from tools.pypi_readme import absolute, dynamic_metadata

README = ROOT / "README.md"
TEXTS = [
    README,
    ROOT / "CONTRIBUTING.md",
    *sorted(file for file in (ROOT / "docs").rglob("*.md") if "internals" not in file.parts),
    *sorted((ROOT / "examples").rglob("*.md")),
    *sorted((ROOT / "examples" / "tour").glob("*.sh")),
]
INLINE = re.compile(r"`(threadping [^`\n]+)`")
FENCE = re.compile(r"^\s*```")
START = re.compile(r"^(?:\$ )?(?:\S*/)?(threadping .*)$")
END = {"&&", "||", "|", ">", ">>", ";", "<", "2>", "&"}
"""Words of a shell behind a command."""

STANDING_FOR = {
    "RUN": "1",
    "A,B": "0,1",
    "WORD": "p99",
    "TOOL": "c2clat",
    "COMMAND": "run",
    "NAME": "mutex",
    "FILE": "run.json",
}
"""Placeholders of a page, and what a person types there."""

SOURCE = re.compile(r"[\w./-]+\.(?:hpp|jar|html|run|csv)\b")
CRATES = ("my_queue", "my_crate", "base/my_queue", "head/my_queue", "base/bench", "bench")
CLASSES = ("classes", "none")

TOUR = [file for file in TEXTS if file.suffix == ".sh"]


def _first_command(line: str) -> str:
    """Return a line up to what belongs to the shell, such as a pipe."""
    reading = shlex.shlex(line, posix=False, punctuation_chars="|&;<>")
    reading.whitespace_split = True
    kept: list[str] = []
    for word in reading:
        if word in END:
            break
        kept.append(word)
    return " ".join(kept)


def _commands(file: Path) -> Iterator[str]:
    """Return the command lines in a page's text and blocks of code, or in a script."""
    inside = file.suffix == ".sh"  # a block of code
    for line in file.read_text(encoding="utf-8").splitlines():
        if FENCE.match(line):
            inside = not inside
        elif inside:
            for part in re.split(r"&& (?=threadping)|; (?=threadping)", re.sub(r"^\s*((- )?run: )?", "", line)):
                if found := START.match(part):
                    yield _first_command(found[1])
        else:
            yield from map(_first_command, INLINE.findall(line))


def _touch(file: Path) -> None:
    """Make an empty file that a command names."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()


@pytest.mark.parametrize("file", TEXTS, ids=lambda file: str(file.relative_to(ROOT)))
def test_every_command_of_a_page_can_be_typed(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for crate in CRATES:
        _touch(tmp_path / crate / "Cargo.toml")
    for folder in CLASSES:
        (tmp_path / folder).mkdir()
    refused = []
    for command in _commands(file):
        words = command.split()
        if "…" in command or "..." in command or "[" in command or not words[1].isalpha():
            continue
        for source in SOURCE.findall(command):
            _touch(tmp_path / source)
        try:
            parsed(" ".join(STANDING_FOR.get(word, word) for word in words))
        except OutputUnwritable:  # a folder of the reader's machine
            continue
        except (UsageError, click.UsageError) as error:
            if "Missing" not in str(error):  # a text may name a command without its arguments
                refused.append(str(error))
    assert refused == []


def test_commands_are_found_in_text_in_blocks_and_behind_pipes(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "Type `threadping list`.\n\n```\n$ threadping show 1 | head  # ten\n"
        ".venv/bin/threadping rm 1 && threadping ping\n```\n"
        '    ```\n    threadping run -o x > "a b"\n    ```\n',
        encoding="utf-8",
    )
    assert [*_commands(page)] == [
        "threadping list",
        "threadping show 1",
        "threadping rm 1",
        "threadping ping",
        "threadping run -o x",
    ]


def test_the_tour_has_ten_steps_that_say_what_they_show() -> None:
    assert [file.name[:2] for file in TOUR] == [f"{number:02}" for number in range(1, 11)]
    for file in TOUR:
        lines = file.read_text(encoding="utf-8").splitlines()
        assert lines[0] == "#!/bin/sh" and lines[1].startswith("# ") and [*_commands(file)], file.name
        assert file.stat().st_mode & 0o111, f"{file.name} cannot be run"


@pytest.mark.parametrize(("name", "lines", "words"), [("README.md", 120, 1300), ("CONTRIBUTING.md", 80, 1300)])
def test_a_first_page_is_short(name: str, lines: int, words: int) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert len(text.splitlines()) <= lines
    assert len(text.split()) <= words


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_every_link_of_a_first_page_leads_to_a_file(name: str) -> None:
    links = re.findall(r"\]\(([^)\s#]+)[^)]*\)", (ROOT / name).read_text(encoding="utf-8"))
    assert [link for link in links if "://" not in link and not (ROOT / link).exists()] == []


def test_on_pypi_links_of_the_readme_lead_into_the_repository_at_that_version() -> None:
    made = absolute("[a](b.md#b) ![p](p.svg) [c](https://c.d/) [e](#e)", "https://h/o/t", "1.2")
    assert made == ("[a](https://h/o/t/blob/v1.2/b.md#b) ![p](https://h/o/t/raw/v1.2/p.svg) [c](https://c.d/) [e](#e)")
    found = dynamic_metadata({"repository": "https://h/o/t"}, {"version": "1.2"})
    assert not re.findall(r"\]\((?!https:|#)", found["readme"]["text"])
    assert found["urls"]["Repository"] == "https://h/o/t"
