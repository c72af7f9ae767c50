"""Threads that the scheduler puts on one CPU or on several: what is told of both kinds of operation, and how surely.

Windows of a process with two kinds of hand-over are read and analysed as measured ones are. `python -m
tests.unit.analysis.test_mixtures` prints the table of docs/signal.md.
"""

from collections.abc import Sequence
from statistics import fmean, median

import numpy as np
import pytest
from msgspec import Struct
from msgspec.structs import replace

from tests.conftest import Window, make_windows
from tests.unit.analysis.examples import LOCK, SIGNAL, judged, observed, result, row, said
from threadping.analysis.declaration import Row
from threadping.model import reading
from threadping.model.cases import Case, Placement
from threadping.model.contract import Result, Windows

SLEEPING = replace(SIGNAL, mechanism="slow", blocking=True, lines=1)
FREE = replace(SLEEPING, placement=Placement("unpinned", (None, None)))
TOGETHER_NS, APART_NS = 1_700, 36_000
"""One way, of `condition` on an Intel Xeon's two virtual CPUs: on one of them, and between both."""

OPS = 100
"""Of each thread in a window of threads that sleep; a visit is one of each kind."""


class Process(Struct, frozen=True):
    """Two threads whose scheduler moves them: how long they stay on one CPU and on two (ms), on average."""

    together_ms: float
    apart_ms: float

    @property
    def share(self) -> float:
        """Of the time, on one CPU."""
        return self.together_ms / (self.together_ms + self.apart_ms)

    @property
    def mean_ns(self) -> float:
        """Of a hand-over, over a long time."""
        return 1 / (self.share / TOGETHER_NS + (1 - self.share) / APART_NS)

    def trial(self, rng: np.random.Generator, trial_ms: float = 225.0, noise: float = 0.1) -> Windows:
        """The windows of a trial, with a noise of the pace in each stretch."""
        alone = bool(rng.random() < self.share)
        left = self._stay(rng, alone=alone)
        found, cpus, now = [], [], 0.0
        while now < trial_ms * 1e6:
            for kind in ("throughput", "sampling"):
                ops, took = 2.0 * OPS, 0.0
                while ops > 1e-9:
                    pace = (TOGETHER_NS if alone else APART_NS) * np.exp(rng.normal(0, noise))
                    done = min(ops, left / pace)
                    ops, left, took = ops - done, left - done * pace, took + done * pace
                    if left <= 1e-3:
                        alone = not alone
                        left = self._stay(rng, alone=alone)
                found.append(Window(0, kind, round(took), (OPS, OPS)))
                now += took
            cpus += [1 if alone else 2] * 2  # both windows of a visit: at its end
        return replace(make_windows(*found), cpus=tuple(cpus))

    def _stay(self, rng: np.random.Generator, *, alone: bool) -> float:
        return float(rng.exponential(1e6 * (self.together_ms if alone else self.apart_ms)))

    def run(self, rng: np.random.Generator, trials: int) -> Row:
        """The row of so many trials."""
        return row(FREE, *(result(FREE, windows=self.trial(rng)) for _ in range(trials)))


def medians(found: Row) -> float:
    """What was told before: the median trial's median window."""
    return median(one.figures["latency_ns.typical"] for one in found.trials)


def apart(values: Sequence[float]) -> float:
    return max(values) / min(values)


# ---- which cases, and what leads them ----


@pytest.mark.parametrize(
    ("case", "mixes"),
    [
        (FREE, True),
        (SLEEPING, False),
        (replace(SIGNAL, placement=Placement("same-cpu", (1, 1))), False),
        (replace(SIGNAL, placement=Placement("same-l3", (0, 1), "process")), True),
        (replace(SIGNAL, placement=Placement("same-cpu", (1, 1), "process")), False),
        (replace(LOCK, placement=Placement("unpinned", (None,))), False),
        (replace(LOCK, placement=Placement("unpinned", (None,) * 8)), True),
        (replace(FREE, experiment="notify", group=2, timed="call"), False),
    ],
)
def test_threads_mix_where_the_scheduler_may_put_several_on_one_cpu(case: Case, mixes: bool) -> None:
    assert judged(case, []).mixes == mixes


def test_a_mean_leads_a_mixture_and_its_median_is_not_told() -> None:
    windows = make_windows(
        *[Window(0, "throughput", 340_000, (100, 100))] * 3, Window(0, "throughput", 7_200_000, (100, 100))
    )
    pinned, free = (row(case, *[result(case, windows=windows)] * 3) for case in (SLEEPING, FREE))
    assert (pinned.leading.head, pinned.headline and pinned.headline.value) == ("median", 1_700)
    assert (free.leading.head, free.headline and free.headline.value) == ("mean", (3 * 340_000 + 7_200_000) / 800)
    assert "latency_ns.typical" in pinned.figures
    assert "latency_ns.typical" not in free.figures


