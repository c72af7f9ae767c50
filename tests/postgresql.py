"""A real PostgreSQL server: on a socket of its own, without a TCP port, gone at the end."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The folder of its socket; skips where there is no server."""
    pytest.importorskip("psycopg")
    places = [*map(str, Path("/usr/lib/postgresql").glob("*/bin")), os.environ["PATH"]]
    initdb = shutil.which("initdb", path=os.pathsep.join(places))
    if initdb is None:
        pytest.skip("PostgreSQL is not installed")
    pg_ctl = Path(initdb).resolve().with_name("pg_ctl")
    with tempfile.TemporaryDirectory() as folder:  # pytest's own is closed to others, and too long for a socket
        user = "nobody" if os.geteuid() == 0 else None  # it refuses to run as root

        def do(*command: Any) -> None:
            done = subprocess.run(command, user=user, cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                pytest.skip(f"PostgreSQL cannot be started: {done.stdout}{done.stderr}")

        if user:
            shutil.chown(folder, user)
        do(initdb, "-D", "data", "-A", "trust", "-U", "me", "-E", "UTF8", "--locale=C", "--no-sync")
        try:
            do(pg_ctl, "-D", "data", "-l", "log", "-o", f"-F -c autovacuum=off -h '' -k {folder}", "-w", "start")
            yield folder
        finally:
            do(pg_ctl, "-D", "data", "-m", "immediate", "-w", "stop")


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
