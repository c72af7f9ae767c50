"""Where the store is: named, by variable, or by default; a path or a URL."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.store.examples import a_run
from threadping.errors import StoreError, StoreMissing, ThreadpingError, UsageError
from threadping.store import open_store


@pytest.fixture(autouse=True)
def nothing_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A person who never named a store, with a home of their own."""
    monkeypatch.delenv("THREADPING_STORE", raising=False)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


def test_by_default_it_is_in_the_persons_data(tmp_path: Path) -> None:
    path = tmp_path / "home" / ".local" / "share" / "threadping" / "runs.sqlite3"
    with pytest.raises(StoreMissing):
        open_store(None, create=False)
    open_store(None).close()
    assert path.is_file()


def test_the_variable_counts_unless_a_store_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("THREADPING_STORE", str(tmp_path / "variable.sqlite3"))
    open_store(None).close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["variable.sqlite3"]
    open_store("named.sqlite3").close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["named.sqlite3", "variable.sqlite3"]
    monkeypatch.setenv("THREADPING_STORE", "")
    with pytest.raises(StoreMissing, match=r"\.local/share"):
        open_store(None, create=False)


@pytest.mark.parametrize(
    ("location", "file"),
    [
        ("deep/in/folders/runs.sqlite3", "deep/in/folders/runs.sqlite3"),
        ("~/runs.sqlite3", "home/runs.sqlite3"),
        ("sqlite:///relative.sqlite3", "relative.sqlite3"),
        ("sqlite:///~/url.sqlite3", "home/url.sqlite3"),
        ("sqlite:///{here}/absolute.sqlite3", "absolute.sqlite3"),
        ("sqlite+pysqlite:///driver.sqlite3", "driver.sqlite3"),
        ("100% odd?name #1 ☃.sqlite3", "100% odd?name #1 ☃.sqlite3"),
        ("file:not-a-uri", "file:not-a-uri"),
    ],
)
def test_paths_and_urls_of_files(tmp_path: Path, location: str, file: str) -> None:
    with open_store(location.format(here=tmp_path)) as store:
        store.begin(a_run())
    assert (tmp_path / file).is_file()
    with open_store(location.format(here=tmp_path), create=False) as store:
        assert store.run("last").seed == a_run().seed


def test_a_store_in_memory_lasts_as_long_as_it_is_open() -> None:
    with open_store("sqlite://") as store:
        store.begin(a_run())
        assert len(store.runs()) == 1


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    for location in (str(tmp_path), "/dev/null"):
        with pytest.raises(UsageError, match=r"store /.* is a folder, or something else .* --store PATH\.") as error:
            open_store(location)
        assert error.value.exit_code == 2


def test_a_file_in_place_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"Not a directory|File exists"):
        open_store("file/runs.sqlite3")
    with pytest.raises(StoreError, match=r"Not a directory|File exists"):
        open_store("file/deeper/runs.sqlite3")


@pytest.mark.parametrize(
    ("location", "kind", "match"),
    [
        ("", UsageError, "no path"),
        ("a\0b", UsageError, "no path"),
        ("~nobody-of-this-name/x", UsageError, "no path"),
        ("nonsense://host/db", UsageError, "kind of database unknown here"),
        ("nonsense+driver://host/db", UsageError, "kind of database unknown here"),
        ("postgresql://host:port/db", UsageError, "URL cannot be read"),
        ("sqlite:///x.sqlite3?timeout=abc", UsageError, "URL cannot be read"),
        ("sqlite:///x.sqlite3?mode=ro", UsageError, "URL cannot be read"),
        ("x" * 300, StoreError, "File name too long"),
        ("sqlite:///file:absent?mode=ro&uri=true", StoreError, "cannot be used: unable to open database file"),
        ("sqlite+aiosqlite:///x.sqlite3", StoreError, "needs the Python package 'aiosqlite'"),
        ("postgresql://me@/runs?host=/nowhere", StoreError, "cannot be used: .*/nowhere.*No such file.* --store PATH"),
    ],
)
def test_what_can_be_no_store(location: str, kind: type[ThreadpingError], match: str) -> None:
    with pytest.raises(kind, match=match) as error:
        open_store(location)
    assert "\n" not in str(error.value)
    assert str(error.value).endswith(".")


def test_a_missing_driver_is_named_and_the_password_is_not() -> None:
    with pytest.raises(StoreError, match="needs the Python package 'pg8000'") as error:
        open_store("postgresql+pg8000://me:s3cret@host/db")
    assert "s3cret" not in str(error.value)


def test_nothing_is_imported_before_it_is_needed(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite3"
    open_store(str(path)).close()
    code = """
import sys
import threadping.store
threadping.store.owner_of_this_process()
assert not {"sqlalchemy", "alembic", "platformdirs"} & set(sys.modules), "importing"
with threadping.store.open_store(sys.argv[1]) as store:
    store.runs()
assert not {"alembic", "platformdirs"} & set(sys.modules), "opening"
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    subprocess.run([sys.executable, "-c", code, str(path)], check=True, env=environment)
