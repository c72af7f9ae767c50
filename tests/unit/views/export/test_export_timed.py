"""What was timed, for HdrHistogram's own tools. Its Java reader reads tests/golden/run.hlog in the Java tests."""

from hdrh.histogram import HdrHistogram
from msgspec.structs import replace

from tests.conftest import make_distribution
from tests.golden.fixture import CAS, DECLARED, MOVED, MUTEX, OBSERVATIONS, PAUSING, ROW, RUN, STATES
from threadping.views.export import export, trials
from threadping.views.export.as_hlog import tag
from threadping.views.export.timed import histogram

ONE_WAY = make_distribution((1, 2_047, 5_000, 3_600_000_000_000), (3, 2, 1, 1), 4)


def decoded(line: str) -> HdrHistogram:
    return HdrHistogram.decode(line.rpartition(",")[2])


def test_no_value_is_lost_and_none_is_moved_by_more_than_a_thousandth() -> None:
    found = histogram([ONE_WAY, ONE_WAY])
    assert found.get_total_count() == 14
    assert [found.get_count_at_value(value) for value in ONE_WAY.values] == [6, 4, 2, 2]
    assert [found.get_lowest_equivalent_value(value) for value in (2_047, 5_003)] == [2_047, 5_000]


def test_a_distribution_says_what_it_is_of_and_round_trips_are_halved() -> None:
    about, _, head, columns, _, *body = export("hgrm", RUN, [ROW[CAS]], OBSERVATIONS, DECLARED).splitlines()
    assert about == "#[threadping 0.1.0, run 7 of bench-7, 2026-03-01T09:30:00+00:00]"
    assert head == (
        "#[signal cas-one-line cpp same-l3: single round trips, each divided by 2, nanoseconds, 6 trials added up, 0 "
        "censored]"
    )
    assert columns.split() == ["Value", "Percentile", "TotalCount", "1/(1-Percentile)"]
    assert {("98.500", "59400"), ("1204.500", "59940")} <= {(line.split()[0], line.split()[2]) for line in body[:-3]}
    assert body[-2].split("=")[-1].strip(" ]") == "60000.000"


def test_an_interval_is_a_trial_with_its_time_and_its_case() -> None:
    seen = [replace(one, distributions={"latency_ns": ONE_WAY}) for one in OBSERVATIONS]
    *head, first, second = export(
        "hlog", RUN, [replace(ROW[CAS], counted=ROW[CAS].counted[:1])], seen, DECLARED
    ).splitlines()
    assert head[2:] == [
        "#[Histogram log format version 1.3]",
        '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
    ]
    assert first == "#[4 durations censored in the next interval]"
    assert second.startswith("Tag=signal/cas-one-line/cpp/same-l3/latency_ns,1772357401.000,0.612,36")
    assert decoded(second).equals(histogram([ONE_WAY]))


def test_states_are_told_apart_and_so_are_trials() -> None:
    states = [row for row in MOVED if row.case == PAUSING]
    text = export("hgrm", RUN, states, OBSERVATIONS, DECLARED, STATES)
    assert [" 26.2 ns apart:" in text, " 128 ns apart:" in text, text.count("3 trials added up")] == [True, True, 2]
    mutex = [one for one in OBSERVATIONS if one.case == MUTEX[8]]
    text = trials("hgrm", RUN, mutex, DECLARED)
    assert text.count("1 trial added up") == len(mutex) == 6
    assert "lock mutex cpp 8 threads same-l3 round 3: timed operations, nanoseconds" in text


def test_a_failed_case_has_no_distribution() -> None:
    without = [row for row in ROW.values() if not row.figures]
    assert len(export("hgrm", RUN, without, OBSERVATIONS, DECLARED).splitlines()) == 1


def test_a_tag_holds_no_comma_and_no_blank() -> None:
    assert tag("lock ring size=4,8 java-17 -XX:+A\tb") == "lock/ring/size=4/8/java-17/-XX:+A/b"
