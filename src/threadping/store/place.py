"""What a user named as the store: a database's URL and, where it is a local file, that file."""

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from threadping.errors import UsageError

_URL = re.compile(r"[A-Za-z][A-Za-z0-9_+]*://")


@dataclass(frozen=True)
class Place:
    """Where a store is.

    `file` is None for a server and for SQLite's own `file:` URIs; `is_users_own` where nobody named it.
    """

    url: URL
    file: Path | None
    is_users_own: bool = False

    def __str__(self) -> str:
        """Name the place for a person, a password hidden."""
        return str(self.file) if self.file else self.url.render_as_string(hide_password=True)

    @property
    def is_sqlite(self) -> bool:
        """Whether SQLite keeps it."""
        return self.url.get_backend_name() == "sqlite"

    @property
    def identity(self) -> tuple[int, int] | None:
        """The device and the inode of its file; None where there is none."""
        if self.file is None:
            return None
        with suppress(OSError):
            there = self.file.stat()
            return there.st_dev, there.st_ino
        return None

    @property
    def immutable(self) -> "Place | None":
        """The same file, opened as if no process could write it; None where that would hide what is in a log."""
        logs = (Path(f"{self.file}{end}") for end in ("-wal", "-journal"))
        if self.file is None or any(log.exists() and log.stat().st_size > 0 for log in logs):
            return None
        uri = f"file:{quote(str(self.file))}"
        return Place(self.url.set(database=uri, query={"immutable": "1", "uri": "true"}), self.file)


def place_of(location: str | None) -> Place:
    """Read a path or an SQLAlchemy URL, `~` for the home folder in both. Whether anything is there is not looked at.

    None is `THREADPING_STORE`, or else the user's own, where the platform keeps data. Raises `UsageError` where it can
    be neither.
    """
    location = os.environ.get("THREADPING_STORE") or None if location is None else location
    if location is None:
        from platformdirs import user_data_path  # 15 ms that a store with a name does not wait for

        file = user_data_path("threadping", appauthor=False) / "runs.sqlite3"
        return Place(URL.create("sqlite", database=str(file)), file, is_users_own=True)
    if not _URL.match(location):
        return _in_file(URL.create("sqlite"), location)
    try:
        url = make_url(location)
    except (ArgumentError, ValueError) as error:
        raise unreadable(error) from error
    database = url.database or ""
    if url.get_backend_name() != "sqlite":
        return Place(url, None)
    if not database or database.startswith("file::memory:") or url.query.get("mode") == "memory":
        raise _in_memory(location)
    return Place(url, None) if database.startswith("file:") else _in_file(url, database)


def _in_memory(location: str) -> UsageError:
    return UsageError(f"The store {location} is in memory, and ends with threadping. Name a file with --store PATH.")


def unreadable(error: Exception) -> UsageError:
    """Say what is wrong with a URL."""
    detail = str(error).partition(" (Background")[0].rstrip(".")
    return UsageError(
        f"The store's URL cannot be read: {detail}. It should be like sqlite:////path/to/runs.sqlite3 or "
        "postgresql://user@host/database; a plain path will do too."
    )


def _in_file(url: URL, path: str) -> Place:
    if path == ":memory:":
        raise _in_memory(path)
    try:
        file = Path(path).expanduser()
    except RuntimeError:  # the home folder of nobody
        file = None
    if file is None or not path or "\0" in path:
        raise UsageError(f"The store {path!r} is no path on this machine. Name a file with --store PATH.")
    return Place(url.set(database=str(file)), file)
