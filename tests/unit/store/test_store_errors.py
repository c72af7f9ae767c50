"""Whatever is wrong with a store becomes one sentence with a remedy, and nothing that was stored is lost."""

import errno
import os
import shutil
import sqlite3
import subprocess
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy.exc import DatabaseError

from tests.unit.store.examples import a_run, a_trial
from threadping.errors import (
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreMissing,
    StoreReadOnly,
    StoreTooNew,
    ThreadpingError,
    UsageError,
)
from threadping.store import Store, failures, open_store, schema
from threadping.store.engine import engine_for
from threadping.store.failures import in_plain_words
from threadping.store.place import understood

NOBODY = 65534


@pytest.fixture
def path() -> Iterator[Path]:
    """A store with a run of two trials, in a folder that others may enter."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        path = Path(folder) / "runs.sqlite3"
        with open_store(str(path)) as store:
            run_id = store.begin(a_run()).id
            for position in range(2):
                store.add(run_id, a_trial(position=position))
        yield path


def the_two_trials_are_there(path: Path | str) -> None:
    with open_store(str(path), create=False) as store:
        assert [trial.position for trial in store.trials(store.run("last").id)] == [0, 1]


def changed_by_hand(path: Path, statement: str, *values: object) -> None:
    database = sqlite3.connect(path, isolation_level=None)
    database.execute(statement, values)
    database.close()


@contextmanager
def mounted(folder: Path, *what: str) -> Iterator[None]:
    """Mount something on a folder for a while; skip the test where that is not allowed."""
    mount = shutil.which("mount")
    if not mount or subprocess.run([mount, *what, folder], capture_output=True, check=False).returncode != 0:
        pytest.skip("only root may mount, and not everywhere")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


# --- Read-only --------------------------------------------------------------------------------------------------------


@pytest.fixture(params=["mount", "modes"])
def read_only_folder(request: pytest.FixtureRequest, path: Path) -> Iterator[Path]:
    """The store's folder, made so that this process truly cannot write it; SQLite tells the two kinds apart."""
    folder = path.parent
    if request.param == "mount":
        with mounted(folder, "--bind", str(folder)):
            subprocess.run(["mount", "-o", "remount,bind,ro", folder], check=True)
            yield folder
    else:
        with modes_that_bind(folder):
            yield folder


@contextmanager
def modes_that_bind(folder: Path) -> Iterator[None]:
    """Take away the right to write a folder and its files, and become somebody for whom that counts: not root."""
    before = {file: file.stat().st_mode for file in (folder, *folder.iterdir())}
    for file, mode in before.items():
        file.chmod(mode & 0o555)
    root = os.geteuid() == 0
    if root:
        os.setresuid(NOBODY, NOBODY, 0)
    try:
        if not os.access(folder, os.R_OK | os.X_OK):
            pytest.skip("root's temporary folder is closed to others")
        yield
    finally:
        if root:
            os.setresuid(0, 0, 0)
        for file, mode in before.items():
            file.chmod(mode)


def test_a_read_only_folder_can_be_read(path: Path, read_only_folder: Path) -> None:
    assert not os.access(read_only_folder, os.W_OK)
    the_two_trials_are_there(path)


def test_a_read_only_folder_is_refused_before_anything_is_measured(path: Path, read_only_folder: Path) -> None:
    with pytest.raises(StoreReadOnly, match=r"store .*runs\.sqlite3 is read-only: .* --store PATH") as error:
        open_store(str(path))
    assert error.value.exit_code == 1


def test_a_store_opened_to_be_read_cannot_be_written_either(path: Path, read_only_folder: Path) -> None:
    with open_store(str(path), create=False) as store, pytest.raises(StoreReadOnly, match="--store PATH"):
        store.begin(a_run())


@pytest.mark.parametrize("name", ["new.sqlite3", "new/folder/runs.sqlite3"])
def test_a_new_store_in_a_read_only_folder_is_refused(read_only_folder: Path, name: str) -> None:
    with pytest.raises(StoreReadOnly, match="--store PATH"):
        open_store(str(read_only_folder / name))


