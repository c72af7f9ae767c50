"""Whatever is wrong with a store becomes one sentence with a remedy, and nothing that was stored is lost."""

import errno
import os
import shutil
import sqlite3
import subprocess
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.unit.store.examples import a_run, a_trial, add, end
from threadping.model.errors import (
    RunDamaged,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreMissing,
    StoreReadOnly,
    UsageError,
)
from threadping.model.run import Fleet, Host, Member, ReferencePing, Resumed
from threadping.store import tables
from threadping.store.store import open_store
from threadping.store.tables import STORE_VERSION, in_plain_words, place_of

NOBODY = 65534


@pytest.fixture
def path() -> Iterator[Path]:
    """A store with a run of two trials, in a folder that others may enter."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        path = Path(folder) / "runs.sqlite3"
        with open_store(str(path)) as store:
            add(store, store.begin(a_run()).id, a_trial(position=0), a_trial(position=1))
        path.chmod(0o644)
        yield path


def positions(location: Path | str) -> list[int]:
    with open_store(str(location), create=False) as store:
        return [trial.position for trial in store.trials(store.run("last"))]


def changed_by_hand(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute(statement, values)


@contextmanager
def disk(folder: Path, options: str) -> Iterator[Path]:
    """A small disk on a folder of its own, for a while; skips the test where mounting is not allowed."""
    folder.mkdir()
    command = [shutil.which("mount") or "false", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("only root may mount, and not everywhere")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


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


def test_a_read_only_folder_can_be_read_and_not_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = path.rename(path.with_name("100% odd?name #1 \u2603.sqlite3"))
    with modes_that_bind(path.parent):
        assert not os.access(path.parent, os.W_OK)
        assert positions(odd) == [0, 1]
        with pytest.raises(StoreReadOnly, match=r"store .*\.sqlite3 is read-only: .* --store PATH") as error:
            open_store(str(odd))  # before anything is measured
        assert error.value.exit_code == 1
        with open_store(str(odd), create=False) as store, pytest.raises(StoreReadOnly, match="--store PATH"):
            store.begin(a_run())
        with pytest.raises(StoreReadOnly, match="--store PATH"):
            open_store(str(path.parent / "new.sqlite3"))
        monkeypatch.setenv("XDG_DATA_HOME", str(path.parent / "data"))
        with pytest.raises(StoreReadOnly, match=r"data/threadping/runs\.sqlite3 is read-only"):
            open_store(None)


@pytest.fixture
def unfinished(path: Path) -> Path:
    """A store whose last trial is only in the log, as a killed threadping leaves it."""
    with closing(sqlite3.connect(path)) as holder:  # while it has it open, nobody who closes it clears the log away
        holder.execute("SELECT count(*) FROM runs").fetchone()
        with open_store(str(path)) as store:
            add(store, 1, a_trial(position=2))
        copies = [path.with_name(f"copy.sqlite3{end}") for end in ("", "-wal", "-shm")]
        for copy in copies:
            shutil.copy(path.with_name(copy.name.replace("copy", "runs")), copy)
    return copies[0]


def test_what_a_killed_run_left_in_a_read_only_folder_is_never_silently_left_out(unfinished: Path) -> None:
    with modes_that_bind(unfinished.parent):
        assert positions(unfinished) == [0, 1, 2]
    Path(f"{unfinished}-shm").unlink()  # without it SQLite cannot read the log
    with modes_that_bind(unfinished.parent), pytest.raises(StoreReadOnly, match="copy it with all files in its folder"):
        open_store(str(unfinished), create=False)


def test_a_store_that_may_not_be_read(path: Path) -> None:
    path.chmod(0)
    with modes_that_bind(path.parent), pytest.raises(StoreError, match=r"cannot be used: you may not read it") as error:
        open_store(str(path), create=False)
    assert type(error.value) is StoreError


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    with disk(tmp_path / "disk", "size=512k") as folder:
        yield folder


def test_a_store_keeps_its_trials_when_the_disk_fills_up_and_continues_when_space_is_free(small_disk: Path) -> None:
    path, filler = small_disk / "runs.sqlite3", small_disk / "filler"
    filler.write_bytes(bytes(100_000))
    big, stored = os.urandom(10_000).hex(), 0
    with open_store(str(path)) as store:
        run_id = store.begin(a_run()).id
        with pytest.raises(StoreFull, match=r"disk of the store .*runs\.sqlite3 is full\. .* --store PATH") as error:
            for stored in range(100):
                add(store, run_id, a_trial(position=stored, log=big))
        assert error.value.exit_code == 1
        assert 0 < stored < 99
        assert positions(path) == list(range(stored))
        filler.unlink()
        add(store, run_id, a_trial(position=stored, log=big))
    assert positions(path) == list(range(stored + 1))


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


def test_a_store_on_a_full_disk_can_still_be_read_where_that_hides_nothing(unfinished: Path, small_disk: Path) -> None:
    store = Path(shutil.copy(unfinished, small_disk))  # without its log
    fill(small_disk, 0)
    assert positions(store) == [0, 1]
    with pytest.raises(StoreFull):
        open_store(str(store))
    with open_store(str(store), create=False) as reader, pytest.raises(StoreReadOnly):
        reader.begin(a_run())
    (small_disk / "filler").unlink()
    shutil.copy(f"{unfinished}-wal", small_disk)
    fill(small_disk, 0)
    with pytest.raises(StoreFull):
        open_store(str(store), create=False)


def test_a_disk_without_space_for_another_file_is_reported(tmp_path: Path) -> None:
    with disk(tmp_path / "disk", "size=512k,nr_inodes=2") as folder, pytest.raises(StoreFull):
        open_store(str(folder / "runs.sqlite3"))


@pytest.mark.parametrize(
    ("column", "value", "match"),
    [
        ("trial", b"not compressed", "cannot be decompressed"),
        ("trial", b"x\x9c\x03\x00\x00\x00\x00\x01", "truncated|malformed"),
        ("trial", zlib.compress(b"\x90"), "Expected `object`, got `array`"),
        ("trial", zlib.compress(b"\x80"), "missing required field"),
        ("trial", zlib.compress(b"\x91" * 100_000), "Expected `object`, got `array`|nested too deeply"),
        ("trial", zlib.compress(bytes(2 << 20)), "too large"),
        ("trial", "a text", "it has another form"),
        ("observation", zlib.compress(b"\x81"), "truncated"),
    ],
)
def test_a_damaged_trial_costs_its_run_alone(
    path: Path, column: str, value: object, match: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "MAX_RECORD_BYTES", 1 << 20)
    with open_store(str(path)) as store:
        add(store, store.begin(a_run()).id, a_trial(position=7))
        changed_by_hand(path, f"UPDATE trials SET {column} = ? WHERE id = 2", value)
        named = rf"^Run 1 is damaged \(.*({match}).*\): `threadping runs rm 1` removes it\.$"
        with pytest.raises(RunDamaged, match=named):
            store.trials(run := store.run("1"))
            store.observations(run)
        assert [one.position for one in store.trials(store.run("2"))] == [7]


def test_a_damaged_ping_costs_the_pings_of_its_run_alone(path: Path) -> None:
    with open_store(str(path)) as store:
        machine = store.begin(a_run()).machine
        for run_id in (1, 2):
            store.add_ping(run_id, ReferencePing((0, 1), 1.0, 0, 27.0))
        changed_by_hand(path, "UPDATE pings SET ping = ? WHERE run_id = 1", b"not compressed")
        found, damaged = store.pings_of_machine(machine)
        assert ([*found], [str(one).partition(" is damaged (")[0] for one in damaged]) == ([2], ["Run 1"])


DEEP = "[" * 100_000


@pytest.mark.parametrize(
    "value",
    [
        *("no JSON", b"\xff\xfe", DEEP, '{"started": 7}', "status -> unheard-of"),
        *("ended -> 2026-03-01T00:00:00", "ended -> yesterday", "started -> 2026-01-02T00:00:00"),
        *("started -> yesterday", "started -> 9999-12-31T23:59:59-14:00", "started -> 2026-02-31T00:00:00+00:00"),
    ],
)
def test_a_damaged_run_is_named_can_be_removed_and_is_alone(path: Path, value: str | bytes) -> None:
    field, found, text = str(value).partition(" -> ")
    with open_store(str(path)) as store:
        for run in (store.begin(a_run()), store.begin(a_run())):
            add(store, run.id, a_trial(position=run.id))
            store.add_ping(run.id, ReferencePing((0, 1), 1.0, 0, 27.0))
        if found:
            changed_by_hand(path, f"UPDATE runs SET record = json_set(record, '$.{field}', ?) WHERE id = 2", text)
        else:
            how = "CAST(? AS TEXT)" if isinstance(value, bytes) else "?"
            changed_by_hand(path, f"UPDATE runs SET record = {how} WHERE id = 2", value)
        sound, damaged = store.listed()
        assert [(run.id, trials) for run, trials in sound] == [(3, 1), (1, 2)]
        assert [str(one).partition(" is damaged (")[0] for one in damaged] == ["Run 2"]
        with pytest.raises(RunDamaged, match=r"^Run 2 is damaged \(.+\): `threadping runs rm 2` removes it\.$"):
            store.run("2")
        assert [one.id for one in store.begun(store.run("1").started)] == [1, 3]
        assert 3 in store.pings_of_machine(store.run("3").machine)[0]
        store.remove(store.number("2"))
        assert store.listed()[1] == []
        with pytest.raises(UsageError):
            store.run("2")


def test_what_is_damaged_of_a_fleet_names_the_fleet(path: Path) -> None:
    with open_store(str(path)) as store:
        fleet = store.begin_fleet(Fleet("2026-11-23T10:00:00+00:00", "tcp://x:1", ("run",), 10.0, "1"))
        changed_by_hand(path, "UPDATE fleets SET record = ?", DEEP)
        with pytest.raises(StoreError, match=r"^Fleet 1 is damaged"):
            store.fleet("last")
        store.add_member(fleet, Member(Host("k", "m", "n", "a", "1", "e")), None)
        changed_by_hand(path, "UPDATE members SET record = 'x'")
        with pytest.raises(StoreError, match=r"^Fleet 1 is damaged"):
            store.members(fleet)


def test_a_new_store_is_for_its_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = os.umask(0)
    try:
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
        with open_store(None) as store:
            add(store, store.begin(a_run()).id, a_trial())
            folder = tmp_path / "data" / "threadping"
            modes = {file.name: file.stat().st_mode & 0o777 for file in (folder, *folder.iterdir())}
    finally:
        os.umask(before)
    logs = {f"runs.sqlite3{end}": 0o600 for end in ("-wal", "-shm")}
    assert modes == {"threadping": 0o700, "runs.sqlite3": 0o600, **logs}


@pytest.mark.parametrize("create", [True, False])
def test_a_store_of_another_version_is_refused_and_left_unchanged(path: Path, create: bool) -> None:
    for version in (STORE_VERSION + 1, STORE_VERSION - 1, "0007", "1.5-beta"):
        changed_by_hand(path, "DROP TABLE threadping_schema")
        changed_by_hand(path, "CREATE TABLE threadping_schema (version_num VARCHAR(32))")  # as an old one is
        changed_by_hand(path, "INSERT INTO threadping_schema VALUES (?)", version)
        before = path.read_bytes()
        sentence = f"its format is {version}, and this threadping uses only {STORE_VERSION}. Move it away"
        with pytest.raises(StoreError, match=sentence) as error:
            open_store(str(path), create=create)
        assert (error.value.exit_code, path.read_bytes()) == (1, before)


def test_a_store_that_is_not_there_or_empty_is_not_made_to_be_read(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "runs.sqlite3"
    with pytest.raises(StoreMissing, match=r"no store at .*folder/runs\.sqlite3 yet"):
        open_store(str(path), create=False)
    assert not path.parent.exists()
    (path := tmp_path / "empty.sqlite3").touch()
    with pytest.raises(StoreMissing):
        open_store(str(path), create=False)
    assert path.read_bytes() == b""
    open_store(str(path)).connection.close()


@pytest.mark.parametrize(
    "goes",
    [
        lambda path: [one.unlink() for one in path.parent.glob("runs.sqlite3*")],
        lambda path: path.rename(path.with_name("elsewhere")),
        lambda path: shutil.copy(path, path.with_name("copy")) and path.with_name("copy").replace(path),
        lambda path: path.parent.rename(path.parent.with_name("moved")),
    ],
)
def test_a_store_whose_file_goes_can_be_read_and_takes_no_more(goes: Callable[[Path], object], tmp_path: Path) -> None:
    (path := tmp_path / "folder" / "runs.sqlite3").parent.mkdir()
    with open_store(str(path)) as store:
        run = store.begin(a_run())
        add(store, run.id, a_trial(position=0))
        goes(path)
        gone = r"runs\.sqlite3 is gone: it was removed, moved or replaced while"
        with pytest.raises(StoreError, match=gone):
            add(store, run.id, a_trial(position=1))
        with pytest.raises(StoreError, match=gone):
            store.finish(replace(run, status="complete"))
        assert [one.position for one in store.trials(run)] == [0]


def test_a_run_that_was_resumed_since_it_was_read_is_not_resumed_again(path: Path) -> None:
    with open_store(str(path)) as store:
        end(store, 1, "interrupted")
        read = store.run("1")
        again = replace(read, resumed=(*read.resumed, Resumed(read.started, 2, 0)))
        store.resume(again)
        end(store, 1, "interrupted")
        with pytest.raises(StoreError, match="resumed by another threadping meanwhile: `threadping runs resume 1`"):
            store.resume(again)


def test_a_lock_that_is_not_given_up(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "BUSY_SECONDS", 0.05)
    with open_store(str(path)) as store:
        holder = sqlite3.connect(path, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"another program has locked it for 0\.05 s.* --store PATH") as error:
            add(store, 1, a_trial(position=2))
        assert type(error.value) is StoreError
        assert positions(path) == [0, 1]
        holder.close()
        add(store, 1, a_trial(position=2))


def said(name: str) -> Exception:
    if name.startswith("E"):
        return OSError(getattr(errno, name), os.strerror(getattr(errno, name)))
    cause = sqlite3.OperationalError("words of SQLite")
    cause.sqlite_errorcode, cause.sqlite_errorname = getattr(sqlite3, name), name
    return cause


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (StoreReadOnly, "SQLITE_READONLY SQLITE_READONLY_DBMOVED SQLITE_PERM EACCES EPERM EROFS"),
        (StoreFull, "SQLITE_FULL ENOSPC EDQUOT"),
        (StoreCorrupt, "SQLITE_CORRUPT_INDEX SQLITE_NOTADB SQLITE_ERROR"),
        (
            StoreError,
            "SQLITE_BUSY_SNAPSHOT SQLITE_LOCKED SQLITE_CANTOPEN SQLITE_IOERR_WRITE SQLITE_NOMEM",
        ),
        (StoreError, "SQLITE_TOOBIG ENAMETOOLONG EIO"),
    ],
)
def test_every_code_has_its_sentence(tmp_path: Path, kind: type[StoreError], names: str) -> None:
    for name in names.split():
        with pytest.raises(StoreError) as error, in_plain_words(place_of(str(tmp_path / "runs.sqlite3"))):
            raise said(name)
        message = str(error.value)
        assert type(error.value) is kind, name
        assert message.startswith("The ") and message.endswith(".") and "\n" not in message
