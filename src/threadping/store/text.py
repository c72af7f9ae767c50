"""Text of any content as a column: a probe's log may hold anything, and a column of text may not."""

from sqlalchemy import Dialect, Text
from sqlalchemy.types import TypeDecorator


class Words(TypeDecorator[str]):
    r"""Half of a surrogate pair, which is how Python keeps a byte that was no UTF-8, becomes a visible `\udcff`.

    A NUL is kept where the database can (SQLite), and becomes a visible U+2400 where it cannot (PostgreSQL).
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Make the text storable."""
        if value is None:
            return None
        storable = value.encode("utf-8", "backslashreplace").decode("utf-8")
        return storable if dialect.name == "sqlite" else storable.replace("\0", "\N{SYMBOL FOR NULL}")
