"""Files are written whole or not at all: what was there stays until all of the new one is on the disk."""

import os
import resource
import threading
from errno import EBUSY, ENOSPC
from pathlib import Path
from typing import Any

import pytest

from threadping.model import files
from threadping.model.errors import OutputUnwritable

OLD, NEW = b"old" * 100, b"new"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A file that is there already."""
    file = tmp_path / "page.html"
    file.write_bytes(OLD)
    return file


def fails(errno: int) -> Any:
    def fail(*_: Any) -> None:
        raise OSError(errno, os.strerror(errno))

    return fail


def refuse(path: Path, why: str) -> None:
    """Before anything is measured, and if it came there meanwhile."""
    sentence = f"The page could not be written to {path}: {why}."
    with pytest.raises(OutputUnwritable, match=sentence):
        files.check(path, (".html",), "the page")
    with pytest.raises(OutputUnwritable, match=sentence):
        files.write(path, NEW, "the page")


def test_a_file_is_replaced_with_its_mode_and_nothing_else_is_left(old: Path) -> None:
    old.chmod(0o640)
    with old.open("rb") as reader:
        files.write(old, NEW, "the page")
        assert reader.read() == OLD  # nobody sees half of one
    assert (old.read_bytes(), old.stat().st_mode & 0o7777) == (NEW, 0o640)
    assert [*old.parent.iterdir()] == [old]


def test_a_new_file_has_the_mode_that_the_umask_leaves(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        files.write(tmp_path / "new.html", NEW, "the page")
    finally:
        os.umask(before)
    assert (tmp_path / "new.html").stat().st_mode & 0o7777 == 0o640


def test_a_full_disk_leaves_the_file_that_was_there_and_nothing_else(old: Path, tmp_path: Path) -> None:
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limit[1]))
    try:
        for file in (old, tmp_path / "new.html"):
            with pytest.raises(OutputUnwritable, match=f"The page could not be written to {file}: File too large."):
                files.write(file, 2000 * b"x", "the page")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert ([*tmp_path.iterdir()], old.read_bytes()) == ([old], OLD)


def test_a_link_is_written_through(old: Path, tmp_path: Path) -> None:
    (folder := tmp_path / "elsewhere").mkdir()
    (second := tmp_path / "second").symlink_to("page.html")
    (first := folder / "first").symlink_to(second)
    files.write(first, NEW, "the page")
    assert first.is_symlink() and second.is_symlink() and old.read_bytes() == NEW
    (new := tmp_path / "to-nothing").symlink_to("new.html")
    files.write(new, NEW, "the page")
    assert (tmp_path / "new.html").read_bytes() == NEW


def test_links_in_a_circle_are_refused(tmp_path: Path) -> None:
    (link := tmp_path / "page.html").symlink_to("page.html")
    refuse(link, "Too many levels of symbolic links")


@pytest.mark.skipif(os.geteuid() != 0, reason="a file of another user is made by root")
@pytest.mark.parametrize("planted", ["a link", "a file"])
def test_what_another_user_planted_where_everybody_may_write_is_refused(
    old: Path, tmp_path: Path, planted: str
) -> None:
    (shared := tmp_path / "shared").mkdir()
    shared.chmod(0o1777)
    there = shared / "threadping-1.html"
    if planted == "a link":
        there.symlink_to(old)
    else:
        there.write_bytes(OLD)
    os.lchown(there, 12345, 12345)
    refuse(there, "another user put it there, in a folder that everybody may write to")
    assert old.read_bytes() == there.read_bytes() == OLD
    os.lchown(there, 0, 0)
    files.write(there, NEW, "the page")
    assert there.read_bytes() == NEW


def test_a_pipe_is_written_into(tmp_path: Path) -> None:
    os.mkfifo(pipe := tmp_path / "page.html")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    files.write(pipe, NEW, "the page")
    reader.join()
    assert read == [NEW] and pipe.is_fifo()


def test_what_a_stream_leads_to_is_not_replaced(old: Path, tmp_path: Path) -> None:
    """As `-o out.json > file`, where out.json is a link to /dev/stdout."""
    with old.open("ab") as stream:
        (link := tmp_path / "out.json").symlink_to(f"/dev/fd/{stream.fileno()}")
        files.write(link, NEW, "the output")
    assert old.read_bytes() == OLD + NEW


def test_a_file_that_cannot_be_replaced_is_written_over_when_there_is_room(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one that is mounted alone into a container."""
    monkeypatch.setattr(files, "_replace", fails(EBUSY))
    with monkeypatch.context() as full:
        full.setattr("os.posix_fallocate", fails(ENOSPC))
        with pytest.raises(OutputUnwritable, match="No space left on device"):
            files.write(old, 2 * OLD, "the page")
    assert old.read_bytes() == OLD
    files.write(old, NEW, "the page")
    assert old.read_bytes() == NEW
    with pytest.raises(OutputUnwritable, match="Device or resource busy"):
        files.write(old.parent / "new.html", NEW, "the page")
