"""Warnings of a row, a run or a machine: their words, and the one line above an answer."""

from math import comb

import pytest
from msgspec.structs import replace

from tests.conftest import make_distribution
from tests.unit.analysis.examples import (
    DECLARED,
    LOCK,
    MACHINE,
    RUN,
    SIGNAL,
    TOPOLOGY,
    TOY,
    Given,
    codes,
    judged,
    observed,
    result,
    row,
    said,
)
from tests.unit.analysis.givens import (
    EXACT,
    MONITOR,
    PLANTS,
    SIGNALS,
    Plant,
    counters,
    drifting,
    in_windows,
    taking_at_once,
    typical,
)
from tests.unit.analysis.test_states import MOVES
from tests.unit.studies.doctor.conditions import CONDITIONS
from threadping.analysis.analyse import analyse, with_figures
from threadping.analysis.answer import Answer
from threadping.analysis.checks import Fact, Facts, explained, with_facts
from threadping.analysis.declaration import LATE_HEADLINE, Declaration
from threadping.analysis.health import every_code
from threadping.analysis.percentiles import Estimate, interval
from threadping.analysis.row_warnings import by_chance, groups, without
from threadping.analysis.validity import is_usable, of_host
from threadping.model.cases import Busy, Case, Placement, Runtime
from threadping.model.contract import Cpu, Params
from threadping.model.run import Failure, Observation
from threadping.output.findings import unusable


def test_every_check_of_every_experiment_is_planted() -> None:
    planted = (
        {one.code for one in PLANTS}
        | {code for code, *_ in MOVES}
        | {code for code, *_ in MACHINES}
        | {"busy-machine", "all-state-changed", "limited-diagnostics", "not-balanced"}
        | {"jvm-options", "libc-options", "libgomp-full-team"}
        | {"not-held", "late-sender", "never-deep", "idle-unknown"}  # in tests/unit/experiments/test_paced.py
        | {"unfit"}  # in test_in_passing.py
        | {one.code for one in CONDITIONS}  # in tests/unit/studies/doctor
    )
    assert planted == set(every_code(DECLARED))


@pytest.mark.parametrize("planted", PLANTS, ids=[one.code for one in PLANTS])
def test_a_check_finds_what_is_planted_alone_and_not_what_is_just_below(planted: Plant) -> None:
    found = planted.guilty.row
    others = {"nothing-measured", "few-trials", "closed-loop"} - {planted.code}
    assert [one for one in codes(found) if one[0] not in others] == [(planted.code, planted.level)]
    (finding,) = (one for one in found.findings if one.code == planted.code)
    assert {**finding.facts} == {name: pytest.approx(fact) for name, fact in planted.facts.items()}
    assert planted.code not in dict(codes(planted.fine.row))
    assert "{" not in "".join(said(found))


def test_nothing_is_said_of_what_is_fine() -> None:
    rows: list[Given] = [
        *(Given(of=case) for case in (SIGNAL, LOCK, TOY)),
        in_windows(40, typical=(0, 0, 0, 0, 1, 1)),  # zero has no share
        Given({"counters.clock_step_ns": 1_000}, timed=make_distribution((), ())),  # nothing was timed
        Given({"sampling_pace": 3.0}, LOCK, timed=make_distribution((), ())),
        # reasons, without anything that they did
        counters(warmup_cut=1, compile_ns=9e8, collections=3, rested_ns=1, preempted=1e6),
        drifting(-0.5, *[0.5] * 5),  # the interval lies across the band
    ]
    for fine in rows:
        assert fine.row.findings == ()


def test_in_a_barrier_the_two_kinds_of_window_may_differ_more() -> None:
    crowded = replace(LOCK, placement=Placement("same-l3", (0, 1, 0)))
    rows = [Given({"sampling_pace": pace, "counters.cpus": 2}, crowded).row for pace in (10.1, 1 / 10.1, 9.9)]
    assert ["regime" in dict(codes(row)) for row in rows] == [True, True, False]


