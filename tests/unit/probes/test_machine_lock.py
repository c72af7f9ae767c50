"""The process that measures has the machine; a second one is refused by the first one's name, with real processes."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from threadping.model.errors import ThreadpingError
from threadping.probes import owner as module
from threadping.probes.owner import machine_lock

HOLDER = """
import sys
from threadping.probes.owner import machine_lock
with machine_lock() as note:
    print("ready", note, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def lock() -> Path:
    """The file that the environment of tests names."""
    return Path(os.environ["THREADPING_LOCK"])


@contextmanager
def another(*words: str) -> Iterator[int]:
    """Another process that measures until the end."""
    command = [sys.executable, "-c", HOLDER, *words]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline() == "ready None\n"
        yield process.pid
        process.kill()  # its turn ends with it, however it ends


def test_the_second_is_refused_by_the_name_of_the_first_until_that_has_ended() -> None:
    with another("run", "--store", "postgresql://me:s3cret@host/db") as pid:
        named = rf"process {pid}, `-c run`, since \d\d:\d\d:\d\d"
        with (
            pytest.raises(ThreadpingError, match=rf"Another .* machine: {named}\. .* with --anyway\.$") as error,
            machine_lock(),
        ):
            pytest.fail("two at once")
        assert error.value.exit_code == 1
        with machine_lock(anyway=True) as note:
            pass
    assert note and note.startswith(f"Measured while another threadping was measuring: process {pid}, `-c run`")
    with machine_lock() as note:
        assert note is None
        with pytest.raises(ThreadpingError, match=f"process {os.getpid()}"), machine_lock():
            pytest.fail("two at once")


def test_all_users_may_lock_the_file_whatever_the_umask_of_the_first(lock: Path) -> None:
    before = os.umask(0o077)
    try:
        with machine_lock():
            assert lock.stat().st_mode & 0o777 == 0o666
    finally:
        os.umask(before)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "which one it does not say"),
        (b"\xff\xfe", "which one it does not say"),
        (b'{"pid": 7}', "which one it does not say"),
        (json.dumps([7, "a\x1b[2J\n", "?"]).encode(), r"process 7, `a\?\[2J\?`"),
    ],
)
def test_any_content_of_the_lock_file_is_only_a_name(lock: Path, content: bytes, said: str) -> None:
    with another():
        lock.write_bytes(content)
        with pytest.raises(ThreadpingError, match=said), machine_lock():
            pytest.fail("two at once")


@pytest.mark.parametrize("in_the_way", [Path.mkdir, lambda path: path.symlink_to("elsewhere")])
def test_a_user_who_may_not_use_the_shared_file_has_one_of_their_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, in_the_way: Callable[[Path], None]
) -> None:
    shared = tmp_path / "shared"
    in_the_way(shared)
    monkeypatch.delenv("THREADPING_LOCK")
    monkeypatch.setattr(module, "SHARED_LOCK", shared)
    monkeypatch.setattr(module, "OWN_LOCK", tmp_path / "own")
    with machine_lock():
        assert (tmp_path / "own").is_file()
        with pytest.raises(ThreadpingError, match=r"^Another threadping"), machine_lock():
            pytest.fail("two at once")
    assert not (tmp_path / "elsewhere").exists()


def test_if_neither_usual_file_can_be_locked_a_note_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("THREADPING_LOCK")
    for name in ("SHARED_LOCK", "OWN_LOCK"):
        monkeypatch.setattr(module, name, tmp_path / "none" / name)
    with machine_lock() as note, machine_lock():
        assert note and note.startswith("Another threadping may have measured too: neither ")
