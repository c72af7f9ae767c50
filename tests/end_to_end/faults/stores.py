"""Stores that are damaged, foreign, locked, full, or out of reach."""

import os
import socket
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from tests.end_to_end.faults.fault import (
    ANSWER,
    MEASURE,
    NOTHING,
    SILENCE,
    UNCHANGED,
    Before,
    Bench,
    Fault,
    Kept,
    trials,
    typed,
)
from threadping.store.store import Store, open_store
from threadping.store.tables import STORE_VERSION, in_plain_words

HEADING = "Stores"
ABOUT = (
    "A store that cannot be used is refused before anything is measured, and never changed. One run that is "
    "damaged costs that run."
)


def damaged(how: Callable[[bytes], bytes]) -> Before:
    """The bytes of a store with a run in it are changed."""

    def before(bench: Bench) -> None:
        bench.store_a_run()
        bench.store.write_bytes(how(bench.store.read_bytes()))

    return before


def changed(statement: str, *values: object) -> Before:
    """Somebody changed a store by hand."""

    def before(bench: Bench) -> None:
        bench.store_a_run()
        with closing(sqlite3.connect(bench.store, isolation_level=None)) as database:
            for one in statement.split(";"):
                database.execute(one, values if "?" in one else ())

    return before


def is_a(make: Callable[[Path], object]) -> Before:
    """Something else stands where the store should be."""
    return lambda bench: make(bench.store)


def full_after(number: int) -> Before:
    """The disk is full once so many trials are stored."""

    def before(bench: Bench) -> None:
        add, stored = Store.add_batch, iter(range(1000))

        def full(store: Store, *trial: object) -> None:
            if next(stored) >= number:
                cause = sqlite3.OperationalError("database or disk is full")
                cause.sqlite_errorcode = sqlite3.SQLITE_FULL
                with in_plain_words(store.place):
                    raise cause
            add(store, *trial)  # type: ignore[arg-type]

        bench.patch.setattr(Store, "add_batch", full)

    return before


def removed_after(number: int) -> Before:
    """Somebody tidies up once so many trials are stored."""

    def before(bench: Bench) -> None:
        add, stored = Store.add_batch, iter(range(1, 1000))

        def removed(store: Store, *trial: object) -> None:
            add(store, *trial)  # type: ignore[arg-type]
            if next(stored) == number:
                bench.store.unlink()

        bench.patch.setattr(Store, "add_batch", removed)

    return before


