"""Findings of `doctor` on planted machines, on a busy one, and since an earlier run."""

import random
import re
from collections import Counter
from itertools import product
from typing import Any

import pytest
from msgspec.structs import replace

from tests.conftest import ROOT
from tests.golden.test_exports import expect
from tests.unit.studies.doctor.conditions import CONDITIONS, NOTE, Condition
from tests.unit.studies.doctor.examples import (
    BARE,
    ON_0,
    ON_1,
    QUIET_SIGNS,
    VIRTUAL,
    checkup,
    codes,
    gaps_case,
    look,
)
from threadping.analysis import checks, health
from threadping.conduct.presenting import Output
from threadping.model.run import Checkup, Observation
from threadping.planning.defaults import Length
from threadping.planning.plan import Plan
from threadping.planning.schedule import Ended
from threadping.studies.doctor.output import changes, effects_grid, read_checkup, sentence
from threadping.studies.doctor.study import STUDY, CheckupRounds
from threadping.studies.options import DECLARED

RUNS = 10


@pytest.mark.parametrize("condition", CONDITIONS, ids=lambda one: one.name)
def test_a_planted_condition_is_found_with_its_cause_and_nothing_else_is(condition: Condition) -> None:
    found = [look(**condition.planted, seed=seed) for seed in range(RUNS)]
    right = [condition.code in codes(one, *condition.levels) for one in found]
    assert all(right)
    layers = {layer for one in found for layer, finding in one.findings if finding.code == condition.code}
    assert layers == {condition.layer}
    assert {code for one in found for code in codes(one)} <= {condition.code}


def test_the_option_names_every_purpose() -> None:
    assert DECLARED["doctor"][0]["type"] == ["one_of", *health.PURPOSES]


def test_on_a_quiet_machine_nothing_is_found() -> None:
    for purpose, machine, seed in product(health.PURPOSES, (BARE, VIRTUAL), range(RUNS)):
        quiet = look(purpose=purpose, machine=machine, seed=seed, noise=0.3)
        assert (codes(quiet), quiet.health.whole) == ([], "fit"), seed


def test_unfit_is_3_and_a_doubt_is_4_if_that_is_asked_for() -> None:
    rows: list[tuple[dict[str, Any], bool, int]] = [
        ({}, True, 0),
        ({"wakes": {"1ms": (90_000.0, 10_000.0)}}, False, 3),
        ({"rounds": 1}, False, 0),
        ({"rounds": 1}, True, 4),
        *(({"failed": ("jitter",)}, strict, 1) for strict in (False, True)),
        ({"failed": ("jitter",), "wakes": {"1ms": (90_000.0, 10_000.0)}}, True, 3),
    ]
    for planted, strict, code in rows:
        assert STUDY.exit_code(look(**planted), Output(strict=strict)) == code


MASKED: tuple[dict[str, Any], ...] = (
    {"wakes": {"1ms": (90_000.0, 10_000.0), "30ms": (95_000.0, 10_000.0)}},
    {"wakes": {"30ms": (190_000.0, 180_000.0)}},
    {"caused": {"interrupts": {60_000: 60}}, "alone": {2_000: 30}},
    {"caused": {"stolen": {3_000_000: 2}}},
    {"gaps": {2_000: 30, 300_000: 2}},
    {"purpose": "benchmark", "apart": (25.0, 120.0)},
    {"signs": {"frequency_loaded_mhz": 1_800.0, "frequency_most_mhz": 3_600.0}},
)
"""Findings whose remedy changes the machine, and that other programs may cause."""


@pytest.mark.parametrize("planted", MASKED, ids=str)
def test_next_to_other_programs_nothing_is_found_that_these_may_explain(planted: dict[str, Any]) -> None:
    assert codes(look(**planted), "error", "warning", "note")
    busy = look(**planted, others=0.4)
    assert codes(busy, "error", "warning", "note") == ["busy-neighbours"] and busy.health.whole == "unfit"
    ((_, one),) = busy.findings
    assert one.text("remedy").endswith("They disturbed all other measurements: run doctor again when they have ended.")


