"""Column types that turn the frozen records into what a database can hold, and back.

A stored value that cannot be turned back raises ValueError or zlib.error, which `failures` puts into words.
"""

import zlib
from typing import Any

import msgspec
from sqlalchemy import JSON, Dialect, LargeBinary, Text
from sqlalchemy.types import TypeDecorator

from threadping.store import form


class Words(TypeDecorator[str]):
    r"""Text of any content: a probe's log may hold anything, and a column of text may not.

    Half of a surrogate pair, which is how Python keeps a byte that was no UTF-8, becomes a visible `\udcff`. A NUL is
    kept where the database can (SQLite), and becomes a visible U+2400 where it cannot (PostgreSQL).
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Make the text storable."""
        if value is None:
            return None
        storable = value.encode("utf-8", "backslashreplace").decode("utf-8")
        return storable if dialect.name == "sqlite" else storable.replace("\0", "\N{SYMBOL FOR NULL}")


class Readable(TypeDecorator[Any]):
    """A record of type `kind` as JSON that the database's own functions can query; `form` says in which form."""

    impl = JSON
    cache_ok = True

    def __init__(self, kind: Any) -> None:
        """Hold records of type `kind`."""
        super().__init__()
        self.kind = kind

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        """Turn the record into what JSON can say."""
        return form.kept(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """Turn JSON back into the record; a ValueError if it is not one."""
        return form.read(value, self.kind)


class Packed(TypeDecorator[Any]):
    """The same as compressed JSON: exact, for thousands of figures that nobody queries one by one."""

    impl = LargeBinary
    cache_ok = True

    def __init__(self, kind: Any) -> None:
        """Hold messages of type `kind`."""
        super().__init__()
        self.kind = kind

    def process_bind_param(self, value: Any, dialect: Dialect) -> bytes | None:
        """Compress the message."""
        return None if value is None else zlib.compress(msgspec.json.encode(form.kept(value)))

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> Any:
        """Decompress and check the message; a ValueError or zlib.error if it is not one."""
        return None if value is None else form.read(msgspec.json.decode(zlib.decompress(value)), self.kind)
