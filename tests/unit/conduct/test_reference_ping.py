"""The reference ping between trials."""

import time

import pytest

from threadping.conduct.pings import reference_pings
from threadping.model.cases import Runtime


def test_pings_are_as_far_apart_as_they_were_taken_though_the_clock_is_set_meanwhile(
    fake_runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    (first,) = reference_pings(fake_runtime, [(0, 1)], trials=0)
    assert abs(first.at - time.time()) < 3600
    monkeypatch.setattr(time, "time", lambda: 0.0)
    (second,) = reference_pings(fake_runtime, [(0, 1)], trials=0)
    assert first.ns is not None and second.at >= first.at + second.wall_ns / 1e9