def locked(bench: Bench) -> None:
    """Another program writes into the store, and does not end."""
    bench.store_a_run()
    bench.patch.setattr("threadping.store.tables.BUSY_SECONDS", 0.05)
    holder = sqlite3.connect(bench.store, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    bench.holds.callback(holder.close)


def nobody_listens(bench: Bench) -> None:
    """A port on which nobody listens."""
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        bench.env["THREADPING_STORE"] = f"postgresql://me:secret@127.0.0.1:{nobody.getsockname()[1]}/runs"


def two_runs_of_which(what: str) -> Before:
    """The first of two runs was changed by hand."""

    def before(bench: Bench) -> None:
        bench.store_a_run()
        changed(f"UPDATE runs SET {what} WHERE id = 1")(bench)

    return before


def _has_one(bench: Bench) -> None:
    assert (bench.runs_before, bench.runs()) == (1, 1)


def silent(bench: Bench) -> None:
    """A port that takes connections and says nothing."""
    bench.patch.setattr("threadping.store.postgresql.ANSWER_S", 0.5)
    server = socket.create_server(("127.0.0.1", 0))
    bench.holds.callback(server.close)
    bench.env["THREADPING_STORE"] = f"postgresql://me:secret@127.0.0.1:{server.getsockname()[1]}/runs"


def _has_all_aside(bench: Bench) -> None:
    (aside,) = (bench.folder / "data" / "threadping").glob("*.sqlite3")
    with open_store(str(aside)) as store:
        run = store.run("last")
        assert (run.status, len(store.trials(run)), len(store.observations(run))) == ("failed", 2, 2)


KEPT_ASIDE = (
    "Everything that it measured is in the store \N{HORIZONTAL ELLIPSIS}/data/threadping/threadping-run-1-"
    "\N{HORIZONTAL ELLIPSIS}.sqlite3: `threadping runs resume 1 --store \N{HORIZONTAL ELLIPSIS}/data/threadping/"
    "threadping-run-1-\N{HORIZONTAL ELLIPSIS}.sqlite3` resumes it."
)
BOMB = zlib.compress(bytes(1 << 20))
EMPTY = Kept("a new store with all 3 trials", trials(3).holds)


def refused(title: str, command: str, says: str, before: Before) -> Fault:
    """A store, or a run in it, that cannot be read, and is left as it is."""
    return Fault(title, command, 1, says, UNCHANGED, before)


FAULTS = (
    *typed(__file__),
    Fault(
        "a run that is not there",
        "show 7",
        2,
        "There is no run '7' in the store \N{HORIZONTAL ELLIPSIS}/runs.sqlite3, which holds run 1. Write such a "
        "number, or last.",
        UNCHANGED,
        Bench.store_a_run,
    ),
    Fault(
        "the states of a run that is not there",
        "show 7 --states",
        2,
        "There is no run '7' in the store \N{HORIZONTAL ELLIPSIS}/runs.sqlite3, which holds run 1. Write such a "
        "number, or last.",
        UNCHANGED,
        Bench.store_a_run,
    ),
    Fault(
        "a budget for a run that is no matrix",
        "runs resume 1 --budget 5s",
        2,
        "--budget applies only to a matrix: run 1 resumes with the rest of its own budget.",
        UNCHANGED,
        Bench.store_a_run,
    ),
    Fault(
        "to go on with other CPUs",
        "runs resume 1 --cpus 0,1",
        2,
        "No such option '--cpus'. `threadping runs resume --help` lists the options.",
        UNCHANGED,
        Bench.store_a_run,
    ),
    Fault(
        "of the runs to remove one is not there",
        "runs rm 1 7",
        2,
        "There is no run '7' in the store \N{HORIZONTAL ELLIPSIS}/runs.sqlite3, which holds run 1. Write such a "
        "number, or last.",
        UNCHANGED,
        Bench.store_a_run,
    ),
    refused(
        "the store is text",
        MEASURE,
        "The store \N{HORIZONTAL ELLIPSIS}/runs.sqlite3 is damaged, or is not a threadping store (file is not a "
        "database). Move it away, with any runs.sqlite3-wal in its folder, or name another with --store PATH.",
        damaged(lambda _: b"Dear sir or madam, this is no database. " * 50),
    ),
    refused(
        "the store is cut off",
        "show",
        "The store \N{HORIZONTAL ELLIPSIS}/runs.sqlite3 is damaged, or is not a threadping store (database disk "
        "image is malformed). Move it away, with any runs.sqlite3-wal in its folder, or name another with --store "
        "PATH.",
        damaged(lambda whole: whole[:9000]),
    ),
    refused(
        "the store is 100 bytes long",
        "show",
        "The store \N{HORIZONTAL ELLIPSIS}/runs.sqlite3 is damaged, or is not a threadping store (database disk "
        "image is malformed). Move it away, with any runs.sqlite3-wal in its folder, or name another with --store "
        "PATH.",
        damaged(lambda whole: whole[:100]),
    ),
    refused(
        "the store holds random bytes",
        "show",
        "The store \N{HORIZONTAL ELLIPSIS}/runs.sqlite3 is damaged, or is not a threadping store (database disk "
        "image is malformed). Move it away, with any runs.sqlite3-wal in its folder, or name another with --store "
        "PATH.",
        damaged(lambda whole: whole[:4096] + b"\xff" * (len(whole) - 4096)),
    ),
    Fault("the store is empty", MEASURE, 0, ANSWER, EMPTY, is_a(lambda path: path.touch())),
    Fault(
        "the store is a folder",
        MEASURE,
        2,
        "The store \N{HORIZONTAL ELLIPSIS}/runs.sqlite3 is not a regular file. Name one with --store PATH.",
        UNCHANGED,
        is_a(lambda path: path.mkdir()),
    ),
    Fault(
        "the store is a FIFO",
        MEASURE,
        2,
        "The store \N{HORIZONTAL ELLIPSIS}/runs.sqlite3 is not a regular file. Name one with --store PATH.",
        NOTHING,
        is_a(os.mkfifo),
    ),
    refused(
        "the store of a newer threadping",
        MEASURE,
        "The store \N{HORIZONTAL ELLIPSIS}/runs.sqlite3 was written by another version of threadping: its format "
        "is 11, and this threadping uses only 10. Move it away, with any runs.sqlite3-wal in its folder, name "
        "another with --store PATH, or use the threadping that wrote it.",
        changed(f"UPDATE threadping_schema SET version_num = {STORE_VERSION + 1}"),
    ),
    refused(
        "another program's database",
        MEASURE,
        "The store \N{HORIZONTAL ELLIPSIS}/runs.sqlite3 is damaged, or is not a threadping store (it holds the "
        "tables of something else). Move it away, with any runs.sqlite3-wal in its folder, or name another with "
        "--store PATH.",
        changed("DROP TABLE threadping_schema"),
    ),
    refused(
        "a store that lost a table",
        "show",
        "The store \N{HORIZONTAL ELLIPSIS}/runs.sqlite3 is damaged, or is not a threadping store (no such table: "
        "trials). Move it away, with any runs.sqlite3-wal in its folder, or name another with --store PATH.",
        changed("DROP TABLE trials"),
    ),
    refused(
        "a trial that cannot be decompressed",
        "show",
        "Run 1 is damaged (it cannot be decompressed): `threadping runs rm 1` removes it.",
        changed("UPDATE trials SET trial = ?1, observation = ?1", b"no zlib"),
    ),
    refused(
        "a trial that decompresses into nothing known",
        "show",
        "Run 1 is damaged (Expected `object`, got `int`): `threadping runs rm 1` removes it.",
        changed("UPDATE trials SET trial = ?1, observation = ?1", BOMB),
    ),
    refused(
        "another program has locked the store",
        MEASURE,
        "The store \N{HORIZONTAL ELLIPSIS}/runs.sqlite3 cannot be used: another program has locked it for 0.05 s "
        "(`fuser` finds it). Fix that, or name another with --store PATH.",
        locked,
    ),
    Fault(
        "the disk is full after two trials",
        MEASURE,
        1,
        "The disk of the store \N{HORIZONTAL ELLIPSIS}/runs.sqlite3 is full. What was stored before is safe. Free "
        "some space, or name another with --store PATH. The run was ended; what was measured is shown, but its last "
        f"trials are not stored. {KEPT_ASIDE}",
        Kept("2 trials, and 3 in the other store", trials(2, status="failed").holds),
        full_after(2),
    ),
    Fault(
        "the store is removed after two trials",
        MEASURE,
        1,
        "The store \N{HORIZONTAL ELLIPSIS}/runs.sqlite3 is gone: it was removed, moved or replaced while it was in "
        "use. "
        f"The run was ended; what was measured is shown, but its last trials are not stored. {KEPT_ASIDE}",
        Kept("all trials, in the other store", _has_all_aside),
        removed_after(2),
    ),
    Fault(
        "the states of this machine, with one damaged run",
        "ping --history",
        0,
        "Run 1 is damaged (Object missing required field `started`): `threadping runs rm 1` removes it.",
        UNCHANGED,
        two_runs_of_which("record = '{}'"),
    ),
    Fault(
        "PostgreSQL does not run",
        MEASURE,
        1,
        "The store postgresql://me:***@127.0.0.1:\N{HORIZONTAL ELLIPSIS}/runs cannot be used: no server listens at "
        "that address. Fix that, or name another with --store PATH.",
        NOTHING,
        nobody_listens,
    ),
    Fault(
        "a run whose record is damaged, in a list",
        "runs list",
        0,
        "Run 1 is damaged (Object missing required field `started`): `threadping runs rm 1` removes it.",
        UNCHANGED,
        two_runs_of_which("record = '{}'"),
    ),
    refused(
        "a run whose record is damaged",
        "show 1",
        "Run 1 is damaged (Object missing required field `started`): `threadping runs rm 1` removes it.",
        two_runs_of_which("record = '{}'"),
    ),
    Fault("the run next to a damaged one", "show 2", 0, ANSWER, UNCHANGED, two_runs_of_which("record = '{}'")),
    Fault(
        "a damaged run is removed",
        "runs rm 1",
        0,
        SILENCE,
        Kept("the other run", _has_one),
        two_runs_of_which("record = '{}'"),
    ),
    refused(
        "a run of no known status",
        "show 1",
        "Run 1 is damaged (Invalid enum value 'paused' - at `$.status`): `threadping runs rm 1` removes it.",
        two_runs_of_which("status = 'paused'"),
    ),
    refused(
        "a run that ended at no time",
        "show 1",
        "Run 1 is damaged (Expected a time with its zone - at `$.ended`): `threadping runs rm 1` removes it.",
        two_runs_of_which("ended = 'yesterday'"),
    ),
    refused(
        "a run nested 10,000 deep",
        "show 1",
        "Run 1 is damaged (Expected `object`, got `array`): `threadping runs rm 1` removes it.",
        two_runs_of_which(f"record = '{'[' * 10_000}'"),
    ),
    refused(
        "a text where a trial should be",
        "show 1",
        "Run 1 is damaged (it has another form): `threadping runs rm 1` removes it.",
        changed("UPDATE trials SET observation = 'text'"),
    ),
    Fault(
        "PostgreSQL does not answer",
        "runs list",
        1,
        "The store postgresql://me:***@127.0.0.1:\N{HORIZONTAL ELLIPSIS}/runs cannot be used: its server did not "
        "answer. Fix that, or name another with --store PATH.",
        NOTHING,
        silent,
    ),
)