def test_over_trials_it_is_the_time_of_all_over_their_operations() -> None:
    def lasting(case: Case, ns: int, visits: int) -> Result:
        return result(case, windows=make_windows(*[Window(0, "throughput", ns, (100, 100))] * visits))

    fast, slow = lasting(FREE, 200_000, 36), lasting(FREE, 7_200_000, 1)  # each lasts 7.2 ms
    mixed = row(FREE, fast, slow, slow).headline
    assert mixed is not None
    assert mixed.value == pytest.approx(3 * 7_200_000 / (38 * 200))
    assert [*mixed.ends] == [1_000, 36_000]
    lock = replace(LOCK, placement=Placement("unpinned", (None, None)))
    of_lock = row(lock, *(lasting(lock, ns, 6) for ns in (1_000_000, 2_000_000, 6_000_000)))
    assert of_lock.number("ops_per_s") == pytest.approx(fmean((200e3, 100e3, 200e3 / 6)))


# ---- the share of the time, and both kinds ----


def stood(*cpus: int, ns: Sequence[int], early: int = 0) -> Result:
    windows = (Window(0, "throughput", one, (100, 100), place < early) for place, one in enumerate(ns))
    return result(FREE, windows=replace(make_windows(*windows), cpus=cpus))


def test_a_window_is_of_one_kind_where_the_threads_stood_alike_at_both_of_its_ends() -> None:
    found = stood(1, 1, 2, 2, 1, ns=[200_000, 200_000, 2_200_000, 4_200_000, 1_200_000])
    assert reading.together(found) == pytest.approx([1, 1, 100 / 2_200, 0, 150 / 1_200])
    figures = observed(FREE, found).figures
    assert (figures["mixture.together_ns"], figures["mixture.apart_ns"]) == (1_000, 21_000)
    assert figures["mixture.same_cpu"] == pytest.approx((200 + 200 + 100 + 150) / 8_000)


def test_what_began_a_window_is_the_end_of_the_one_before_it_be_that_of_the_warm_up() -> None:
    assert reading.together(stood(2, 1, 1, ns=[10, 20, 10], early=1)) == [0.5, 1]
    assert reading.together(stood(2, 1, 1, ns=[10, 20, 10])) == [0, 0.5, 1]  # of the first its own end


def test_where_nobody_looked_or_no_window_is_of_a_kind_nothing_is_said_of_it() -> None:
    unseen = observed(SLEEPING, result(SLEEPING)).figures
    assert not [name for name in unseen if name.startswith("mixture")]
    alone = observed(FREE, stood(1, 1, ns=[200_000, 400_000])).figures
    assert (alone["mixture.same_cpu"], alone["mixture.together_ns"]) == (1, 1_500)
    assert "mixture.apart_ns" not in alone


def test_a_lock_has_rates_of_both_kinds() -> None:
    lock = replace(LOCK, placement=Placement("unpinned", (None, None)))
    windows = make_windows(*(Window(0, "throughput", 1_000_000, (ops, 0)) for ops in (3_000, 3_000, 1_000, 1_000)))
    found = row(lock, *[result(lock, windows=replace(windows, cpus=(1, 1, 2, 2)))] * 3)
    assert (found.value("mixture.together_per_s"), found.value("mixture.apart_per_s")) == (3e6, 1e6)
    assert (
        "3.00 M/s on one CPU (50% of the time), 1.00 M/s on several (50% of the time), on average 2.00 M/s"
        in said(found)[0]
    )


# ---- eight runs of one process ----

PROCESSES = (Process(20, 20), Process(20, 60), Process(60, 60), Process(60, 20), Process(200, 20))


def eight(process: Process, trials: int) -> list[Row]:
    return [process.run(np.random.default_rng([11, run]), trials) for run in range(8)]


@pytest.mark.parametrize("process", [Process(20, 40), Process(60, 20)], ids=["20/40 ms", "60/20 ms"])
def test_eight_runs_say_the_same_mean_and_the_share_and_both_kinds_are_right(process: Process) -> None:
    runs = eight(process, 25)
    headlines = [one.headline.value for one in runs if one.headline]
    assert len(headlines) == 8
    assert apart(headlines) <= 1.5
    assert median(headlines) == pytest.approx(process.mean_ns, rel=0.2)
    for found in runs:
        assert found.number("mixture.same_cpu") == pytest.approx(process.share, abs=0.15)
        assert found.number("mixture.together_ns") == pytest.approx(TOGETHER_NS, rel=0.1)
        assert found.number("mixture.apart_ns") == pytest.approx(APART_NS, rel=0.1)
        assert "Pin them" in " ".join(said(found))


if __name__ == "__main__":
    print("| on one CPU, on two (ms) | share | told | one CPU | two | mean | eight runs say | medians before |")
    print("|---|---|---|---|---|---|---|---|")
    for each in (*PROCESSES, Process(20, 200), Process(200, 200)):
        made = eight(each, 40)
        means = [one.number("latency_ns.mean") / 1e3 for one in made]
        shares, ones, twos = (
            [one.number(name) for one in made if one.value(name)]
            for name in ("mixture.same_cpu", "mixture.together_ns", "mixture.apart_ns")
        )
        before = [medians(one) / 1e3 for one in made]
        print(
            f"| {each.together_ms:.0f}, {each.apart_ms:.0f} | {each.share:.0%} "
            f"| {min(shares):.0%} to {max(shares):.0%} "
            f"| {min(ones) / 1e3:.2f} to {max(ones) / 1e3:.2f} | {min(twos) / 1e3:.1f} to {max(twos) / 1e3:.1f} "
            f"| {each.mean_ns / 1e3:.1f} | {min(means):.1f} to {max(means):.1f} ({apart(means):.2f}x) "
            f"| {min(before):.1f} to {max(before):.1f} |"
        )
