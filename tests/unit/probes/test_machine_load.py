"""What others took of some CPUs: from two readings of the kernel's ticks, less what we took ourselves."""

from pathlib import Path

import pytest

from threadping.probes import system_settings as signs


def stat(*busy: int) -> str:
    """Each CPU has spent so many ticks in each of the columns that are busy, and more idle, waiting or stolen."""
    lines = [f"cpu{cpu} {ticks} {ticks} {ticks} 90000 500 {ticks} {ticks} 700 0 0" for cpu, ticks in enumerate(busy)]
    return "\n".join(["cpu  1 2 3 4", *lines, "intr 5"])


def test_others_took_what_was_busy_less_what_we_took(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "stat"
    clock, ours = iter([0, 2_000_000_000]), iter([100, 100 + 300_000_000])
    monkeypatch.setattr(signs, "STAT", file)
    monkeypatch.setattr(signs, "_our_ns", lambda: next(ours))
    monkeypatch.setattr("time.monotonic_ns", lambda: next(clock))
    file.write_text(stat(10, 500, 20))
    share = signs.others_since((0, 2))
    file.write_text(stat(14, 900, 30))  # 4 and 10 ticks in 5 columns: 0.7 s, of which 0.3 s are ours
    assert share() == pytest.approx(0.4 / 4)


@pytest.mark.parametrize(("ours_ns", "share"), [(5_000_000, -0.5), (90_000_000, -1.0)])
def test_a_time_between_two_ticks_may_have_less_than_nothing(
    ours_ns: int, share: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, ours = iter([0, 10_000_000]), iter([0, ours_ns])
    monkeypatch.setattr(signs, "STAT", tmp_path / "stat")
    monkeypatch.setattr(signs, "_our_ns", lambda: next(ours))
    monkeypatch.setattr("time.monotonic_ns", lambda: next(clock))
    signs.STAT.write_text(stat(10))
    assert signs.others_since((0,))() == share


@pytest.mark.parametrize("text", [None, "cpu0 1 2", "cpu1 0 0 0 0 0 0 0", "cpu0 a b c d e f g"])
def test_what_the_kernel_does_not_tell_is_not_known(
    text: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signs, "STAT", tmp_path / "stat")
    if text:
        signs.STAT.write_text(text)
    assert signs.others_since((0,))() is None
