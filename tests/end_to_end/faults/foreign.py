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

from tests.end_to_end.faults.fault import NOTHING, Before, Bench, How, Kept, read_faults
from threadping.output.bundle import CLOSE, FORMAT, OPEN

HEADING = "Other people's files"
ABOUT = "Imported files are treated as untrusted input: nothing is stored before all of a file was read and checked."


Whole = dict[str, Any]


def page(change: Callable[[Whole], object] = lambda _whole: None) -> Before:
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
        bench.write("theirs.run", text[:begin] + json.dumps(envelope) + text[end:])
        (bench.folder / "theirs.html").unlink()
        for one in bench.folder.glob("runs.sqlite3*"):
            one.unlink()

    return before


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


def of_run(change: Callable[[Whole], object] | None = None, **what: object) -> How:
    """Somebody sent a run, and changed these fields of it; nothing is begun."""
    return How(NOTHING, page(change or (lambda whole: whole["run"].update(what))))


def sent(name: str, content: bytes | str) -> How:
    """Somebody sent this file, and nothing is begun."""
    return How(NOTHING, lambda bench: bench.write(name, content))


def runs_of_format(number: int, rest: str) -> How:
    """Somebody sent the text of a report up to its runs, and then this."""
    return sent("theirs.run", f'{OPEN}{{"format":{number},"runs":[{rest}')


FAULTS = read_faults(
    __file__,
    {
        "a page that threadping did not make": sent("page.html", "<p>hello"),
        "an empty page": sent("page.html", ""),
        "a folder for a page": How(NOTHING, lambda bench: (bench.folder / "page.html").mkdir()),
        "an empty matrix": sent("theirs.csv", ""),
        "a matrix with a row too short": sent("theirs.csv", ",1.0,2.0\n3.0,,4.0\n5.0,6.0\n"),
        "a matrix with semicolons": sent("theirs.csv", ";1.0\n2.0;\n"),
        "a word among the figures": sent("theirs.csv", ",fast\n2.0,\n"),
        "a negative latency": sent("theirs.csv", ",-5\n2.0,\n"),
        "a matrix without a figure": sent("theirs.csv", ",\n,\n"),
        "a page without a run": runs_of_format(FORMAT, f"]}}{CLOSE}"),
        "a page of a newer threadping": runs_of_format(99, f"]}}{CLOSE}"),
        "a page that was cut off": runs_of_format(FORMAT, ""),
        "another digest": runs_of_format(FORMAT, f'{{"sha256":"0","data":"AAAA"}}]}}{CLOSE}'),
        "a run that is still being measured": of_run(status="running"),
        "a run that began yesterday": of_run(started="yesterday"),
        "a time without a zone": of_run(started="2026-01-02T00:00:00"),
        "the end of all years": of_run(started="9999-12-31T23:59:59-14:00"),
        "a run with a budget beyond all numbers": of_run(budget_s=float("inf")),
        "a requirement of an unknown system": of_run(study={"study": "recommend-wait", "system": "nosuch"}),
        "a bomb": of_run(bomb),
        "a run in which nothing was changed": How(Kept("that run", _has_that_run), page()),
        "an interval log": sent(
            "log.hlog", '#[Histogram log format version 1.3]\n"StartTimestamp","Interval_Length"\n'
        ),
        "JMH's JSON": sent("jmh.json", '[{"jmhVersion": "1.37"}]'),
        "a compressed matrix": sent("theirs.csv.gz", gzip.compress(b",\n1,\n")),
        "a FIFO": How(NOTHING, lambda bench: os.mkfifo(bench.folder / "theirs.csv")),
        "a latency of 400 digits": sent("theirs.csv", f",{'9' * 400}\n1,\n"),
        "a header row and an index column": sent("theirs.csv", ",0,1,2\n0,,,\n1,38.2,,\n2,61.5,62.1,\n"),
        "a store of runs, as is kept of a run whose store takes no more": sent("kept.sqlite3", b"SQLite format 3\x00"),
        "what core-to-core-latency prints for a person": sent("theirs.txt", PRINTED),
        "the same in UTF-16": sent("theirs.txt", PRINTED.encode("utf-16")),
        "a fenced paste with text and CSV": sent("theirs.txt", f"```\n{PRINTED}```\n```\n{CSV}```\n"),
    },
)
