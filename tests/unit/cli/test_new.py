"""A mechanism to begin with: what is written, what is printed, and what is refused."""

import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from threadping.cli.app import run
from threadping.cli.mechanisms import LANGUAGES_OF_NEW
from threadping.model.cases import Runtime
from threadping.probes.language import probes_folder
from threadping.probes.runtimes import Found


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("concept", "language"), [(one, name) for name, written in LANGUAGES_OF_NEW.items() for one in written.counterparts]
)
def test_it_is_named_as_asked(here: Path, concept: str, language: str) -> None:
    assert run(["new", concept, "--language", language, "quick_one"]) == 0
    (file,) = here.iterdir()
    assert file.name == {"cpp": "quick_one.hpp", "java": "QuickOne.java", "rust": "quick_one"}[language]
    if language == "rust":
        assert tomllib.loads((file / "Cargo.toml").read_text())["package"]["name"] == "quick_one"
        patched = tomllib.loads((file / ".cargo" / "config.toml").read_text())["patch"]["crates-io"]
        assert patched["threadping"]["path"] == str(probes_folder() / "dev" / "rust")
        file = file / "src" / "lib.rs"
    text = file.read_text()
    assert re.search(r"\b(?:class|struct) QuickOne\b", text)
    assert "My" not in text


def test_the_next_commands_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    run(["new", "queue", "mine"])
    assert capsys.readouterr().out.splitlines() == [
        "Wrote mine.hpp: a queue that works. Its comments state the contract of each operation; change the rest.",
        "  threadping run queue --runtime cpp --mechanism ./mine.hpp",
        "  threadping compare queue --runtime cpp --mechanism ./mine.hpp,boost-spsc",
    ]
    run(["new", "lock", "--language", "java", "mine"])
    _, compiling, measuring, comparing = capsys.readouterr().out.splitlines()
    assert compiling.startswith("  javac -cp /")
    assert compiling.endswith("/threadping-probe.jar -d classes Mine.java")
    assert measuring.startswith("  threadping run lock --runtime java")
    assert comparing.endswith(" --mechanism classes:Mine,reentrant-lock")
    run(["new", "queue", "--language", "rust", "fast"])
    assert capsys.readouterr().out.endswith(" compare queue --runtime rust --mechanism ./fast,rtrb\n")


def test_the_next_commands_can_be_pasted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    java = Runtime("java-17 -Xint", "java", ("java",), "")
    monkeypatch.setattr("threadping.cli.mechanisms.find_runtimes", lambda _: Found((java,), ()))
    monkeypatch.setattr("threadping.cli.mechanisms.probes_folder", lambda: tmp_path / "a b")
    run(["new", "lock", "--language", "java", "mine"])
    _, compiling, *measuring = (shlex.split(line) for line in capsys.readouterr().out.splitlines())
    assert str(tmp_path / "a b" / "threadping-probe.jar") in compiling
    assert all(java.label in line for line in measuring)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("lock", "mine"), "'mine.hpp' exists already and is left unchanged. Give another name."),
        (("lock", "../x"), "The name must consist of letters and digits, such as my_lock, not '../x'."),
        (("lock", "2x"), "The name must consist of letters and digits"),
        (("lock", "thread", "--language", "java"), "'Thread' is a name that the class uses itself. Give another one."),
        (("lock", "mine.hpp", "--language", "rust"), "The name must consist of letters and digits"),
        (("queue", "mine", "--language", "rust"), "'mine' exists already and is left unchanged."),
        (("barrier", "mine", "--language", "java"), "A barrier of your own is measured in cpp only: give --language"),
        (("stack", "mine"), "The argument must be signal, queue, lock or barrier, not 'stack'."),
    ],
)
def test_what_is_refused(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], sentence: str
) -> None:
    (here / "mine.hpp").write_text("mine")
    (here / "mine").mkdir()
    assert run(["new", *arguments]) == 2
    assert sentence in capsys.readouterr().err
    assert [file.read_text() for file in here.rglob("*") if file.is_file()] == ["mine"]


@pytest.mark.skipif(shutil.which("c++") is None, reason="a C++ compiler is missing")
def test_the_headers_compile_without_a_warning(here: Path) -> None:
    lines = []
    for concept in LANGUAGES_OF_NEW["cpp"].counterparts:
        run(["new", concept, f"mine_{concept}"])
        lines.append(f'#include "mine_{concept}.hpp"')
    source = here / "all.cpp"
    source.write_text("\n".join([*lines, "template class MineQueue<long>;", ""]))
    strict = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror")
    subprocess.run(["c++", "-std=c++20", *strict, "-fsyntax-only", str(source)], check=True, timeout=100)


def test_a_folder_that_takes_no_file_is_a_sentence(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here.rmdir()
    assert run(["new", "lock", "mine"]) == 1
    assert "'mine.hpp' could not be written: No such file or directory. Go to" in capsys.readouterr().err
