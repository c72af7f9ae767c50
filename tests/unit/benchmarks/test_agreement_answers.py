"""Answers to the nanosecond, from processes with exact figures."""

import pytest

from benchmarks.agreement.answers import answer
from benchmarks.agreement.questions import Group, questions
from benchmarks.answers import Answer
from benchmarks.records import Figures, Measurement, Subject
from tests.unit.benchmarks.examples import BARE, PEER, probe, processes


def the_answer(group: Group, subjects: list[Subject], measurements: list[Measurement]) -> Answer:
    (question,) = questions(subjects, [group]).asked
    return answer(question, measurements, seed=1)


def test_others_print_a_mean_so_our_mean_is_compared_and_our_median_block_stands_beside_it() -> None:
    ours = probe("cas-one-line")
    disturbed = Figures(mean=90.0, median_block=61.2, single_p50=70.0)
    found = the_answer(Group.PEERS, [PEER, ours], processes(ours, [disturbed] * 8) + processes(PEER, [60.0] * 8))
    assert found.ours is not None and found.ours.median == 90.0
    assert found.theirs is not None and found.theirs.median == 60.0
    assert found.ratio is not None and found.ratio.value == 1.5
    assert found.by_median_block is not None and found.by_median_block.value == pytest.approx(1.02)
    assert found.met == "no"


def test_both_sides_need_processes_enough_for_an_answer() -> None:
    ours = processes(probe("cas-one-line"), [Figures(60.0, 60.0)] * 20)
    found = the_answer(Group.PEERS, [PEER, probe("cas-one-line")], ours + processes(PEER, [60.0] * 5))
    assert found.met == "cannot tell"


def test_languages_are_compared_by_the_mean_that_our_tables_show() -> None:
    java, cpp = probe("add-one-line", "java-17", 256), probe("add-one-line", lines=256)
    measurements = processes(java, [Figures(500.0, 66.0)] * 8) + processes(cpp, [Figures(900.0, 60.0)] * 8)
    found = the_answer(Group.LANGUAGES, [java, cpp], measurements)
    assert found.ratio is not None and found.ratio.value == pytest.approx(1.1)
    assert (found.by_median_block, found.limit, found.met) == (None, None, None)


@pytest.mark.parametrize(("single_p50", "met"), [(61.7, "yes"), (61.9, "no")])
def test_a_single_trip_may_exceed_the_block_by_three_percent(single_p50: float, met: str) -> None:
    ours = probe("add-one-line", lines=256)
    figures = Figures(mean=80.0, median_block=60.0, single_p50=single_p50)
    found = the_answer(Group.SINGLES, [ours], processes(ours, [figures] * 8))  # 60 + 1.8
    assert found.met == met


def test_singles_are_compared_within_their_process() -> None:
    ours = probe("add-one-line", lines=256)
    near = Figures(mean=0.0, median_block=30.0, single_p50=30.3)
    far = Figures(mean=0.0, median_block=130.0, single_p50=131.3)
    found = the_answer(Group.SINGLES, [ours], processes(ours, [near, far] * 4))
    assert found.ratio is not None
    assert found.ratio.low == pytest.approx(30.3 / 30)
    assert found.ratio.high == pytest.approx(131.3 / 130)


def test_a_side_without_a_figure_has_no_answer() -> None:
    failed = Measurement(0, BARE, None, "It failed.")
    found = the_answer(
        Group.BARE, [BARE, probe("add-one-line")], [failed, *processes(probe("add-one-line"), [Figures(60.0, 60.0)])]
    )
    assert (found.theirs, found.ratio, found.by_median_block, found.met) == (None, None, None, "cannot tell")
    assert found.ours is not None and found.ours.processes == 1
