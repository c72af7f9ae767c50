"""A server that does not answer: no statement waits for it longer than ANSWER_S.

Its own `statement_timeout` ends only what it still works on. Where it is stopped, or the network to it is gone, the
client alone can end the wait: by shutting the socket down, which its driver takes for a lost connection.
"""

import os
import socket
from contextlib import suppress
from threading import Timer
from typing import Any

from sqlalchemy import Connection, Engine, event, func, select
from sqlalchemy.engine import URL, ExceptionContext
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

ANSWER_S = 10.0
"""Our statements take milliseconds, and a run cannot go on without their answer."""

LEAST_WAIT_S = 2
"""libpq waits no shorter for a connection, and for ever with 0."""

_TIMER, _SILENT = "threadping_timer", "threadping_silent"


def connect_arguments(url: URL) -> dict[str, Any]:
    """How long libpq waits for a connection, and until it gives one up that is dead; what the URL says comes first."""
    if url.get_backend_name() != "postgresql" or url.get_driver_name() not in ("psycopg", "psycopg2"):
        return {}
    bounds = {
        "connect_timeout": max(LEAST_WAIT_S, int(ANSWER_S)),
        "keepalives_idle": max(LEAST_WAIT_S, int(ANSWER_S)),
        "keepalives_interval": 2,
        "keepalives_count": 3,
        "tcp_user_timeout": int(1000 * ANSWER_S),
    }
    return {name: value for name, value in bounds.items() if name not in url.query}


def bound_waiting(engine: Engine) -> None:
    """Give the server so long for each statement, and for the end of each transaction."""
    event.listen(engine, "before_cursor_execute", lambda connection, *_: _arm(connection.connection))
    event.listen(engine, "after_cursor_execute", lambda connection, *_: _disarm(connection.connection))
    for end in ("commit", "rollback"):
        event.listen(engine, end, _arm_unless_lost)
    event.listen(engine, "checkin", lambda _, record: _disarm(record))
    event.listen(engine, "handle_error", _explain)


def _arm_unless_lost(connection: Connection) -> None:
    if not connection.invalidated:
        _arm(connection.connection)


def _arm(connection: Any) -> None:
    _disarm(connection)
    timer = Timer(ANSWER_S, _shut_down, (connection.dbapi_connection, connection.info))
    timer.daemon = True
    connection.info[_TIMER] = timer
    timer.start()


def _disarm(connection: Any) -> None:
    if timer := connection.info.pop(_TIMER, None):
        timer.cancel()


def _shut_down(connection: Any, info: dict[str, Any]) -> None:
    info[_SILENT] = True
    # It was closed meanwhile, or its driver has no socket to show; nobody listens here.
    with suppress(Exception), socket.socket(fileno=os.dup(connection.fileno())) as connected:
        connected.shutdown(socket.SHUT_RDWR)


def _explain(context: ExceptionContext) -> TimeoutError | None:
    """The error that the server was silent, where the driver only says that the connection is lost."""
    if context.connection is None or context.connection.invalidated:
        return None
    connection = context.connection.connection
    _disarm(connection)
    silent = connection.info.get(_SILENT)
    return TimeoutError(f"the server did not answer for {ANSWER_S:g} s") if silent else None


AGAIN_S = 0.2
"""Between two tries to reach a server that is lost: one that is started anew takes about a second."""


def is_lost(error: Exception) -> bool:
    """Whether a server could not be reached, or went away: what it says of a statement is none of that."""
    if isinstance(error, DBAPIError):
        is_connection = error.connection_invalidated or error.statement is None
        return is_connection and isinstance(error, OperationalError | InterfaceError)
    return isinstance(error, TimeoutError)


def number_of_transaction(connection: Connection) -> int | None:
    """The number by which PostgreSQL knows a transaction after its connection was lost; None of other databases."""
    return connection.scalar(select(func.txid_current())) if connection.dialect.name == "postgresql" else None


def fate_of(number: int | None, engine: Engine) -> str:
    """What became of a transaction: `committed`, `aborted`, or `in progress`; without a number it came to nothing."""
    if number is None:
        return "aborted"
    with engine.connect() as connection:
        return str(connection.scalar(select(func.txid_status(number))))