def test_a_file_of_any_name_can_be_opened_as_it_is(path: Path) -> None:
    odd = path.with_name("100% odd?name #1 ☃.sqlite3")
    odd.write_bytes(path.read_bytes())
    place = understood(str(odd)).immutable
    with Store(engine_for(place), place) as store:
        assert len(store.trials(1)) == 2
        with pytest.raises(StoreReadOnly):
            store.begin(a_run())


@pytest.fixture
def unfinished(path: Path) -> Path:
    """A store whose last trial is only in the log, as a killed threadping leaves it."""
    holder = sqlite3.connect(path)  # while somebody has it open, nobody who closes it clears the log away
    holder.execute("SELECT count(*) FROM runs").fetchone()
    with open_store(str(path)) as store:
        store.add(1, a_trial(position=2))
    copies = [path.with_name(f"copy.sqlite3{end}") for end in ("", "-wal", "-shm")]
    for copy in copies:
        copy.write_bytes(path.with_name(copy.name.replace("copy", "runs")).read_bytes())
    holder.close()
    return copies[0]


def test_what_a_killed_run_left_can_be_read_in_a_read_only_folder(unfinished: Path, read_only_folder: Path) -> None:
    with open_store(str(unfinished), create=False) as store:
        assert [trial.position for trial in store.trials(1)] == [0, 1, 2]


@pytest.fixture
def without_index(unfinished: Path) -> Path:
    """The same, copied without SQLite's index of its log."""
    Path(f"{unfinished}-shm").unlink()
    return unfinished


def test_trials_in_a_log_are_never_silently_left_out(without_index: Path, read_only_folder: Path) -> None:
    with pytest.raises(StoreReadOnly, match=r"what is in copy\.sqlite3-wal cannot be read\. Copy both"):
        open_store(str(without_index), create=False)


def test_a_store_that_may_not_be_read(without_index: Path) -> None:
    without_index.chmod(0)
    with modes_that_bind(without_index.parent), pytest.raises(StoreError, match="may not be read by you") as error:
        open_store(str(without_index), create=False)
    assert type(error.value) is StoreError


def test_sqlites_own_uri_may_say_read_only(path: Path) -> None:
    url = f"sqlite:///file:{path}?mode=ro&uri=true"
    the_two_trials_are_there(url)
    with pytest.raises(StoreReadOnly, match="--store PATH"):
        open_store(url)


# --- Full -------------------------------------------------------------------------------------------------------------


def test_a_full_store_keeps_what_it_has_and_goes_on_when_there_is_room(path: Path) -> None:
    place = understood(str(path))
    engine = engine_for(place)
    with Store(engine, place) as store:
        with engine.connect() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
            connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")
        with pytest.raises(StoreFull, match=r"disk of the store .*runs\.sqlite3 is full\. .*--store PATH") as error:
            store.add(1, a_trial(position=2, log="x" * 100_000))
        assert error.value.exit_code == 1
        the_two_trials_are_there(path)
        with engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA max_page_count=1000000")
        store.add(1, a_trial(position=2, log="x" * 100_000))
        assert len(store.trials(1)) == 3


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    with mounted(folder, "-t", "tmpfs", "-o", "size=512k", "tmpfs"):
        yield folder


def test_a_disk_that_fills_up(small_disk: Path) -> None:
    path = small_disk / "runs.sqlite3"
    stored = 0
    with open_store(str(path)) as store:
        run_id = store.begin(a_run()).id
        with pytest.raises(StoreFull, match=r"is full\. What was stored before is safe\."):
            for position in range(100):
                store.add(run_id, a_trial(position=position, log=os.urandom(10_000).hex()))
                stored += 1
    assert 0 < stored < 100
    with open_store(str(path), create=False) as store:
        assert [trial.position for trial in store.trials(run_id)] == list(range(stored))


def fill(disk: Path, left: int) -> None:
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space"):
        while True:
            file.write(bytes(4096))
    os.truncate(filler, filler.stat().st_size - left)


