"""Published figures beside those of a run: ours with its interval and state, or the reason why there is none."""

import pytest
from msgspec.structs import replace

from tests.unit.published.examples import STEADY, distribution, measured
from threadping.model import Failure, Interval, Skipped, State
from threadping.published.catalogue import Repetition, repetition
from threadping.published.comparison import LAYER, NOT_CARRIED, Compared, Measured, compare
from threadping.published.records import Published, figures

NOTHING = measured({})


def published(experiment: str, **words: object) -> Published:
    """The first figure with these words."""
    of_it = (one for one in figures() if one.experiment == experiment)
    return next(one for one in of_it if all(getattr(one, name) == word for name, word in words.items()))


JAVA = published("inter-thread-latency", runtime="Java, JDK 1.7.0")
LOCKED = published("lock-contention", threads=8)
CALLED = published("notify-cost", os="Linux", threads=32, metric="notify call p99.9")
LONGEST = published("notify-cost", os="Linux", threads=32, metric="notify call max")


def repeats(one: Published) -> Repetition:
    found = repetition(one)
    assert isinstance(found, Repetition)
    return found


def compared(one: Published, found: Measured) -> Compared:
    (told,) = compare([one], found)
    assert told.published == one
    assert bool(told.ours) != bool(told.reason)
    return told


def test_every_figure_has_ours_or_a_reason_in_any_run() -> None:
    planted = {found: 100.0 for one in figures() if isinstance(found := repetition(one), Repetition)}
    for run in (NOTHING, measured(planted)):  # on a machine with one node and without siblings
        told = compare(figures(), run)
        assert len(told) == 117
        assert all(bool(one.ours) != bool(one.reason) for one in told)


def test_ours_is_the_median_trial_with_its_interval_and_the_ratio() -> None:
    (ours,) = (told := compared(JAVA, measured({repeats(JAVA): 60.0}))).ours
    assert ours.value == pytest.approx(60.0)
    assert ours.interval is not None
    assert ours.interval.range == pytest.approx((60 * min(STEADY), 60 * max(STEADY)))
    assert ours.interval.ci95 is not None
    assert told.ratio(ours) == pytest.approx(60 / 50)
    assert told.ratio(replace(ours, value=0)) == 0
    assert replace(told, published=replace(JAVA, value=0)).ratio(ours) is None


def test_what_a_row_has_an_interval_of_is_taken_from_it() -> None:
    found = measured({repeats(LOCKED): 7e6})
    (ours,) = compared(LOCKED, found).ours
    assert ours.interval == found.rows[0].intervals["ops_per_s"]


def test_a_percentile_has_a_range_if_every_trial_tells_it_by_itself() -> None:
    found = measured({repeats(CALLED): [3_000.0, 3_000.0, 4_000.0, 3_500.0, 3_200.0, 3_100.0]})
    for one in (CALLED, LONGEST):
        (ours,) = compared(one, found).ours
        assert ours.interval == Interval((3_000.0, 4_000.0))
    few = replace(found.observations[0], distributions={"latency_ns": distribution((3_000, 2_000))})
    told = replace(found, observations=[few, *found.observations[1:]])
    assert [ours.interval for ours in compared(CALLED, told).ours] == [None]


def test_in_several_states_that_of_most_trials_comes_first() -> None:
    found = measured({repeats(JAVA): 60.0})
    near, far = (State((0, 1), ns, (ns, ns), share, 12) for ns, share in ((27.0, 0.3), (128.0, 0.7)))
    (row,) = found.rows
    rows = [replace(row, trials=4, states=(near,)), replace(row, trials=9, states=(far,))]
    assert [ours.row.apart_ns for ours in compared(JAVA, replace(found, rows=rows)).ours] == [128.0, 27.0]


def test_over_as_many_lines_as_published_or_else_over_others() -> None:
    whole = replace(repeats(JAVA), lines=None)
    (ours,) = compared(JAVA, measured({whole: 62.0})).ours
    assert ours.row.case.lines == 256
    (ours,) = compared(JAVA, measured({whole: 62.0, repeats(JAVA): 60.0})).ours
    assert ours.row.case.lines == 1
    assert ours.value == pytest.approx(60.0)


def test_why_a_run_has_no_figure_of_it() -> None:
    assert compared(JAVA, NOTHING).reason == "run 7 has no such case; `threadping published` measures it"
    failed = measured({repeats(JAVA): Failure("crashed", "It crashed.")})
    assert "1 of 1 trials failed, the first so (crashed): It crashed." in (compared(JAVA, failed).reason or "")
    ended = measured({repeats(JAVA): ()})
    assert compared(JAVA, ended).reason == "The run ended before this case was measured."
    own, left_out = (
        Skipped(repeats(JAVA).title, "no JVM was found"),
        Skipped(f"3 cases of {LAYER}", "--budget 5m has room"),
    )
    skipping = replace(NOTHING, run=replace(NOTHING.run, skipped=(left_out, own)))
    assert compared(JAVA, skipping).reason == "no JVM was found"
    assert compared(LOCKED, skipping).reason == "--budget 5m has room"
    foreign = published("notify-cost", os="Windows")
    assert compared(foreign, skipping).reason == "measured on Windows; this is Linux"


def test_what_the_samples_do_not_carry_is_said() -> None:
    found = measured({repeats(CALLED): 3_000.0})
    (row,) = found.rows
    kept = {name: value for name, value in row.figures.items() if name != "latency_ns.p99.9"}
    assert compared(CALLED, replace(found, rows=[replace(row, figures=kept)])).reason == NOT_CARRIED
