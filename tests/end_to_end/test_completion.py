"""Completion in bash, and in other shells if they are installed."""

import shlex
import shutil
import subprocess
from pathlib import Path

import click
import pytest
from click.shell_completion import CompletionItem, ShellComplete
from msgspec.structs import replace

from tests.end_to_end.conftest import THREADPING, Command
from tests.golden.fixture import MOVED
from tests.unit.cli.test_main import each
from threadping.cli.app import PROGRAM
from threadping.cli.completing import KNOWN, complete_word
from threadping.options.program import COMPLETING
from threadping.store.store import open_store

COMPLETE = """
eval "$(threadping completion bash)"
COMP_WORDS=({words}) COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_threadping_completion threadping 2>&1
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
needs_bash = pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")


@pytest.fixture
def shell(environment: dict[str, str], fake_probes: Path, with_fake: Command) -> dict[str, str]:
    assert with_fake("run signal --budget 2s --mechanism steady").returncode == 0
    path = f"{THREADPING.parent}:{environment['PATH']}"
    return {**environment, "THREADPING_PROBES": str(fake_probes), "PATH": path}


def completed(words: str, shell: dict[str, str]) -> set[str]:
    done = subprocess.run(
        ["bash", "--norc", "-c", COMPLETE.format(words=words)],
        env=shell,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return {*done.stdout.split("\n")} - {""}


@needs_bash
def test_bash_completes(shell: dict[str, str]) -> None:
    assert completed("threadping run signal --mechanism cas-one-line,release-o", shell) == {
        "cas-one-line,release-one-line"
    }


def test_commands_options_names_runs_and_words_are_completed(
    shell: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("THREADPING_PROBES", "THREADPING_STORE"):
        monkeypatch.setenv(name, shell[name])
    complete = ShellComplete(PROGRAM, {}, "threadping", COMPLETING)
    for words, found in (
        ("threadping run sig", {"signal"}),
        ("threadping rec", {"recommend"}),
        ("threadping run signal --bud", {"--budget"}),
        ("threadping run signal --mechanism cas-one", {"cas-one-line"}),
        ("threadping run signal --mechanism cas-one-line,release-o", {"cas-one-line,release-one-line"}),
        ("threadping run lock --mechanism ticket", {"ticket-lock"}),
        ("threadping compare lock --mechanism ticket", {"ticket-lock"}),
        ("threadping compare signal --mechanism ticket", set()),
        ("threadping run queue --param prod", {"producer-work=", "producers="}),
        ("threadping run signal --placement same-l", {"same-l2", "same-l3"}),
        ("threadping run signal --runtime c", {"cpp"}),
        ("threadping show --format h", {"hgrm", "hlog"}),
        ("threadping show ''", {"last", "1"}),
        ("threadping report last ''", {"last", "1"}),
        ("threadping explain coordinated", {"coordinated omission"}),
        ("threadping recommend wait --for dis", {"disruptor"}),
        ("threadping reproduce articles disr", {"disruptor"}),
        ("threadping reproduce c2", {"c2clat"}),
        ("threadping fleet sh", {"show"}),
        ("threadping completion z", {"zsh"}),
    ):
        _, *before, begun = shlex.split(words)
        assert {one.value for one in complete.get_completions(before, begun)} == found, words


def test_where_nothing_can_be_known_nothing_is_completed_and_nothing_said(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("THREADPING_STORE", "/none/at all/runs.db")
    monkeypatch.setenv("THREADPING_PROBES", "/none")
    complete = ShellComplete(PROGRAM, {}, "threadping", COMPLETING)
    for *before, begun in (["show", "1"], ["run", "signal", "--mechanism", "cas"], ["nosuch", "--x"]):
        assert complete.get_completions(before, begun) == []
    assert capfd.readouterr() == ("", "")


def test_what_a_stranger_wrote_forges_no_item(tmp_path: Path) -> None:
    run = replace(MOVED.stored.run, arguments=("x\nplain\n1; touch /tmp/x\nlooks like a run\nfile\n/etc\n_\x1b[31m",))
    with open_store(location := str(tmp_path / "runs.sqlite3")) as store:
        store.take(replace(MOVED.stored, run=run))
    context = click.Context(click.Command("show"))
    context.params["location"] = location
    offered = [text for one in complete_word("runs", context, "") for text in (one.value, str(one.help))]
    assert offered[2] == "1" and all(text.isprintable() for text in offered)


@pytest.mark.parametrize("kind", ["mechanisms", "params"])
def test_each_name_of_all_experiments_is_offered_once(kind: str) -> None:
    context = click.Context(click.Command("compare"), info_name="compare")
    offered = [one.value for one in complete_word(kind, context, "")]
    assert offered and len(offered) == len({*offered})


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_the_script_of_each_shell_is_one_that_it_reads(name: str, threadping: Command) -> None:
    done = threadping("completion", name)
    assert done.returncode == 0 and "_threadping_completion" in done.stdout and "_THREADPING_COMPLETE" in done.stdout
    if program := shutil.which(name):
        subprocess.run([program, "-n"], input=done.stdout, text=True, check=True, timeout=60)


def test_every_kind_of_name_that_is_to_be_completed_is_one_that_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def note(known: str, *_: object) -> list[CompletionItem[str]]:
        asked.append(known)
        return []

    monkeypatch.setattr("threadping.cli.completing.complete_word", note)
    for context, command in each():
        for param in command.params:
            param.shell_complete(context, "")
    assert {*asked} == {*KNOWN}
