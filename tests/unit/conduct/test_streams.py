"""What is said on a terminal of stderr: in its lines, with commands that can be typed."""

import os

import pytest

from threadping.conduct import streams

COMMAND = "`threadping matrix --resume 12 --budget 60s --store /tmp/of/mine.db`"
SENTENCE = f"The run is complete. Give it more time with {COMMAND}, or measure another one in its place."


def said(sentence: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What stands on a terminal that is stderr: read from its other end."""
    master, slave = os.openpty()
    with os.fdopen(slave, "w") as stream:
        monkeypatch.setattr("sys.stderr", stream)
        assert streams.fail(sentence, 2) == 2
        text = os.read(master, 10_000).decode()
    os.close(master)
    return text.replace("\r\n", "\n")


def test_lines_end_between_words_and_in_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.get_terminal_size", lambda _: os.terminal_size((40, 20)))
    lines = said(SENTENCE, monkeypatch).splitlines()
    assert " ".join(lines) == f"threadping: {SENTENCE}"
    assert [line for line in lines if len(line) > 40] == [f"{COMMAND},"]


def test_a_terminal_without_a_width_is_told_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_number: int) -> os.terminal_size:
        raise OSError(25, "Inappropriate ioctl for device")

    monkeypatch.setattr("os.get_terminal_size", fails)
    assert " ".join(said(SENTENCE, monkeypatch).splitlines()) == f"threadping: {SENTENCE}"
