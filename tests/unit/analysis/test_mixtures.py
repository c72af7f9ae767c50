"""Trials of one kind or of several: mixtures, clusters, and similar runs."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import accumulate, combinations
from math import exp, sqrt
from pathlib import Path
from random import Random
from statistics import fmean, median
from typing import Any

import numpy as np
import pytest
from msgspec import Struct
from msgspec.structs import replace

from tests.conftest import Window, make_windows
from tests.golden.minute import MINUTE, OBSERVATIONS, PINGS
from tests.unit.analysis.examples import LOCK, SIGNAL, judged, observed, result, row, said
from tests.unit.analysis.simulated import false_groups, found_groups
from tests.unit.studies.matrix.planted import LATENCIES, answer_of, machine, pairs_by_kind
from threadping.analysis.analyse import FORM, analyse
from threadping.analysis.answer import Answer
from threadping.analysis.checks import Finding
from threadping.analysis.declaration import Row
from threadping.analysis.latency_map import clusters, grouped, map_of, misnamed
from threadping.analysis.runs import FEWEST_LIKE, MOST_LIKE, interval_over_runs, with_like_runs
from threadping.conduct.stored import answered, beside_like_runs
from threadping.experiments import declared
from threadping.model import reading
from threadping.model.cases import Case, Placement
from threadping.model.contract import SCHEMA, Cpu, Pin, Result, Topology, Windows
from threadping.output.records import records_of
from threadping.output.run_records import sheets_of
from threadping.store.store import Store, open_store
from threadping.studies.matrix.study import Matrix, matrix_of

SLEEPING = replace(SIGNAL, mechanism="slow", blocking=True, lines=1)
FREE = replace(SLEEPING, placement=Placement("unpinned", (None, None)))
PINS: tuple[Pin, ...] = ("thread", "process")
TOGETHER_NS, APART_NS = 1_700, 36_000
"""One way, of `condition` on an Intel Xeon's two virtual CPUs: on one of them, and between both."""

OPS = 100
"""Operations per thread in a window of blocking threads; a visit is one of each kind."""


class Process(Struct, frozen=True):
    """Two threads whose scheduler moves them: how long they stay on one CPU and on two (ms), on average."""

    together_ms: float
    apart_ms: float

    @property
    def share(self) -> float:
        """The share of the time that the threads spend on one CPU."""
        return self.together_ms / (self.together_ms + self.apart_ms)

    @property
    def mean_ns(self) -> float:
        """The mean duration of a handoff over a long time."""
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
        return row(FREE, *(result(FREE, windows=self.trial(rng)) for _ in range(trials)))


def apart(values: Sequence[float]) -> float:
    return max(values) / min(values)


# ---- which cases, and what leads them ----
def test_threads_mix_where_the_scheduler_may_put_several_on_one_cpu() -> None:
    process = replace(SIGNAL, placement=Placement("same-l3", (0, 1), "process"))
    mixing = FREE, process, replace(LOCK, placement=Placement("unpinned", (None,) * 8))
    on_one_cpu = [replace(SIGNAL, placement=Placement("same-cpu", (1, 1), pin)) for pin in PINS]
    alone, waking = replace(LOCK, placement=Placement("unpinned", (None,))), replace(FREE, experiment="wakeup", group=2)
    others = SLEEPING, *on_one_cpu, alone, replace(waking, timed="call")
    assert [judged(case, []).declared.mixes(case) for case in (*mixing, *others)] == [True] * 3 + [False] * 5


def test_a_mean_leads_a_mixture_and_its_median_is_not_reported() -> None:
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
    assert reading.same_cpu_shares(found) == pytest.approx([1, 1, 100 / 2_200, 0, 150 / 1_200])
    figures = observed(FREE, found).figures
    assert (figures["mixture.together_ns"], figures["mixture.apart_ns"]) == (1_000, 21_000)
    assert figures["mixture.same_cpu"] == pytest.approx((200 + 200 + 100 + 150) / 8_000)