def test_more_load_never_makes_the_verdict_milder() -> None:
    for planted in ({}, *MASKED):
        found = [look(**planted, others=share).health.whole for share in (0.0, 0.05, 0.2, 0.8)]
        grave = [health.HEALTH_VERDICTS.index(one) for one in found]
        assert grave == sorted(grave) and found[-1] == "unfit", planted


@pytest.mark.parametrize(("taken", "found"), [(0.05, True), (0.45, False)])
@pytest.mark.parametrize("who", ["throttled", "stolen"])
def test_a_quota_or_a_hypervisor_explains_slow_wake_ups_where_it_takes_much(
    who: str, taken: float, found: bool
) -> None:
    asleep = {"1ms": (90_000.0, 10_000.0), "30ms": (95_000.0, 10_000.0)}
    assert ("idle-states" in codes(look(wakes=asleep, **{who: taken}))) is found
    awake = {"30ms": (190_000.0, 180_000.0)}
    assert "slow-wake-up" not in codes(look(wakes=awake, **{who: taken}))


def test_what_is_so_already_is_not_proposed() -> None:
    rows: list[tuple[dict[str, float | str], str]] = [
        ({"halt_poll_ns": 200_000.0}, "halt: cpuidle_haltpoll.force=1 on the kernel's command line."),
        ({"halt_poll_ns": 0.0}, "cpuidle_haltpoll.force=1 haltpoll.guest_halt_poll_ns=200000 on the"),
        ({"halt_poll_ns": 200_000.0, "idle_driver": "haltpoll"}, "they do for 200 \N{MICRO SIGN}s: raise /sys/module/"),
    ]
    for signs, said in rows:
        asleep = {"1ms": (70_000.0, 24_000.0), "30ms": (75_000.0, 25_000.0)}
        ((_, finding),) = look(wakes=asleep, machine=VIRTUAL, signs=signs).grave
        assert finding.code == "idle-halt" and said in finding.text("means")


def test_a_virtual_machine_shows_no_frequencies_and_that_is_said() -> None:
    answer = checkup(machine=VIRTUAL, rows=False)
    run = replace(answer.run, study=replace(answer.run.study, unseen=("frequencies", "boost", "interrupts")))
    said = ("interrupts", "frequencies and boost (a virtual machine shows none)")
    assert read_checkup(replace(answer, run=run)).unseen == said


def test_a_value_near_a_limit_is_a_doubt_and_not_unfit() -> None:
    found = look(wakes={"1ms": (50_000.0, 10_000.0), "30ms": (60_000.0, 10_000.0)}, noise=0.2)
    assert found.health.verdict("wake.1ms") == "doubt" == found.health.whole
    assert codes(found, "warning") == ["idle-states"]
    assert look(wakes={"1ms": (80_000.0, 10_000.0)}, noise=0.2).health.whole == "unfit"


def test_fewer_than_six_trials_leave_the_machine_in_doubt_and_claim_nothing_of_sleeping_cpus() -> None:
    slow = {"30ms": (190_000.0, 10_000.0)}
    five, six = look(wakes=slow, rounds=5, planned=7), look(wakes=slow, rounds=6, planned=7)
    assert (five.health.verdict("wake.30ms"), six.health.whole) == ("doubt", "unfit")
    assert sentence(five).startswith("In doubt for latency: only 5 of 7 rounds measured, ")
    assert {str(one.facts["why"]) for _, one in five.grave if "why" in one.facts} == {health.NOT_KNOWN}
    assert codes(six) == ["idle-states"]


