"""What a person sees, byte for byte; every word of it can be explained.

After a change that is meant: `UPDATE_GOLDEN=1 pytest tests/golden`; read the diff.
"""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.golden import calls, minute
from tests.golden.fixture import DECLARED, MOVED
from tests.golden.test_exports import expect
from tests.unit.output.printing import printed
from threadping.output.explanation import terms
from threadping.output.row_tables import trials_table
from threadping.output.screen import RowView
from threadping.output.screen import tables_of as tables
from threadping.studies.survey import screen

HERE = Path(__file__).parent
ALL = RowView(percentiles=True, outliers=True)


@pytest.fixture(autouse=True)
def _in_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Local times are shown; here they are UTC."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("width", [80, 120, 160])
def test_the_first_screen(width: int) -> None:
    expect(HERE / f"screen-{width}.txt", printed(screen(minute.ANSWER), width))


def test_every_row_of_a_run_with_something_of_everything() -> None:
    expect(HERE / "tables-120.txt", printed(tables(MOVED), 120))


def test_one_experiment_with_percentiles_and_causes() -> None:
    expect(HERE / "calls-120.txt", printed(tables(calls.ANSWER, ALL), 120))


def test_the_trials() -> None:
    first = tuple(one for one in MOVED.trials if one.observation.round <= 3)
    expect(HERE / "trials-120.txt", printed(trials_table(replace(MOVED, trials=first)), 120))


def printed_words() -> Iterator[str]:
    """Heads of tables, codes of findings, labels, causes of outliers: of 120 columns, where two blanks part words."""
    for file in ("screen-120", "tables-120", "calls-120", "trials-120"):
        lines = (HERE / f"{file}.txt").read_text(encoding="utf-8").splitlines()
        for line, below in zip(lines, [*lines[1:], ""], strict=True):
            if below.startswith("\N{BOX DRAWINGS LIGHT HORIZONTAL}"):
                yield from (
                    head for head in re.split(r"\s{2,}", line.strip()) if not re.match(r"\d|.*\d\u00b5|.*\dn", head)
                )
            yield from re.findall(r"^[!i\N{BALLOT X}] ([a-z-]+) ", line)
            yield from (code for found in re.findall(r"^i (.*) \N{MIDDLE DOT}", line) for code in found.split(", "))
            yield from re.findall(r"^(run|machine|runtimes)  ", line)
            yield from re.findall(r"^([a-z-]+) +\d+% \d", line)
            yield from re.findall(r" (ratio|same-l3|same-cpu|unpinned|state-changed|complete)\b", line)
            yield from re.findall(r"(CORE TO CORE|1 trial)", line)


def test_every_word_of_these_outputs_can_be_explained() -> None:
    words, whole = set(printed_words()), {one.casefold() for one in terms(DECLARED)}
    known = whole | {one.partition(" ")[2] for one in whole}  # and the second line of a head
    assert {"wait p99", "few-samples", "not-steady", "machine", "unknown", "CORE TO CORE", "core to core"} <= words
    assert {word for word in words if word.casefold() not in known} == set()
