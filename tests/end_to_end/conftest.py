"""The real command: in this process, from its arguments to its output, or where a test needs it in one of its own."""

import json
import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.conftest import CACHE
from tests.fakes.answers import JVM, in_steps, in_this_process
from tests.postgresql import new_database, server
from threadping.cli.app import main

__all__ = ["new_database", "server"]

pytest.register_assert_rewrite("tests.end_to_end.faults.fault")

THREADPING = Path(sys.executable).parent / "threadping"


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str

    @property
    def flat(self) -> str:
        """Its output in one line."""
        return " ".join(self.stdout.split())

    @property
    def json(self) -> Any:
        """Its JSON, however it ended."""
        return json.loads(self.stdout)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of its JSON."""
        found: list[dict[str, Any]] = self.json["rows"]
        return found

    def ended(self, code: int = 0) -> "Done":
        """It ended with this code, or shows what it said."""
        assert self.returncode == code, self.stderr
        return self

    def parsed(self, code: int = 0) -> dict[str, Any]:
        """Return its JSON, once it ended with this code."""
        found: dict[str, Any] = json.loads(self.ended(code).stdout)
        return found

    def refuses(self, sentence: str, code: int = 2) -> None:
        """It did nothing but say why, in a sentence, and ended with this code."""
        assert (self.returncode, self.stdout) == (code, ""), self.stderr
        assert sentence in " ".join(self.stderr.split())
        assert "Traceback" not in self.stderr


Command = Callable[..., Done]

OURS = (
    "THREADPING_",
    "FAKE_",
    "JAVA_HOME",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "_JAVA_OPTIONS",
    "GLIBC_",
    "MALLOC_",
)
"""Variables that a test sets itself, or goes without."""

JSON = ("--format", "json")


def interrupted(*_: object) -> None:
    """Interrupt a step of a command like Ctrl-C."""
    raise KeyboardInterrupt


def fake_jvm(home: Path, probes: Path, version: int) -> Path:
    """Return the home of a JVM 17 or 25 that runs the fake probe, with the files of a Java probe."""
    for name in ("threadping-probe.jar", "threadping-probe-jni.so"):
        (probes / name).touch()
    java = home / "bin" / "java"
    java.parent.mkdir(parents=True, exist_ok=True)
    (home / "release").write_text(f'IMPLEMENTOR="Fake"\nJAVA_VERSION="{version}.0.3"\n')
    java.write_text(JVM.format(version=version, probe=probes / "threadping-probe"))
    java.chmod(0o755)
    return home


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "runs.sqlite3"


@pytest.fixture
def environment(store: Path, tmp_path: Path) -> dict[str, str]:
    """The environment of a person without colours, with an empty store, on a wide terminal."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(OURS)}
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
    """Run threadping with words, the first of which may be several; `env` adds variables.

    More rounds than three would mostly ask nothing more.
    """

    def run(*arguments: str, env: dict[str, str] | None = None, rounds: int = 3) -> Done:
        code: object = 0
        with monkeypatch.context() as patch:
            patch.chdir(tmp_path)
            patch.setattr(sys, "argv", ["threadping", *shlex.split(arguments[0]), *arguments[1:]])
            patch.setattr("threadping.planning.plan.MOST_ROUNDS", rounds)
            patch.setattr("threadping.studies.matrix.tournament.SETTLED", rounds)
            for name, value in in_steps().items():
                patch.setattr(name, value)
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
def with_fake(threadping: Command, fake_probes: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run threadping with the fake probe in place of the real ones; `mechanisms` says which the fake has."""
    for name, value in in_this_process().items():
        monkeypatch.setattr(name, value)

    def run(*arguments: str, mechanisms: str = "steady,slow", env: dict[str, str] | None = None, **more: int) -> Done:
        fake = {"THREADPING_PROBES": str(fake_probes), "FAKE_MECHANISMS": mechanisms}
        return threadping(*arguments, env={**fake, **(env or {})}, **more)

    return run
