"""The pages of docs/: those that the program writes are up to date, links lead somewhere, printed pointers exist."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.golden.fixture import ANSWER
from tests.golden.test_exports import expect
from threadping.output.run_records import bundle
from tools.docs import DOCS, generated, results

GENERATED = generated()
PAGES = sorted(DOCS.rglob("*.md"))
READMES = [*ROOT.glob("*.md"), ROOT / "contract" / "README.md", *(ROOT / "examples").glob("*/README.md")]
USERS = ("index.md", "tutorial.md", "how-to", "reference", "explanation")  # what users read, with the README
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
SUFFIXES = (".py", ".toml", ".hpp", ".cpp", ".h", ".java", ".rs", ".yml", ".md", ".json", ".txt")
POINTER = re.compile(r"\bdocs/[\w./-]+?\.(?:md|json|png|svg)\b")


@pytest.mark.parametrize("name", GENERATED)
def test_a_generated_page_is_what_the_program_prints(name: str) -> None:
    """After a change that is meant: `python tools/docs.py`."""
    expect(DOCS / name, GENERATED[name])


def test_the_results_pages_are_those_of_their_stored_runs() -> None:
    for name, text in results().items():
        expect(DOCS / name, text)


def test_the_page_of_a_machine_has_its_stored_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "signal.run").write_text(bundle(ANSWER, False), encoding="utf-8")
    monkeypatch.setattr("tools.docs.RUNS", tmp_path)
    pages = results()
    (machine,) = {*pages} - {"results/index.md"}
    assert f"]({machine.removeprefix('results/')})" in pages["results/index.md"]
    assert "[Stored run](runs/signal.run)" in pages[machine]
    lines = (one for one in pages[machine].splitlines() if one.startswith("| `cas-one-line` | cpp | 2 |"))
    assert any(re.search(r"\| [\d.]+ ns \| [(]?[\d.]+.[\d.]+[)]? \|", line) for line in lines)


def _anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub and mkdocs make them."""
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in HEADING.findall(text)}


def _dead_links(page: Path) -> Iterator[str]:
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    for link in LINK.findall(re.sub(r"`[^`\n]*`", "", text)):
        if not re.match(r"[a-z]+:", link):
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            if not target.exists() or (anchor and target.suffix == ".md" and anchor not in _anchors(target)):
                yield link


@pytest.mark.parametrize("page", [*PAGES, *READMES], ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    assert [*_dead_links(page)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_lines_of_prose_have_at_most_120_characters(page: Path) -> None:
    lines = FENCED.sub("", page.read_text(encoding="utf-8")).splitlines()
    prose = (line for line in lines if not line.startswith(("|", "#", "`")) and "](http" not in line)
    by_a_program = "writes this page from the program" in page.read_text(encoding="utf-8") or page.stem == "faults"
    assert [line for line in prose if len(line) > 120 and not by_a_program] == []


def test_users_pages_have_at_most_30_000_words_and_all_but_results_and_internals_35_000() -> None:
    users = [ROOT / "README.md", *(page for page in PAGES if page.relative_to(DOCS).parts[0] in USERS)]
    every = {*users, *READMES, *(ROOT / ".github").rglob("*.md")}
    words = {page: len(page.read_text(encoding="utf-8").split()) for page in every}  # as `wc -w`
    assert sum(words[page] for page in users) <= 30_000
    assert sum(words.values()) <= 35_000


def _sources() -> Iterator[Path]:
    for folder in ("src/threadping", "tests", "tools", "contract", "benchmarks", "probes", ".github", "."):
        for file in (ROOT / folder).glob("*" if folder == "." else "**/*"):
            ours = not {"_probes", "target", "build", "__pycache__"} & {*file.parts}
            if ours and file.is_file() and file.suffix in {*SUFFIXES, ""} and file.stat().st_size < 1_000_000:
                yield file


def test_every_pointer_to_a_page_names_one_that_exists() -> None:
    missing = {
        f"{file.relative_to(ROOT)}: {pointer}"
        for file in _sources()
        if file.name != Path(__file__).name
        for pointer in POINTER.findall(file.read_text(encoding="utf-8", errors="replace"))
        if not (ROOT / pointer).exists()
    }
    assert missing == set()


def test_every_module_that_a_page_has_run_exists() -> None:
    run = re.compile(r"python -m ((?:tests|benchmarks)[\w.]+)")
    files = {ROOT / name.replace(".", "/") for page in PAGES for name in run.findall(page.read_text(encoding="utf-8"))}
    assert {one for one in files if not one.with_suffix(".py").exists() and not (one / "__main__.py").exists()} == set()


def test_every_make_target_that_a_page_names_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = {*re.findall(r"^([a-z][a-z-]*)(?: [a-z -]+)?:(?!=)", makefile, re.MULTILINE)}
    pages = " ".join(page.read_text(encoding="utf-8") for page in PAGES)
    named = {*re.findall(r"\bmake ([a-z][a-z-]+)[`\s]", pages)}
    assert {name for name in named if name.startswith(("bench", "docs", "results", "wheel", "test", "lint"))} <= targets


def test_every_page_is_in_the_navigation_of_the_site() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    named = set(re.findall(r"[\w/-]+\.md", text.partition("\nnav:")[2]))
    assert {str(page.relative_to(DOCS)) for page in PAGES} == named
