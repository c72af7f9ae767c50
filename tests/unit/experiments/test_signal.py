"""Results become rows: exact numbers in, exact numbers out."""

from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from tests.conftest import Window, make_request, make_result, make_windows
from threadping.contract import Distribution, Managed, Result, Warmup, Windows
from threadping.experiments.signal.rows import row as row_from
from threadping.model import Case, Failure, Placement, Row, Trial, WarmupPolicy

SPINNING = Case("signal", "steady", {}, "cpp", Placement("same-l3", (0, 1)), False, 4)
BLOCKING = Case("signal", "slow", {}, "cpp", Placement("same-l3", (0, 1)), True, 1)


def result(case: Case = SPINNING, **changes: Any) -> Result:
    return make_result(make_request(case.mechanism, case.placement.cpus, case.lines), **changes)


def trial(result: Result | None, case: Case = SPINNING, failure: Failure | None = None) -> Trial:
    request = make_request(case.mechanism, case.placement.cpus, case.lines)
    return Trial(1, 0, case, request, result, failure, "", "2026-01-01T00:00:00+00:00", 1)


def row_of(*results: Result | None, case: Case = SPINNING, failures: tuple[Failure, ...] = ()) -> Row:
    trials = [trial(r, case) for r in results] + [trial(None, case, failure) for failure in failures]
    return row_from(case, trials, seed=1)


def codes(row: Row) -> list[str]:
    return [verdict.code for verdict in row.verdicts]


def blocks(*lines: tuple[int, ...]) -> Windows:
    """Blocks of 1000 round trips of so many nanoseconds, line by line, and a timed window, which is none."""
    found = (Window(line, "plain", 1000 * ns, (1000, 1000)) for line, trips in enumerate(lines) for ns in trips)
    return make_windows(*found, Window(0, "timed", 9_000_000, (300, 300)))


def test_a_steady_case_has_an_exact_row() -> None:
    row = row_of(result(), result(), result())
    assert row.latency_ns is not None
    assert (row.latency_ns.mean, row.latency_ns.ci95) == (100.0, (100.0, 100.0))
    assert (row.latency_ns.min, row.latency_ns.max) == (100.0, 2000.0)
    assert (row.latency_ns.p50, row.latency_ns.p99, row.latency_ns.p99_9) == (100.0, 100.0, 200.0)
    assert row.ops_per_s == pytest.approx(1e7)
    assert row.cpu_ns_per_op == pytest.approx(200.0)
    assert (row.measures, row.trials, row.failed_trials, row.samples, row.lines) == ("one-way", 3, 0, 30_000, 12)
    assert row.line_ns == (100.0, 100.0)
    assert codes(row) == []


def test_a_spinning_mean_is_the_mean_over_lines_of_each_lines_median_block() -> None:
    disturbed = result(windows=blocks((200, 200, 9_000_000), (240,), (220, 240), ()))
    row = row_of(disturbed, disturbed, disturbed)
    assert row.latency_ns is not None
    assert row.latency_ns.mean == pytest.approx((100 + 120 + 115) / 3)
    assert row.line_ns == (100.0, 120.0)


def test_a_blocking_mean_counts_every_block() -> None:
    uneven = result(BLOCKING, windows=blocks((2000, 6000)))
    row = row_of(uneven, uneven, uneven, case=BLOCKING)
    assert row.latency_ns is not None
    assert row.latency_ns.mean == 2000.0
    assert row.line_ns is None


def test_a_block_that_was_cut_is_counted_by_its_length() -> None:
    whole, partial = Window(0, "plain", 4_000_000, (1000, 1000)), Window(0, "plain", 4_000_000, (500, 500))
    cut = result(BLOCKING, windows=make_windows(whole, partial))
    row = row_of(cut, cut, cut, case=BLOCKING)
    assert row.latency_ns is not None
    assert row.latency_ns.mean == pytest.approx((1000 * 4000 + 500 * 8000) / 1500 / 2)


def test_too_few_samples_for_a_percentile_leave_it_out() -> None:
    few = result(distributions={"round-trip": Distribution((200,), (30,), 0)})
    row = row_of(few, few, few)
    assert row.latency_ns is not None
    assert row.latency_ns.p50 == 100.0
    assert row.latency_ns.p99 is UNSET
    assert codes(row) == ["few-samples"]


def test_a_case_whose_trials_all_failed_has_a_row_that_says_why() -> None:
    row = row_of(case=SPINNING, failures=(Failure("crashed", "It fell over."),) * 3)
    assert (row.latency_ns, row.ops_per_s, row.trials, row.failed_trials) == (None, None, 0, 3)
    assert [(v.code, v.severity) for v in row.verdicts] == [("trial-failed", "error")]
    assert "It fell over." in row.verdicts[0].message


def test_a_case_that_failed_once_keeps_its_figure_and_says_so() -> None:
    row = row_of(result(), result(), result(), failures=(Failure("hung", "It hung."),))
    assert row.latency_ns is not None
    assert [(v.code, v.severity) for v in row.verdicts] == [("trial-failed", "warning")]
    assert "1 of 4" in row.verdicts[0].message


def test_a_case_that_was_never_reached_says_so() -> None:
    assert codes(row_of()) == ["not-reached"]


def test_a_trial_without_a_block_is_not_dropped_silently() -> None:
    row = row_of(result(), result(), result(), result(windows=blocks()))
    assert (row.trials, row.failed_trials) == (3, 1)
    assert codes(row) == ["nothing-measured"]


def with_threads(**changes: Any) -> Result:
    base = result()
    return replace(base, threads=tuple(replace(thread, **changes) for thread in base.threads))