def test_what_began_a_window_is_the_end_of_the_one_before_and_of_what_nobody_saw_nothing_is_said() -> None:
    assert reading.same_cpu_shares(stood(2, 1, 1, ns=[10, 20, 10], early=1)) == [0.5, 1]
    assert reading.same_cpu_shares(stood(2, 1, 1, ns=[10, 20, 10])) == [0, 0.5, 1]  # of the first its own end
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


# ---- runs of one process ----
def eight(process: Process, trials: int, runs: int = 8) -> list[Row]:
    return [process.run(np.random.default_rng([11, run]), trials) for run in range(runs)]


def test_runs_of_one_process_say_the_same_mean_and_the_share_and_both_kinds_are_right() -> None:
    process = Process(20, 40)
    runs = eight(process, 25, runs=3)
    headlines = [one.headline.value for one in runs if one.headline]
    assert len(headlines) == 3
    assert apart(headlines) <= 1.5
    assert median(headlines) == pytest.approx(process.mean_ns, rel=0.2)
    for found in runs:
        assert found.number("mixture.same_cpu") == pytest.approx(process.share, abs=0.15)
        assert found.number("mixture.together_ns") == pytest.approx(TOGETHER_NS, rel=0.1)
        assert found.number("mixture.apart_ns") == pytest.approx(APART_NS, rel=0.1)
        assert "Pin the thread" in " ".join(said(found))


MACHINES = {
    "two L3s": (machine(8, 4, 8), 3),
    "siblings": (machine(16, 8, 16, siblings=True), 1),
    "two packages": (machine(32, 8, 16, siblings=True), 1),
}
"""Topologies, and the trials of each pair."""


def sizes(of: Matrix) -> dict[str, int]:
    return {one.named: one.pairs for one in of.map.groups}


@pytest.mark.parametrize(("topology", "trials"), MACHINES.values(), ids=MACHINES)
def test_the_groups_are_those_planted_with_their_names(topology: Topology, trials: int) -> None:
    found = matrix_of(answer_of(topology, noise=0.05, trials=trials))
    assert sizes(found) == pairs_by_kind(topology)
    for one in found.map.groups:
        assert one.latency_ns == pytest.approx(LATENCIES[one.named], rel=0.03)
    assert not found.map.misnamed and not found.missing


def test_pairs_that_move_count_in_the_state_that_they_were_in_longest() -> None:
    topology, _ = MACHINES["siblings"]
    found = matrix_of(answer_of(topology, trials=12, moves=0.07))
    assert sizes(found) == pairs_by_kind(topology)
    others = [cell for cell in found.cells if not cell.leads]
    assert others and all(cell.state and cell.state.share < 0.5 for cell in others)


def test_one_level_is_one_group_however_wide_and_few_disturbed_pairs_are_none_nor_two_within_a_gap() -> None:
    chance = Random(3)
    mesh = [chance.uniform(40, 60) for _ in range(120)]
    assert set(grouped(mesh, 16)) == {0}
    assert set(grouped([*mesh, 300.0], 16)) == {0}
    assert Counter(grouped([*mesh, *([300.0] * 8)], 16)) == {0: 120, 1: 8}
    assert [len(set(grouped([30.0, 30.0 * ratio], 3))) for ratio in (1.2, 1.5, 3.0)] == [1, 2, 2]
    assert grouped([], 4) == []


def test_siblings_a_fifth_nearer_are_a_group_where_figures_vary_little_and_not_where_they_vary_much() -> None:
    near, far = [31.87, 31.87, 31.9, 31.9], [38.5 + 0.01 * place for place in range(24)]
    assert grouped(near + far, 8) == [0] * 4 + [1] * 24
    assert grouped([38.0, 31.87], 3) == [0, 0]  # a pair alone has no spread
    assert grouped([round(ns) for ns in near + far], 8) == [0] * 4 + [1] * 24
    assert {*grouped([6.0] * 4 + [7.0] * 24, 8)} == {0}  # in whole nanoseconds nothing lies between
    assert {*grouped([25.0] * 39 + [27.0] * 64, 16)} == {0}  # nor need that be more than one
    assert {*grouped([40.0] * 4 + [41.5] * 24, 8)} == {0}  # a place on a ring, not a level


