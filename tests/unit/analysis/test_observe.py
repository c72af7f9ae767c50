"""From a result to the figures of a trial, as an experiment declares them."""

import math

import pytest
from msgspec.structs import replace

from tests.conftest import Window, make_distribution, make_windows
from tests.unit.analysis.examples import DECLARED, LOCK, QUEUE, SIGNAL, WAKEUP, observed, result, trial
from threadping.analysis.analyse import FORM, observe
from threadping.analysis.declaration import LATE_HEADLINE
from threadping.model.cases import Case
from threadping.model.contract import Clock, MachineCounters, Managed, MeasuringPhase, Result, Skew, Warmup
from threadping.model.reading import undisturbed
from threadping.model.run import Failure, Observation


def group(name: str, **figures: float) -> dict[str, float]:
    return {f"{name}.{figure}": value for figure, value in figures.items()}


COUNTERS = {
    "clock_cost_ns": 21.5,
    # Of migrations one thread's kernel does not tell.
    **group(
        "counters", looks=12, slept=2 + 5, preempted=3 + 7, migrations=4, major_faults=13 + 17, moved=1, cpus=2, cut=1
    ),
    **group("counters", steal_ns=19, interrupts=23, compile_ns=29e6, collections=31, clock_step_ns=37),
    **group("counters", warmup_ops=41, warmup_cut=1, measured_ns=47),
    **group("counters", skew_ns=15, skew_bound_ns=40),
}
LOOKED_AT = ("migrated", "preempted", "page-fault", "scheduler-delay", "stolen", "idle-cpu", "interrupts", "unknown")
EXACT = {
    "signal": {
        **group("outliers", threshold_ns=5_000, count=0, inspected=0, squares=0),
        **{"ops_per_s": 1e7, "lines": 4, "cpu_ns_per_op": 2 * 3_600_000 / 1_000},
        **{"drift": 0, "sampling_pace": 1.0038, "sampling_every": 1},
        **group("latency_ns", typical=100, mean=100),
        **group("line_ns", min=100, max=100),
        "headline_late": 100,
        "lines_spread": 0,
        **group("counters", windows=9, sampling_window_ns=2_007_600),
    },
    "wakeup": {
        **{
            "ops_per_s": 1_000,
            "lines": 1,
            "cpu_ns_per_op": 2 * 500_000_000 / 1_000,
            "wakeup.found_waiting": 0.9,
            "sampling_pace": 1,
            "sampling_every": 1,
        },
        **group("latency_ns", typical=2_000, mean=(9_990 * 2_000 + 2 * 50_000 + 8 * 100_000) / 10_000),
        **group("wake_ns", typical=30_000, mean=30_000),
        **group("outliers", threshold_ns=20_000, count=10, inspected=8, squares=8 * 1.25**2),
        **group("outliers.causes", **dict.fromkeys(LOOKED_AT, 1.25)),
        **group("outliers.time_ns", **dict.fromkeys(LOOKED_AT, 125_000)),
        **group("outliers.worst_ns", **dict.fromkeys(LOOKED_AT, 100_000)),
        **group("wake_outliers", threshold_ns=300_000, count=0, inspected=0, squares=0),
        **group("counters", windows=2, sampling_window_ns=10_000_000_000),
    },
    "queue": {
        **{"ops_per_s": 5e6, "lines": 1, "cpu_ns_per_op": 2 * 15_000_000 / 1_000},
        **{"producer_cpu_ns_per_op": 15_000_000 / 1_000, "consumer_cpu_ns_per_op": 15_000_000 / 1_000},
        **group("latency_ns", typical=80, mean=(9_990 * 80 + 10 * 640) / 10_000),
        **{"batch.mean": 50_000 / 32_000, "sampling_pace": 1, "sampling_every": 1},
        **group("outliers", threshold_ns=5_000, count=0, inspected=0, squares=0),
        **group("counters", windows=2, sampling_window_ns=5_000_000),
    },
    "lock": {
        **group("outliers", threshold_ns=5_000, count=1, inspected=0, squares=1, **{"causes.not-inspected": 1}),
        **{"ops_per_s": 1.2e7, "lines": 8, "cpu_ns_per_op": 2 * 16_400_000 / 1_000},
        **group("latency_ns", mean=(11_976 * 50 + 23 * 100 + 5_000) / 12_000),
        **group("lock.fairness", jain=1, window_ns=1_000_000),
        **group("lock.fairness.shares", min=0.5, max=0.5),
        **group("lock.updates", lost=0.25, made=193_000, found=144_750),
        **group("lock", consecutive=4, wait_over_cycle=(606_100 / 12_000) / (2 * 1_000_000 / 12_000 + 21.5)),
        **{"drift": 0, "sampling_pace": 1.05, "sampling_every": 8, "headline_late": 1.2e7},
        **group("counters", windows=16, sampling_window_ns=1_050_000),
    },
}
TIMED = {
    "signal": {"round_trip_ns": make_distribution((200, 400, 4_000), (9_980, 19, 1))},
    "wakeup": {
        "latency_ns": make_distribution((2_000, 50_000, 100_000), (9_990, 2, 8)),
        "wake_ns": make_distribution((30_000,), (10_000,)),
    },
    "queue": {
        "latency_ns": make_distribution((80, 640), (9_990, 10)),
        "batch": make_distribution((1, 10), (30_000, 2_000), unit="messages"),
    },
    "lock": {"latency_ns": make_distribution((50, 100, 5_000), (11_976, 23, 1))},
}

