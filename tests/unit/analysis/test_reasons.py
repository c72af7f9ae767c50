"""Why a figure is what it is: reasons that are tested, causes of outliers, one rule of validity, and coverage."""

import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from math import prod
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.conftest import make_distribution
from tests.golden.minute import MINUTE, OBSERVATIONS, PINGS
from tests.unit.analysis.examples import DECLARED, LOCK, SIGNAL, WAKEUP, Given, observed, result
from tests.unit.analysis.givens import EXACT, MONITOR, ONE_CPU, SLEEPING, Figures, counters, on_lock
from threadping.analysis.analyse import analyse
from threadping.analysis.causes import (
    Outliers,
    Stretch,
    at_a_timer,
    cause,
    chance_of,
    reasons,
    sampled_outliers,
    share_of_outliers,
    threshold,
)
from threadping.analysis.checks import Finding, Use, sentences
from threadping.analysis.declaration import Row, RowState
from threadping.analysis.percentiles import Estimate
from threadping.analysis.questions import axes_of, covering_order
from threadping.analysis.validity import USES, codes_of, effect_of, is_usable, validity_of, validity_of_trial
from threadping.experiments import declared
from threadping.model.cases import Busy, Case, Placement
from threadping.model.contract import Managed, Outlier, OutliersRequest, Pause, Seen
from threadping.model.run import Failure


def why(row: Row, code: str = "not-steady") -> object:
    (found,) = (one for one in row.findings if one.code == code)
    return found.facts["why"]


def meanwhile(*happened: str) -> str:
    return f" Meanwhile {'; '.join(happened)}: whether that is why is not known." if happened else ""


def test_a_warning_tells_what_happened_meanwhile() -> None:
    rows: list[tuple[Mapping[str, float | Sequence[float]], str]] = [
        ({"compile_ns": (21e6, 30e6, 20e6, 0, 0, 0)}, "the JIT was compiling in 2 of 6 trials"),
        ({"warmup_cut": (0, 0, 1, 0, 0, 0)}, "the warm-up ended at its time limit in 1 of 6 trials"),
        ({"collections": (1, 2, 0, 0, 0, 0)}, "the collector ran 3 times"),
        ({"steal_ns": 20_400_000}, "the hypervisor took 1.0% of the CPU time"),
        ({"steal_ns": 20_000_000}, ""),
        ({"preempted": 201}, "others took the CPU from the threads 201 times a second"),
        ({"preempted": 200}, ""),
        ({"major_faults": (0, 1, 0, 0, 0, 0)}, "threads waited for the disk 1 time"),
        ({"measured_ns": 0, "compile_ns": 9e8, "preempted": 900}, ""),  # an imported run may hold anything
    ]
    for planted, happened in rows:
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
    """The direction of the change does not matter."""
    figures = {"counters.compile_ns": [ms * 1e6 for ms in compiled], "drift": [way * one for one in RISING]}
    assert why(Given(figures).row) == expected


def test_reasons_share_the_level_at_which_they_are_tested() -> None:
    """Five of 720 orders go together as much as these: enough for one reason, and not for two."""
    compiled, paused = (30e6, 31e6, 32e6, 33e6, 35e6, 34e6), (3, 1, 2, 6, 5, 4)
    figures = {"counters.compile_ns": compiled, "counters.collections": paused, "drift": RISING}
    both = meanwhile(COMPILED, "the collector ran 21 times")
    assert why(Given(figures).row) == both


def test_figures_that_follow_the_pings_within_a_state_are_said_to() -> None:
    """Of a state whose pings differ by more than a quarter; where figures do not follow them, that is said too."""
    pinged, followed = (
        (60.0, 70.0, 80.0, 90.0, 100.0, 104.0),
        " Trials were slower where the reference pings were longer",
    )
    ranged = meanwhile("the reference pings of this state are 60.0\N{EN DASH}104 ns")
    unlike = (0.052, 0.05, 0.054, 0.051, 0.055, 0.05)
    for times, expected in ((RISING, f"{followed} (ranks, p < 0.01)."), (unlike, ranged)):
        row = replace(Given({"latency_ns.typical": times}).row, pinged=pinged)
        for high, among in ((104.0, expected), (75.0, "")):
            within = replace(row, state=RowState(80.0, (60.0, high), 1.0))
            assert reasons(within, lambda one: one.figures["latency_ns.typical"], "were slower") == among


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
    """Blocked threads are fast on one CPU, where they take it from each other."""
    free = replace(WAKEUP, placement=Placement("unpinned", (None, None)))
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


