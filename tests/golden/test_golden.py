"""Exact output, byte for byte. After a change that is meant: `UPDATE_GOLDEN=1 pytest tests/golden`; read the diff."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.golden import calls
from tests.golden.fixture import DECLARED, MOVED, OBSERVATIONS, ROWS, RUN, STATES
from tests.unit.views.terminal.printing import printed
from threadping.views.terminal.ladder import ladder
from threadping.views.terminal.trials import trials_table

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def _in_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Local times are shown; here they are UTC."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def expect(name: str, output: str) -> None:
    file = HERE / name
    if os.environ.get("UPDATE_GOLDEN"):
        assert not os.environ.get("CI"), "golden files are updated by a person who reads the difference, never in CI"
        file.write_text(output, encoding="utf-8")
    assert output == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [80, 120, 160])
def test_the_ladder(width: int) -> None:
    expect(f"ladder-{width}.txt", printed(ladder(RUN, ROWS, DECLARED), width))


def test_calls_with_their_histograms_and_causes() -> None:
    expect("calls-120.txt", printed(ladder(calls.CALLS, calls.ROWS, DECLARED, observations=calls.OBSERVATIONS), 120))


def test_the_ladder_of_a_machine_that_moved() -> None:
    expect("moved-120.txt", printed(ladder(RUN, MOVED, DECLARED, STATES), 120))


def test_the_trials() -> None:
    expect("trials-120.txt", printed(trials_table(RUN, OBSERVATIONS, DECLARED, STATES), 120))
