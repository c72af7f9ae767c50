"""The pages of docs/, README, CONTRIBUTING and the tour: up to date, links lead somewhere, command lines parse."""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout, suppress
from io import StringIO
from pathlib import Path

import click
import pytest

from tests.conftest import ROOT
from tests.golden.fixture import ANSWER
from tests.golden.test_exports import expect
from threadping.cli.app import PROGRAM
from threadping.model.errors import OutputUnwritable, ThreadpingError
from threadping.options.program import Commands
from threadping.output.run_records import bundle
from tools.docs import DOCS, commands_of, generated, options_of, results
from tools.pypi_readme import absolute, dynamic_metadata

PAGES = sorted(DOCS.rglob("*.md"))
READMES = [*ROOT.glob("*.md"), ROOT / "contract" / "README.md", *(ROOT / "examples").glob("*/README.md")]
USERS = ("index.md", "tutorial.md", "how-to", "reference", "explanation")  # what users read, with the README
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
SUFFIXES = (".py", ".toml", ".hpp", ".cpp", ".h", ".java", ".rs", ".yml", ".md", ".json", ".txt")
POINTER = re.compile(r"\bdocs/[\w./-]+?\.(?:md|json|png|svg)\b")


@pytest.mark.parametrize("pages", [generated, results])
def test_a_generated_page_is_what_the_program_prints(pages: Callable[[], Mapping[str, str]]) -> None:
    """After a change that is meant: `python tools/docs.py`."""
    for name, text in pages().items():
        expect(DOCS / name, text)


def test_the_page_of_a_machine_has_its_stored_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "signal.run").write_text(bundle(ANSWER), encoding="utf-8")
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


def test_every_link_leads_somewhere() -> None:
    assert [(page, link) for page in (*PAGES, *READMES) for link in _dead_links(page)] == []


def test_lines_of_prose_have_at_most_120_characters() -> None:
    for page in PAGES:
        lines = FENCED.sub("", page.read_text(encoding="utf-8")).splitlines()
        prose = (line for line in lines if not line.startswith(("|", "#", "`")) and "](http" not in line)
        by_a_program = "writes this page from the program" in page.read_text(encoding="utf-8") or page.stem == "faults"
        assert [line for line in prose if len(line) > 120 and not by_a_program] == [], page


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
    missing = set()
    for file in _sources():
        content = file.read_bytes()  # which most need no search of
        if b"docs/" in content and file.name != Path(__file__).name:
            found = {*POINTER.findall(content.decode(errors="replace"))}
            missing |= {f"{file.relative_to(ROOT)}: {one}" for one in found if not (ROOT / one).exists()}
    assert missing == set()


def test_every_module_and_every_make_target_that_a_page_names_exists() -> None:
    run = re.compile(r"python -m ((?:tests|benchmarks)[\w.]+)")
    files = {ROOT / name.replace(".", "/") for page in PAGES for name in run.findall(page.read_text(encoding="utf-8"))}
    assert {one for one in files if not one.with_suffix(".py").exists() and not (one / "__main__.py").exists()} == set()
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = {*re.findall(r"^([a-z][a-z-]*)(?: [a-z -]+)?:(?!=)", makefile, re.MULTILINE)}
    pages = " ".join(page.read_text(encoding="utf-8") for page in PAGES)
    named = {*re.findall(r"\bmake ([a-z][a-z-]+)[`\s]", pages)}
    assert {name for name in named if name.startswith(("bench", "docs", "results", "wheel", "test", "lint"))} <= targets


def test_every_page_is_in_the_navigation_of_the_site() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    named = set(re.findall(r"[\w/-]+\.md", text.partition("\nnav:")[2]))
    assert {str(page.relative_to(DOCS)) for page in PAGES} == named


# ---- command lines ----
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


def test_every_command_line_parses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for crate in CRATES:
        _touch(tmp_path / crate / "Cargo.toml")
    for folder in CLASSES:
        (tmp_path / folder).mkdir()
    wrong = []
    pages = (one for one in (*PAGES, *READMES, *TOUR) if one.name != "faults.md")  # wrong ones, each with its message
    for page, line in ((one, line) for one in pages for line in _command_lines(one)):
        for source in SOURCE.findall(line):
            _touch(tmp_path / source.lstrip("/"))
        try:
            _parse(line)
        except OutputUnwritable:  # a folder of the reader's machine
            continue
        except (click.UsageError, ThreadpingError) as error:
            wrong.append(f"{page}: {line}: {error}")
    assert wrong == []


FOREIGN = {"--help", "--cpuset-cpus"}  # of docker
OF_THE_PROGRAM = {
    name for _, one in commands_of(PROGRAM) for option in options_of(one) for name in option.opts
} | FOREIGN


def test_every_option_that_a_page_names_is_one_of_the_program() -> None:
    texts = [page.read_text("utf-8") for page in PAGES if page.parent.name in ("reference", "explanation")]
    named = {name for text in texts for name in re.findall(r"`(--[a-z-]+)", FENCE.sub("", text))}
    assert named - OF_THE_PROGRAM == set()


MARKED = re.compile(r"(?:<code>|\{@code |`)threadping ([^<}`(]+)")
JOINED = re.compile(r"\\\n|\"\s*\n\s*f?\"")  # where a sentence goes on in the next line of a source
TEXTS = [
    file
    for pattern in ("cli/skeletons/*", "output/page/*.html", "**/*.toml", "**/*.py")
    for file in (ROOT / "src/threadping").glob(pattern)
    if "_probes" not in file.parts
]


def test_every_command_that_the_program_prints_parses() -> None:
    for text in (*TEXTS, ROOT / "contract/words.json"):
        for line in MARKED.findall(JOINED.sub("", text.read_text(encoding="utf-8"))):
            words = " ".join(MEANT.get(word, word) for word in line.replace("PAGE.html", "last").split())
            if "{" not in words and not BEYOND.search(words):
                _parse(words.replace("report A B", "report 1 2"))


# ---- README, CONTRIBUTING and the tour ----
def test_the_tour_has_ten_steps_that_say_what_they_show() -> None:
    assert [file.name[:2] for file in TOUR] == [f"{number:02}" for number in range(1, 11)]
    for file in TOUR:
        lines = file.read_text(encoding="utf-8").splitlines()
        assert lines[0] == "#!/bin/sh" and lines[1].startswith("# "), file.name
        assert any(line.startswith("threadping ") for line in lines), file.name
        assert file.stat().st_mode & 0o111, f"{file.name} cannot be run"


def test_a_first_page_is_short() -> None:
    for name, lines in (("README.md", 120), ("CONTRIBUTING.md", 80)):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert len(text.splitlines()) <= lines and len(text.split()) <= 1300, name


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