def test_neither_our_coordinator_nor_who_shares_a_cpu_or_sleeps_took_it_from_the_threads() -> None:
    for preempted, happened in ((261, ["others took the CPU from the threads 201 times a second"]), (260, [])):
        figures = {"counters.preempted": preempted, "counters.windows": 10, "drift": 0.05}
        assert why(Given(figures, LOCK).row) == meanwhile(*happened)
    for case in (ONE_CPU, SLEEPING, replace(SIGNAL, busy=Busy(1))):
        assert why(Given({"counters.preempted": 1e6, "drift": 0.05}, case).row) == ""


QUIET = Seen(100_500, 1, 1, 100_000, 0, 0, 0, 0, 0, 0, 0)
"""Around an outlier of 100 us."""
POLICY = OutliersRequest(10, 5_000, 100)


def outlier(ns: int = 100_000, at_ns: int = 1_000_000, **seen: Any) -> Outlier:
    return Outlier("call", 0, at_ns, ns, replace(QUIET, **seen))


OWN, ANOTHER = {"idle": "own"}, {"idle": "another"}


def test_a_cause_is_what_shows_in_half_of_an_outlier() -> None:
    rows: list[tuple[dict[str, Any], dict[str, Any], str]] = [
        ({}, {}, "unknown"),
        ({"run_delay_ns": None, "others_run_delay_ns": None, "interrupts": None}, {}, "unknown"),
        ({"involuntary_switches": 1}, {}, "preempted"),
        ({"involuntary_switches": 1, "cpu": 0}, {}, "migrated"),
        ({"cpu": 0, "voluntary_switches": 1}, {}, "unknown"),  # it slept, and woke elsewhere
        ({"minor_faults": 3}, {}, "page-fault"),
        ({"minor_faults": 2}, {}, "unknown"),  # 20 us each at most
        ({"major_faults": 1}, {}, "page-fault"),
        ({"run_delay_ns": 50_000, "voluntary_switches": 1}, {}, "scheduler-delay"),
        ({"run_delay_ns": 49_999, "cpu_ns": 50_501}, {}, "unknown"),
        ({"others_run_delay_ns": 50_000}, {}, "scheduler-delay"),
        ({"others_run_delay_ns": 49_999}, {}, "unknown"),
        ({"others_run_delay_ns": 50_000}, {"blocking": False}, "preempted"),  # a partner that never sleeps
        ({"others_run_delay_ns": 49_999}, {"blocking": False}, "unknown"),
        ({"throttled_ns": 50_000, "involuntary_switches": 1}, {}, "quota"),
        ({"throttled_ns": 49_999, "involuntary_switches": 1}, {}, "preempted"),
        ({"cpu_ns": 50_500}, {}, "stolen"),
        ({"cpu_ns": 50_501}, {}, "unknown"),
        ({"cpu_ns": 0, "voluntary_switches": 1}, {}, "unknown"),  # it slept
        ({"interrupts": 1}, {}, "interrupts"),
        ({"awake_ns": 50_000}, OWN, "idle-cpu"),
        ({"awake_ns": 50_001}, OWN, "unknown"),
        ({"awake_ns": None, "others_woken": True}, OWN, "unknown"),  # nobody could read it
        ({"awake_ns": 0, "interrupts": 1}, OWN, "idle-cpu"),  # an interrupt may have taken half, the sleep did
        ({"awake_ns": 0, "minor_faults": 3}, OWN, "page-fault"),
        ({"others_woken": True}, ANOTHER, "idle-cpu"),
        ({"others_woken": True, "ns": 100_001}, ANOTHER, "unknown"),  # a call pays no more than it takes to wake a CPU
        ({"others_woken": False, "awake_ns": 0}, ANOTHER, "unknown"),
        ({"others_woken": None}, ANOTHER, "unknown"),
        ({"awake_ns": 0, "others_woken": True}, {}, "unknown"),  # of a round trip half is sleep
    ]
    for seen, how, expected in rows:
        assert cause(outlier(**seen), (), **{"blocking": True, **how}) == expected


def test_a_call_wakes_another_cpu() -> None:
    assert [one.idle for one in declared()["wakeup"].distributions] == ["another", "own"]


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


