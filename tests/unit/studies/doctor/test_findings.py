"""What is found of planted conditions, each with its cause; and that nothing is found where nothing is."""

import pytest
from msgspec.structs import replace

from tests.unit.studies.doctor.conditions import CONDITIONS, Condition
from tests.unit.studies.doctor.examples import BARE, VIRTUAL, checkup, codes, look
from threadping.analysis.health.checks import BY_LAYER, CHECKS_OF_HEALTH
from threadping.analysis.health.limits import LIMITS, PURPOSES
from threadping.analysis.sentences import sentences
from threadping.analysis.warnings.words import meaning
from threadping.studies.doctor.study import STUDY

RUNS = 100


@pytest.mark.parametrize("condition", CONDITIONS, ids=lambda one: one.name)
def test_a_planted_condition_is_found_with_its_cause_in_95_of_100_runs(condition: Condition) -> None:
    found = [look(**condition.planted, seed=seed) for seed in range(RUNS)]
    right = [condition.code in codes(one, *condition.levels) for one in found]
    assert sum(right) >= 95
    layers = {layer for one in found for layer, finding in one.findings if finding.code == condition.code}
    assert layers == {condition.layer}
    others = [code for one in found for code in codes(one) if code != condition.code]
    assert len(others) <= 0.05 * RUNS, others


@pytest.mark.parametrize("purpose", PURPOSES)
@pytest.mark.parametrize("machine", [BARE, VIRTUAL], ids=["bare", "virtual"])
def test_on_a_quiet_machine_at_most_one_of_a_hundred_check_ups_finds_anything(purpose: str, machine: object) -> None:
    quiet = [look(purpose=purpose, machine=machine, seed=seed, noise=0.3) for seed in range(RUNS)]
    assert sum(bool(codes(one)) for one in quiet) <= 1
    assert sum(one.health.whole != "fit" for one in quiet) <= 1


def test_what_stands_near_a_limit_is_a_doubt_and_not_unfit() -> None:
    found = look(wakes={"1ms": (50_000.0, 10_000.0)}, noise=0.2)
    assert found.health.verdict("wake.1ms") == "doubt" == found.health.whole
    assert codes(found, "warning") == ["idle-states"]
    assert look(wakes={"1ms": (80_000.0, 10_000.0)}, noise=0.2).health.whole == "unfit"


def test_of_fewer_than_three_trials_nothing_is_unfit() -> None:
    slow = {"1ms": (90_000.0, 10_000.0)}
    assert look(wakes=slow, rounds=2).health.whole == "doubt"
    assert look(wakes=slow, rounds=3).health.whole == "unfit"
    assert look(rounds=1).health.whole == "fit"


def test_a_limit_of_ones_own_takes_the_place_of_the_purposes() -> None:
    slow = {"1ms": (30_000.0, 10_000.0)}
    assert look(wakes=slow).health.whole == "fit"
    assert look(wakes=slow, limit_ns=20_000.0).health.whole == "unfit"
    assert look(wakes={"1ms": (90_000.0, 10_000.0)}, limit_ns=100_000.0).health.whole == "fit"


def test_where_lateness_could_not_be_measured_the_machine_is_not_called_fit() -> None:
    found = look(failed=("gaps",))
    assert found.health.whole == "doubt" and not codes(found)
    assert any("not measured" in one for one in found.unseen)
    assert STUDY.exit_code(found, None) == 1  # type: ignore[arg-type]


def test_without_any_sign_and_without_wake_ups_what_was_measured_is_judged() -> None:
    found = look(signs=dict.fromkeys(LIMITS) | dict.fromkeys(checkup().run.study.signs), failed=("notify",))  # type: ignore[union-attr]
    assert found.health.whole == "fit" and not found.remarks
    assert "wake.1ms" not in found.health.effects


def test_findings_stand_in_the_order_of_their_layers() -> None:
    found = look(
        machine=replace(VIRTUAL, governor="powersave"),
        signs={"smt_siblings": 2.0, "cpu_pressure": 0.5},
        throttled=0.2,
        stolen=0.1,
        clock=300.0,
    )
    layers = [layer for layer, _ in found.findings]
    assert layers == sorted(layers, key=[*BY_LAYER].index) and len({*layers}) == 5


def test_every_check_has_words_a_remedy_and_what_that_costs() -> None:
    for check in CHECKS_OF_HEALTH:
        words = sentences().findings[check.code]
        assert words.brief and words.means and words.remedy and words.costs, check.code


def test_a_throttled_machine_is_not_said_to_have_neighbours() -> None:
    found = look(throttled=0.4, caused={"scheduler-delay": {50_000_000: 1}}, gaps={})
    assert "throttled" in codes(found) and "busy-neighbours" not in codes(found)


def test_lateness_is_told_with_and_without_its_cause() -> None:
    found = look(caused={"preempted": {3_000_000: 5}})
    ((_, finding),) = found.grave
    assert finding.code == "busy-neighbours"
    late, counted = str(finding.facts["cause"]).split("; ")
    assert "late (p99.99)" in late and float(finding.facts["bare"]) < 10_000
    assert counted == "by the kernel's count other programs used 0.00% of the CPU time"


@pytest.mark.parametrize(
    ("awake_ns", "said"),
    [
        (140_000.0, "the CPU kept awake): the scheduler, the kernel or a tracer takes the time, and no sleeping CPU."),
        (None, " (not measured with the CPU kept awake): whether a sleeping CPU takes the time is not known."),
    ],
)
def test_a_slow_wake_up_is_no_sleeping_cpus_only_where_that_was_measured(awake_ns: float | None, said: str) -> None:
    found = look(wakes={"30ms": (150_000.0, awake_ns)})
    ((_, finding),) = found.grave
    assert finding.code == "slow-wake-up"
    check = next(one for one in CHECKS_OF_HEALTH if one.code == finding.code)
    assert meaning(check, finding).endswith(said)