UNPROTECTED = replace(LOCK, mechanism="unprotected")
each_case = pytest.mark.parametrize("case", [SIGNAL, UNPROTECTED, WAKEUP, QUEUE], ids=lambda case: case.experiment)
of_whole_windows = pytest.mark.parametrize("case", [SIGNAL, UNPROTECTED], ids=lambda case: case.experiment)
"""Cases whose headline does not come from single timed operations."""

SKEW = ("skew_ns", "skew_bound_ns")
REMINDER = "A reading has changed: count up FORM in analysis/observe.py, then put the new form and figures here."


def disturbed(case: Case) -> Result:
    """The fake probe's exact result, in which every counter says something else."""
    exact = result(case)
    first, second = exact.threads
    threads = (
        replace(first, voluntary_switches=2, involuntary_switches=3, migrations=4, minor_faults=11, major_faults=13),
        replace(second, voluntary_switches=5, involuntary_switches=7, migrations=None, major_faults=17, cpus_end=(0,)),
    )
    return replace(
        exact,
        threads=threads,
        machine=MachineCounters(steal_ns=19, interrupts=23),
        managed=Managed(compile_ms=29, collections=31, pauses=None),
        clock=Clock("fake", cost_ns=21.5, resolution_ns=37, skew=Skew(15, 40)),
        warmup=Warmup(ops=41, ns=43, ended="limit"),
        measured=MeasuringPhase(ops=1_000, ns=47, cut=True),
    )


@each_case
def test_every_figure_of_an_exact_result_is_exact(case: Case) -> None:
    seen = observed(case, disturbed(case))
    assert seen.figures == pytest.approx(EXACT[case.experiment] | COUNTERS), REMINDER
    assert (seen.distributions, seen.form) == (TIMED[case.experiment], 11), REMINDER


@of_whole_windows
def test_what_a_result_does_not_hold_is_absent_and_not_zero(case: Case) -> None:
    silent = replace(result(case), machine=MachineCounters(None, None), measured=MeasuringPhase(ops=0, ns=5, cut=False))
    threads = tuple(replace(thread, migrations=None) for thread in silent.threads)
    untimed = replace(
        silent,
        threads=threads,
        clock=replace(silent.clock, skew=None),
        windows=silent.windows.of("throughput"),
        distributions={},
    )
    dropped = set(observed(case, disturbed(case)).figures) - set(observed(case, untimed).figures)
    absent = {"steal_ns", "interrupts", "migrations", "compile_ns", "collections", "sampling_window_ns", *SKEW}
    timed = ("outliers", "sampling") if case == SIGNAL else ("outliers", "sampling", "latency", "lock.wait")
    of_what_is_timed = {name for name in EXACT[case.experiment] if name.startswith(timed)}
    assert dropped == {"cpu_ns_per_op", *(f"counters.{name}" for name in absent), *of_what_is_timed}
    assert observed(case, untimed).distributions == dict.fromkeys(TIMED[case.experiment], make_distribution((), ()))