def test_the_interval_of_figures_is_the_least_that_parts_groups() -> None:
    values = [31.9] * 4 + [38.5] * 24
    assert [max(grouped(values, 8, noise)) for noise in (0.0, 0.01, 0.05)] == [1, 1, 0]
    ns = dict(zip(combinations(range(8), 2), values, strict=True))
    assert [one.pairs for one in map_of(range(8), ns, None, noise=0.05).groups] == [28]
    assert [one.pairs for one in map_of(range(8), ns, None).groups] == [4, 24]


def test_noise_alone_is_no_group() -> None:
    """At most 2% of machines are cut: of 80 more than ten by chance less than once in a million."""
    for kind, cpus, noise in [("normal", 4, 0.01), ("uniform", 8, 0.05), ("heavy tails", 16, 0.1)]:
        assert false_groups(cpus, noise, kind, machines=80) <= 10 / 80


def test_planted_siblings_are_found() -> None:
    """On at least 99% of machines: of 40 they are missed on more than six by chance less than once in a million."""
    for cpus, ratio, noise in [(4, 1.2, 0.002), (8, 1.2, 0.01), (16, 1.07, 0.002), (8, 2.5, 0.05)]:
        assert found_groups(cpus, ratio, noise, machines=40) >= 34 / 40


def test_groups_of_one_name_are_distinguished_and_pairs_that_the_system_names_wrongly_are_counted() -> None:
    words = ["same L3", "same L3", "other L3", "other L3", "other package"]
    assert [one.named for one in clusters([20, 21, 80, 120, 200], [0, 0, 1, 2, 3], words)] == [
        *("same L3", "other L3, nearer", "other L3, further", "other package")
    ]
    of, said = [0, 0, 1, 1, 1], ["same core", "same core", "same L3", "same L3", "same core"]
    found = misnamed(clusters([9, 9, 24, 24, 24], of, said), of, said)
    assert found == ["The system says same core of 3 pairs, but 1 of 3 measure as same L3."]


def test_a_machine_that_tells_nothing_of_itself_is_said_to() -> None:
    true = machine(8, 4, 8)
    flat = Topology("flat", tuple(Cpu(cpu.cpu, cpu.cpu, cpu.cpu, 0, 0, 0) for cpu in true.cpus), true.allowed, SCHEMA)
    (said,) = matrix_of(answer_of(true, claimed=flat)).map.misnamed
    assert said.startswith("The system calls every pair same L3, but they fall into 2 groups")


def of_minute(times: float = 1.0, form: int = FORM, **changes: Any) -> Answer:
    """Return the first cases of the minute, each figure this number of times as large."""
    cases = MINUTE.cases[:3]
    seen = [
        replace(one, form=form, figures={name: times * value for name, value in one.figures.items()})
        for one in OBSERVATIONS
        if one.case in cases
    ]
    return analyse(replace(MINUTE, cases=cases, **changes), seen, PINGS, declared())


TODAY = of_minute()


def beside(file: Path, *others: Answer) -> Answer:
    """Return today's run as it is shown from a store that has these too."""
    with open_store(str(file)) as store:
        last = [store.take(one.stored) for one in (*others, TODAY)][-1]
        return beside_like_runs(store, answered(store, str(last.id)))