@pytest.mark.parametrize("left", [0, 32768, 45056])  # it fails at the file, the rollback journal, the log's index
def test_a_new_store_on_a_full_disk(small_disk: Path, left: int) -> None:
    fill(small_disk, left)
    with pytest.raises(StoreFull), open_store(str(small_disk / "runs.sqlite3")) as store:
        store.begin(a_run())


def test_a_store_on_a_full_disk_can_still_be_read(path: Path, small_disk: Path) -> None:
    store = small_disk / "runs.sqlite3"
    store.write_bytes(path.read_bytes())
    fill(small_disk, 0)
    the_two_trials_are_there(store)
    with pytest.raises(StoreFull):
        open_store(str(store))
    with open_store(str(store), create=False) as reader, pytest.raises(StoreReadOnly):
        reader.begin(a_run())


def test_a_full_disk_hides_no_trial_either(without_index: Path, small_disk: Path) -> None:
    store = small_disk / "runs.sqlite3"
    store.write_bytes(without_index.read_bytes())
    Path(f"{store}-wal").write_bytes(Path(f"{without_index}-wal").read_bytes())
    fill(small_disk, 0)
    with pytest.raises(StoreFull):
        open_store(str(store), create=False)


def test_a_disk_without_room_for_another_file(tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    with mounted(folder, "-t", "tmpfs", "-o", "size=512k,nr_inodes=2", "tmpfs"), pytest.raises(StoreFull):
        open_store(str(folder / "runs.sqlite3"))


# --- Corrupt ----------------------------------------------------------------------------------------------------------


def refused_as_corrupt(path: Path, match: str) -> None:
    before = path.read_bytes()
    for create in (True, False):
        with pytest.raises(StoreCorrupt, match=match) as error, open_store(str(path), create=create) as store:
            store.trials(store.run("last").id)
        assert str(path) in str(error.value)
        assert "move it away" in str(error.value)
        assert error.value.exit_code == 1
    assert path.read_bytes() == before


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear sir or madam, this is no database. " * 50)
    refused_as_corrupt(path, "file is not a database")


def test_a_store_that_was_cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:9000])
    refused_as_corrupt(path, "malformed")


