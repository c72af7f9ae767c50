"""A help imports nothing that only measuring and showing need."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.golden.fixture import MOVED
from threadping.options.program import COMPLETING
from threadping.store.store import open_store

LARGE = {"numpy", "jinja2", "distributed", "vl_convert", "psycopg", "threadping.studies", "threadping.output.charts"}
OF_THE_STORE = {"sqlite3", "rich", "threadping.store", "threadping.output"}
OF_RECORDS = {"msgspec", "threadping.model.run", "threadping.experiments", "threadping.probes.runtimes"}


@pytest.mark.parametrize(
    ("words", "unwanted"),
    [
        ("--help", LARGE | OF_THE_STORE | OF_RECORDS),
        ("completion bash", LARGE | OF_THE_STORE | OF_RECORDS),
        ("--version", LARGE | OF_THE_STORE),
        ("runs list", {"numpy", "jinja2"}),
    ],
)
def test_a_command_imports_no_more_than_it_needs(words: str, unwanted: set[str], tmp_path: Path) -> None:
    with open_store(store := str(tmp_path / "runs.sqlite3")) as opened:
        opened.take(MOVED.stored)
    assert imported(words.split(), {"THREADPING_STORE": store}, tmp_path) & unwanted == set()


def test_a_shell_completes_the_name_of_a_command_without_importing_the_command(tmp_path: Path) -> None:
    asked = {COMPLETING: "bash_complete", "COMP_WORDS": "threadping com", "COMP_CWORD": "1"}
    assert imported([], asked, tmp_path) & (LARGE | OF_THE_STORE | OF_RECORDS) == set()


@pytest.mark.parametrize(("limit", "kept"), [("10", True), ("unlimited", False)])
def test_where_files_may_not_grow_python_keeps_no_compiled_module(limit: str, kept: bool) -> None:
    """It kept them cut off at the limit, and every later start ended in a traceback."""
    program = (
        "import atexit, sys; from threadping.__main__ import main; sys.argv = ['threadping', '--help']\n"
        "atexit.register(lambda: print(sys.dont_write_bytecode, file=sys.stderr)); main()"
    )
    command = ("sh", "-c", f'ulimit -f {limit}; exec "$@"', "sh", sys.executable, "-c", program)
    environment = {**os.environ}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stderr == f"{kept}\n"


def imported(words: list[str], variables: dict[str, str], folder: Path) -> set[str]:
    modules = folder / "modules.json"
    code = (
        "import atexit, json, pathlib, sys; modules = pathlib.Path(sys.argv.pop(1)); "
        "atexit.register(lambda: modules.write_text(json.dumps([*sys.modules]))); "
        "from threadping.__main__ import main; main()"
    )
    command = [sys.executable, "-c", code, str(modules), *words]
    done = subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout
    return set(json.loads(modules.read_text()))
