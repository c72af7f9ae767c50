"""Files of other people: pages, runs, and matrices of other tools."""

import base64
import bz2
import gzip
import hashlib
import json
import os
from collections.abc import Callable
from typing import Any

import msgspec

from tests.end_to_end.faults.fault import NOTHING, Before, Bench, Fault, Kept, typed
from threadping.output.bundle import CLOSE, FORMAT, OPEN

HEADING = "Other people's files"
ABOUT = "Imported files are treated as untrusted input: nothing is stored before all of a file was read and checked."


def file(name: str, content: bytes | str) -> Before:
    """Somebody sent this file."""
    return lambda bench: bench.write(name, content)


Whole = dict[str, Any]


def page(change: Callable[[Whole], object] = lambda _whole: None, name: str = "theirs.run") -> Before:
    """Somebody sent a run, changed it first, and made the digest anew."""

    def before(bench: Bench) -> None:
        bench.store_a_run()
        assert bench.run("report 1 -o theirs.html").returncode == 0
        text = (bench.folder / "theirs.html").read_text()
        begin, end = text.index(OPEN) + len(OPEN), text.index(CLOSE, text.index(OPEN))
        envelope = json.loads(text[begin:end])
        whole = msgspec.msgpack.decode(bz2.decompress(base64.b64decode(envelope["runs"][0]["data"])))
        change(whole)
        data = bz2.compress(msgspec.msgpack.encode(whole))
        envelope["runs"] = [{"sha256": hashlib.sha256(data).hexdigest(), "data": base64.b64encode(data).decode()}]
        bench.write(name, text[:begin] + json.dumps(envelope) + text[end:])
        (bench.folder / "theirs.html").unlink()
        for one in bench.folder.glob("runs.sqlite3*"):
            one.unlink()

    return before


def says(part: str, **what: object) -> Before:
    """Somebody changed these fields of the run, or of each of its pings."""
    return page(lambda whole: [one.update(what) for one in ([whole["run"]] if part == "run" else whole[part])])


def bomb(whole: Whole) -> None:
    """30 million steps of 1: 4 KB, and 2 GB once they are numbers."""
    for seen in whole["observations"]:
        for of in seen["distributions"].values():
            of.update(values=[1] * 300_000, counts=[1] * 300_000)


FOUR = [["", "", ""], ["38.2", "", ""], ["61.5", "62.1", ""]]
CSV = "".join(",".join(row) + "\n" for row in FOUR)
PRINTED = (
    "CPU: Some CPU @ 3.00GHz\nNum cores: 3\n\n1) CAS latency on a single shared cache line\n\n           0       "
    "1\n      0\n      1   38\N{PLUS-MINUS SIGN}0\n\n    Min  latency: 38.2ns\n"
)


def _has_that_run(bench: Bench) -> None:
    assert (bench.runs_before, bench.runs()) == (0, 1)


LISTED = "`threadping help runs import` lists what can be imported."


def refused(title: str, name: str, content: bytes | str, why: str, remedy: str = LISTED) -> Fault:
    """A file that is not imported."""
    says = f"{name} cannot be imported: {why} {remedy}"
    return Fault(title, f"runs import {name}", 1, says, NOTHING, file(name, content))


def changed(title: str, why: str, before: Before) -> Fault:
    """A run that somebody changed, and made the digest anew."""
    says = f"theirs.run cannot be imported: the run in it was changed ({why}). Ask for another copy."
    return Fault(title, "runs import theirs.run", 1, says, NOTHING, before)


