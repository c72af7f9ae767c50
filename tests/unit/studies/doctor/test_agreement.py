"""Check-ups in a row of a simulated machine that stalls, in bursts or not, and does not change."""

import random
from bisect import bisect
from collections import Counter
from itertools import product

import pytest
from msgspec.structs import replace

from tests.unit.studies.doctor.examples import AT_ONCE, checkup, figures_of, gaps_case
from threadping.analysis.answer import Observed
from threadping.analysis.health import HealthVerdict
from threadping.model.run import Observation
from threadping.studies.doctor.output import DoctorResult, read_checkup
from threadping.studies.doctor.study import OF_FEW_S

PLANNED = 7  # rounds
QUIET = checkup(rows=False)
WAKES = tuple(Observed(one) for one in QUIET.observations if one.case.experiment == "wakeup")
ROUND_S, BETWEEN_S, WATCHED_S = 1.75, 2.0, 0.9 * OF_FEW_S / 2
STALL_NS = 15_000_000  # beyond the limits of lateness, of lost time and of the rate of stalls


class StallingMachine:
    """Two CPUs with a rate of stalls each, in bursts of a mean number of stalls and a length in seconds."""

    def __init__(self, seed: int, rate: float, burst: int, lasts_s: float) -> None:
        self._chance, self._now, end_s = random.Random(seed), 0.0, 10 * (4 * PLANNED * ROUND_S + BETWEEN_S)
        begin, stalls = -lasts_s, list[float]()
        while (begin := begin + self._chance.expovariate(2 * rate / burst)) < end_s:
            stalls += (begin + lasts_s * self._chance.random() for _ in range(self._chance.randint(1, 2 * burst - 1)))
        self._stalls = sorted(stalls)

    def check_up(self, rounds: int = PLANNED) -> DoctorResult:
        trials = []
        for number in range(1, rounds + 1):
            at = self._now + self._chance.random() * (ROUND_S - WATCHED_S)
            stalls = bisect(self._stalls, at + WATCHED_S) - bisect(self._stalls, at)
            trials.append(Observed(self._trial(number, stalls)))
            self._now += ROUND_S
        self._now += BETWEEN_S
        run = replace(QUIET.run, rounds=rounds)
        return read_checkup(replace(QUIET, run=run, trials=(*trials, *WAKES)))

    def _trial(self, number: int, stalls: int) -> Observation:
        every = {2_000: 60, STALL_NS: stalls} if stalls else {2_000: 60}
        return Observation(number, number, gaps_case(AT_ONCE), None, 400_000_000, *figures_of(every, 2e9 * WATCHED_S))


def test_ten_check_ups_of_one_machine_are_not_fit_and_unfit() -> None:
    """Of machines close to the limit, where most doubts are."""
    torn = []
    for (burst, lasts_s), rate, seed in product([(1, 0.0), (10, 0.1), (10, 1.0)], [0.3, 1.0, 3.0], range(3)):
        machine = StallingMachine(seed, rate, burst, lasts_s)
        if {"fit", "unfit"} <= {machine.check_up().health.whole for _ in range(10)}:
            torn.append((burst, lasts_s, rate, seed))
    assert not torn


@pytest.mark.parametrize(("rate", "verdict"), [(0.003, "fit"), (10.0, "unfit")])
def test_far_from_the_limit_of_one_stall_a_second_a_check_up_decides(rate: float, verdict: HealthVerdict) -> None:
    machines = (StallingMachine(seed, rate, 1, 0.0) for seed in range(15))
    assert Counter(one.check_up().health.whole for one in machines)[verdict] >= 14


@pytest.mark.parametrize("rate", [0.1, 3.0])
def test_what_is_proposed_decides_most_doubts(rate: float) -> None:
    decided = []
    for seed in range(40):
        machine = StallingMachine(seed, rate, 1, 0.0)
        found = machine.check_up()
        if found.deciding_s:
            longer = machine.check_up(round(found.health.times_longer * PLANNED))
            decided.append(longer.health.whole != "doubt")
    assert len(decided) >= 5 and sum(decided) >= 0.7 * len(decided)
