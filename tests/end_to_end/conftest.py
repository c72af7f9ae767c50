"""The real command: in this process, from its arguments to its output, or where a test needs it in one of its own."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.conftest import CACHE
from threadping.cli.app import main

THREADPING = Path(sys.executable).parent / "threadping"


class Done(NamedTuple):
    """How the command ended, and what it said."""

    returncode: int
    stdout: str
    stderr: str


Command = Callable[..., Done]


def rows(stdout: str) -> list[dict[str, Any]]:
    """The rows of an answer in JSON."""
    found: list[dict[str, Any]] = json.loads(stdout)["rows"]
    return found


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Where this test's runs are kept."""
    return tmp_path / "runs.sqlite3"


@pytest.fixture
def environment(store: Path, tmp_path: Path) -> dict[str, str]:
    """The environment of a person without colours, with an empty store, on a wide terminal."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("THREADPING_", "FAKE_", "JAVA_HOME"))}
    folders = {
        "THREADPING_STORE": str(store),
        "HOME": str(tmp_path),
        "THREADPING_LOCK": str(tmp_path / "lock"),
        "XDG_CACHE_HOME": str(CACHE),
    }
    return {**kept, **folders, "NO_COLOR": "1", "COLUMNS": "200"}


@pytest.fixture
def threadping(
    environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """Run threadping; `env` adds variables."""

    def run(*arguments: str, env: dict[str, str] | None = None) -> Done:
        code: object = 0
        with monkeypatch.context() as patch:
            patch.chdir(tmp_path)
            patch.setattr(sys, "argv", ["threadping", *arguments])
            patch.setattr("threadping.plan.rounds.MOST_ROUNDS", 6)  # more would ask nothing more
            patch.setattr("threadping.runner.watch.WAIT_S", 0.05)
            for name in os.environ.keys() - environment.keys():
                patch.delenv(name)
            for name, value in {**environment, **(env or {})}.items():
                patch.setenv(name, value)
            capsys.readouterr()
            try:
                main()
            except SystemExit as end:
                code = end.code or 0
        return Done(code if isinstance(code, int) else 1, *capsys.readouterr())

    return run


@pytest.fixture
def with_fake(threadping: Command, fake_probes: Path) -> Command:
    """Run threadping with the fake probe in place of the real ones; `mechanisms` says which the fake has."""

    def run(*arguments: str, mechanisms: str = "steady,slow", env: dict[str, str] | None = None) -> Done:
        fake = {"THREADPING_PROBES": str(fake_probes), "FAKE_MECHANISMS": mechanisms}
        return threadping(*arguments, env={**fake, **(env or {})})

    return run
