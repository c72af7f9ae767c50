"""A real PostgreSQL server for the tests of this package."""

from tests.postgresql import new_database, server

__all__ = ["new_database", "server"]
