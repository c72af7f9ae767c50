"""The program: its help, version, runtimes, and what it does before and after a command."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from errno import EAGAIN, ENOENT, EPERM
from importlib.metadata import version
from pathlib import Path
from platform import machine

import click
import pytest

from tests.commands import parsed
from tests.conftest import ROOT
from tests.golden.fixture import MOVED
from threadping import VERSION
from threadping.cli import app
from threadping.cli.app import PROGRAM
from threadping.cli.completing import manual
from threadping.conduct import environment
from threadping.model.cases import Runtime
from threadping.model.errors import ProbeUnusable, UsageError
from threadping.options.measuring import RUN
from threadping.options.program import COMPLETING, Command, spellings
from threadping.probes.runtimes import Described, about
from threadping.store.store import open_store

STARTED = """
import os, sys
from pathlib import Path
from threadping.__main__ import main
from threadping.probes.process import run_bounded
sys.argv = ["threadping", "completion", "bash"]
try:
    main()
except SystemExit:
    import numpy
variables = run_bounded(["env"], folder=Path(), seconds=20).log
print(len(os.listdir("/proc/self/task")), "OPENBLAS" in variables)
"""


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="numpy starts no thread on one CPU")
def test_numpy_starts_no_thread_and_no_probe_inherits_its_setting() -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPENBLAS", "OMP"))}
    done = subprocess.run([sys.executable, "-c", STARTED], capture_output=True, text=True, env=kept, check=True)
    assert done.stdout.splitlines()[-1] == "1 False"


CACHES = f"__pycache__ below {ROOT / 'src'}"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError(), "There is too little memory. Raise the limit (`ulimit -v`), or end other programs."),
        (EOFError("marshal data"), f"A compiled module is cut off, as on a full disk: remove every {CACHES}."),
        (
            ImportError("libm.so: none"),
            "A library cannot be loaded: libm.so: none. Raise the limit on memory (`ulimit ",
        ),
        (FileNotFoundError(ENOENT, "none"), "The current folder was removed. Change into another one."),
        (PermissionError(EPERM, "no", "a/b"), "The operating system reports of a/b: no."),
        (OSError(EAGAIN, "not now"), "The operating system reports: not now."),
    ],
)
def test_what_python_raises_is_a_sentence(
    error: Exception, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(_arguments: Sequence[str]) -> int:
        raise error

    monkeypatch.setattr(app.PROGRAM, "call", fails)
    assert app.run(["show"]) == 1
    assert capsys.readouterr().err.startswith(f"threadping: {said}")


WIDTH = 78
"""Width of a help in a terminal of 80 columns."""


def each() -> Iterator[tuple[click.Context, Command]]:
    """Every command, those of groups and the subjects of others too."""
    top = click.Context(PROGRAM, info_name="threadping")
    for name, one in PROGRAM.commands.items():
        within = click.Context(one, parent=top, info_name=name)
        if isinstance(one, Command):
            yield within, one
        for below, other in one.commands.items() if isinstance(one, click.Group) else ():
            assert isinstance(other, Command)
            yield click.Context(other, parent=within, info_name=below), other


def help_of(context: click.Context) -> str:
    formatter = click.HelpFormatter(width=WIDTH)
    context.command.format_help(context, formatter)
    return formatter.getvalue()


@pytest.mark.parametrize(("context", "command"), [pytest.param(*one, id=one[0].command_path) for one in each()])
def test_every_help_has_examples_that_are_taken_what_is_required_and_how_it_ends(
    context: click.Context, command: Command
) -> None:
    text = help_of(context)
    usage, _, rest = text.partition("\nExamples:\n")
    assert usage.startswith(f"Usage: {context.command_path}") and "Output:" not in usage
    lines = rest.partition("\n\n")[0].splitlines()
    assert 1 <= len(lines) <= 3 and len(lines) == len(command.examples)
    for line in lines:
        assert len(line) <= WIDTH, line
        found = parsed(line.strip())
        assert command in (found.command, found.parent.command if found.parent else None)
    options = [one for one in command.params if isinstance(one, click.Option)]
    required = [one.opts[0] for one in options if one.required]
    assert ("\nRequired:\n" in text) == bool(required)
    assert all(option in text.partition("\n\n")[0] for option in required), "the usage names them"
    codes = re.findall(r"^  (\d+) ", text.partition("\nExit codes:\n")[2], re.MULTILINE)
    assert text.count("others  0 done, 1 not measured, 2 wrong usage, 130 interrupted.") == 1
    for one in options:
        if {"--above", "--fail-above", "--strict"} & {*one.opts}:
            assert {*re.findall(r"exit with (\d)", one.help or "", re.IGNORECASE)} <= {*codes}


def test_the_surface_stays_small() -> None:
    """At most 16 commands, 80 options, and two screens for each help."""
    assert len(PROGRAM.commands) == 16
    options = {
        max(one.opts, key=len) for _, command in each() for one in command.params if isinstance(one, click.Option)
    }
    assert len(options - {"--help"}) <= 80, sorted(options)
    assert {context.command_path: lines for context, _ in each() if (lines := help_of(context).count("\n")) > 70} == {}


def test_the_programs_help_names_where_to_start() -> None:
    text = help_of(click.Context(PROGRAM, info_name="threadping"))
    start = text.partition("Start here:\n")[2].partition("\n\n")[0].splitlines()
    assert [parsed(line.strip()).info_name for line in start] == ["run", "ping", "wait", "signal", "explain"]
    assert text.index("Start here") < text.index("Options:")
    assert all(len(line) <= 80 for line in text.splitlines())


def test_what_people_call_things_leads_to_what_is_there() -> None:
    options = {name for _, one in each() for param in one.params for name in param.opts}
    assert {meant.split()[0] for meant in spellings()["options"].values()} <= options
    assert not {*spellings()["commands"]} & {*PROGRAM.commands}
    for meant in spellings()["commands"].values():
        name, *below = meant.split()
        known = PROGRAM.commands[name]
        assert not below or below == ["--man"] or (isinstance(known, click.Group) and below[0] in known.commands)
    with pytest.raises(UsageError, match=r"Did you mean 'show'\? `threadping fleet --help` lists the commands\."):
        PROGRAM.call(["fleet", "shwo"])
    assert parsed(f"threadping report 1 {__file__}.html").params["which"] == ("1", f"{__file__}.html")
    with pytest.raises(UsageError, match=r"No run is called '.*test_main\.py', but a file: `threadping runs import "):
        PROGRAM.call(["report", __file__])


def test_nothing_is_suggested_that_is_unlike_what_was_typed_or_is_not_there() -> None:
    rows: list[Sequence[str]] = [
        ("run", "signal", "--zoom", "x"),
        ("run", "signal", "--threads", "3"),
        ("fleet", "nights"),
    ]
    for words in rows:
        with pytest.raises(UsageError) as refused:
            PROGRAM.call(words)
        assert "Did you mean" not in str(refused.value)


def test_a_word_that_is_to_be_chosen_may_be_written_in_letters_of_any_case() -> None:
    advice = "threadping recommend wait --rate 20k --latency p99=50us --for Disruptor"
    assert parsed(advice).params["system"] == "disruptor"
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
    assert "threadping recommend wait --rate 20k --latency p99=50us" in done.stdout


PROBE = """#!/bin/sh
case $1 in
  describe) echo '{"schema": 4, "probe": "cpp", "version": "1", "experiments": [],
    "toolchain": {"name": "g++", "version": "12.2.0", "flags": ["-O3", "-DNDEBUG"]}}' | tr -d '\\n' ;;
  topology) echo '{"schema": 4, "source": "hwloc API 2.8", "cpus": [{"cpu": 0, "core": 0, "l2": null, "l3": null,
    "node": 0, "package": 0}], "allowed": [0]}' | tr -d '\\n' ;;
