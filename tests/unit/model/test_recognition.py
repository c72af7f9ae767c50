"""What is no page and no matrix is refused by what it is, whatever it is called; no file is read without a bound."""

import gzip
import io
import os
import re
import socket
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from threadping.model import recognition
from threadping.model.errors import Unreadable
from threadping.model.recognition import STANDARD_INPUT, decode, read, recognise

HLOG = '#[Logged with jHiccup]\n#[Histogram log format version 1.3]\n"StartTimestamp","Interval_Length"\n'
HGRM = (
    "       Value     Percentile TotalCount 1/(1-Percentile)\n\n      11.000 0.000000000000          1           1.00\n"
)
READS = r"Pages and \.run files of threadping are imported, and matrices of core-to-core-latency and c2clat\.$"


def packed(kind: str) -> bytes:
    written = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(written, "w") as archive:
            archive.writestr("matrix.csv", ",\n1,\n")
    else:
        with tarfile.open(fileobj=written, mode="w") as tar:
            tar.addfile(tarfile.TarInfo("matrix.csv"), io.BytesIO())
    return written.getvalue()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", r"it is empty\.$"),
        (b"\xef\xbb\xbf \r\n\t\n", r"it is empty\.$"),
        (gzip.compress(b",\n1,\n", mtime=0), r"it is compressed by gzip\. Decompress it first \(gunzip\)\.$"),
        (b"BZh91AY&SY", "by bzip2"),
        (b"\xfd7zXZ\x00\x00", "by xz"),
        (b"(\xb5/\xfd\x00", "by zstd"),
        (packed("zip"), "it is a ZIP archive, or a spreadsheet's workbook"),
        (packed("tar"), "it is an archive of tar"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "it is a spreadsheet's workbook"),
        (b"SQLite format 3\x00\x10", r"it is a store of runs, or another database\. `threadping list --store FILE`"),
        (b"\x89PNG\r\n\x1a\n", "it is a picture"),
        (b"\xff\xd8\xff\xe0", "it is a picture"),
        (b"%PDF-1.7\n", "it is a PDF"),
        (b"\x7fELF\x02", "it is a program"),
        (b"\x00\x01\x02\x03", "it is no text"),
        (b"\xff\xfe\x00", "it is no text"),
        (b"\xff\x01,\n1,\n", "it is no text"),
        (HLOG.encode(), r"it is a log of HdrHistogram\. " + READS),
        (HLOG.encode("utf-16"), "it is a log of HdrHistogram"),
        (HGRM.encode(), "it is a percentile distribution of HdrHistogram"),
        (b'[\n    {\n        "jmhVersion" : "1.37",', r"it is a result of JMH\. " + READS),
        (b'{\n  "run": {"id": 7', r"it is what `--format json` writes\. A run comes back from its page"),
        (b"ping,pong,home,latency_ns,low_ns\n", "it is what `--format csv` writes"),
        (b'{"benchmarks": []}', r"it is JSON\. " + READS),
        (b"[" * 100_000, r"it is JSON\. " + READS),
        (b"<?xml version='1.0'?><svg/>", "it is XML"),
    ],
)
def test_what_cannot_be_imported_is_named(content: bytes, why: str) -> None:
    with pytest.raises(Unreadable, match=rf"^it cannot be imported: .*{why}"):
        recognise(content, "it")


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b'<!DOCTYPE html><html><script type="application/json" id="threadping-runs">', "page"),
        (b'<script type="application/json" id="threadping-runs">', "page"),
        (b"\n<!doctype html><title>another</title>", "page"),
        (b",\n1,\n", "text"),
        (b"[1;37m 25[0m", "text"),
        (b"[me@host ~]$ core-to-core-latency\n", "text"),
        (b"< 5 ns\n", "text"),
    ],
)
def test_a_page_and_a_text_are_told_apart_by_what_is_in_them(content: bytes, kind: str) -> None:
    assert recognise(content, "it") == kind


def test_a_text_is_read_in_the_encoding_that_it_is_in() -> None:
    text = "1±0 ns\n"
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1", "utf-16-le", "utf-16-be"):
        assert decode(text.encode(encoding), "it") == text


def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(tmp_path / "socket"))
        for path, why in (
            (tmp_path, "it is a folder. Name the files in it."),
            (tmp_path / "pipe", "it is a named pipe. `threadping import -` reads what is piped into it."),
            (tmp_path / "socket", "it is a socket."),
            (tmp_path / "none.csv", "No such file or directory."),
            (Path("/dev/zero"), "it is a device."),
            (Path("/dev/null"), "it is a device."),
        ):
            with pytest.raises(Unreadable) as raised:
                read(path)
            assert str(raised.value) == f"{path} cannot be imported: {why}"
            assert raised.value.exit_code == 1


@pytest.mark.parametrize("address", ["https://example.org/output.csv", "http://example.org", "s3://matrices/one.csv"])
def test_an_address_is_no_file(address: str) -> None:
    why = r"it is an address\. Download it first, or pipe it into `threadping import -`\.$"
    with pytest.raises(Unreadable, match=rf"^{address} cannot be imported: {why}"):
        read(Path(address))


def test_a_gigabyte_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (file := tmp_path / "huge.csv").open("wb") as sparse:
        sparse.truncate(1 << 30)
    monkeypatch.setattr(Path, "open", lambda *_: pytest.fail("it was opened"))
    with pytest.raises(Unreadable, match=r"its 1 GiB are more than the 64 MiB that a page or a matrix may have\.$"):
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
    monkeypatch.setattr(recognition, "MOST_BYTES", 1000)
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