def test_that_operations_are_merged_until_one_is_timed_is_said_once() -> None:
    paces = {"sampling_pace": 4.0, "counters.collections": 0.0, "counters.rested_ns": 0.0}
    assert codes(Given(paces, MONITOR).row) == [("coarsened", "note")]
    assert codes(Given(paces, EXACT).row) == [("regime", "warning")]
    faster = Given(paces | {"sampling_pace": 0.25}, MONITOR)  # which merging does not explain
    assert codes(faster.row) == [("regime", "warning"), ("coarsened", "note")]


def test_few_trials_are_unsteady_and_never_gravely() -> None:
    rows: list[tuple[list[float], list[tuple[str, str]]]] = [
        ([0.5, 0.5], [("few-trials", "warning")]),  # too few for any statement
        ([0.3] * 5, [("not-steady", "warning")]),
        ([0.3] * 6, [("not-steady", "error")]),
        ([0.02, *[0.05] * 4], []),  # 4.604 standard errors reach below 2%
        ([0.101, 0.3, 0.2], []),  # as 9.925 do: of three trials nearly nothing is sure
    ]
    for drifts, expected in rows:
        assert codes(drifting(*drifts).row) == expected


def test_the_last_third_appears_next_to_the_headline_and_never_replaces_it() -> None:
    late = [49.0, 50.0, 51.0, 52.0, 53.0, 54.0]
    for drift, found in ((-0.2, Estimate(51.5, *interval(late), "ci95")), (-0.05, None), (0.0, None)):
        row = Given({"latency_ns.typical": 60.0, "headline_late": late, "drift": drift}).row
        assert (row.headline and row.headline.value, row.figures.get(LATE_HEADLINE)) == (60.0, found)


def test_a_mixture_is_neither_steady_nor_in_groups_nor_disturbed() -> None:
    """Its headline is not the experiment's, but a mean of what the scheduler makes of it."""

    class OfMixtures(Declaration, frozen=True, kw_only=True):
        def headline_of(self, case: Case) -> str:
            return "latency_ns.mean"

        def mixes(self, case: Case) -> bool:
            return True

    mixed = OfMixtures(**{name: getattr(SIGNALS, name) for name in SIGNALS.__struct_fields__})
    planted = {"latency_ns.mean": (100, 101, 102, 400, 401, 402), "drift": 0.3, **in_windows(40, without=50.0).figures}
    row = Given(planted).row
    assert {"not-steady", "disturbed"} <= {code for code, _ in codes(row)}
    of_it = with_figures(replace(row, declared=mixed, findings=()))
    assert {code for code, _ in codes(of_it)} == {"wide"}
    assert by_chance(of_it) == 0


def test_marks_by_chance_are_counted_where_noise_could_make_one() -> None:
    fine = (Given(), drifting(0.0, 0.0, 0.0, 0.0, 0.0, 0.02), typical(100, 100, 105.1))
    could = (drifting(0.0, 0.0, 0.0, 0.0, 0.0, 0.021), typical(100, 100, 100, 105.1), in_windows(0))
    assert [by_chance(given.row) for given in (*fine, *could)] == [0, 0, 0, 0.01, 0.01, 0.01]


def test_without_enough_windows_nobody_is_called_unsteady() -> None:
    short = replace(result(), windows=result().windows.of("sampling"))
    assert "not-steady" not in dict(codes(row(SIGNAL, *[short] * 6)))


def test_where_every_duration_overlapped_an_edge_that_is_said() -> None:
    assert codes(Given(timed=make_distribution((), (), 2)).row) == [("censored", "warning")]


def test_a_failure_names_the_simultaneous_load() -> None:
    stalled = Observation(1, 0, SIGNAL, Failure("stalled", "It stood."), 1, others=0.6)
    (found,) = judged(SIGNAL, [stalled]).findings
    assert str(found.facts["said"]).startswith("It stood. Other programs used 60% of its CPUs' time meanwhile.")


def in_steps_of(number: int) -> list[float]:
    return [1.02**place for place in range(number)]


