"""What a person named as the store, understood: a database's URL and, where it is a local file, that file."""

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from threadping.errors import UsageError

_URL = re.compile(r"[A-Za-z][A-Za-z0-9_+]*://")


@dataclass(frozen=True)
class Place:
    """Where a store is; `file` is None for a server, for a database in memory and for SQLite's own `file:` URIs."""

    url: URL
    file: Path | None

    def __str__(self) -> str:
        """Name the place for a person, a password hidden."""
        return str(self.file) if self.file else self.url.render_as_string(hide_password=True)

    @property
    def is_sqlite(self) -> bool:
        """Tell whether SQLite keeps it."""
        return self.url.get_backend_name() == "sqlite"

    @property
    def immutable(self) -> "Place":
        """The same file, opened in the belief that nobody writes it."""
        uri = f"file:{quote(str(self.file))}"
        return Place(self.url.set(database=uri, query={"immutable": "1", "uri": "true"}), self.file)


def understood(location: str) -> Place:
    """Read a path or an SQLAlchemy URL; `~` is the person's home folder in both.

    Raises `UsageError` where it can be neither. Whether anything is there is not looked at.
    """
    if not _URL.match(location):
        return _in_file(URL.create("sqlite"), location, location)
    try:
        url = make_url(location)
    except (ArgumentError, ValueError) as error:
        raise unreadable(error) from error
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        return Place(url, None)
    if url.database is not None and url.database.startswith("file:"):
        return Place(url, None)
    return _in_file(url, url.database or "", location)


def unreadable(error: Exception | Warning) -> UsageError:
    """Say what is wrong with a URL."""
    detail = str(error).partition(" (Background")[0].rstrip(".")
    return UsageError(
        f"The store's URL cannot be read: {detail}. It should be like sqlite:////path/to/runs.sqlite3 or "
        "postgresql+psycopg://user@host/database; a plain path will do too."
    )


def _in_file(url: URL, path: str, location: str) -> Place:
    if not path or "\0" in path:
        raise UsageError(f"The store {location!r} is no path. Name a file with --store PATH.")
    try:
        file = Path(path).expanduser()
    except RuntimeError as error:
        raise UsageError(f"The store {location!r} is in the home folder of nobody this machine knows.") from error
    return Place(url.set(database=str(file)), file)