def test_a_safepoint_must_have_lasted_for_half_of_it() -> None:
    for pauses, enough in (
        ([(0, 10), (1_000_000, 50_000), (9_000_000, 10)], True),
        *(([(1_050_000, 900_000)], True), ([(0, 1_050_000)], True), ([(1_000_000, 49_999)], False)),
        *(([(1_000_000, 25_000), (1_040_000, 25_000)], True), ([(1_050_001, 900_000)], False)),
        ([(900_000, 100_000), (1_100_000, 100_000)], False),
    ):
        collected = [Pause(at, ns, "G1") for at, ns in pauses]
        assert cause(outlier(), collected, blocking=True) == ("safepoint" if enough else "unknown")
        unseen = replace(outlier(), seen=None)
        assert cause(unseen, collected, blocking=True) == ("safepoint" if enough else "not-inspected")


def test_an_outlier_takes_ten_medians_and_five_microseconds() -> None:
    assert threshold(make_distribution((100, 600), (2, 1)), POLICY) == 5_000
    assert threshold(make_distribution((600, 700), (2, 2)), POLICY) == 6_000
    assert threshold(make_distribution((600, 700), (1, 2)), POLICY) == 7_000
    assert threshold(make_distribution((), ()), OutliersRequest(10, 5, 100)) == 5


def sampled(*outliers: Outlier) -> Outliers:
    """Those of ten calls that took long, of which these were kept."""
    exact = result(WAKEUP)
    assert exact.evidence
    seen = replace(exact, evidence=replace(exact.evidence, outliers=outliers))
    return sampled_outliers("call", seen, POLICY, blocking=True)


def test_a_sample_represents_all_that_took_so_long() -> None:
    faults = {"minor_faults": 3}
    drawn = (
        replace(outlier(100_000, **faults), draw=1, weight=1.0),
        replace(outlier(90_000), draw=2, weight=2.0),
        replace(outlier(80_000), draw=2, weight=2.0, seen=None),
    )
    kept = replace(outlier(500_000, **faults), weight=0)  # one of the longest
    short, foreign = outlier(19_999, **faults), replace(outlier(100_000, **faults), of="wake")
    assert sampled(*drawn, kept, short, foreign) == (
        10,
        {"page-fault": [(100_000, 2.0)], "unknown": [(90_000, 4.0)], "not-inspected": [(80_000, 4.0)]},
        2.0**2 + 8.0**2,  # what was drawn together counts as one
    )
    assert [number for _, number in sampled(*drawn[:1] * 12).sample["page-fault"]] == pytest.approx([10 / 12] * 12)


def test_where_nothing_was_drawn_nothing_was_inspected_and_no_time_is_known() -> None:
    assert sampled(replace(outlier(), weight=0)) == sampled() == (10, {"not-inspected": ((0, 10.0),)}, 100.0)
    exact = result(WAKEUP)
    assert exact.evidence
    figures = observed(WAKEUP, replace(exact, evidence=replace(exact.evidence, outliers=()))).figures
    assert (figures["outliers.causes.not-inspected"], figures["outliers.inspected"]) == (10, 0)
    assert "outliers.time_ns.not-inspected" not in figures


def test_unknown_outliers_at_the_same_moment_of_each_millisecond_are_a_timers() -> None:
    ticks = [replace(outlier(at_ns=7_300_000 + place * 4_000_000), draw=place) for place in range(8)]
    others = (replace(outlier(at_ns=9_000_111, minor_faults=3)), replace(outlier(at_ns=5_555_000)))
    found = sampled(*ticks, *others).sample
    assert {name: len(of) for name, of in found.items()} == {"timer": 8, "page-fault": 1, "unknown": 1}
    exact = result(WAKEUP)
    assert exact.evidence
    seen = replace(exact, evidence=replace(exact.evidence, outliers=tuple(ticks)))
    by_a_schedule = sampled_outliers("call", seen, POLICY, blocking=True, paced=True).sample
    assert [*by_a_schedule] == ["unknown"], "the schedule is what has the period"


def alone(moments: Iterable[int]) -> list[tuple[Stretch, int]]:
    """Each drawn by itself."""
    return [((0, -place), moment) for place, moment in enumerate(sorted(moments))]


@pytest.mark.parametrize("number", [3, 50])
def test_moments_without_a_period_are_no_timers(number: int) -> None:
    """At most 1.5% pass for timers: of 60 more than eight by chance less than once in a million."""
    rng = random.Random(number)
    windows = [place * 9_000_000 for place in range(100)]  # of three milliseconds each
    drawn = ([rng.choice(windows) + rng.randrange(3_000_000) for _ in range(number)] for _ in range(60))
    assert sum(bool(at_a_timer(alone(moments))) for moments in drawn) <= 8