def test_a_limit_of_ones_own_takes_the_place_of_the_purposes() -> None:
    slow = {"1ms": (30_000.0, 10_000.0)}
    assert look(wakes=slow).health.whole == "fit"
    assert look(wakes=slow, limit_ns=20_000.0).health.whole == "unfit"
    assert look(wakes={"1ms": (90_000.0, 10_000.0)}, limit_ns=100_000.0).health.whole == "fit"


def test_where_lateness_could_not_be_measured_the_machine_is_not_called_fit() -> None:
    found = look(failed=("jitter",))
    assert found.health.whole == "doubt" and not codes(found)
    assert any("not measured" in one for one in found.unseen)


def test_a_check_up_without_any_trial_has_a_screen() -> None:
    none = replace(checkup(rows=False), trials=())
    found = read_checkup(replace(none, run=replace(none.run, study=Checkup("latency"))))
    assert sentence(found) == "In doubt for latency: only 0 of 6 rounds measured."
    assert effects_grid(found).columns


def test_without_any_sign_and_without_wake_ups_what_was_measured_is_judged() -> None:
    found = look(signs=dict.fromkeys(QUIET_SIGNS), failed=("wakeup",))
    assert found.health.whole == "fit" and not found.advisories
    assert "wake.1ms" not in found.health.effects


def test_findings_are_in_the_order_of_their_layers() -> None:
    signs = {"smt_siblings": 2.0, "cpu_pressure": 0.5}
    governed = replace(VIRTUAL, governor="powersave")
    found = look(machine=governed, signs=signs, throttled=0.2, stolen=0.1, clock=300.0)
    layers = [layer for layer, _ in found.findings]
    assert layers == sorted(layers, key=[*health.BY_LAYER].index) and len({*layers}) == 5


def test_every_check_has_words_a_remedy_and_what_that_costs() -> None:
    for words in (checks.sentences().findings[code] for of_layer in health.BY_LAYER.values() for code in of_layer):
        assert words.brief and words.means and words.remedy and words.costs


def test_a_throttled_machine_is_not_said_to_have_neighbours() -> None:
    found = look(throttled=0.4, caused={"scheduler-delay": {50_000_000: 1}}, gaps={})
    assert "throttled" in codes(found) and "busy-neighbours" not in codes(found)
    assert codes(look(throttled=0.4, others=0.4)) == ["throttled", "busy-neighbours"]


def test_lateness_is_reported_with_and_without_its_cause() -> None:
    found = look(caused={"preempted": {3_000_000: 5}})
    ((_, finding),) = found.grave
    assert finding.code == "busy-neighbours"
    late, counted = str(finding.facts["cause"]).split("; ")
    assert "late (p99.99)" in late and float(finding.facts["bare"]) < 10_000
    assert re.fullmatch("by the kernel's count other programs used 0.0\N{EN DASH}1..% of the CPU time", counted)


def test_a_slow_wake_up_is_no_sleeping_cpus_only_where_that_was_measured() -> None:
    rows: list[tuple[Any, str]] = [
        (
            {"wakes": {"30ms": (150_000.0, 140_000.0)}},
            "the CPU kept awake): the scheduler, the kernel or a tracer takes the time, and no sleeping CPU.",
        ),
        (
            {"wakes": {"30ms": (150_000.0, None)}},
            " (not measured with the CPU kept awake): whether a sleeping CPU takes the time is not known.",
        ),
        # a CPU that idled for longer was faster
        ({"wakes": {"10us": (1_560_000.0, 7_700.0), "30ms": (26_700.0, 25_000.0)}, "machine": VIRTUAL}, health.SOONER),
        ({"wakes": {"30ms": (230_000.0, 170_000.0)}, "noise": 0.3}, health.NOT_KNOWN),
    ]
    for planted, said in rows:
        ((_, finding),) = look(**planted).grave
        assert finding.code == "slow-wake-up"
        assert finding.text("means").endswith(said) or finding.facts["why"] == said


