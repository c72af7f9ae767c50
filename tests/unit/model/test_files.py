"""Files that are written whole or not at all, and files of others that are recognised."""

import io
import os
import re
import resource
import socket
import sys
import tarfile
import threading
import zipfile
from errno import EBUSY, ENOSPC
from pathlib import Path
from typing import Any

import pytest

from threadping.model import files
from threadping.model.errors import OutputUnwritable, Unreadable
from threadping.model.files import MOST_BYTES, STANDARD_INPUT, decode, read, recognise

OLD, NEW = b"old" * 100, b"new"


@pytest.fixture
def old(tmp_path: Path) -> Path:
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
    refuse(link, "its symbolic links form a circle")


@pytest.mark.skipif(os.geteuid() != 0, reason="a file of another user is made by root")
@pytest.mark.parametrize("planted", ["a link", "a file"])
def test_what_another_user_planted_in_a_shared_folder_is_refused(old: Path, tmp_path: Path, planted: str) -> None:
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


def test_a_file_that_cannot_be_replaced_is_overwritten_in_place(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that is mounted alone into a container."""
    monkeypatch.setattr(files, "replace", fails(EBUSY))
    with monkeypatch.context() as full:
        full.setattr("os.posix_fallocate", fails(ENOSPC))
        with pytest.raises(OutputUnwritable, match="No space left on device"):
            files.write(old, 2 * OLD, "the page")
    assert old.read_bytes() == OLD
    files.write(old, NEW, "the page")
    assert old.read_bytes() == NEW
    with pytest.raises(OutputUnwritable, match="Device or resource busy"):
        files.write(old.parent / "new.html", NEW, "the page")


HLOG = '#[Logged with jHiccup]\n#[Histogram log format version 1.3]\n"StartTimestamp","Interval_Length"\n'
HGRM = (
    "       Value     Percentile TotalCount 1/(1-Percentile)\n\n      11.000 0.000000000000          1           1.00\n"
)
READS = r"Import a report or \.run file of threadping, or a matrix of core-to-core-latency or c2clat\.$"


def zipped() -> bytes:
    with zipfile.ZipFile(written := io.BytesIO(), "w") as archive:
        archive.writestr("matrix.csv", ",\n1,\n")
    return written.getvalue()


def tarred() -> bytes:
    with tarfile.open(fileobj=(written := io.BytesIO()), mode="w") as tar:
        tar.addfile(tarfile.TarInfo("matrix.csv"), io.BytesIO())
    return written.getvalue()


def test_what_cannot_be_imported_is_named() -> None:
    rows: list[tuple[bytes, str]] = [
        (b"\xef\xbb\xbf \r\n\t\n", r"it is empty\. `threadping help runs import` lists what can be imported\.$"),
        (b"BZh91AY&SY", "by bzip2"),
        (b"\xfd7zXZ\x00\x00", "by xz"),
        (b"(\xb5/\xfd\x00", "by zstd"),
        (zipped(), "it is a ZIP archive, or a spreadsheet's workbook"),
        (tarred(), "it is an archive of tar"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "it is a spreadsheet's workbook"),
        (
            b"SQLite format 3\x00\x10",
            r"it is a store of runs, or another database\. `threadping runs list --store FILE`",
        ),
        (b"\x89PNG\r\n\x1a\n", "it is a picture"),
        (b"\xff\xd8\xff\xe0", "it is a picture"),
        (b"%PDF-1.7\n", "it is a PDF"),
        (b"\x7fELF\x02", "it is a program"),
        (b"\x00\x01\x02\x03", "it is not a text file"),
        (b"\xff\xfe\x00", "it is not a text file"),
        (b"\xff\x01,\n1,\n", "it is not a text file"),
        (HLOG.encode("utf-16"), "it is a log of HdrHistogram"),
        (HGRM.encode(), "it is a percentile distribution of HdrHistogram"),
        (b'{\n  "run": {"id": 7', r"it is what `--format json` writes\. A run comes back from its page"),
        (b"ping,pong,home,latency_ns,low_ns\n", "it is what `--format csv` writes"),
        (b'{"benchmarks": []}', r"it is JSON\. " + READS),
        (b"[" * 100_000, r"it is JSON\. " + READS),
        (b"<?xml version='1.0'?><svg/>", "it is XML"),
    ]
    for content, why in rows:
        with pytest.raises(Unreadable, match=rf"^it cannot be imported: .*{why}"):
            recognise(content, "it")


def test_a_report_and_a_text_are_distinguished_by_their_content() -> None:
    script = b'<script type="application/json" id="threadping-runs">'
    for page in (b"<!DOCTYPE html><html>" + script, script, b"\n<!doctype html><title>another</title>"):
        assert recognise(page, "it") == "page"
    for text in (b",\n1,\n", b"[1;37m 25[0m", b"[me@host ~]$ core-to-core-latency\n", b"< 5 ns\n"):
        assert recognise(text, "it") == "text"


def test_a_text_is_read_in_the_encoding_that_it_is_in() -> None:
    text = "1±0 ns\n"
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1", "utf-16-le", "utf-16-be"):
        assert decode(text.encode(encoding), "it") == text


def test_a_store_is_named_by_its_path_however_large_it_is(tmp_path: Path) -> None:
    for size in (100, MOST_BYTES + 1):
        store = tmp_path / f"of {size}.sqlite3"
        store.write_bytes(b"SQLite format 3\x00")
        os.truncate(store, size)
        with pytest.raises(Unreadable, match=rf"`threadping runs resume last --store '{store}'` resumes one that had"):
            read(store)


LISTED = "`threadping help runs import` lists what can be imported."


def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(tmp_path / "socket"))
        for path, why in (
            (tmp_path / "socket", f"it is a socket. {LISTED}"),
            (tmp_path / "none.csv", "there is no such file or folder. Check its path."),
            (Path("/dev/zero"), f"it is a device. {LISTED}"),
            (Path("/dev/null"), f"it is a device. {LISTED}"),
        ):
            with pytest.raises(Unreadable) as raised:
                read(path)
            assert str(raised.value) == f"{path} cannot be imported: {why}"
            assert raised.value.exit_code == 1


def test_an_address_is_no_file() -> None:
    why = r"it is an address\. Download it first, or pipe it into `threadping runs import -`\.$"
    for address in ("https://example.org/output.csv", "http://example.org", "s3://matrices/one.csv"):
        with pytest.raises(Unreadable, match=rf"^{address} cannot be imported: {why}"):
            read(Path(address))


class Unread(io.BytesIO):
    """A file that nobody reads, but for its first bytes."""

    def peek(self, size: int) -> bytes:
        return bytes(size)

    def read(self, *_: object) -> bytes:
        pytest.fail("it was read")


def test_a_gigabyte_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (file := tmp_path / "huge.csv").open("wb") as sparse:
        sparse.truncate(1 << 30)
    monkeypatch.setattr(Path, "open", lambda *_: Unread())
    with pytest.raises(Unreadable, match=r"its 1 GiB are more than the 64 MiB that a page or a matrix may have\. "):
        read(file)


class Endless(io.RawIOBase):
    """A stream that never ends, and counts what was read of it."""

    given = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        assert size >= 0, "without a bound"
        self.given += size
        return bytes(size)


def test_standard_input_is_read_to_its_end_or_to_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b",\n1,\n")))
    assert read(STANDARD_INPUT) == b",\n1,\n"
    monkeypatch.setattr(files, "MOST_BYTES", 1000)
    stream = Endless()
    monkeypatch.setattr(sys, "stdin", type("Stdin", (), {"buffer": stream}))
    with pytest.raises(Unreadable, match=r"^Standard input cannot be imported: it is more than the 1000 B"):
        read(STANDARD_INPUT)
    assert stream.given == 1001
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(Unreadable, match=r"^Standard input cannot be imported: it is closed"):
        read(STANDARD_INPUT)


def test_a_name_that_cannot_be_printed_is_written_as_a_programmer_does() -> None:
    for name, printed in (("a\0b", r"a\x00b"), ("\x1b[2J.csv", r"\x1b[2J.csv"), ("\udce9.csv", r"\xe9.csv")):
        with pytest.raises(Unreadable, match=f"^{re.escape(printed)} cannot be imported: "):
            read(Path(name))


def test_what_a_shell_substitutes_for_a_file_is_read() -> None:
    reader, writer = os.pipe()
    os.write(writer, b",\n1,\n")
    os.close(writer)
    assert read(Path(f"/dev/fd/{reader}")) == b",\n1,\n"
    os.close(reader)


def test_where_nothing_may_be_written_is_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(OutputUnwritable, match=rf"could not be written to .*: {tmp_path} may not be written"):
        files.check(tmp_path / "chart.svg", [".svg"], "the output")
