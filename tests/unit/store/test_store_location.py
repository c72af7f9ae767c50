"""Location of the store: an option, a variable, or the default; a path or a URL."""

from pathlib import Path

import pytest

from tests.unit.store.examples import a_run
from threadping.model.errors import StoreError, ThreadpingError, UsageError
from threadping.store.store import open_store


@pytest.fixture(autouse=True)
def nothing_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))  # a person with a home of their own, and data
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path)


def test_what_is_named_counts_before_the_variable_and_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for variable, named, made in [
        ("variable.sqlite3", None, "variable.sqlite3"),
        ("other.sqlite3", "named.sqlite3", "named.sqlite3"),
        ("", None, "data/threadping/runs.sqlite3"),
    ]:
        monkeypatch.setenv("THREADPING_STORE", variable)
        open_store(named).connection.close()
        assert (tmp_path / made).is_file()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "home", "named.sqlite3", "variable.sqlite3"]


@pytest.mark.parametrize(
    ("location", "file"),
    [
        ("~/runs.sqlite3", "home/runs.sqlite3"),
        ("sqlite:///relative.sqlite3", "relative.sqlite3"),
        ("sqlite:///~/url.sqlite3", "home/url.sqlite3"),
        ("sqlite:///{here}/absolute.sqlite3", "absolute.sqlite3"),
        ("sqlite:///100% odd #1.sqlite3", "100% odd #1.sqlite3"),
        *((name, name) for name in ("home/runs.sqlite3", "100% odd?name #1 \u2603.sqlite3", "file:not-a-uri")),
    ],
)
def test_paths_and_urls_of_files(tmp_path: Path, location: str, file: str) -> None:
    with open_store(location.format(here=tmp_path)) as store:
        store.begin(a_run())
    assert (tmp_path / file).is_file()
    with open_store(location.format(here=tmp_path), create=False) as store:
        assert store.run("last").seed == a_run().seed


IN_MEMORY = ("sqlite://", "sqlite:///", ":memory:", "sqlite:///:memory:")
NO_SERVER = "postgresql://me@/runs?host=/nowhere&password=s3cret"


@pytest.mark.parametrize(
    ("location", "kind", "match"),
    [
        ("/", UsageError, r"store / is not a regular file. .* --store PATH"),
        ("/dev/null", UsageError, "is not a regular file"),
        ("", UsageError, "is not a path"),
        ("a\0b", UsageError, "is not a path"),
        ("~nobody-of-this-name/x", UsageError, "is not a path"),
        ("postgresql://[host/db", UsageError, "URL cannot be read"),
        ("postgresql://host:port/db", UsageError, "URL cannot be read: invalid literal for int.* 'port'"),
        ("postgresql+psycopg://host/db", UsageError, "an unknown kind of database"),
        ("mysql://me:s3cret@host/db", UsageError, "an unknown kind of database. Use sqlite or postgresql"),
        ("sqlite://host/x.sqlite3", UsageError, "URL cannot be read: of SQLite, it has a path only"),
        ("sqlite:///x.sqlite3?timeout=abc", UsageError, "URL cannot be read"),
        ("sqlite:///x.sqlite3?mode=ro", UsageError, "URL cannot be read"),
        *((place, UsageError, "is in memory, and would be lost at the end. Name a file") for place in IN_MEMORY),
        ("mistpyed dir/x", UsageError, "no folder mistpyed dir. Make it with `mkdir -p 'mistpyed dir'`, or .* --store"),
        ("sqlite:////no/where/x", UsageError, "there is no folder /no/where"),
        ("/dev/null/runs.sqlite3", UsageError, "there is no folder /dev/null"),
        ("x" * 300, StoreError, "File name too long"),
        (NO_SERVER, StoreError, "cannot be used: .*/nowhere.*No such file.* --store PATH"),
    ],
)
def test_what_can_be_no_store(tmp_path: Path, location: str, kind: type[ThreadpingError], match: str) -> None:
    with pytest.raises(kind, match=match) as error:
        open_store(location)
    message = str(error.value)
    assert not (tmp_path / "mistpyed dir").exists()
    assert message.endswith(".") and "\n" not in message and "s3cret" not in message
