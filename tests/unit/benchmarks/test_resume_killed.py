"""What the benchmark of `resume` counts, of trials that are planted."""

from math import log

import pytest
from msgspec.structs import replace

from benchmarks.resume.killed import (
    Killed,
    chance,
    headlines,
    in_same_order,
    log_ratios,
    lost,
    measured_twice,
    missing,
    overlaps,
)
from tests.golden.fixture import ANSWER, CAS
from tests.unit.store.examples import a_case, a_trial

TRIALS = [a_trial(position=place, round=place // 2, case=a_case(lines=1 + place % 2)) for place in range(6)]


def test_trials_that_are_gone_or_other_than_they_were_are_lost() -> None:
    assert lost(TRIALS[:4], TRIALS) == 0
    assert lost(TRIALS, TRIALS[:4]) == 2
    assert lost(TRIALS[:2], [TRIALS[0], replace(TRIALS[1], wall_ns=5)]) == 1


def test_a_case_is_measured_once_in_a_round_and_twice_on_each_side_of_a_block() -> None:
    assert measured_twice(TRIALS) == 0
    assert measured_twice([*TRIALS, replace(TRIALS[0], position=6)]) == 1
    block = [replace(one, side=side, round=0) for one in TRIALS[:1] for side in ("a", "b", "b", "a")]
    assert (measured_twice(block), measured_twice([*block, block[0]])) == (0, 1)


def test_gaps_and_orders() -> None:
    assert (missing(TRIALS), missing(TRIALS[:2] + TRIALS[3:]), missing([])) == (0, 1, 0)
    assert in_same_order(TRIALS, TRIALS[:3]) and not in_same_order(TRIALS, TRIALS[1:])


def killed(whole: tuple[float, float, float], resumed: tuple[float, float, float]) -> Killed:
    return Killed((1.0,), (2,), 6, 0, 0, 0, "complete", True, {"case": whole, "gone": whole}, {"case": resumed})


def test_headlines_ratios_and_overlaps() -> None:
    assert headlines(ANSWER)[CAS.title][0] > 0
    done = [killed((10, 9, 11), (11, 10.5, 12)), killed((10, 9, 11), (20, 19, 21)), killed((10, 10, 10), (10, 9, 11))]
    assert overlaps((one.whole, one.resumed) for one in done) == (1, 2)
    assert log_ratios(done) == {"case": pytest.approx([log(1.1), log(2), 0.0])}


def test_a_shift_is_no_chance_and_noise_is() -> None:
    assert chance([0.02 + 0.001 * place for place in range(12)]) < 0.001
    assert chance([0.02, -0.02] * 6) == 1.0
