"""Which comparisons of one thread's lock a set of subjects allows, and what they ask."""

import pytest

from benchmarks.lock.benchmark import LOCK
from benchmarks.lock.questions import JMH, Group, questions
from benchmarks.ratios import Interval, judge
from benchmarks.records import Figures, Subject
from benchmarks.report import answers_of, as_markdown
from tests.unit.benchmarks.examples import probe, processes, session

BARE = Subject("bare", "cpp", "mutex", 1)
BY_JMH = Subject(JMH, "java-17", "reentrant-lock", 1)
OURS = [probe("mutex"), probe("mutex", lines=8), probe("reentrant-lock", "java-17")]


def test_each_is_compared_with_the_probe_of_its_runtime_on_one_lock() -> None:
    asked = questions([BARE, BY_JMH, *OURS, probe("reentrant-lock", "java-25")], [Group.JMH, Group.BARE]).asked
    assert [(one.title, one.ours, one.theirs, one.limit.words if one.limit else None) for one in asked] == [
        ("cpp mutex / bare", OURS[0], BARE, "within 3%"),
        ("java-17 reentrant-lock / JMH", OURS[2], BY_JMH, "within 5%"),
    ]


@pytest.mark.parametrize(("ratio", "met"), [(1.029, "yes"), (0.971, "yes"), (1.031, "no"), (0.969, "no")])
def test_faster_than_a_bare_loop_by_more_than_the_limit_is_as_wrong_as_slower(ratio: float, met: str) -> None:
    (question,) = questions([BARE, OURS[0]], [Group.BARE]).asked
    assert question.limit is not None
    assert judge(Interval(ratio, ratio, ratio), question.limit, 10) == met


def test_several_locks_stand_beside_the_same_without_a_limit() -> None:
    (question,) = questions([BARE, *OURS], [Group.LINES]).asked
    assert (question.title, question.ours, question.theirs) == ("cpp mutex, 8 locks / bare", OURS[1], BARE)
    assert question.limit is None


def test_what_the_probe_cannot_do_is_left_out_with_a_sentence_and_not_measured() -> None:
    found = questions([BARE, BY_JMH, *OURS[:2]], [*Group])
    assert found.left_out == ("java-17 reentrant-lock / JMH: the probe has no such mechanism here.",)
    assert found.subjects == {BARE, *OURS[:2]}


def test_the_report_names_the_cpu_and_holds_means_beside_median_windows() -> None:
    measured = session(*processes(OURS[0], [Figures(5.1, 5.0)] * 8), *processes(BARE, [5.0] * 8))
    lines = as_markdown(LOCK, measured, answers_of(LOCK, measured, [*Group])).splitlines()
    assert "| ours / theirs | theirs | ours | processes | ratio | by median window | limit | met |" in lines
    assert (
        "| cpp mutex / bare | 5.00 (5.00 to 5.00) | 5.10 (5.10 to 5.10) | 8 | 1.020 [1.020, 1.020] "
        "| 1.000 [1.000, 1.000] | within 3% | yes |" in lines
    )