def test_trials_are_two_groups_from_a_gap_on() -> None:
    rows: list[tuple[list[float], list[float], float]] = [
        ([1, 1], [1, 1], 1.05),
        (in_steps_of(6), in_steps_of(6), 1.02**10),  # twice the spread of either group
        ([1] * 6, in_steps_of(6), 1.02**10),
        (in_steps_of(6), [1] * 6, 1.02**10),
        ([1, 1.005, 1.01, 1.015, 1.02], [1, 1.005, 1.01, 1.015, 1.02, 1.021, 1.022], 1.05),
        (in_steps_of(2), [1, 1], 1.02**13),  # of few trials more
        (in_steps_of(3), [1, 1], 1.02**14),
        (in_steps_of(3), [1] * 3, 1.02**9),
    ]
    for lower, upper, fold in rows:
        for gap, two in ((0.999 * fold, False), (1.001 * fold, True)):
            above = [lower[-1] * gap * one for one in upper]
            assert groups([*above, *lower]) == ((lower, above) if two else None)
        assert groups([1, 2, 2, 2]) is groups([1, 1, 1, 2]) is groups([1, 2, 2]) is None  # one alone is no group


def test_what_is_left_without_outliers_is_less_each_of_the_nearest_value() -> None:
    timed = make_distribution((10, 20, 30), (2, 2, 2))
    assert without(timed, ((5, 1.0), (14, 1.0), (15, 0.6), (99, 2.9))) == make_distribution((20,), (1,))
    assert without(make_distribution((7,), (3,)), ((1, 1.0), (9, 1.0))) == make_distribution((7,), (1,))


def test_a_wide_row_of_a_foreign_run_needs_no_counters() -> None:
    for figure in ("counters.cpus", "counters.measured_ns"):
        wide = Given({"latency_ns.typical": [50, 75, 100, 100, 125, 150], figure: [0.0] * 6}, trials=6)
        assert ("wide", "warning") in codes(wide.row)


def test_a_stream_in_both_regimes_is_rarely_reported_as_one_regime() -> None:
    """Each trial is in either regime with the same probability, so that only the number of either kind matters."""
    for trials, most in ((3, 0.29), (6, 0.06), (12, 0.02)):
        rows = [taking_at_once(*[5.0] * close, *[500.0] * (trials - close)).row for close in range(trials + 1)]
        assert sum(comb(trials, close) for close, row in enumerate(rows) if row.regime) <= most * 2**trials
        assert rows[trials].regime == "keeps up"


def test_rows_of_unlike_regimes_are_not_compared_and_one_at_another_pace_when_sampled_is_in_none() -> None:
    found = [taking_at_once(*[of] * 6).row.regime for of in (5.0, 50.0, 500.0)]
    assert found == ["keeps up", "", "backlog"]
    assert [taking_at_once(*[of] * 6, pace=1.6).row.regime for of in (5.0, 500.0)] == ["", ""]
    close, far = (taking_at_once(*[of] * 6).row for of in (5.0, 500.0))
    assert is_usable((close, close), "compare")
    assert not is_usable((close, far), "compare")
    batched = replace(far, case=replace(far.case, params={**far.case.params, "batch": 100}))
    assert is_usable((close, batched), "compare"), "it is the batch that is compared"


def test_a_brief_writes_a_fact_as_declared_and_a_check_is_explained_without_facts() -> None:
    written: dict[tuple[str, Fact], str] = {
        **{("{fact:fold}", 3.11): "3.1x", ("{fact:share}", 0.042): "4.2%", ("{fact:time}", 2_007_600.0): "2.01 ms"},
        **{("{fact}", 1_234_567): "1,234,567", ("{fact}", 0.5): "0.5", ("{fact}", 999.96): "1,000"},
        **{("{fact}", 12_345.6): "12,346", ("{fact}", "hung"): "hung"},
        ("It said: {fact}", "{a} {0!r:x} {"): "It said: {a} {0!r:x} {",  # a probe's words are no form to be filled
    }
    assert {(form, fact): with_facts(form, {"fact": fact}) for form, fact in written} == written
    assert explained("lost-adds") == "Additions that are lost. Mend the mechanism."


SECOND_NS = 1e9


