"""Exact output, byte for byte. After a change that is meant: `UPDATE_GOLDEN=1 pytest tests/golden`; read the diff."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.golden import calls
from tests.golden.fixture import ANSWER, MOVED

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


def test_the_exported_calls() -> None:
    from threadping.views.export import export

    expect("calls.json", export("json", calls.ANSWER))


@pytest.mark.parametrize("name", ["json", "csv"])
def test_the_exports(name: str) -> None:
    from threadping.views.export import export  # the tables can be seen without it

    expect(f"run.{name}", export(name, MOVED))


def test_the_interval_log() -> None:
    """Compressed histograms may be other bytes where another zlib made them, so they are compared as what they hold."""
    from hdrh.histogram import HdrHistogram

    from threadping.views.export import export

    made, file = export("hlog", ANSWER).splitlines(), HERE / "run.hlog"
    if os.environ.get("UPDATE_GOLDEN"):
        file.write_text("\n".join(made) + "\n", encoding="utf-8")
    golden = file.read_text(encoding="utf-8").splitlines()
    assert [line.partition("HIST")[0] for line in made] == [line.partition("HIST")[0] for line in golden]
    for one, other in zip(made, golden, strict=True):
        if one.startswith("Tag="):
            payloads = (line.rpartition(",")[2] for line in (one, other))
            assert HdrHistogram.decode(next(payloads)).equals(HdrHistogram.decode(next(payloads)))
