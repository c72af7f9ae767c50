"""Exact output, byte for byte. After a change that is meant: `UPDATE_GOLDEN=1 pytest tests/golden`; read the diff."""

import io
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from tests.golden.fixture import ROWS, RUN
from tests.golden.lock_fixture import LOCK_ROWS, LOCK_RUN
from threadping.export import export
from threadping.model import Row, Run
from threadping.report.ladder import ladder

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def _in_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Local times are shown; here they are UTC."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def table(width: int, run: Run = RUN, rows: tuple[Row, ...] = ROWS) -> str:
    file = io.StringIO()
    console = Console(file=file, width=width, color_system=None, markup=False, highlight=False, emoji=False)
    console.print(ladder(run, rows))
    return file.getvalue()


def expect(name: str, output: str) -> None:
    file = HERE / name
    if os.environ.get("UPDATE_GOLDEN"):
        assert not os.environ.get("CI"), "golden files are updated by a person who reads the difference, never in CI"
        file.write_text(output, encoding="utf-8")
    assert output == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [80, 140, 160])
def test_the_ladder(width: int) -> None:
    expect(f"table-{width}.txt", table(width))


@pytest.mark.parametrize("width", [80, 140, 160])
def test_the_ladder_of_lock(width: int) -> None:
    expect(f"lock-table-{width}.txt", table(width, LOCK_RUN, LOCK_ROWS))


@pytest.mark.parametrize("name", ["json", "csv"])
def test_the_exports(name: str) -> None:
    expect(f"run.{name}", export(name, RUN, ROWS))
