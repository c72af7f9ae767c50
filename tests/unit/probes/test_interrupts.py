"""What ends a process comes when it may, once each, and never in between."""

import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType

import pytest

from threadping.probes import interrupts
from threadping.probes.interrupts import held_back


@pytest.fixture
def came() -> Iterator[list[int]]:
    """Which signals took effect; both raise KeyboardInterrupt."""
    came: list[int] = []

    def stop(number: int, _frame: FrameType | None) -> None:
        came.append(number)
        raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    yield came
    for number, handler in before.items():
        signal.signal(number, handler)


def test_what_came_takes_effect_at_the_end(came: list[int]) -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), held_back():
        signal.raise_signal(signal.SIGTERM)
        done.append(list(came))
    assert (done, came) == ([[]], [signal.SIGTERM])
    with pytest.raises(KeyboardInterrupt):  # and the handlers are as before
        signal.raise_signal(signal.SIGINT)


def test_what_came_is_dropped_where_that_is_asked(came: list[int]) -> None:
    with held_back(dropped=True):
        signal.raise_signal(signal.SIGINT)
    assert came == []


@pytest.mark.parametrize("early", [True, False])
def test_the_first_is_let_through_and_the_next_one_waits_for_the_clearing_up(came: list[int], early: bool) -> None:
    cleared = []
    with pytest.raises(KeyboardInterrupt), held_back() as held:
        if early:
            signal.raise_signal(signal.SIGINT)
        try:
            with held.let_through():
                signal.raise_signal(signal.SIGINT)
                pytest.fail("it was not let through")
        finally:
            signal.raise_signal(signal.SIGTERM)
            cleared.append(list(came))
    assert (cleared, came) == ([[signal.SIGINT]], [signal.SIGINT])


def test_what_is_ignored_is_not_the_first(came: list[int]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with pytest.raises(KeyboardInterrupt), held_back() as held, held.let_through():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)
        pytest.fail("it was not let through")
    assert (came, signal.getsignal(signal.SIGINT)) == ([signal.SIGTERM], signal.SIG_IGN)


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """The time, to be changed; whatever a test does to the signals is undone."""
    before = {number: signal.getsignal(number) for number in interrupts.ENDS}
    time_of = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: time_of[0])
    yield time_of
    for number, handler in before.items():
        signal.signal(number, handler)


def test_what_comes_together_interrupts_once_and_what_is_ignored_stays_so(now: list[float]) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    with interrupts.as_interrupt():
        with interrupts.as_interrupt(), pytest.raises(KeyboardInterrupt):  # arranged already: it stays one
            signal.raise_signal(signal.SIGTERM)
        now[0] += interrupts.ONCE_S / 2
        for number in interrupts.ENDS:
            signal.raise_signal(number)
        now[0] += interrupts.ONCE_S
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    interrupts.ignore_from_now_on()
    signal.raise_signal(signal.SIGINT)


def test_a_terminal_closes_once_however_late_its_second_signal_comes(now: list[float]) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    with interrupts.as_interrupt():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGHUP)
        now[0] += 2 * interrupts.ONCE_S
        signal.raise_signal(signal.SIGHUP)


def test_in_another_thread_nothing_is_held_back() -> None:
    done = []

    def hold() -> None:
        with held_back() as held, held.let_through():
            done.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=hold)
    thread.start()
    thread.join()
    assert done == [signal.getsignal(signal.SIGINT)]