def test_a_trial_without_an_operation_that_counts_or_without_timed_calls_has_no_figures_and_no_failure() -> None:
    nothing = Observation(1, 0, SIGNAL, None, 1, form=FORM, started="2026-01-01")
    for windows in (make_windows(), result().windows.of("sampling")):
        assert observed(SIGNAL, result(windows=windows)) == nothing
    nothing_timed = dict.fromkeys(("call", "wake"), make_distribution((), ()))
    assert observed(WAKEUP, result(WAKEUP, distributions=nothing_timed)) == replace(nothing, case=WAKEUP)


def test_a_pace_of_windows_without_an_operation_is_no_figure() -> None:
    """Nothing ended in the last third: its headline is absent, and no figure is NaN or infinite."""
    windows = make_windows(*(Window(0, "throughput", 10, (5, 5) if place < 4 else (0, 0)) for place in range(6)))
    for case in (SIGNAL, LOCK):
        figures = observed(case, result(case, windows=windows)).figures
        assert LATE_HEADLINE not in figures and all(map(math.isfinite, figures.values()))
        assert figures[DECLARED[case.experiment].headline] > 0


def test_a_trial_that_failed_keeps_its_reason_and_its_place() -> None:
    failed = replace(trial(SIGNAL, Failure("hung", "It hung.")), round=3, position=2, wall_ns=5)
    hung = Failure("hung", "It hung.")
    assert observe(failed, DECLARED["signal"]) == Observation(3, 2, SIGNAL, hung, 5, form=FORM, started="2026-01-01")
    ended = replace(failed, result=result(), failure=None)
    seen = observe(ended, DECLARED["signal"])
    assert (seen.round, seen.position, seen.case, seen.failure, seen.wall_ns) == (3, 2, SIGNAL, None, 5)


def test_windows_with_an_event_are_ranked_among_all_of_their_trial() -> None:
    """Windows of 1 to 9 ns; 3, 7 and 9 have an event: rank sum 19 instead of 15, variance 3 x 6 x 10 / 12."""
    windows = make_windows(*(Window(0, "throughput", 2_520, (1_260 // ns, 1_260 // ns)) for ns in range(1, 10)))
    switched = replace(windows, switches=tuple(2 * (ns in (3, 7, 9)) for ns in range(1, 10)), compile_ms=(0,) * 9)
    found = observed(LOCK, replace(result(LOCK), windows=switched)).figures
    expected = group(
        "disturbed.switches",
        windows=3,
        excess=4,
        variance=15,
        without=1e9 * sum(2 * (1_260 // ns) for ns in (1, 2, 4, 5, 6, 8)) / (6 * 2_520),
    )
    assert {name: value for name, value in found.items() if name.startswith("disturbed")} == pytest.approx(expected)


def test_events_are_expected_in_windows_by_how_long_they_lasted() -> None:
    """Two last as long as three others each: with three of four marked the short ones are with exp(-r), r = 0.9087."""
    windows = make_windows(*(Window(0, "throughput", ns, (5, 5)) for ns in (10, 11, 30, 31)))
    switched = replace(windows, switches=(0, 1, 1, 1))
    found = observed(LOCK, replace(result(LOCK), windows=switched)).figures
    lasted = [ns / 20.5 for ns in (10, 11, 30, 31)]
    rate = next(step / 1e4 for step in range(1, 10**5) if sum(1 - math.exp(-step / 1e4 * one) for one in lasted) >= 3)
    chances = [1 - math.exp(-rate * one) for one in lasted]
    expected = sum(rank * chance for rank, chance in enumerate(chances, start=1))
    weights = [chance * (1 - chance) for chance in chances]
    middle = sum(rank * weight for rank, weight in enumerate(weights, start=1)) / sum(weights)
    variance = sum(weight * (rank - middle) ** 2 for rank, weight in enumerate(weights, start=1)) * 4 / 3
    assert found["disturbed.switches.excess"] == pytest.approx(9 - expected, abs=1e-3)
    assert found["disturbed.switches.variance"] == pytest.approx(variance, abs=1e-3)


def test_lines_that_were_disturbed_leave_a_ping_alone() -> None:
    """Medians of 20, 50, 54, 60 and 9,000 ns, line by line: of five one is left out on either side."""
    windows = make_windows(
        *(Window(line, "throughput", ns, (5, 5)) for line, ns in enumerate((600, 500, 90_000, 200, 540)))
    )
    assert undisturbed(replace(result(SIGNAL), windows=windows)) == (50 + 54 + 60) / 3