def ran(
    others: float | None = None,
    throttled: int | None = None,
    stolen: float = 0.0,
    clock: float = 20.0,
    runtimes: tuple[Runtime, ...] = (),
) -> Answer:
    """Ten trials of a second, on two CPUs."""
    exact = observed(SIGNAL, result())
    figures = {"counters.measured_ns": SECOND_NS, "counters.steal_ns": stolen, "clock_cost_ns": clock}
    measured = {**exact.figures, **figures}
    seen = replace(exact, figures=measured, wall_ns=int(SECOND_NS), others=others, throttled_ns=throttled)
    return analyse(replace(RUN, runtimes=runtimes), [seen] * 10, (), DECLARED)


def test_one_line_above_the_answer_says_what_is_beyond_the_limits_for_benchmarks() -> None:
    rows: list[tuple[Answer, str]] = [
        (ran(others=0.04, throttled=0, stolen=0.0, clock=60.0), ""),
        (ran(throttled=300_000_000), "a quota took 15% of the CPU time"),
        (ran(throttled=1_000_000), ""),  # 0.05%
        (ran(stolen=4e6), ""),  # four ticks in all
        (
            ran(others=0.1, clock=430.0, stolen=1e8),
            "the hypervisor took 5.0% of the CPU time; a reading of the clock takes 430 ns in cpp; other programs used "
            "10% of the CPU time",
        ),
    ]
    for found, why in rows:
        said = " ".join(one.plain for one in unusable(found))
        assert said == (f"! `threadping doctor` would call this machine unfit for benchmarks: {why}." if why else "")


def test_neither_a_slow_clock_of_a_custom_probe_nor_load_that_was_reported_is_said_to_be_the_machine_s() -> None:
    custom = Runtime(SIGNAL.runtime, "probe", ("/opt/go-probe",), "go 1.26")
    assert [*unusable(ran(clock=430.0, runtimes=(custom,)))] == []
    said = " ".join(one.plain for one in unusable(ran(others=0.5)))
    assert "Do not use these values" in said and "doctor" not in said


# ---- of the machine and the run: once, not on each row ----
MACHINES: tuple[tuple[str, dict[str, object], Facts | None], ...] = (
    ("virtualised", {"hypervisor": "KVM"}, {"hypervisor": "KVM"}),
    ("governor-not-performance", {"governor": "schedutil"}, {"governor": "schedutil"}),
    ("governor-not-performance", {"governor": None}, None),
    ("cpu-quota", {"cpu_quota": 2.99}, {"quota": 2.99, "needed": 3}),
    ("cpu-quota", {"cpu_quota": 3.0}, None),
    ("cpu-quota", {"cpu_quota": 2.0, "topology": replace(TOPOLOGY, allowed=(0, 1))}, None),
    ("topology-inconsistent", {"topology": replace(TOPOLOGY, contradicts_itself=True)}, {}),
    (
        "cpus-unlisted",
        {"topology": replace(TOPOLOGY, cpus=(*TOPOLOGY.cpus, Cpu(99, *[None] * 5)), allowed=(*TOPOLOGY.allowed, 99))},
        {"listed": len(TOPOLOGY.allowed), "cpus": len(TOPOLOGY.allowed) + 1},
    ),
    ("cpu-quota", {"cpu_quota": 1.9, "topology": replace(TOPOLOGY, allowed=(0, 1))}, {"quota": 1.9, "needed": 2}),
)


@pytest.mark.parametrize(("code", "changes", "facts"), MACHINES)
def test_the_machine_is_judged_even_without_a_trial(code: str, changes: dict[str, object], facts: Facts | None) -> None:
    answer = analyse(replace(RUN, machine=replace(MACHINE, **changes)), (), (), DECLARED)
    assert {one.code: one.facts for one in answer.findings} == ({} if facts is None else {code: facts})


UNPINNED = replace(SIGNAL, placement=Placement("unpinned", (None, None)))