def test_a_store_scribbled_over(path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    refused_as_corrupt(path, "malformed")


def test_another_programs_database(tmp_path: Path) -> None:
    path = tmp_path / "songs.sqlite3"
    changed_by_hand(path, "CREATE TABLE alembic_version (version_num VARCHAR(32))")
    refused_as_corrupt(path, "tables of something else")


def test_a_store_that_lost_a_table(path: Path) -> None:
    changed_by_hand(path, "DROP TABLE trials")
    refused_as_corrupt(path, "no such table: trials")


@pytest.mark.parametrize(
    ("column", "value", "match"),
    [
        ("result", b"not compressed", "incorrect header check"),
        ("result", b"x\x9c\x03\x00\x00\x00\x00\x01", "truncated|malformed"),
        ("request", "{", "line 1 column 2"),
        ("result", zlib.compress(b"[]"), "a stored result is not whole"),
        ("result", zlib.compress(b'{"form": 2}'), "missing required field"),
        ("request", '{"schema": 9}', "a stored request is not whole"),
        ("cpus", '["a"]', "Expected `int | null`"),
        ("log", b"\xff", "Expected|decode"),
    ],
)
def test_a_damaged_trial(path: Path, column: str, value: object, match: str) -> None:
    changed_by_hand(path, f"UPDATE trials SET {column} = ? WHERE position = 1", value)
    if column == "log":
        changed_by_hand(path, "UPDATE trials SET log = CAST(log AS TEXT)")
    refused_as_corrupt(path, match)


# --- Too new, missing, locked -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [f"{int(schema.HEAD) + 1:04}", "9999", "1.5-beta"])
@pytest.mark.parametrize("create", [True, False])
def test_a_newer_store_is_left_as_it_is(path: Path, version: str, create: bool) -> None:
    changed_by_hand(path, "UPDATE threadping_schema SET version_num = ?", version)
    before = path.read_bytes()
    with pytest.raises(
        StoreTooNew, match=f"has schema {version}, and this one knows none after {schema.HEAD}"
    ) as error:
        open_store(str(path), create=create)
    assert error.value.exit_code == 1
    assert "Upgrade threadping" in str(error.value)
    assert path.read_bytes() == before


def test_a_store_that_is_not_there_is_not_made_to_be_read(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "runs.sqlite3"
    with pytest.raises(StoreMissing, match=r"no store at .*folder/runs\.sqlite3 yet"):
        open_store(str(path), create=False)
    assert not path.parent.exists()


def test_an_empty_file_is_a_store_to_be(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite3"
    path.touch()
    with pytest.raises(StoreMissing):
        open_store(str(path), create=False)
    assert path.read_bytes() == b""
    with open_store(str(path)) as store:
        assert store.runs() == []


def test_a_lock_that_is_not_given_up(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failures, "BUSY_SECONDS", 0.05)
    with open_store(str(path)) as store:
        holder = sqlite3.connect(path, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"locked by another program for 0\.05 s.* --store PATH") as error:
            store.add(1, a_trial(position=2))
        assert type(error.value) is StoreError
        the_two_trials_are_there(path)
        holder.close()
        store.add(1, a_trial(position=2))


# --- Whatever SQLite or the system may say ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (sqlite3.SQLITE_READONLY, StoreReadOnly),
        (sqlite3.SQLITE_READONLY_DBMOVED, StoreReadOnly),
        (sqlite3.SQLITE_READONLY_DIRECTORY, StoreReadOnly),
        (sqlite3.SQLITE_PERM, StoreReadOnly),
        (sqlite3.SQLITE_FULL, StoreFull),
        (sqlite3.SQLITE_CORRUPT, StoreCorrupt),
        (sqlite3.SQLITE_CORRUPT_INDEX, StoreCorrupt),
        (sqlite3.SQLITE_NOTADB, StoreCorrupt),
        (sqlite3.SQLITE_ERROR, StoreCorrupt),
        (sqlite3.SQLITE_BUSY, StoreError),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, StoreError),
        (sqlite3.SQLITE_LOCKED, StoreError),
        (sqlite3.SQLITE_CANTOPEN, StoreError),
        (sqlite3.SQLITE_IOERR_WRITE, StoreError),
        (sqlite3.SQLITE_NOMEM, StoreError),
        (sqlite3.SQLITE_TOOBIG, StoreError),
    ],
)
def test_every_code_of_sqlite_has_its_sentence(tmp_path: Path, code: int, kind: type[ThreadpingError]) -> None:
    cause = sqlite3.OperationalError("words of SQLite")
    cause.sqlite_errorcode, cause.sqlite_errorname = code, "SQLITE_NAME"
    with pytest.raises(StoreError) as error, in_plain_words(understood(str(tmp_path / "runs.sqlite3"))):
        raise DatabaseError("SELECT 1", {}, cause)
    assert type(error.value) is kind
    assert is_one_clear_sentence(str(error.value))
    assert "SELECT" not in str(error.value)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (errno.EACCES, StoreReadOnly),
        (errno.EPERM, StoreReadOnly),
        (errno.EROFS, StoreReadOnly),
        (errno.ENOSPC, StoreFull),
        (errno.EDQUOT, StoreFull),
        (errno.ENAMETOOLONG, StoreError),
        (errno.EIO, StoreError),
    ],
)
def test_every_errno_has_its_sentence(tmp_path: Path, code: int, kind: type[ThreadpingError]) -> None:
    with pytest.raises(StoreError) as error, in_plain_words(understood(str(tmp_path / "runs.sqlite3"))):
        raise OSError(code, os.strerror(code))
    assert type(error.value) is kind
    assert is_one_clear_sentence(str(error.value))


def test_our_own_errors_pass_unchanged(tmp_path: Path) -> None:
    ours = UsageError("ours")
    with pytest.raises(UsageError) as error, in_plain_words(understood(str(tmp_path / "runs.sqlite3"))):
        raise ours
    assert error.value is ours


def is_one_clear_sentence(message: str) -> bool:
    return message.startswith("The ") and message.endswith(".") and "\n" not in message and "sqlalche" not in message
