"""Stores that are damaged, foreign, locked, full, or out of reach."""

import os
import socket
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from tests.end_to_end.faults.fault import NOTHING, STORED, UNCHANGED, Before, Bench, How, Kept, read_faults, trials
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


BOMB = zlib.compress(bytes(1 << 20))
NO_TRIAL = "UPDATE trials SET trial = ?1, observation = ?1"
NEWER = STORE_VERSION + 1
EMPTY = Kept("a new store with all 3 trials", trials(3).holds)
SPLIT = Kept("2 trials, and 3 in the other store", trials(2, status="failed").holds)
ASIDE = Kept("all trials, in the other store", _has_all_aside)
ONE_DAMAGED = How(UNCHANGED, two_runs_of_which("record = '{}'"))

FAULTS = read_faults(
    __file__,
    {
        "a run that is not there": STORED,
        "the states of a run that is not there": STORED,
        "a budget for a run that is no matrix": STORED,
        "to go on with other CPUs": STORED,
        "of the runs to remove one is not there": STORED,
        "the store is text": How(UNCHANGED, damaged(lambda _: b"Dear sir or madam, this is no database. " * 50)),
        "the store is cut off": How(UNCHANGED, damaged(lambda whole: whole[:9000])),
        "the store is 100 bytes long": How(UNCHANGED, damaged(lambda whole: whole[:100])),
        "the store holds random bytes": How(
            UNCHANGED, damaged(lambda whole: whole[:4096] + b"\xff" * len(whole[4096:]))
        ),
        "the store is empty": How(EMPTY, is_a(lambda path: path.touch())),
        "the store is a folder": How(UNCHANGED, is_a(lambda path: path.mkdir())),
        "the store is a FIFO": How(NOTHING, is_a(os.mkfifo)),
        "the store of a newer threadping": How(
            UNCHANGED, changed(f"UPDATE threadping_schema SET version_num = {NEWER}")
        ),
        "another program's database": How(UNCHANGED, changed("DROP TABLE threadping_schema")),
        "a store that lost a table": How(UNCHANGED, changed("DROP TABLE trials")),
        "a trial that cannot be decompressed": How(UNCHANGED, changed(NO_TRIAL, b"no zlib")),
        "a trial that decompresses into nothing known": How(UNCHANGED, changed(NO_TRIAL, BOMB)),
        "another program has locked the store": How(UNCHANGED, locked),
        "the disk is full after two trials": How(SPLIT, full_after(2)),
        "the store is removed after two trials": How(ASIDE, removed_after(2)),
        "the states of this machine, with one damaged run": ONE_DAMAGED,
        "PostgreSQL does not run": How(NOTHING, nobody_listens),
        "a run whose record is damaged, in a list": ONE_DAMAGED,
        "a run whose record is damaged": ONE_DAMAGED,
        "the run next to a damaged one": ONE_DAMAGED,
        "a damaged run is removed": How(Kept("the other run", _has_one), ONE_DAMAGED.before),
        "a run of no known status": How(
            UNCHANGED, two_runs_of_which("record = json_set(record, '$.status', 'paused')")
        ),
        "a run that ended at no time": How(
            UNCHANGED, two_runs_of_which("record = json_set(record, '$.ended', 'yesterday')")
        ),
        "a run nested 10,000 deep": How(UNCHANGED, two_runs_of_which(f"record = '{'[' * 10_000}'")),
        "a text where a trial should be": How(UNCHANGED, changed("UPDATE trials SET observation = 'text'")),
        "PostgreSQL does not answer": How(NOTHING, silent),
    },
)
