"""README, CONTRIBUTING and the tour: they stay short, their links lead somewhere, on PyPI too."""

import re

import pytest

from tests.conftest import ROOT
from tests.unit.test_docs_commands import TOUR
from tools.pypi_readme import absolute, dynamic_metadata


def test_the_tour_has_ten_steps_that_say_what_they_show() -> None:
    assert [file.name[:2] for file in TOUR] == [f"{number:02}" for number in range(1, 11)]
    for file in TOUR:
        lines = file.read_text(encoding="utf-8").splitlines()
        assert lines[0] == "#!/bin/sh" and lines[1].startswith("# "), file.name
        assert any(line.startswith("threadping ") for line in lines), file.name
        assert file.stat().st_mode & 0o111, f"{file.name} cannot be run"


@pytest.mark.parametrize(("name", "lines", "words"), [("README.md", 120, 1300), ("CONTRIBUTING.md", 80, 1300)])
def test_a_first_page_is_short(name: str, lines: int, words: int) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert len(text.splitlines()) <= lines
    assert len(text.split()) <= words


def test_on_pypi_links_of_the_readme_lead_into_the_repository_at_that_version() -> None:
    made = absolute("[a](b.md#b) ![p](p.svg) [c](https://c.d/) [e](#e)", "https://h/o/t", "1.2")
    assert made == ("[a](https://h/o/t/blob/v1.2/b.md#b) ![p](https://h/o/t/raw/v1.2/p.svg) [c](https://c.d/) [e](#e)")
    found = dynamic_metadata({"repository": "https://h/o/t"}, {"version": "1.2"})
    assert not re.findall(r"\]\((?!https:|#)", found["readme"]["text"])
    assert found["urls"]["Repository"] == "https://h/o/t"


def test_the_messages_of_troubleshooting_are_printed() -> None:
    """A message of the first two tables is in the table of faults, which tests bring about, or in the program."""
    page = (ROOT / "docs" / "how-to" / "troubleshooting.md").read_text(encoding="utf-8").partition("## The result")[0]
    code = (re.sub(r'"\n\s+f?"', "", file.read_text(encoding="utf-8")) for file in (ROOT / "src").rglob("*.py"))
    printed = " ".join([(ROOT / "docs" / "internals" / "faults.md").read_text(encoding="utf-8"), *code])
    messages = re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE)
    pieces = [piece.strip() for message in messages for piece in message.split("…") if len(piece.strip()) > 3]
    assert len(messages) > 12
    assert [piece for piece in pieces if piece not in printed] == []
