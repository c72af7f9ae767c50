"""What happened meanwhile stands beside a warning; that it is the reason is said only where a test shows it."""

import math
from collections.abc import Mapping, Sequence

import pytest
from msgspec.structs import replace

from tests.unit.analysis.examples import LOCK, NOTIFY, SIGNAL, Given
from tests.unit.analysis.givens import ONE_CPU, SLEEPING, Figures
from threadping.analysis.declaration import Row
from threadping.analysis.percentiles import Estimate
from threadping.analysis.warnings.reasons import chance_of, reasons
from threadping.model.cases import Busy, Case, Placement


def why(row: Row, code: str = "not-steady") -> object:
    (found,) = (one for one in row.findings if one.code == code)
    return found.facts["why"]


def meanwhile(*happened: str) -> str:
    return f" Meanwhile {'; '.join(happened)}: whether that is why is not known." if happened else ""


@pytest.mark.parametrize(
    ("planted", "happened"),
    [
        ({"compile_ns": (21e6, 30e6, 20e6, 0, 0, 0)}, "the JIT was compiling in 2 of 6 trials"),
        ({"warmup_cut": (0, 0, 1, 0, 0, 0)}, "the warm-up ended at its time limit in 1 of 6 trials"),
        ({"collections": (1, 2, 0, 0, 0, 0)}, "the collector ran 3 times"),
        ({"steal_ns": 20_400_000}, "the hypervisor took 1.0% of the CPU time"),
        ({"steal_ns": 20_000_000}, ""),
        ({"preempted": 201}, "others took the CPU from the threads 201 times a second"),
        ({"preempted": 200}, ""),
        ({"major_faults": (0, 1, 0, 0, 0, 0)}, "threads waited for the disk 1 time"),
        ({"measured_ns": 0, "compile_ns": 9e8, "preempted": 900}, ""),  # an imported run may hold anything
    ],
)
def test_a_warning_tells_what_happened_meanwhile_and_not_that_it_is_why(
    planted: Mapping[str, float | Sequence[float]], happened: str
) -> None:
    figures = {f"counters.{name}": value for name, value in planted.items()}
    assert why(Given({**figures, "drift": 0.05}).row) == meanwhile(*filter(None, [happened]))


RISING = (0.05, 0.051, 0.052, 0.053, 0.054, 0.055)
COMPILED = "the JIT was compiling in 6 of 6 trials"


@pytest.mark.parametrize(
    ("compiled", "expected"),
    [
        ((30, 31, 32, 33, 34, 35), " Trials changed more the longer the JIT compiled (ranks, p < 0.01)."),
        ((30, 31, 32, 33, 35, 34), " Trials changed more the longer the JIT compiled (ranks, p < 0.01)."),
        ((30, 31, 32, 34, 35, 33), meanwhile(COMPILED)),  # 13 of 720 orders go together as much
        ((35, 34, 33, 32, 31, 30), meanwhile(COMPILED)),  # less of it where there is more
        ((30,) * 6, meanwhile(COMPILED)),
    ],
)
@pytest.mark.parametrize("way", [1, -1])
def test_a_reason_is_claimed_where_a_test_shows_it(compiled: Sequence[float], expected: str, way: int) -> None:
    """Whichever way trials changed."""
    figures = {"counters.compile_ns": [ms * 1e6 for ms in compiled], "drift": [way * one for one in RISING]}
    assert why(Given(figures).row) == expected


def test_reasons_share_the_level_at_which_they_are_tested() -> None:
    """Five of 720 orders go together as much as these: enough for one reason, and not for two."""
    compiled, paused = (30e6, 31e6, 32e6, 33e6, 35e6, 34e6), (3, 1, 2, 6, 5, 4)
    figures = {"counters.compile_ns": compiled, "counters.collections": paused, "drift": RISING}
    both = meanwhile(COMPILED, "the collector ran 21 times")
    assert why(Given(figures).row) == both


def test_slower_trials_of_a_rate_are_those_with_less_of_it() -> None:
    figures = {"counters.compile_ns": [ms * 1e6 for ms in range(30, 36)], "ops_per_s": (9e6, 7e6, 5e6, 3e6, 2e6, 1e6)}
    expected = " Trials were slower the longer the JIT compiled (ranks, p < 0.01)."
    assert why(Given(figures, LOCK).row, "wide") == expected


def test_of_more_than_seven_trials_ranks_go_together_by_the_normal_approximation() -> None:
    in_order, swapped = list(range(12)), [5, 4, 3, 2, 1, 0, *range(6, 12)]
    assert chance_of(in_order, in_order) == pytest.approx(math.erfc(math.sqrt(11 / 2)) / 2)
    coefficient = 1 - 6 * 70 / (12 * 143)
    assert chance_of(in_order, swapped) == pytest.approx(math.erfc(coefficient * math.sqrt(11 / 2)) / 2)
    assert chance_of([1, 1, 1, 1, 2, 2, 2], [1, 2, 3, 4, 5, 6, 7]) == pytest.approx(1 / 35)  # equal ones share ranks


def test_where_the_scheduler_places_the_threads_it_is_a_reason_that_is_tested() -> None:
    """Sleepers are quick on one CPU, where they take it from each other."""
    free = replace(NOTIFY, placement=Placement("unpinned", (None, None)))
    moved = "the scheduler moved the threads 12 times, and made 50% of their switches"
    forced = (90, 80, 60, 40, 20, 10)
    for case, share in ((free, forced), (replace(free, blocking=False), forced[::-1])):
        figures: Figures = {
            "counters.preempted": share,
            "counters.slept": [100 - one for one in share],
            "counters.migrations": 2,
            "drift": RISING,
        }
        reason = " Trials changed more where the scheduler chose other CPUs (ranks, p < 0.01)."
        assert why(Given(figures, case).row) == reason
        assert why(Given({**figures, "drift": 0.05}, case).row) == meanwhile(moved)
        together = [one / 100 for one in forced]
        stood: Figures = {"mixture.same_cpu": together, "counters.migrations": 2}
        row = Given({**stood, "drift": RISING if case.blocking else RISING[::-1]}, case).row
        assert why(row) == reason  # where they stood is known, whatever their switches
        known = replace(row, figures={**row.figures, "mixture.same_cpu": Estimate(0.4)})
        seen = reasons(known, lambda _: 1.0, "were slower")
        assert seen == meanwhile(
            "the scheduler moved the threads 12 times, and had them on one CPU for 40% of the time"
        )
    assert why(Given({"counters.migrations": 2, "drift": 0.05}, SIGNAL).row) == ""  # which are pinned


def test_what_our_coordinator_takes_of_each_window_was_not_taken_by_others() -> None:
    for preempted, happened in ((261, ["others took the CPU from the threads 201 times a second"]), (260, [])):
        figures = {"counters.preempted": preempted, "counters.windows": 10, "drift": 0.05}
        assert why(Given(figures, LOCK).row) == meanwhile(*happened)


@pytest.mark.parametrize("case", [ONE_CPU, SLEEPING, replace(SIGNAL, busy=Busy(1))])
def test_threads_that_sleep_or_share_a_cpu_lose_it_by_themselves(case: Case) -> None:
    assert why(Given({"counters.preempted": 1e6, "drift": 0.05}, case).row) == ""
