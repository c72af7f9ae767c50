"""The kinds of faults, and the page that shows them all."""

import re
from typing import NamedTuple

from tests.end_to_end.faults import (
    checkups,
    classes,
    cpus,
    crates,
    endings,
    files,
    foreign,
    jvms,
    mistakes,
    options,
    probes,
    results,
    stores,
    streams,
    verdicts,
)
from tests.end_to_end.faults.fault import Fault


class Kind(NamedTuple):
    """A group of the table: a heading, what its faults have in common, and the faults."""

    heading: str
    about: str
    faults: tuple[Fault, ...]


KINDS = tuple(
    Kind(one.HEADING, one.ABOUT, one.FAULTS)
    for one in (
        options,
        mistakes,
        cpus,
        jvms,
        classes,
        crates,
        probes,
        results,
        verdicts,
        checkups,
        endings,
        streams,
        files,
        stores,
        foreign,
    )
)

HEAD = """# Table of faults

A test brings about each fault below, and reads the exit code, the message, and what is kept in the store or the files.
The message says what happened and, where threadping knows it, what to do. Completed trials are kept.
After SIGKILL nothing is printed, and the trial that was running is lost.
Names such as `steady`, `lies` and `hangs` are mechanisms of a fake probe that only the tests have.
An ellipsis (\N{HORIZONTAL ELLIPSIS}) replaces what differs between machines.

| exit code | meaning |
|---|---|
| 0 | done, even if some trials of a case failed |
| 1 | a case could not be measured, or something not read or written |
| 2 | wrong usage: nothing was begun |
| 3 | the answer is no: slower, unfit, above a limit, unlike before |
| 4 | undecided, with `--strict` alone |
| 130 | Ctrl-C, SIGTERM or SIGHUP; 1 if the answer's terminal is closed |

The code is decided and files are written before anything is printed, so that a closed pipe (`| head`) changes neither.
"""


def table() -> str:
    """The page, in Markdown."""
    return "\n".join([HEAD, *(_group(kind) for kind in KINDS)])


def _group(kind: Kind) -> str:
    rows = "\n".join(_row(fault) for fault in kind.faults)
    head = "| what happened | exit | what is said | what is kept |\n|---|---|---|---|"
    return f"## {kind.heading}\n{kind.about}\n\n{head}\n{rows}\n"


def _row(fault: Fault) -> str:
    happened = f"{fault.title}: `{_short(fault.command)}`"
    return " | ".join(["", *map(_escaped, (happened, str(fault.code), fault.says, fault.kept.words)), ""]).strip()


def _short(command: str) -> str:
    """Without what only makes the test quick."""
    return re.sub(r" --placement same-l3 --budget [\d.]+s", "", command)


def _escaped(text: str) -> str:
    short = re.sub(r"(\d)\1{30,}", "\\1\\1\\1\N{HORIZONTAL ELLIPSIS}", text)
    printable = short.encode(errors="backslashreplace").decode()
    return printable.replace("|", "\\|").replace("<", "&lt;")