def test_what_others_took_is_known_to_two_ticks_of_each_count_by_chance() -> None:
    """Six rounds of 16 counts in 160 ms each, and two at rest."""
    watched_s = 96 * 0.16 + 2 * 0.25
    share, off = 0.4 * 96 * 0.16 / watched_s, 2 * 0.01 * 98**0.5 / watched_s
    assert look(others=0.4).health.effects["others"].now.ends == pytest.approx((share - off, share + off))
    assert look().health.effects["others"].now.ends == pytest.approx((0.0, off))


def whole_rounds(wall_s: float, budget_s: float = 14.0) -> int:
    """Return how many of seven rounds of two trials, planned with a second each, are whole if one takes `wall_s`."""
    plan = Plan((gaps_case(ON_0), gaps_case(ON_1)), (0.0,) * 2, (Length(0.0, 1.0),) * 2, (0.0,) * 2, 7, 1, {}, None)
    schedule, spent_s, ended = CheckupRounds(plan, budget_s), 0.0, Counter[int]()
    while (batch := schedule.next((), lambda _: ())) and not 0 < batch[0].needs_s > budget_s - spent_s:
        (turn,) = batch
        spent_s += wall_s
        ended[turn.round] += 1
        seen = Observation(turn.round, 0, plan.cases[turn.case], None, round(wall_s * 1e9))
        schedule.ended(turn, Ended(seen, None, wall_s, (), ()), schedule.seconds - spent_s)
    return [*ended.values()].count(2)


def test_six_rounds_may_take_twice_the_budget_and_no_more() -> None:
    assert [whole_rounds(wall_s) for wall_s in (0.9, 1.0, 1.3, 2.3, 2.4)] == [7, 7, 6, 6, 5]


def compared(chance: random.Random, factor: float, noise: float) -> str:
    """Return the verdict on six values that are `factor` times as high as six earlier ones."""
    now, before = (tuple(100 * by * (1 + noise * chance.gauss(0, 1)) for _ in range(6)) for by in (factor, 1.0))
    return changes({"late": health.Effect("late", now)}, {"late": before})["late"].verdict


@pytest.mark.parametrize(("factor", "verdict"), [(0.5, "better"), (2.0, "worse"), (1.0, "same")])
def test_a_planted_change_is_reported_in_95_of_100_comparisons(factor: float, verdict: str) -> None:
    chance = random.Random(3)
    assert [compared(chance, factor, 0.01) for _ in range(100)].count(verdict) >= 95


def test_of_equals_at_most_one_in_a_hundred_is_said_to_have_changed() -> None:
    chance = random.Random(5)
    for noise in (0.02, 0.1, 0.3):
        found = Counter(compared(chance, 1.0, noise) for _ in range(300))
        assert found["better"] + found["worse"] <= 3


def test_what_was_not_measured_both_times_or_too_seldom_is_not_compared() -> None:
    now = {"late": health.Effect("late", (1.0, 2.0)), "clock": health.Effect("clock", (9.0,) * 6)}
    found = changes(now, {"late": (5.0,) * 6, "stolen": (0.0,) * 6})
    assert {name: one.verdict for name, one in found.items()} == {"late": "cannot tell"}
    assert changes({"stolen": health.Effect("stolen", (0.0,) * 6)}, {"stolen": (0.0,) * 6})["stolen"].verdict == "same"


PAGE = ROOT / "docs" / "internals" / "doctor.md"
HEADING = "| planted | found | layer | |\n|---|---|---|---|\n"


def table() -> str:
    kinds = ("advisory" if one.levels == NOTE else "finding" for one in CONDITIONS)
    rows = zip(CONDITIONS, kinds, strict=True)
    return HEADING + "".join(f"| {one.name} | `{one.code}` | {one.layer} | {kind} |\n" for one, kind in rows)


def test_the_page_lists_every_planted_condition() -> None:
    expect(PAGE, PAGE.read_text(encoding="utf-8").partition(HEADING)[0] + table())
