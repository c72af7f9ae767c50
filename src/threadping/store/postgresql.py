"""The connection to a store on a PostgreSQL server, bounded where that falls silent.

Its own `statement_timeout` ends only what it still works on. Where it is stopped, or the network to it is gone, the
client alone can end the wait: by shutting the socket down, which its driver takes for a lost connection.
"""

import os
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from threading import Timer
from types import MappingProxyType
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from threadping.store import tables
from threadping.store.tables import Rows, ServerError, StoreConnection, WorkResult, insertion, unreadable

ANSWER_S = 10.0  # our statements take milliseconds, and a run cannot go on without their answer
MIN_WAIT_S = 2  # libpq waits no shorter for a connection, and for ever with 0
AGAIN_S = 0.2  # between two attempts to reach a server that is lost: one that is started anew takes about a second


def connect_arguments(url: str) -> dict[str, Any]:
    """Return how to connect; how long libpq waits for a connection, or for a dead one, unless the URL says so."""
    wait_s = max(MIN_WAIT_S, int(ANSWER_S))
    alive = {"keepalives_idle": wait_s, "keepalives_interval": 2, "keepalives_count": 3}
    try:
        named = conninfo_to_dict(url)
        for port in str(named.get("port", 0)).split(","):
            int(port)
    except (psycopg.ProgrammingError, ValueError) as error:
        raise unreadable(error) from error
    return {"connect_timeout": wait_s, **alive, "tcp_user_timeout": int(1000 * ANSWER_S), **named}


class ServerConnection(StoreConnection):
    """The connection to a server, made again where it was lost: once to read, and for a while to commit."""

    types = MappingProxyType(
        {
            "number": "SERIAL PRIMARY KEY",
            "position": "BIGSERIAL PRIMARY KEY",
            "bytes": "BYTEA",
            "time": "CAST(time AS timestamptz)",
        }
    )

    def __init__(self, url: str) -> None:
        self._arguments, self._commits = connect_arguments(url), False
        self._connect()

    def _connect(self) -> None:
        try:
            self.server = psycopg.connect(**self._arguments, autocommit=True)
        except psycopg.Error as error:
            refused, late = (part in str(error) for part in ("Connection refused", "timeout expired"))
            words = "no server listens at that address" if refused else "its server did not answer" if late else error
            raise ServerError(words, is_lost=True) from error

    def rows(self, statement: str, *values: object) -> Rows:
        return self._ask(lambda cursor: cursor.execute(statement.replace("?", "%s"), values))

    def insert(self, table: str, row: Mapping[str, object]) -> int:
        return int(self.rows(f"{insertion(table, row)} RETURNING id", *row.values())[0][0])

    def insert_all(self, table: str, columns: Iterable[str], rows: Iterable[Sequence[object]]) -> None:
        self._ask(lambda cursor: cursor.executemany(insertion(table, columns).replace("?", "%s"), rows))

    def _ask(self, ask: Callable[[Any], object]) -> Rows:
        if self._commits:  # what was begun by a connection that is lost is begun again, by `commit`
            return self._ask_once(ask)
        if not self.server.closed:
            try:
                return self._ask_once(ask)
            except ServerError as error:
                if not error.is_lost:
                    raise
        self._connect()
        return self._ask_once(ask)

    def _ask_once(self, ask: Callable[[Any], object]) -> Rows:
        silent: list[bool] = []

        def shut_down() -> None:
            silent.append(True)
            with (
                suppress(Exception),
                socket.socket(fileno=os.dup(self.server.fileno())) as connected,
            ):  # or it is closed
                connected.shutdown(socket.SHUT_RDWR)

        timer = Timer(ANSWER_S, shut_down)
        timer.daemon = True
        timer.start()
        try:
            with self.server.cursor() as cursor:
                ask(cursor)
                return cursor.fetchall() if cursor.description else []
        except psycopg.Error as error:
            words = f"the server did not answer for {ANSWER_S:g} s" if silent else error
            raise ServerError(words, is_lost=self.server.closed) from error
        finally:
            timer.cancel()

    def commit(self, work: Callable[[], WorkResult]) -> WorkResult:
        """Do some work in a transaction, and again where the server is lost before that is committed; never twice."""
        until, number = time.monotonic() + tables.BUSY_SECONDS, None
        while True:
            try:
                fate = self.rows("SELECT txid_status(?)", number)[0][0] if number else "aborted"
                if fate == "aborted":
                    number = None
                    with self._transaction():
                        result = work()
                        number = self.rows("SELECT txid_current()")[0][0]  # which outlives a lost connection
                    return result
                if fate == "committed":
                    return result
                if time.monotonic() > until:
                    raise ServerError("it does not say whether it has stored what it was sent", is_lost=False)
            except ServerError as error:
                if not error.is_lost or time.monotonic() > until:
                    raise
            time.sleep(AGAIN_S)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        if self.server.closed:
            self._connect()
        self._commits = True
        try:
            self.rows("BEGIN")
            yield
            self.rows("COMMIT")
        except BaseException:
            with suppress(ServerError):
                self.rows("ROLLBACK")
            raise
        finally:
            self._commits = False

    def tables(self) -> set[str]:
        here = "schemaname = ANY (current_schemas(false))"
        return {name for (name,) in self.rows(f"SELECT tablename FROM pg_tables WHERE {here}")}

    def close(self) -> None:
        self.server.close()
