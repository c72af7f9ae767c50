"""The real command, in its own process."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import CACHE

Command = Callable[..., "subprocess.CompletedProcess[str]"]
THREADPING = Path(sys.executable).parent / "threadping"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Where this test's runs are kept."""
    return tmp_path / "runs.sqlite3"


@pytest.fixture
def environment(store: Path, tmp_path: Path) -> dict[str, str]:
    """The environment of a person without colours, with an empty store, on a wide terminal."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("THREADPING_", "FAKE_", "JAVA_HOME"))}
    folders = {"THREADPING_STORE": str(store), "HOME": str(tmp_path), "XDG_CACHE_HOME": str(CACHE)}
    return {**kept, **folders, "NO_COLOR": "1", "COLUMNS": "200"}


@pytest.fixture
def threadping(environment: dict[str, str], tmp_path: Path) -> Command:
    """Run threadping; `env` adds variables."""

    def run(*arguments: str, env: dict[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [THREADPING, *arguments],
            env={**environment, **(env or {})},
            capture_output=True,
            text=True,
            cwd=tmp_path,
            timeout=110,
            check=False,
        )

    return run


@pytest.fixture
def with_fake(threadping: Command, fake_probes: Path) -> Command:
    """Run threadping with the fake probe in place of the real ones; `mechanisms` says which the fake has."""

    def run(
        *arguments: str, mechanisms: str = "steady,slow", env: dict[str, str] | None = None
    ) -> "subprocess.CompletedProcess[str]":
        fake = {"THREADPING_PROBES": str(fake_probes), "FAKE_MECHANISMS": mechanisms}
        return threadping(*arguments, env={**fake, **(env or {})})

    return run