esac
"""


@pytest.mark.parametrize(
    ("probe", "said"),
    [
        (PROBE.encode(), r"C\+\+ probe: g\+\+ 12\.2\.0 -O3 -DNDEBUG; hwloc API 2\.8"),
        (
            b"\x7fELF of another machine",
            rf"Runtime cpp cannot be used\. '.*' cannot be started: Exec format error\. Rebuild or reinstall it: "
            rf"it is not a program for this machine \({machine()}\)\.",
        ),
        (None, r"The C\+\+ probe, which also reads the machine's topology, is not built\. .*"),
    ],
)
def test_the_version_names_the_architecture_compiler_flags_and_hwloc(
    probe: bytes | None, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if probe is not None:
        (tmp_path / "threadping-probe").write_bytes(probe)
        (tmp_path / "threadping-probe").chmod(0o755)
    monkeypatch.setenv("THREADPING_PROBES", str(tmp_path))
    first, second = about().splitlines()
    assert first == f"threadping {version('threadping')} {machine()}"
    assert re.fullmatch(said, second)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == VERSION == version("threadping")


JAVA = Runtime("java-17 \x1b[31m[red]", "java", ("java", "-jar", "probe.jar"), "")


def test_a_runtime_that_does_not_answer_is_asked_once_and_has_no_archive_made(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    environment._tell_making(JAVA)  # what is said before one is made steers no terminal
    assert " ".join(capsys.readouterr().err.split()).startswith("java-17 \\x1b[31m[red]: archiving the classes of its")
    asked: list[Runtime] = []

    def unusable(wanted: list[Runtime]) -> list[Described | ProbeUnusable]:
        asked.extend(wanted)
        return [ProbeUnusable("It hangs.") for _ in wanted]

    monkeypatch.setattr("threadping.probes.runtimes.describe_each", unusable)
    monkeypatch.setattr(environment, "_tell_making", pytest.fail)
    described, errors = environment.describe_each([JAVA], prepare=True)
    assert (described, [str(error) for error in errors.values()], len(asked)) == ([], ["It hangs."], 1)


def test_a_value_that_is_called_like_a_subject_is_no_subject() -> None:
    context = RUN.make_context(
        "run", ["--mechanism", "queue", "signal"], click.Context(PROGRAM, info_name="threadping")
    )
    assert (context.info_name, context.params["mechanisms"]) == ("signal", ("queue",))


LARGE = {"numpy", "jinja2", "distributed", "vl_convert", "psycopg", "threadping.studies", "threadping.output.charts"}
OF_THE_STORE = {"sqlite3", "rich", "threadping.store", "threadping.output"}
OF_RECORDS = {"msgspec", "threadping.model.run", "threadping.experiments", "threadping.probes.runtimes"}


@pytest.mark.parametrize(
    ("words", "variables", "unwanted"),
    [
        ("--help", {}, LARGE | OF_THE_STORE | OF_RECORDS),
        ("completion bash", {}, LARGE | OF_THE_STORE | OF_RECORDS),
        (
            *("", {COMPLETING: "bash_complete", "COMP_WORDS": "threadping com", "COMP_CWORD": "1"}),
            LARGE | OF_THE_STORE | OF_RECORDS,  # a shell completes the name of a command
        ),
        ("--version", {}, LARGE | OF_THE_STORE),
        ("runs list", {}, {"numpy", "jinja2"}),
    ],
)
def test_a_command_imports_no_more_than_it_needs(
    words: str, variables: dict[str, str], unwanted: set[str], tmp_path: Path
) -> None:
    with open_store(store := str(tmp_path / "runs.sqlite3")) as opened:
        opened.take(MOVED.stored)
    modules = tmp_path / "modules.json"
    code = (
        "import atexit, json, pathlib, sys; modules = pathlib.Path(sys.argv.pop(1)); "
        "atexit.register(lambda: modules.write_text(json.dumps([*sys.modules]))); "
        "from threadping.__main__ import main; main()"
    )
    command = [sys.executable, "-c", code, str(modules), *words.split()]
    environment = os.environ | variables | {"THREADPING_STORE": store}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout
    assert {*json.loads(modules.read_text())} & unwanted == set()


@pytest.mark.parametrize(("limit", "kept"), [("10", True), ("unlimited", False)])
def test_where_files_may_not_grow_python_keeps_no_compiled_module(limit: str, kept: bool) -> None:
    """It kept them cut off at the limit, and every later start ended in a traceback."""
    program = (
        "import atexit, sys; from threadping.__main__ import main; sys.argv = ['threadping', '--help']\n"
        "atexit.register(lambda: print(sys.dont_write_bytecode, file=sys.stderr)); main()"
    )
    command = ("sh", "-c", f'ulimit -f {limit}; exec "$@"', "sh", sys.executable, "-c", program)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stderr == f"{kept}\n"
