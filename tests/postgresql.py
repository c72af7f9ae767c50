"""A real PostgreSQL server: on a socket of its own, without a TCP port, gone at the end."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest


def control(folder: str, *words: str) -> None:
    """Have the server in a folder started, restarted or stopped; skips where that fails."""
    places = [*map(str, Path("/usr/lib/postgresql").glob("*/bin")), os.environ["PATH"]]
    initdb = shutil.which("initdb", path=os.pathsep.join(places))
    if initdb is None:
        pytest.skip("PostgreSQL is not installed")
    program = Path(initdb).resolve().with_name(words[0])
    user = "nobody" if os.geteuid() == 0 else None  # it refuses to run as root
    done = subprocess.run([program, *words[1:]], user=user, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"PostgreSQL cannot be started: {done.stdout}{done.stderr}")


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The folder of its socket; skips where there is no server."""
    pytest.importorskip("psycopg")
    with tempfile.TemporaryDirectory() as folder:  # pytest's own is closed to others, and too long for a socket
        if os.geteuid() == 0:
            shutil.chown(folder, "nobody")
        control(folder, *["initdb", "-D", "data", "-A", "trust", "-U", "me", "-E", "UTF8", "--locale=C", "--no-sync"])
        try:
            options = f"-F -c autovacuum=off -h '' -k {folder}"
            control(folder, "pg_ctl", "-D", "data", "-l", "log", "-o", options, "-w", "start")
            yield folder
        finally:
            control(folder, *["pg_ctl", "-D", "data", "-m", "immediate", "-w", "stop"])


@pytest.fixture(scope="session")
def new_database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """Tells the location of a store of this kind, `sqlite` or `postgresql`, where there is none yet."""
    numbers = count()

    def make(kind: str) -> str:
        if kind == "sqlite":
            return str(tmp_path_factory.mktemp("store") / "runs.sqlite3")
        name, server = f"runs{next(numbers)}", request.getfixturevalue("server")
        import psycopg

        with psycopg.connect(host=server, user="me", dbname="postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return f"postgresql://me@/{name}?host={server}"

    return make
