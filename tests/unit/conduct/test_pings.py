"""Reference pings between trials, and what one is."""

import time
from collections.abc import Iterator, Sequence

import pytest

from tests.unit.conduct.simulation import Clock
from threadping.conduct import pings
from threadping.conduct.pings import ping_lines, reference_pings, spread
from threadping.model.cases import Pair, Runtime
from threadping.model.contract import SCHEMA, Cpu, Topology
from threadping.model.errors import ThreadpingError
from threadping.model.run import ReferencePing


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock(1000)
    monkeypatch.setattr(pings, "time", found)
    return found


class Machine:
    """A machine whose pairs have planted latencies; None fails."""

    def __init__(self, clock: Clock, planted: Sequence[float | None], takes_s: float = 0.0) -> None:
        self._clock, self._planted, self._takes_s = clock, iter(planted), takes_s

    def ping(self, pairs: Sequence[Pair]) -> list[ReferencePing]:
        return [self._pinged(pair) for pair in pairs]

    def _pinged(self, pair: Pair) -> ReferencePing:
        self._clock.now += self._takes_s
        ns = next(self._planted)
        return ReferencePing(pair, self._clock.now, 0, ns, failure=None if ns else "It fails.")


def shown(clock: Clock, *values: float | None) -> Iterator[tuple[float | None, float | None, float | None]]:
    """The lines of one pair for these pings: what is shown, what was disturbed, from where it changed."""
    machine = Machine(clock, values)
    try:
        for line in ping_lines(machine.ping, [(0, 1)], 1.0):
            yield line.ping.ns, line.disturbed.ns if line.disturbed else None, line.changed_from
    except RuntimeError:  # nothing planted is left
        return


@pytest.mark.parametrize(
    ("values", "lines"),
    [
        ((26, 28, 31), [(26, None, None), (28, None, None), (31, None, None)]),  # it drifts
        ((26, 30, 31), [(26, None, None), (31, 30, None)]),  # a little more, of the same state
        ((26, 127, 126, 127), [(26, None, None), (126, 127, 26), (127, None, None)]),  # it changes
        ((26, 127, 27, 26), [(26, None, None), (27, 127, None), (26, None, None)]),  # one was disturbed
        ((26, 127, 60, 27), [(26, None, None), (60, 127, None), (27, None, None)]),  # two were
        ((26, None, 127, 127), [(26, None, None), (None, None, None), (127, 127, 26)]),  # one failed
        ((26, 127, None, 27), [(26, None, None), (None, 127, None), (27, None, None)]),  # the second one failed
    ],
)
def test_two_alike_pings_are_a_change(clock: Clock, values: Sequence[float | None], lines: Sequence[object]) -> None:
    assert list(shown(clock, *values)) == lines


def test_pairs_are_distinguished(clock: Clock) -> None:
    machine = Machine(clock, [26, 127, 27, 126])
    lines = list(ping_lines(machine.ping, [(0, 1), (0, 2)], 1.0, 2))
    found = [(line.seq, line.ping.cpus[1], line.ping.ns) for line in lines]
    assert found == [(1, 1, 26), (1, 2, 127), (2, 1, 27), (2, 2, 126)]
    assert {line.changed_from for line in lines} == {None}


@pytest.mark.parametrize(
    ("takes_s", "begun"),
    [(0.0, [0.0, 0.5, 1.0]), (0.25, [0.0, 0.5, 1.0]), (0.625, [0.0, 1.0, 2.0]), (1.125, [0.0, 1.5, 3.0])],
)
def test_intervals_do_not_drift_and_missed_ones_are_left_out(clock: Clock, takes_s: float, begun: list[float]) -> None:
    machine = Machine(clock, [26, 26, 26], takes_s)
    lines = list(ping_lines(machine.ping, [(0, 1)], 0.5, 3))
    assert [line.after_s for line in lines] == begun
    assert [line.ping.at for line in lines] == [1000 + after_s + takes_s for after_s in begun]


def test_if_no_pair_can_be_pinged_it_ends_and_if_one_can_it_goes_on(clock: Clock) -> None:
    with pytest.raises(ThreadpingError, match=r"^CPUs 0-1 cannot be pinged: It fails\. Name other CPUs\.$") as raised:
        list(ping_lines(Machine(clock, [None, None]).ping, [(0, 1), (0, 2)], 1.0, 1))
    assert raised.value.exit_code == 1
    machine = Machine(clock, [None, 26, None, None])
    assert [line.ping.ns for line in ping_lines(machine.ping, [(0, 1), (0, 2)], 1.0, 2)] == [None, 26, None, None]


def test_up_to_four_cpus_are_spread_over_the_machine() -> None:
    # Two nodes of two caches of two cores of two CPUs; a core's second CPU is as many further on as there are cores.
    cpus = tuple(Cpu(n, n % 8, None, n % 8 // 2, n % 8 // 4, n % 8 // 4) for n in range(16))
    rows: list[tuple[Sequence[int], list[int]]] = [
        (range(16), [0, 2, 4, 6]),  # one of each cache
        ((0, 8, 1, 9, 4), [0, 1, 4, 8]),
        ((0, 8, 1, 9, 2), [0, 1, 2, 8]),
        ((3, 5), [3, 5]),
    ]
    for allowed, chosen in rows:
        assert spread(Topology("made up", cpus, tuple(allowed), SCHEMA)) == chosen


def test_pings_keep_their_distance_if_the_clock_is_set(fake_runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    (first,) = reference_pings(fake_runtime, [(0, 1)], trials=0)
    assert abs(first.at - time.time()) < 3600
    monkeypatch.setattr(time, "time", lambda: 0.0)
    (second,) = reference_pings(fake_runtime, [(0, 1)], trials=0)
    assert first.ns is not None and second.at >= first.at + second.wall_ns / 1e9
