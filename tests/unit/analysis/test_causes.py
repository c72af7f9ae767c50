"""Every cause is found from the evidence that shows it, and nothing else is; counts add up whatever was kept."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.conftest import make_distribution
from tests.unit.analysis.examples import NOTIFY, observed, result
from threadping.analysis.declaration import Idle
from threadping.analysis.outliers import cause, causes, threshold
from threadping.experiments.notify import CALLS, WAKES
from threadping.model.contract import Managed, Outlier, OutliersRequest, Pause, Seen

QUIET = Seen(100_500, 1, 1, 100_000, 0, 0, 0, 0, 0, 0, 0)
"""Around an outlier of 100 us."""
POLICY = OutliersRequest(10, 5_000, 100)


def outlier(ns: int = 100_000, at_ns: int = 1_000_000, **seen: Any) -> Outlier:
    return Outlier("call", 0, at_ns, ns, replace(QUIET, **seen))


def found(*, blocking: bool = True, **seen: Any) -> str:
    return cause(outlier(**seen), (), blocking=blocking)


def test_what_nothing_explains_is_unknown_and_what_nobody_looked_at_says_so() -> None:
    assert found() == "unknown"
    assert found(run_delay_ns=None, others_run_delay_ns=None, interrupts=None) == "unknown"
    assert cause(replace(outlier(), seen=None), (), blocking=True) == "not-looked-at"


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        ({"involuntary_switches": 1}, "preempted"),
        ({"involuntary_switches": 1, "cpu": 0}, "migrated"),
        ({"minor_faults": 3}, "page-fault"),
        ({"major_faults": 1}, "page-fault"),
        ({"run_delay_ns": 50_000, "voluntary_switches": 1}, "scheduler-delay"),
        ({"others_run_delay_ns": 50_000}, "scheduler-delay"),
        ({"cpu_ns": 50_500}, "stolen"),
        ({"interrupts": 1}, "interrupts"),
    ],
)
def test_each_cause_is_found_from_what_shows_it(seen: dict[str, Any], expected: str) -> None:
    assert found(**seen) == expected


@pytest.mark.parametrize(
    "seen",
    [
        {"cpu": 0, "voluntary_switches": 1},  # it slept, and woke elsewhere
        {"run_delay_ns": 49_999, "cpu_ns": 50_501},
        {"others_run_delay_ns": 49_999},
        {"cpu_ns": 50_501},
        {"cpu_ns": 0, "voluntary_switches": 1},  # it slept
        {"minor_faults": 2},  # 20 us each at most
    ],
)
def test_less_than_half_of_it_and_what_is_usual_after_sleep_are_no_cause(seen: dict[str, Any]) -> None:
    assert found(**seen) == "unknown"


def test_a_partner_without_a_cpu_was_preempted_where_it_never_sleeps() -> None:
    assert found(others_run_delay_ns=50_000, blocking=False) == "preempted"
    assert found(others_run_delay_ns=49_999, blocking=False) == "unknown"


@pytest.mark.parametrize(
    ("idle", "seen", "expected"),
    [
        ("own", {"awake_ns": 50_000}, "idle-cpu"),
        ("own", {"awake_ns": 50_001}, "unknown"),
        ("own", {"awake_ns": None, "others_woken": True}, "unknown"),  # nobody could read it
        ("own", {"awake_ns": 0, "interrupts": 1}, "idle-cpu"),  # an interrupt may have taken half of it, the sleep did
        ("own", {"awake_ns": 0, "minor_faults": 3}, "page-fault"),
        ("another", {"others_woken": True}, "idle-cpu"),
        ("another", {"others_woken": False, "awake_ns": 0}, "unknown"),
        ("another", {"others_woken": None}, "unknown"),
        ("", {"awake_ns": 0, "others_woken": True}, "unknown"),  # of a round trip half is sleep
    ],
)
def test_a_cpu_that_slept_is_the_cause_where_it_was_woken(idle: Idle, seen: dict[str, Any], expected: str) -> None:
    assert cause(outlier(**seen), (), blocking=True, idle=idle) == expected


def test_a_call_pays_no_more_for_a_cpu_that_sleeps_than_it_takes_to_wake_it() -> None:
    long = outlier(100_001, others_woken=True)
    assert cause(long, (), blocking=True, idle="another") == "unknown"
    assert CALLS.idle == "another"
    assert WAKES.idle == "own"


def test_the_more_particular_cause_comes_first() -> None:
    counts = {"involuntary_switches": 1, "minor_faults": 3, "run_delay_ns": 90_000, "interrupts": 3, "cpu_ns": 0}
    seen = replace(QUIET, cpu=0, **counts)
    less: tuple[dict[str, int], ...] = (
        *({}, {"cpu": 1}, {"involuntary_switches": 0}, {"run_delay_ns": 0}, {"cpu_ns": 100_000}, {"minor_faults": 0}),
    )
    found = []
    for change in less:
        seen = replace(seen, **change)
        found.append(cause(replace(outlier(), seen=seen), (), blocking=True))
    assert found == ["migrated", "preempted", "scheduler-delay", "stolen", "page-fault", "interrupts"]
    safepoint = [Pause(1_000_000, 100_000, "G1")]
    assert cause(replace(outlier(), seen=replace(seen, **counts)), safepoint, blocking=True) == "safepoint"


@pytest.mark.parametrize(
    ("pauses", "expected"),
    [
        ([Pause(0, 10, "G1"), Pause(1_000_000, 50_000, "G1"), Pause(9_000_000, 10, "G1")], "safepoint"),
        ([Pause(1_050_000, 900_000, "G1")], "safepoint"),
        ([Pause(0, 1_050_000, "G1")], "safepoint"),
        ([Pause(1_000_000, 25_000, "G1"), Pause(1_040_000, 25_000, "Cleanup")], "safepoint"),
        ([Pause(1_000_000, 49_999, "G1")], "unknown"),
        ([Pause(1_050_001, 900_000, "G1")], "unknown"),
        ([Pause(900_000, 100_000, "G1"), Pause(1_100_000, 100_000, "G1")], "unknown"),
    ],
)
def test_a_safepoint_must_have_lasted_for_half_of_it(pauses: list[Pause], expected: str) -> None:
    assert cause(outlier(), pauses, blocking=True) == expected
    unseen = {"unknown": "not-looked-at"}.get(expected, expected)
    assert cause(replace(outlier(), seen=None), pauses, blocking=True) == unseen


def test_an_outlier_takes_ten_medians_and_five_microseconds() -> None:
    assert threshold(make_distribution((100, 600), (2, 1)), POLICY) == 5_000
    assert threshold(make_distribution((600, 700), (2, 2)), POLICY) == 6_000
    assert threshold(make_distribution((600, 700), (1, 2)), POLICY) == 7_000
    assert threshold(make_distribution((), ()), OutliersRequest(10, 5, 100)) == 5


def test_counts_are_of_all_that_took_so_long_and_the_longest_that_were_kept_have_their_causes() -> None:
    exact = result(NOTIFY)
    assert exact.evidence
    kept = [outlier(100_000, minor_faults=3), outlier(90_000), outlier(19_999, minor_faults=3)]
    foreign = replace(outlier(100_000, minor_faults=3), of="wake")
    seen = replace(exact, evidence=replace(exact.evidence, outliers=(*kept, foreign)))
    assert causes("call", seen, POLICY, blocking=True) == {
        "page-fault": [100_000],
        "unknown": [90_000],
        "not-looked-at": [0] * 8,
    }
    # More records than durations, which a histogram rounds down, are no more outliers than it holds.
    many = replace(seen, evidence=replace(exact.evidence, outliers=(*kept[:1] * 12,)))
    assert causes("call", many, POLICY, blocking=True) == {"page-fault": [100_000] * 10}
    assert causes("call", replace(exact, evidence=None), POLICY, blocking=True) == {"not-looked-at": [0] * 10}
    # Of one that was kept the time is known, though nobody looked; of the nine others it is not.
    unseen = replace(exact, evidence=replace(exact.evidence, outliers=(replace(kept[0], seen=None),)))
    figures = observed(NOTIFY, unseen).figures
    known = [figures[f"outliers.{of}.not-looked-at"] for of in ("causes", "time_ns", "worst_ns")]
    assert known == [10, 100_000, 100_000]


def test_safepoints_are_those_of_the_runtime_itself() -> None:
    managed = Managed(0, 1, (Pause(0, 1 << 40, "G1"),))
    assert observed(NOTIFY, result(NOTIFY, managed=managed)).figures["outliers.causes.safepoint"] == 8
    assert observed(NOTIFY, result(NOTIFY, managed=Managed(0, 1, None))).figures["outliers.causes.unknown"] == 1
