"""What a check-up says of a machine on which other programs run, over simulated check-ups.

1,000 check-ups at each load and in each state were simulated before; these are as many as a test may take.
"""

from itertools import pairwise

import pytest

from tests.unit.studies.doctor.examples import codes
from tests.unit.studies.doctor.loaded import STATES, LoadedMachine, check_up
from threadping.analysis.health.health import HEALTH_VERDICTS, LIMITS
from threadping.studies.doctor.output import sentence
from threadping.studies.doctor.reading import Examined

LOADS = (0.0, 0.1, 0.5, 1.0, 2.0)
"""Busy loops on two CPUs."""

MACHINES = 30
IDLE = {"idle-states", "idle-halt"}


@pytest.fixture(scope="module")
def found() -> dict[str, list[list[Examined]]]:
    """Of each state and each machine the check-ups under each load."""
    return {
        name: [[check_up(LoadedMachine(load, seed, **state)) for load in LOADS] for seed in range(MACHINES)]
        for name, state in STATES.items()
    }


Found = dict[str, list[list[Examined]]]


def test_more_load_never_makes_the_verdict_milder(found: Found) -> None:
    steps = [step for machines in found.values() for machine in machines for step in pairwise(machine)]
    milder = [step for step in steps if gravity(step[0]) > gravity(step[1])]
    assert len(milder) <= 0.01 * len(steps)
    whole = {one.health.whole for machines in found.values() for machine in machines for one in machine[2:]}
    assert whole == {"unfit"}, "half a busy loop and more"


def gravity(found: Examined) -> int:
    return HEALTH_VERDICTS.index(found.health.whole)


def test_a_busy_machine_is_unfit_by_what_the_kernel_counts_alone(found: Found) -> None:
    for machines in found.values():
        for *_, half, one, two in machines:
            shares = [each.health.effects["others"].now.ends for each in (half, one, two)]
            assert all(low > LIMITS["latency"]["others"] for low, _ in shares)
            assert all(before < after for (_, before), (after, _) in pairwise(shares))
            assert all("busy-neighbours" in codes(each, "error") for each in (half, one, two))
            assert two.rounds == (3, 5), "two rounds fell away"


def test_a_sleeping_cpu_is_blamed_only_where_it_takes_the_time(found: Found) -> None:
    others = [one for name in {*found} - IDLE for machine in found[name] for one in machine]
    assert sum(bool(IDLE & {*codes(one)}) for one in others) <= 0.01 * len(others)
    busy = [one for name in IDLE for machine in found[name] for one in machine[2:]]
    assert not any(IDLE & {*codes(one)} for one in busy), "next to other programs nobody knows"


@pytest.mark.parametrize("code", ["unexplained-gaps", "slow-wake-up"])
def test_what_others_do_is_not_blamed_on_the_machine(code: str, found: Found) -> None:
    every = [one for name in {*found} - {"stalls"} for machine in found[name] for one in machine]
    assert sum(code in codes(one) for one in every) <= 0.01 * len(every)


@pytest.mark.parametrize("name", ["idle-states", "idle-halt", "stolen", "quota"])
def test_what_a_quiet_machine_has_is_found(name: str, found: Found) -> None:
    expected = {"stolen": "stolen-time", "quota": "throttled"}.get(name, name)
    assert all(codes(quiet, "error") == [expected] for quiet, *_ in found[name])


@pytest.mark.parametrize("name", ["quiet", "stalls"])
def test_two_check_ups_of_a_quiet_machine_do_not_say_fit_and_unfit(name: str, found: Found) -> None:
    said = [quiet.health.whole for quiet, *_ in found[name]]
    assert not any({*two} == {"fit", "unfit"} for two in zip(said[::2], said[1::2], strict=True))


@pytest.mark.parametrize("load", [0.0, 0.1, 1.0])
def test_the_ends_of_the_count_hold_what_others_took(load: float) -> None:
    held = []
    for seed in range(100):
        machine = LoadedMachine(load, seed)
        low, high = check_up(machine).health.effects["others"].now.ends
        held.append(low <= machine.taken_s[0] / machine.taken_s[1] <= high)
    assert sum(held) >= 90


def test_three_rounds_may_take_twice_the_budget_and_no_more() -> None:
    three, two = (check_up(LoadedMachine(0.0, 1, slow=slow)) for slow in (2.5, 5.0))
    assert (three.rounds, sentence(three)) == ((3, 5), "Fit for latency.")
    assert (two.rounds, sentence(two)) == ((2, 5), "In doubt for latency: only 2 of 5 rounds measured.")