def test_what_comes_in_bursts_has_no_period() -> None:
    """Bursts of up to thirty outliers within 40 us, each in one stretch of time, among some that come alone."""
    rng = random.Random(5)

    def trial() -> Iterator[tuple[Stretch, int]]:
        for draw in range(rng.randrange(2, 20)):
            at = rng.randrange(2_000_000_000)
            for _ in range(rng.choice((1, 1, 30))):
                yield (0, draw), at + rng.randrange(40_000)

    assert sum(bool(at_a_timer([*trial()])) for _ in range(100)) <= 3


@pytest.mark.parametrize("ticks", [8, 100])
@pytest.mark.parametrize("others", [0.0, 1.0])
@pytest.mark.parametrize("period", [1_000_000, 10_000_000 / 3, 4_000_000])
def test_nine_in_ten_of_a_timer_are_found_and_nine_in_ten_that_are_found_are_its(
    ticks: int, others: float, period: float
) -> None:
    """Next to others at random, up to as many; an operation begins up to 20 us before the interrupt comes."""
    rng = random.Random(f"{ticks} {others} {period}")
    found = right = planted = 0
    for _ in range(20):
        timer = {int(period * rng.randrange(500)) + 700_000 - rng.randrange(20_000) for _ in range(ticks)}
        moments = timer | {rng.randrange(2_000_000_000) for _ in range(int(others * ticks))}
        said = at_a_timer(alone(moments))
        found, right, planted = found + len(said), right + len(said & timer), planted + len(timer)
    assert right >= 0.9 * planted
    assert right >= 0.9 * found


def test_timers_of_two_cpus_are_distinguished() -> None:
    both = {place * 1_000_000 + at for place in range(40) for at in (100_000, 612_000)}
    assert at_a_timer(alone(both)) == both


def test_figures_of_a_cause_are_of_what_the_sample_represents_and_safepoints_of_the_runtime_itself() -> None:
    exact = result(WAKEUP)
    assert exact.evidence
    drawn = (outlier(100_000, minor_faults=3), outlier(50_000, minor_faults=3), outlier(80_000))
    figures = observed(WAKEUP, replace(exact, evidence=replace(exact.evidence, outliers=drawn))).figures
    of = [figures[f"outliers.{part}.page-fault"] for part in ("causes", "time_ns", "worst_ns")]
    assert of == pytest.approx([10 * 2 / 3, 10 / 3 * 150_000, 100_000])
    assert figures["outliers.inspected"] == 3
    managed = Managed(0, 1, (Pause(0, 1 << 40, "G1"),))
    assert observed(WAKEUP, result(WAKEUP, managed=managed)).figures["outliers.causes.safepoint"] == 10
    assert observed(WAKEUP, result(WAKEUP, managed=Managed(0, 1, None))).figures["outliers.causes.unknown"] == 1.25


def share_in(rng: random.Random, stretches: int, chance: Callable[[], float], came: Callable[[], list[bool]]) -> bool:
    """Draw stretches of time, in which outliers came with the cause and without; whether the interval has the share."""
    every, drawn = [], list[tuple[float, list[bool]]]()
    for _ in range(stretches):
        every.append(came())
        if rng.random() < (by := chance()):
            drawn.append((1 / by, every[-1]))
    count, of_all = sum(map(len, every)), sum(each * len(of) for each, of in drawn)
    if not of_all:
        return True  # nothing is said
    share = sum(each * sum(of) for each, of in drawn) / of_all
    squares = sum((each * len(of) * count / of_all) ** 2 for each, of in drawn)
    low, high = share_of_outliers(share, count, squares).ends
    return low <= sum(map(sum, every)) / count <= high


@pytest.mark.parametrize("kind", ["alone", "floods", "bursts", "echoes", "rare"])
def test_the_interval_of_a_share_of_outliers_holds_the_share(kind: str) -> None:
    """95% of the time, with outliers that come alone, always, in bursts of one cause, after one of another, seldom."""
    rng = random.Random(f"{kind}40")

    def came() -> list[bool]:
        match kind:
            case "alone":
                return [rng.random() < 0.3] * (rng.random() < 0.5)
            case "floods":
                return [rng.random() < 0.3 for _ in range(rng.randrange(2, 6))]
            case "bursts":
                return [rng.random() < 0.3] * rng.choice((0, 1, 20))
            case "echoes":
                return [True, *[False] * rng.randrange(9)] * (rng.random() < 0.5)
        return [rng.random() < 0.02] * (rng.random() < 0.5)

    chances = {"alone": (1.0,), "rare": (0.5, 1.0)}.get(kind, (0.1, 0.2, 0.4))
    held = sum(share_in(rng, 40, lambda: rng.choice(chances), came) for _ in range(400))
    assert held >= 0.94 * 400