def test_a_row_that_starts_on_isolated_cpus_says_so() -> None:
    process, busy = replace(SIGNAL, placement=Placement("same-l3", (2, 3), "process")), replace(SIGNAL, busy=Busy(2))
    for case, allowed, which in (
        *((UNPINNED, (2, 3), "CPUs 2-3"), (UNPINNED, (1, 2), "CPU 2"), (UNPINNED, (0, 1), None)),
        (UNPINNED, (2,), None),  # there is nothing to choose
        *((SIGNAL, (2, 3), None), (process, (0, 1), "CPUs 2-3"), (busy, (2, 3), "CPUs 2-3")),
    ):
        machine = replace(MACHINE, topology=replace(TOPOLOGY, allowed=allowed, isolated=(2, 3)))
        run = replace(RUN, machine=machine, cases=(case,))
        (row,) = analyse(run, [observed(case, result())], (), DECLARED).rows
        found = [one.facts for one in row.findings if one.code == "not-balanced"]
        assert found == ([{"which": which}] if which else [])


def test_what_the_environment_adds_to_virtual_machines_and_to_the_c_library_is_named_once() -> None:
    def java(label: str, *flags: str) -> Runtime:
        return Runtime(label, "java", ("/usr/bin/java", *flags, "-jar", "probe.jar"), "")

    native = Runtime("cpp -march=native", "cpp", ("probe",), "")
    runtimes = (native, java("java-17 -Xint -Dx=…", "-Dx=a b"), java("java-25 -Xint"), java("java-21 -Xss1m", "-Xss1m"))
    (found,) = analyse(replace(RUN, runtimes=runtimes), (), (), DECLARED).findings
    assert (found.code, found.facts) == ("jvm-options", {"added": "-Xint to java-17, java-25"})
    assert analyse(replace(RUN, runtimes=runtimes[3:]), (), (), DECLARED).findings == ()
    both = tuple(Runtime(name, "cpp", ("probe",), "g++ 12 -O3 LD_PRELOAD=libx.so") for name in ("cpp", "mine"))
    (found,) = analyse(replace(RUN, runtimes=both), (), (), DECLARED).findings
    assert (found.code, found.facts) == ("libc-options", {"set": "LD_PRELOAD=libx.so"})


def test_what_could_not_be_seen_is_reported_once_where_there_is_something_to_explain() -> None:
    quiet = observed(SIGNAL, result())
    seen = [replace(quiet, figures=quiet.figures | {"outliers.count": 3.0}, lacking=("A.", "B."))] * 6
    (found,) = analyse(RUN, seen, (), DECLARED).findings
    assert (found.code, found.facts) == ("limited-diagnostics", {"lacking": "A. B."})
    assert analyse(RUN, [replace(quiet, lacking=("A.",))], (), DECLARED).findings == ()


def test_a_machine_others_use_for_40_percent_gives_no_figures() -> None:
    for others, share in (((0.4, 0.4), 0.4), ((0.2, 0.6), 0.4), ((0.39, 0.4), None), ((-0.5, 0.8), 0.4), ((), None)):
        seen = [replace(observed(SIGNAL, result()), others=one) for one in (*others, None)]
        found = {one.code: (one.level, one.facts) for one in analyse(RUN, seen, (), DECLARED).findings}
        assert found.get("busy-machine") == (None if share is None else ("error", {"share": share}))
        assert found.keys() == ({"busy-machine"} if share else {"unfit"} if others else {*()})


def test_a_team_of_libgomp_on_all_cpus_is_named() -> None:
    answer, cpus = analyse(RUN, [observed(SIGNAL, result(SIGNAL))], (), DECLARED), len({*RUN.machine.topology.allowed})
    cases: tuple[tuple[int, Params, bool], ...] = (
        (0, {}, True), (0, {"library": "libomp"}, False), (0, {"policy": "passive"}, False),
        (1, {}, False), (-2, {"then": cpus}, True), (-2, {"then": 1}, False),
    )  # fmt: skip
    for fewer, params, is_full in cases:
        unpinned = Placement("unpinned", (None,) * (cpus - fewer))
        team = replace(SIGNAL, mechanism="openmp-parallel", params=params, placement=unpinned)
        found = of_host(replace(answer, rows=tuple(replace(row, case=team) for row in answer.rows)))
        full_teams = [one.facts for one in found if one.code == "libgomp-full-team"]
        assert full_teams == [{"threads": cpus}] * is_full