@pytest.mark.parametrize(
    ("bad", "code", "severity"),
    [
        (with_threads(cpus_end=(0, 1)), "pin-lost", "error"),
        (with_threads(involuntary_switches=1000), "preempted", "warning"),
        (with_threads(major_faults=1), "paging", "warning"),
        (result(managed=Managed(3, 0)), "jit-active", "warning"),
        (result(managed=Managed(0, 2)), "gc-active", "warning"),
        (result(windows=blocks((200,), (200,), (200,), (2000,))), "wide-interval", "warning"),
    ],
)
def test_what_spoils_a_figure_is_said(bad: Result, code: str, severity: str) -> None:
    row = row_of(bad, bad, bad)
    assert [(v.code, v.severity) for v in row.verdicts] == [(code, severity)]


def test_stolen_time_is_said() -> None:
    base = result()
    stolen = replace(base, machine=replace(base.machine, steal_ns=base.measured.ns // 10))
    assert codes(row_of(stolen, stolen, stolen)) == ["steal"]


def test_a_coarse_clock_is_said() -> None:
    base = result()
    coarse = replace(base, clock=replace(base.clock, resolution_ns=10))
    assert codes(row_of(coarse, coarse, coarse)) == ["coarse-clock"]


def test_trials_that_disagree_are_not_hidden_in_a_mean() -> None:
    base = result()
    slower = replace(base, measured=replace(base.measured, ns=2 * base.measured.ns))
    assert codes(row_of(base, base, slower)) == ["trials-disagree"]


def test_two_trials_are_too_few() -> None:
    assert codes(row_of(result(), result())) == ["few-trials"]


def test_spinning_on_one_cpu_reports_the_time_slice() -> None:
    case = replace(SPINNING, placement=Placement("same-cpu", (1, 1)))
    slices = result(case, windows=blocks(*[(8_000_000,)] * 4))
    row = row_of(slices, slices, slices, case=case)
    assert codes(row) == ["time-slice"]
    assert "costs a time slice of it: 4 ms one way, 250 hand-overs a second" in row.verdicts[0].message


def test_who_gives_the_one_cpu_away_waits_for_no_time_slice() -> None:
    case = replace(SPINNING, placement=Placement("same-cpu", (1, 1)), params={"wait": "yield"}, varied=("wait",))
    quick = result(case)
    assert codes(row_of(quick, quick, quick, case=case)) == []


def test_a_row_tells_what_was_varied_pinned_and_how_it_was_warmed_up() -> None:
    case = replace(
        SPINNING,
        params={"wait": "pause", "pauses": 1},
        varied=("wait",),
        placement=Placement("same-l3", (0, 1), "process"),
        warmup=WarmupPolicy(1, 500_000_000),
    )
    row = row_of(case=case)
    assert (row.params, row.varied) == ({"wait": "pause", "pauses": 1}, ("wait",))
    assert (row.pin, row.warmup) == ("process", "1x500M")


def test_one_line_is_no_sample() -> None:
    case = replace(SPINNING, lines=1)
    row = row_of(*(result(case) for _ in range(3)), case=case)
    assert row.latency_ns is not None
    assert (row.latency_ns.mean, row.lines) == (100.0, 3)
    assert codes(row) == ["one-line"]
    assert "This figure is from 3 lines, one a trial." in row.verdicts[0].message


CUT = Warmup(1_000, 50_000_000, False)


def test_a_warmup_that_was_asked_for_and_cut_is_a_warning_in_every_language() -> None:
    case = replace(SPINNING, warmup=WarmupPolicy(1, 500_000_000))
    row = row_of(result(case), result(case), result(case, warmup=CUT), case=case)
    assert [(v.code, v.severity) for v in row.verdicts] == [("warmup-cut", "warning")]
    assert "The warm-up of 1x500M was ended by its time limit in 1 of 3 trials" in row.verdicts[0].message
    assert "after 1,000 of 500,000,000 hand-overs" in row.verdicts[0].message


def test_the_default_warmup_that_was_cut_matters_to_who_compiles_only() -> None:
    native = result(warmup=CUT)
    assert codes(row_of(native, native, native)) == []
    managed = result(warmup=CUT, managed=Managed(0, 0))
    row = row_of(managed, managed, managed)
    assert [(v.code, v.severity) for v in row.verdicts] == [("warmup-cut", "info")]


def test_a_pin_that_fails_names_runtime_cpus_and_remedy() -> None:
    row = row_of(failures=(Failure("pin-failed", "CPU 1 cannot be used here."),) * 3)
    assert row.verdicts[0].message == (
        "Every trial failed (pin-failed): CPU 1 cannot be used here. cpp: The runtime could not stand on CPUs 0, 1: a "
        "mask or a cpuset has changed, or a CPU has gone offline, since threadping read the topology. Undo that, or "
        "name CPUs that may be used with --cpus."
    )


def test_a_pin_that_is_lost_says_from_where_to_where() -> None:
    moved = with_threads(cpus_start=(0,), cpus_end=(0, 1))
    message = row_of(moved, moved, moved).verdicts[0].message
    assert "(ping: from CPU 0 to 0,1)" in message


def test_a_jit_that_was_hardly_at_work_is_no_verdict() -> None:
    base = result()
    seldom = replace(base, measured=replace(base.measured, ns=10**9), managed=Managed(19, 0))
    assert codes(row_of(seldom, seldom, seldom)) == []
    often = replace(seldom, managed=Managed(21, 0))
    assert codes(row_of(often, often, often)) == ["jit-active"]