OF_RESULTS = codes_of(DECLARED)
"""Every code of a row or a run; what a check-up finds is of a machine."""

OTHERS = replace(Given().row, findings=(Finding("other-load", "warning", {"share": 0.4}),))
BUSY = replace(Given().row, of_run=(Finding("busy-machine", "error", {"share": 0.57}),))


def test_every_check_has_an_effect_on_every_use_and_what_forbids_one_says_why_in_a_clause() -> None:
    named = {code: words.uses for code, words in sentences().findings.items() if words.uses}
    assert {*named} <= {*OF_RESULTS} and all("every" in uses for uses in named.values())
    words = sentences().findings
    effects = {code: {effect_of(code, words[code].level, use) for use in USES} for code in OF_RESULTS}
    assert [code for code, of in effects.items() if of & {"unusable", "alike"} and not words[code].why] == []


def test_a_busy_machine_and_other_programs_forbid_every_use_but_a_chart() -> None:
    uses: tuple[Use, ...] = ("rank", "compare", "gate", "recommend", "history", "export")
    for use in uses:
        assert (is_usable(OTHERS, use), is_usable(BUSY, use), is_usable(Given().row, use)) == (False, False, True)
    assert validity_of(OTHERS, "chart").status == "marked"


def test_validity_names_what_was_found_with_its_code() -> None:
    assert validity_of(BUSY, "gate").why == "other programs used 57% of the CPU time (busy-machine)"
    assert validity_of((Given().row, OTHERS), "compare").codes == ("other-load",)
    assert validity_of((BUSY, OTHERS), "compare").codes == ("busy-machine",)  # every row had other programs then
    warned = replace(Given().row, findings=(Finding("tail", "warning", {}),))
    noted = replace(Given().row, findings=(Finding("one-burst", "note", {}),))
    assert (validity_of(warned, "compare").status, validity_of(noted, "compare").status) == ("marked", "usable")
    assert (validity_of(warned, "compare").codes, validity_of(warned, "compare").why) == (("tail",), "")


def test_a_trial_that_failed_or_had_other_programs_next_to_it_decides_nothing() -> None:
    trial = replace(Given(others=0.1).row.trials[0], wall_ns=1_000_000_000)
    assert validity_of_trial(trial, "recommend").is_usable
    assert validity_of_trial(replace(trial, others=0.11), "recommend").codes == ("other-load",)
    assert validity_of_trial(replace(trial, others=0.5, wall_ns=30_000_000), "recommend").is_usable, "three ticks"
    failed = replace(trial, failure=Failure("hung", "It hung."))
    assert not validity_of_trial(failed, "compare").is_usable


def test_what_does_other_work_is_compared_with_its_like_alone_and_ranked_with_nothing() -> None:
    merged, whole = counters(MONITOR, collections=0).row, counters(EXACT, collections=0).row
    assert is_usable((merged, merged), "compare")
    assert validity_of((merged, whole), "compare").codes == ("coarsened",)
    assert not is_usable(merged, "rank")
    assert is_usable(merged, "history"), "it is what it was the night before"
    assert not is_usable(on_lock(updates_found=144_750).row, "export")


def test_a_run_tells_each_of_its_rows_what_matters_to_it() -> None:
    seen = [one for one in OBSERVATIONS if one.case in MINUTE.cases[:2]]
    busy, quiet = (
        analyse(MINUTE, [replace(one, others=others) for one in seen], PINGS, declared()) for others in (0.57, None)
    )
    mattering = [{tuple(one.code for one in row.of_run) for row in run.rows} for run in (busy, quiet)]
    assert mattering == [{("busy-machine", "topology-mismatch")}, {("topology-mismatch",)}]


def case(**values: Any) -> Case:
    """A case with these values on its axes; `rate` is a parameter."""
    threads, rate = values.pop("threads", 2), values.pop("rate", None)
    at = Placement("unpinned", (None,) * threads)
    return replace(SIGNAL, placement=at, params={"rate": rate} if rate else {}, **values)


def grid(**axes: Sequence[object]) -> list[Case]:
    return [case(**dict(zip(axes, values, strict=True))) for values in product(*axes.values())]


