"""threadping is called true where it is, and off where its clock is wrong, whatever the machine does meanwhile."""

import pytest

from tests.conftest import make_distribution
from tests.unit.output.printing import printed
from tests.unit.studies.doctor.self_test_examples import ANSWER, checked, moving
from threadping.conduct.presenting import Output
from threadping.output.layout import Blocks
from threadping.studies.doctor import self_test

RUNS = 30


def parts(**planted: object) -> dict[str, self_test.JudgedPart]:
    answer = checked(**planted, rows=False)  # type: ignore[arg-type]
    return {one.name: one for one in self_test.STUDY.read(answer, None)}


def test_a_true_clock_is_called_true_in_99_of_100_runs_and_never_off() -> None:
    found = [self_test.whole_verdict([*parts(seed=seed).values()]) for seed in range(RUNS)]
    assert found.count("true") >= RUNS - 1 and "off" not in found


def test_blocked_threads_have_a_wider_limit_and_cpus_that_are_moved_in_some_blocks_change_no_slope() -> None:
    found = parts(slope=1.03)
    assert (found["blocking"].verdict, found["spinning"].verdict) == ("true", "off")
    assert parts(slope=1.15)["blocking"].verdict == "off"
    assert parts(moved=(2, 3, 7))["spinning"].verdict == "true"


@pytest.mark.parametrize("slope", [1.03, 0.97])
def test_a_clock_that_is_3_percent_wrong_fails_it_every_time(slope: float) -> None:
    for seed in range(RUNS // 3):
        found = parts(slope=slope, seed=seed)
        assert found["spinning"].verdict == "off" == self_test.whole_verdict([*found.values()])
        assert found["spinning"].value and found["spinning"].value.value == pytest.approx(slope, abs=0.01)


def test_on_a_machine_that_moves_a_slope_is_of_trials_in_one_state() -> None:
    for slope, verdict in ((1.0, "true"), (1.03, "off"), (0.97, "off")):
        spinning, *_ = self_test.STUDY.read(moving(slope), None)
        assert (spinning.verdict, spinning.moves) == (verdict, 9)
        assert spinning.value and spinning.value.value == pytest.approx(slope, abs=0.005)
    found = self_test.STUDY.read(moving(always=True), None)
    said = "? Self-test: cannot tell (spinning); the machine moved 9 times meanwhile."
    assert (self_test.sentence_of(found), found[1].verdict, found[1].moves) == (said, "true", 0)


def test_one_stall_that_is_not_counted_fails_it() -> None:
    assert parts()["stalls"].verdict == "true"
    found = parts(lost=1)["stalls"]
    assert found.verdict == "off" and found.planted == 800
    assert found.value and found.value.value == pytest.approx(799 / 800)


def test_with_few_blocks_or_much_noise_it_cannot_tell() -> None:
    assert parts(blocks=3)["spinning"].verdict == "cannot tell"
    noisy = [parts(noise=2.0, seed=seed)["spinning"].verdict for seed in range(20)]
    assert "cannot tell" in noisy and noisy.count("off") <= 2


def test_exit_codes_and_sentences() -> None:
    true, off = self_test.STUDY.read(ANSWER, None), self_test.STUDY.read(checked(slope=1.03), None)
    open_ = self_test.STUDY.read(checked(blocks=3), None)
    assert [self_test.STUDY.exit_code(one, Output()) for one in (true, off, open_)] == [0, 3, 0]
    assert [self_test.STUDY.exit_code(one, Output(strict=True)) for one in (true, off, open_)] == [0, 3, 4]
    assert "threadping measures correctly" in self_test.sentence_of(true)
    assert "threadping measures incorrectly: do not trust its results (spinning)." in self_test.sentence_of(off)
    shown = printed(Blocks.of(*self_test.STUDY.blocks(ANSWER, true)), 80)
    assert "spinning" in shown and "800" in shown


def test_a_slope_is_that_of_most_of_the_weight_of_pairs_in_one_state_that_are_far_apart() -> None:
    assert self_test.slope_of([(0, 60), (1_600, 1_660)], [(200, 410), (800, 1_010)]) == 1.0
    assert self_test.slope_of([(0, 60), (200, 260)], [(1_600, 1_810)]) is None
    assert self_test.slope_of([(0, 60), (50, 110), (100, 160), (400, 460)]) == 1.0
    assert self_test.slope_of([(0, 60), (50, 110), (100, 900), (200, 260), (400, 460)]) == 1.0
    assert self_test.slope_of([(0, 60), (0, 61)]) is None
    assert self_test.slope_of([(0, 0), (1, 9)], [(0, 0), (5, 10)], [(0, 0), (1, 1)]) == 2.0


def test_a_stall_is_distinguished_from_a_shorter_one_and_a_trial_stopped_for_longer_does_not_count() -> None:
    trips = ((60, 50_000, 299_000, 310_000), (900, 3, 2, 5))
    assert self_test.stalls_seen(make_distribution(*trips), self_test.STALL_NS) == 7
    stopped = make_distribution((*trips[0], 3_500_000), (*trips[1], 1))
    assert self_test.stalls_seen(stopped, self_test.STALL_NS) is None