def test_a_run_that_is_shown_says_of_each_row_how_like_runs_differ(tmp_path: Path) -> None:
    slower = of_minute(1.5)
    found = beside(tmp_path / "runs.sqlite3", TODAY, slower)
    for one, before in zip(found.rows, TODAY.rows, strict=True):
        assert one.headline and one.headline == before.headline and one.between_runs and one.between_runs.runs == 3
        assert one.between_runs.low == pytest.approx(one.headline.value)
        assert one.between_runs.high == pytest.approx(1.5 * one.headline.value)
        assert one.between_runs.ci95[1] == pytest.approx(one.headline.value * 1.5 ** (4.303 / sqrt(3)))
    loaded = (replace(row, findings=(Finding("other-load", "warning", {"share": 0.4}),)) for row in slower.rows)
    busy = with_like_runs(TODAY, [TODAY, replace(slower, rows=tuple(loaded))])
    assert not any(row.between_runs for row in busy.rows)  # what is beside other programs does not tell how runs differ
    written = records_of(sheets_of(found)[0])[0]["between_runs"]
    assert written.keys() == {"runs", "headline_range", "ci95"}


def drifting(draw: Random) -> list[float]:
    """Ten runs, each near the one before."""
    steps = (draw.gauss(0, 0.036 if run else 0.05) for run in range(10))
    return [exp(at) for at in accumulate(steps, lambda at, step: 0.7 * at + step)]


@pytest.mark.parametrize(
    "runs",
    [
        lambda draw: [exp(draw.gauss(0, 0.05)) for _ in range(10)],
        lambda draw: [exp(draw.gauss(0, 0.02) + 0.2 * (draw.random() < 0.3)) for _ in range(10)],
        lambda draw: [exp(draw.expovariate(1 / 0.08)) for _ in range(10)],
        drifting,
    ],
    ids=["normal", "two states", "skewed", "drifting"],
)
def test_intervals_over_runs_hold_the_median_of_ten_from_the_third_on(runs: Callable[[Random], list[float]]) -> None:
    draw, held, all_of_them = Random(7), 0, 0
    for _ in range(60):
        found = runs(draw)
        for last in range(FEWEST_LIKE, len(found) + 1):
            like = found[max(0, last - MOST_LIKE) : last][::-1]
            low, high = interval_over_runs(like, (like[0], like[0]))
            held, all_of_them = held + (low <= median(found) <= high), all_of_them + 1
    assert held >= 0.95 * all_of_them


def test_an_interval_over_runs_is_of_student_and_never_narrower_than_that_within_the_run() -> None:
    assert interval_over_runs([1.0, 1.1, 1.21], (0.99, 1.01)) == pytest.approx((1.1**-4.303, 1.1**4.303))
    assert interval_over_runs([1.0, 1.0, 1.0], (0.9, 1.2)) == (0.9, 1.2)
    assert interval_over_runs([0.0, 1.0, 2.0], (0.0, 1.5)) == (0.0, 2.0)


def test_runs_by_another_version_machine_or_form_are_not_like_it_and_no_more_are_read_than_needed(
    tmp_path: Path,
) -> None:
    elsewhere = replace(MINUTE.machine, cpu_model="another")
    for place, unlike in enumerate((of_minute(version="99"), of_minute(machine=elsewhere), of_minute(form=FORM - 1))):
        assert not any(row.between_runs for row in beside(tmp_path / f"{place}.sqlite3", TODAY, unlike).rows)
    many = beside(tmp_path / "many.sqlite3", *[TODAY] * (MOST_LIKE + 3))
    assert {row.between_runs.runs for row in many.rows if row.between_runs} == {MOST_LIKE}


def test_of_a_matrix_no_run_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its cases are not named in its run, so none is like it: fifty were decoded to find that."""
    answer = answer_of(machine(4, 4, 4), trials=1)
    with open_store(str(tmp_path / "runs.sqlite3")) as store:
        last = [store.take(answer.stored) for _ in range(2)][-1]
        monkeypatch.setattr(Store, "newest", lambda *_: pytest.fail("runs before it were read"))
        assert beside_like_runs(store, answered(store, str(last.id))).rows