def ordered(cases: Sequence[Case], *named: str) -> list[tuple[Any, ...]]:
    points = [axes_of(cases[at]) for at in covering_order(cases, named)]
    return [tuple(point[axis] for axis in named) for point in points]


def test_the_ends_of_a_number_come_before_its_middle_which_is_halved_again_and_again() -> None:
    found = ordered(grid(runtime=["java-17", "java-25"], threads=[1, 2, 3, 4]), "runtime", "threads")
    assert found == [
        *[("java-17", 1), ("java-25", 4), ("java-17", 4), ("java-25", 1)],
        *[("java-17", 2), ("java-25", 2), ("java-17", 3), ("java-25", 3)],
    ]
    found = ordered(grid(threads=[*range(1, 10)]), "threads")
    assert found[:5] == [(1,), (9,), (5,), (3,), (7,)]


def test_each_mechanism_that_nobody_named_has_all_corners_before_the_next_and_the_middles_follow() -> None:
    found = covering_order(cases := grid(threads=[1, 2, 4], mechanism=["a", "b"]), ("threads",))
    assert [(cases[at].mechanism, cases[at].threads) for at in found] == [
        *[("a", 1), ("a", 4), ("b", 1), ("b", 4)],
        *[("a", 2), ("b", 2)],
    ]


def test_once_every_value_was_seen_new_pairs_of_values_come_first() -> None:
    axes: dict[str, Sequence[object]] = {"mechanism": ["a", "b"], "runtime": ["java-17", "java-25"], "threads": [1, 4]}
    first = ordered(grid(**axes), *axes)[:5]
    assert {pair for one in first for pair in combinations(one, 2)} == {
        pair for one in product(*axes.values()) for pair in combinations(one, 2)
    }


def test_without_several_values_on_a_named_axis_nothing_changes_its_place() -> None:
    cases = grid(threads=[4, 1, 2], mechanism=["a", "b"])
    assert [covering_order(cases, named) for named in ((), ("pin",), ("runtime",))] == [[*range(6)]] * 3


WORDS = st.integers(1, 5).map(lambda number: [f"m{at}" for at in range(number)])
NUMBERS = st.lists(st.integers(1, 64), min_size=1, max_size=6, unique=True)
AXES = st.fixed_dictionaries({"mechanism": WORDS, "runtime": WORDS, "threads": NUMBERS, "rate": NUMBERS})
NAMED = ("mechanism", "runtime", "threads", "rate=")


def ends(axes: Mapping[str, Sequence[Any]]) -> dict[str, set[object]]:
    """Return the values that must appear soon: every word, and the minimum and maximum of each number."""
    return {
        name: {*values} if name in ("mechanism", "runtime") else {min(values), max(values)}
        for name, values in axes.items()
    }


def seen(cases: Sequence[Case], wanted: Mapping[str, set[object]]) -> dict[str, int]:
    points = [axes_of(one) | {"rate": one.params["rate"]} for one in cases]
    return {axis: len({point[axis] for point in points} & values) for axis, values in wanted.items()}


@given(AXES)
def test_every_prefix_shows_as_many_ends_and_words_of_each_axis_as_its_cases_can(axes: dict[str, list[Any]]) -> None:
    """No order shows more values with as few cases, nor does the requested order."""
    cases, wanted = grid(**axes), ends(axes)
    order = covering_order(cases, NAMED)
    assert sorted(order) == [*range(len(cases))] and order == covering_order(cases, NAMED)
    corners = prod(map(len, wanted.values()))
    for number in range(1, corners + 1):
        taken = [cases[at] for at in order[:number]]
        assert seen(taken, wanted) == {axis: min(number, len(values)) for axis, values in wanted.items()}
    middle = [cases[at] for at in order[:corners]]
    assert all(one.threads in wanted["threads"] and one.params["rate"] in wanted["rate"] for one in middle)


@given(AXES)
def test_twice_as_many_cases_as_mechanisms_show_both_ends_of_each_one(axes: dict[str, list[Any]]) -> None:
    cases = grid(mechanism=axes["mechanism"], threads=axes["threads"])
    least, most = min(axes["threads"]), max(axes["threads"])
    for named in (("threads",), ("mechanism", "threads")):
        first = [cases[at] for at in covering_order(cases, named)[: 2 * len(axes["mechanism"])]]
        assert {(one.mechanism, one.threads) for one in first} >= {
            (name, threads) for name in axes["mechanism"] for threads in (least, most)
        }
