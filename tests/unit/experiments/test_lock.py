"""Results of `lock` become rows: exact numbers in, exact numbers out."""

from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from tests.conftest import Window, make_request, make_result, make_windows
from threadping.contract import Clock, Distribution, Held, Managed, Result, Warmup
from threadping.experiments.lock.rows import row as row_from
from threadping.experiments.lock.trust import OUR_WAKES_A_WINDOW
from threadping.model import Case, Contention, Failure, Placement, Row, Trial, Updates, WarmupPolicy

SPINNING = Case("lock", "ticket-lock", {}, "cpp", Placement("same-l3", (0, 1)), False, 8, timed="wait for the lock")
BLOCKING = replace(SPINNING, mechanism="mutex", blocking=True)
LOCK_FREE = replace(SPINNING, mechanism="fetch-add", timed="increment")
MONITOR = replace(BLOCKING, mechanism="monitor", runtime="java-17")
ON_A_JVM = Managed(0, 0)


def result(case: Case = SPINNING, **changes: Any) -> Result:
    return make_result(make_request(case.mechanism, case.placement.cpus, case.lines, "lock"), **changes)


def timed(*values_ns: int, counts: tuple[int, ...], censored: int = 0) -> Result:
    return result(distributions={"acquire": Distribution(values_ns, counts, censored)})


def counted(made: int, found: int, *, exact: bool) -> Result:
    return result(counts={"increments": Held(made, found, exact)})


def row_of(*results: Result | None, case: Case = SPINNING, failures: tuple[Failure, ...] = ()) -> Row:
    request = make_request(case.mechanism, case.placement.cpus, case.lines)
    outcomes = [(one, None) for one in results] + [(None, failure) for failure in failures]
    trials = [Trial(1, 0, case, request, one, failure, "", "2026-01-01", 1) for one, failure in outcomes]
    return row_from(case, trials, seed=1)


def contention(row: Row) -> Contention:
    assert row.lock is not UNSET
    return row.lock


def verdicts(row: Row) -> list[tuple[str, str]]:
    return [(verdict.code, verdict.severity) for verdict in row.verdicts]


def windows(*plain: tuple[int, ...], ns: int = 1_000_000, timed: tuple[Window, ...] = ()) -> Result:
    """A trial of these plain windows, each with the operations of two threads."""
    return result(windows=make_windows(*(Window(0, "plain", ns, ops) for ops in plain), *timed, every=8))


