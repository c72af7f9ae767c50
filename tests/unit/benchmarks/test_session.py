"""A record is read again, or refused with a sentence."""

from pathlib import Path

import msgspec
import pytest

from benchmarks.session import read
from tests.unit.benchmarks.examples import BARE, processes, session
from threadping.model.errors import UsageError


def test_a_record_is_read_again(tmp_path: Path) -> None:
    written = session(*processes(BARE, [60.0]))
    (tmp_path / "record").write_bytes(msgspec.json.encode(written))
    assert read(tmp_path / "record") == written


def test_what_is_not_there_or_no_record_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot be read: No such file or directory\."):
        read(tmp_path / "record")
    (tmp_path / "record").write_text("{}")
    with pytest.raises(UsageError, match="is not a record of this benchmark"):
        read(tmp_path / "record")