FAULTS = (
    *typed(__file__),
    Fault(
        "a page that threadping did not make",
        "runs import page.html",
        1,
        "page.html cannot be imported: it contains no run: `threadping report` did not make it, or it was cut off.",
        NOTHING,
        file("page.html", "<p>hello"),
    ),
    refused("an empty page", "page.html", "", "it is empty."),
    Fault(
        "a folder for a page",
        "runs import page.html",
        1,
        "page.html cannot be imported: it is a folder. Name the files in it.",
        NOTHING,
        lambda bench: (bench.folder / "page.html").mkdir(),
    ),
    refused("an empty matrix", "theirs.csv", "", "it is empty."),
    refused(
        "a matrix with a row too short",
        "theirs.csv",
        ",1.0,2.0\n3.0,,4.0\n5.0,6.0\n",
        "a matrix of 3 rows has as many columns, but line 3 has 2.",
        "Import the output of core-to-core-latency or c2clat, a CSV with a row and a column for each CPU, or a "
        "list of pairs below a line like cpu1,cpu2,latency_ns.",
    ),
    Fault(
        "a matrix with semicolons",
        "runs import theirs.csv",
        0,
        "theirs.csv: CSV, 2 CPUs.",
        NOTHING,
        file("theirs.csv", ";1.0\n2.0;\n"),
    ),
    refused(
        "a word among the figures", "theirs.csv", ",fast\n2.0,\n", "'fast' in line 1 is not a latency in nanoseconds."
    ),
    refused("a negative latency", "theirs.csv", ",-5\n2.0,\n", "'-5' in line 1 is not a latency in nanoseconds."),
    refused("a matrix without a figure", "theirs.csv", ",\n,\n", "it has no latency between two CPUs."),
    refused(
        "a page without a run", "theirs.run", f'{OPEN}{{"format":{FORMAT},"runs":[]}}{CLOSE}', "it contains no run."
    ),
    refused(
        "a page of a newer threadping",
        "theirs.run",
        f'{OPEN}{{"format":99,"runs":[]}}{CLOSE}',
        "a newer threadping made it (format 99).",
        "Use that version: this one reads format 5.",
    ),
    refused(
        "a page that was cut off",
        "theirs.run",
        f'{OPEN}{{"format":{FORMAT},"runs":[',
        "its end is missing.",
        "Copy it again.",
    ),
    changed(
        "another digest",
        "its digest does not match",
        file("theirs.run", f'{OPEN}{{"format":{FORMAT},"runs":[{{"sha256":"0","data":"AAAA"}}]}}{CLOSE}'),
    ),
    changed("a run that is still being measured", "its status is `running`", says("run", status="running")),
    changed(
        "a run that began yesterday", "Expected a time with its zone - at `$.started`", says("run", started="yesterday")
    ),
    changed(
        "a time without a zone",
        "Expected a time with its zone - at `$.started`",
        says("run", started="2026-01-02T00:00:00"),
    ),
    changed(
        "the end of all years",
        "Expected a time with its zone - at `$.started`",
        says("run", started="9999-12-31T23:59:59-14:00"),
    ),
    changed(
        "a run with a budget beyond all numbers",
        "Expected `float` <= 1000000000.0 - at `$.budget_s`",
        says("run", budget_s=float("inf")),
    ),
    changed(
        "a requirement of an unknown system",
        "Object missing required field `rate` - at `$.study`",
        says("run", study={"study": "recommend-wait", "system": "nosuch"}),
    ),
    changed("a bomb", "its values contradict each other", page(bomb)),
    Fault(
        "a run in which nothing was changed",
        "runs import theirs.run",
        0,
        "Run 1 is from theirs.run: `threadping show 1`.",
        Kept("that run", _has_that_run),
        page(),
    ),
    refused(
        "an interval log",
        "log.hlog",
        '#[Histogram log format version 1.3]\n"StartTimestamp","Interval_Length"\n',
        "it is a log of HdrHistogram.",
        "Import a report or .run file of threadping, or a matrix of core-to-core-latency or c2clat.",
    ),
    refused(
        "JMH's JSON",
        "jmh.json",
        '[{"jmhVersion": "1.37"}]',
        "it is a result of JMH.",
        "Import a report or .run file of threadping, or a matrix of core-to-core-latency or c2clat.",
    ),
    refused(
        "a compressed matrix",
        "theirs.csv.gz",
        gzip.compress(b",\n1,\n"),
        "it is compressed by gzip.",
        "Decompress it first (gunzip).",
    ),
    Fault(
        "a FIFO",
        "runs import theirs.csv",
        1,
        "theirs.csv cannot be imported: it is a named pipe. `threadping runs import -` reads what is piped into it.",
        NOTHING,
        lambda bench: os.mkfifo(bench.folder / "theirs.csv"),
    ),
    refused(
        "a latency of 400 digits",
        "theirs.csv",
        f",{'9' * 400}\n1,\n",
        "'9999999999999999999999999999999999999999' in line 1 is not a latency in nanoseconds.",
    ),
    Fault(
        "a header row and an index column",
        "runs import theirs.csv",
        0,
        "theirs.csv: core-to-core-latency, 3 CPUs.",
        NOTHING,
        file("theirs.csv", ",0,1,2\n0,,,\n1,38.2,,\n2,61.5,62.1,\n"),
    ),
    refused(
        "a store of runs, as is kept of a run whose store takes no more",
        "kept.sqlite3",
        b"SQLite format 3\x00",
        "it is a store of runs, or another database.",
        "`threadping runs list --store kept.sqlite3` lists its runs, and `threadping runs resume last --store "
        "kept.sqlite3` resumes one that had not ended.",
    ),
    Fault(
        "what core-to-core-latency prints for a person",
        "runs import theirs.txt",
        0,
        "theirs.txt: core-to-core-latency, Some CPU @ 3.00GHz, CAS latency on a single shared cache line, 2 CPUs.",
        NOTHING,
        file("theirs.txt", PRINTED),
    ),
    Fault(
        "the same in UTF-16",
        "runs import theirs.txt",
        0,
        "theirs.txt: core-to-core-latency, Some CPU @ 3.00GHz, CAS latency on a single shared cache line, 2 CPUs.",
        NOTHING,
        file("theirs.txt", PRINTED.encode("utf-16")),
    ),
    Fault(
        "a fenced paste with text and CSV",
        "runs import theirs.txt",
        0,
        "theirs.txt: core-to-core-latency, Some CPU @ 3.00GHz, CAS latency on a single shared cache line, 2 CPUs.",
        NOTHING,
        file("theirs.txt", f"```\n{PRINTED}```\n```\n{CSV}```\n"),
    ),
)