def at_rate(ops: int) -> Result:
    return windows((ops // 2, ops // 2), ns=1_000_000_000)


def test_a_steady_case_has_an_exact_row() -> None:
    row = row_of(result(), result(), result())
    assert row.ops_per_s == pytest.approx(12e6)
    assert row.cpu_ns_per_op == pytest.approx(2 * 2.05e6 / 24_000)
    assert (row.measures, row.threads, row.trials, row.failed_trials) == ("wait for the lock", 2, 3, 0)
    assert (row.samples, row.lines, row.line_ns, row.clock_cost_ns) == (36_000, 24, None, 20.0)
    assert row.latency_ns is not None
    mean = (11_976 * 50 + 23 * 100 + 5_000) / 12_000
    assert row.latency_ns.mean == pytest.approx(mean)
    assert row.latency_ns.ci95 == pytest.approx((mean, mean))
    assert (row.latency_ns.min, row.latency_ns.p50, row.latency_ns.p99_9) == (50.0, 50.0, 100.0)
    assert row.latency_ns.max == 5_000.0
    lock = contention(row)
    assert lock.ops_per_s_ci95 == pytest.approx((12e6, 12e6))
    assert (lock.fairness.jain, lock.fairness.shares, lock.fairness.window_ns) == (1.0, (0.5, 0.5), 1e6)
    assert lock.sampling.every == 8
    assert lock.sampling.cost == pytest.approx(0.05)
    assert lock.updates == Updates(3 * 193_000, 3 * 193_000)
    assert verdicts(row) == []


def test_operations_a_second_are_the_median_trials_with_the_others_in_the_interval() -> None:
    row = row_of(at_rate(1_000), at_rate(1_100), at_rate(1_400))
    assert row.ops_per_s == 1_100.0
    assert contention(row).ops_per_s_ci95 == (1_000.0, 1_400.0)
    assert verdicts(row) == [("wide-interval", "warning")]
    assert row.verdicts[0].message.startswith("Operations a second are known only to about 18%.")


def test_a_rate_is_of_all_plain_windows_and_of_no_timed_one() -> None:
    uneven = windows((100, 100), (600, 200), timed=(Window(0, "timed", 1_000_000, (9_000, 9_000)),))
    assert row_of(uneven).ops_per_s == pytest.approx(1_000 / 2e-3)


def test_sampling_costs_what_an_operation_takes_longer() -> None:
    slowed = windows((100, 100), timed=(Window(0, "timed", 1_200_000, (100, 100)),))
    row = row_of(slowed, slowed, slowed)
    assert contention(row).sampling.cost == pytest.approx(0.2)
    assert verdicts(row) == [("sampling-cost", "info")]
    assert "in one operation of 8 made operations 20% slower" in row.verdicts[0].message
    halved = windows((100, 100), timed=(Window(0, "timed", 1_600_000, (100, 100)),))
    assert verdicts(row_of(halved, halved, halved)) == [("sampling-cost", "warning")]


def test_what_sampling_cannot_be_seen_to_cost_is_reported_as_it_is() -> None:
    faster = windows((100, 100), timed=(Window(0, "timed", 900_000, (100, 100)),))
    assert contention(row_of(faster, faster, faster)).sampling.cost == pytest.approx(-0.1)
    assert contention(row_of(at_rate(100))).sampling.cost == 0.0


def test_fairness_is_of_each_window_and_shares_are_of_the_whole_trial() -> None:
    turns = windows((100, 0), (0, 100), (0, 0))
    fairness = contention(row_of(turns, turns, turns)).fairness
    assert (fairness.jain, fairness.shares) == (0.5, (0.5, 0.5))
    trials = [windows((10, 90)), windows((20, 80)), windows((40, 60))]
    assert contention(row_of(*trials)).fairness.shares == (0.2, 0.8)


def test_one_thread_alone_is_fair() -> None:
    alone = replace(SPINNING, placement=Placement("same-cpu", (1,)))
    row = row_of(*[result(alone)] * 3, case=alone)
    assert row.threads == 1
    assert row.ops_per_s == pytest.approx(12e6)
    assert contention(row).fairness.shares == (1.0, 1.0)
    assert verdicts(row) == []


def test_a_case_whose_trials_all_failed_has_a_row_that_says_why() -> None:
    why = Failure("count-wrong", "The counter holds 17 increments fewer than were made: the lock let them be lost.")
    row = row_of(failures=(why,) * 3)
    assert (row.latency_ns, row.ops_per_s, row.lock, row.samples) == (None, None, UNSET, 0)
    assert verdicts(row) == [("trial-failed", "error")]
    assert "holds 17 increments fewer" in row.verdicts[0].message


def test_a_trial_without_an_operation_in_a_plain_window_is_not_dropped_silently() -> None:
    row = row_of(result(), result(), result(), windows((0, 0)), result(windows=make_windows()))
    assert (row.trials, row.failed_trials) == (3, 2)
    assert verdicts(row) == [("nothing-measured", "warning")]
    assert verdicts(row_of(windows((0, 0)))) == [("nothing-measured", "error")]
    assert verdicts(row_of()) == [("not-reached", "error")]


def test_a_trial_that_timed_nothing_still_has_a_rate() -> None:
    untimed = timed(counts=())
    row = row_of(untimed, untimed, untimed)
    assert row.latency_ns is None
    assert row.ops_per_s == pytest.approx(12e6)


def with_threads(case: Case = SPINNING, **changes: Any) -> Result:
    base = result(case)
    return replace(base, threads=tuple(replace(thread, **changes) for thread in base.threads))


@pytest.mark.parametrize(
    ("bad", "code", "severity"),
    [
        (with_threads(cpus_end=(0, 1)), "pin-lost", "error"),
        (with_threads(major_faults=1), "paging", "warning"),
        (with_threads(involuntary_switches=1000), "preempted", "warning"),
        (result(managed=Managed(3, 0)), "jit-active", "warning"),
        (result(managed=Managed(0, 2)), "gc-active", "warning"),
        (result(warmup=Warmup(7, 1, False), managed=ON_A_JVM), "warmup-cut", "info"),
        (result(clock=Clock("slow", 20.0, 2)), "coarse-clock", "info"),
        (timed(50, counts=(3_000,)), "few-samples", "info"),
    ],
)
def test_what_spoils_a_figure_is_said(bad: Result, code: str, severity: str) -> None:
    assert verdicts(row_of(bad, bad, bad)) == [(code, severity)]


def test_the_coordinators_own_wakes_are_not_called_others() -> None:
    base = result()
    others = int(200 * base.measured.ns / 1e9)
    ours = OUR_WAKES_A_WINDOW * len(base.windows.ns)
    thread = base.threads[0]

    def switched(times: int) -> Result:
        first = replace(thread, involuntary_switches=times)
        rest = [replace(other, involuntary_switches=0) for other in base.threads[1:]]
        return replace(base, threads=(first, *rest))

    quiet, disturbed = switched(ours + others), switched(ours + others + 1)
    assert verdicts(row_of(quiet, quiet, quiet)) == []
    assert verdicts(row_of(disturbed, disturbed, disturbed)) == [("preempted", "warning")]


def test_a_cut_a_theft_and_few_trials_are_said() -> None:
    base = result()
    cut = replace(base, measured=replace(base.measured, cut=True))
    assert "stopped inside a window" in row_of(cut, cut, cut).verdicts[0].message
    stolen = replace(base, machine=replace(base.machine, steal_ns=base.measured.ns // 10))
    assert verdicts(row_of(stolen, stolen, stolen)) == [("steal", "warning")]
    assert verdicts(row_of(base, base)) == [("few-trials", "warning")]


def test_trials_that_disagree_on_operations_a_second_are_said_to() -> None:
    row = row_of(at_rate(1_000), at_rate(1_000), at_rate(1_000), at_rate(1_000), at_rate(1_000), at_rate(1_600))
    assert ("trials-disagree", "warning") in verdicts(row)
    assert "Whole trials differ 1.6-fold" in row.verdicts[0].message


def test_a_clock_whose_steps_are_the_unit_of_all_times_is_fine_enough() -> None:
    quick = replace(timed(20, counts=(12_000,)), clock=Clock("quick", 20.0, 1))
    assert verdicts(row_of(quick, quick, quick)) == []


def test_the_clocks_steps_are_not_halved() -> None:
    coarse = result(clock=Clock("slow", 20.0, 10))
    assert "so percentiles come in steps of 10." in row_of(coarse, coarse, coarse).verdicts[0].message


def test_durations_that_overlapped_an_edge_are_counted_and_said_where_they_could_move_what_is_told() -> None:
    """3 trials of 12,000 samples: p99.9 has 36 beyond it, p99 of the 9,000 that do not carry p99.9 has 90."""
    clean, enough = timed(50, counts=(12_000,), censored=12), timed(50, counts=(12_000,), censored=13)
    row = row_of(clean, clean, clean)
    assert (row.samples, row.censored, verdicts(row)) == (36_000, 36, [])
    row = row_of(clean, clean, enough)
    assert (row.censored, verdicts(row)) == (37, [("censored", "warning")])
    assert row.verdicts[0].message == (
        "37 timed operations overlapped the edge of a window, so that how long they took is in no percentile; beyond "
        "the highest that is told are 36 samples. The tail is longer than it looks: a wait longer than a window (1.05 "
        "ms) is never seen whole. Who starves for longer shows in the shares."
    )
    few = [timed(50, counts=(3_000,), censored=censored) for censored in (30, 31)]
    assert verdicts(row_of(few[0], few[0], few[0])) == [("few-samples", "info")]
    assert verdicts(row_of(few[0], few[0], few[1])) == [("few-samples", "info"), ("censored", "warning")]


def test_where_every_wait_overlapped_an_edge_that_is_said_too() -> None:
    starved = timed(counts=(), censored=2)
    row = row_of(starved, starved, starved)
    assert (row.latency_ns, verdicts(row)) == (None, [("censored", "warning")])


@pytest.mark.parametrize(
    ("case", "what_follows"),
    [(SPINNING, "all others spin in vain"), (BLOCKING, "may find no CPU free"), (LOCK_FREE, "No lock is held")],
)
def test_more_threads_than_cpus_are_said_to_be(case: Case, what_follows: str) -> None:
    crowded = replace(case, placement=Placement("same-l3", (0, 1, 0)))
    row = row_of(*[with_threads(crowded, involuntary_switches=1000)] * 3, case=crowded)
    assert verdicts(row) == [("oversubscribed", "info")]
    assert row.verdicts[0].message.startswith("3 threads share 2 CPUs, so some are always without one.")
    assert what_follows in row.verdicts[0].message


def test_lost_updates_are_the_result_where_nothing_protects_the_counter() -> None:
    lossy = counted(200_000, 150_000, exact=False)
    row = row_of(lossy, lossy, lossy)
    assert contention(row).updates == Updates(600_000, 450_000)
    assert verdicts(row) == [("lost-updates", "info")]
    assert row.verdicts[0].message.startswith("25.00% of the increments were lost (150,000 of 600,000)")
    lucky = counted(200_000, 200_000, exact=False)
    assert verdicts(row_of(lucky, lucky, lucky)) == []


@pytest.mark.parametrize(
    ("case", "managed", "expected"),
    [
        (MONITOR, ON_A_JVM, [("coarsened", "info")]),
        (replace(MONITOR, runtime="java-17 -Xint -XX:-EliminateLocks"), ON_A_JVM, []),
        (replace(MONITOR, runtime="java-17 -XX:-EliminateLocksNot"), ON_A_JVM, [("coarsened", "info")]),
        (replace(MONITOR, mechanism="reentrant-lock"), ON_A_JVM, []),
        (replace(MONITOR, runtime="cpp"), None, []),
    ],
)
def test_a_monitor_that_hotspot_may_merge_is_said_to(
    case: Case, managed: Managed | None, expected: list[tuple[str, str]]
) -> None:
    row = row_of(*[result(case, managed=managed)] * 3, case=case)
    assert verdicts(row) == expected


def test_a_warmup_that_was_asked_for_and_cut_speaks_of_increments() -> None:
    case = replace(SPINNING, warmup=WarmupPolicy(1, 500_000_000))
    row = row_of(*[result(case, warmup=Warmup(1_000, 1, False))] * 3, case=case)
    assert verdicts(row) == [("warmup-cut", "warning")]
    assert "after 1,000 of 500,000,000 increments" in row.verdicts[0].message
