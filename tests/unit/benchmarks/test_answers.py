"""Answers to the nanosecond, from processes with exact figures, and the report to the letter: what docs/ will show."""

import msgspec
import pytest
from msgspec.structs import replace

from benchmarks.agreement.questions import AGREEMENT, Group
from benchmarks.lock.questions import LOCK
from benchmarks.records import Figures, Measurement, Session
from benchmarks.report import answers_of, as_json, as_markdown, cells
from tests.unit.benchmarks.examples import BARE, BARE_MUTEX, PEER, probe, processes, session

OURS = probe("cas-one-line")
POOL = probe("add-one-line", lines=256)
PEERS = "cpp cas-one-line / core-to-core-latency bench 1"
SESSION = session(
    *processes(OURS, [Figures(63.0, 62.4)] * 8),
    *processes(PEER, [60.0] * 7),
    Measurement(7, PEER, None, "It failed."),
    Measurement(8, PEER, None, "It failed again."),
    left_out=("The bare Java program: 'javac' cannot be started.",),
)


def shown(group: Group, *measurements: Measurement) -> tuple[str, ...]:
    """The one answer of this group."""
    (found,) = answers_of(AGREEMENT, session(*measurements), [group])
    return cells(found)


def test_others_print_a_mean_so_our_mean_is_compared_and_our_median_block_stands_beside_it() -> None:
    disturbed = Figures(mean=90.0, median_block=61.2, single_p50=70.0)
    found = shown(Group.PEERS, *processes(OURS, [disturbed] * 8), *processes(PEER, [60.0] * 8))
    ratios = ("1.500 [1.500, 1.500]", "1.020 [1.020, 1.020]")
    assert found == (PEERS, "60.0 (60.0 to 60.0)", "90.0 (90.0 to 90.0)", "8", *ratios, "within 5%", "no")


def test_paired_the_ratio_is_of_rounds_whatever_the_machine_did_from_one_to_the_next() -> None:
    states = [28.0, 120.0, 29.0, 125.0, 30.0, 31.0, 118.0, 27.0]
    measured = (*processes(OURS, [one * 1.01 for one in states]), *processes(PEER, states))
    for paired, ratio in ((True, "1.010 [1.010, 1.010]"), (False, "1.010 [0.261, 3.909]")):
        (found,) = answers_of(AGREEMENT, replace(session(*measured), paired=paired), [Group.PEERS])
        assert cells(found)[4] == ratio


def test_both_sides_need_processes_enough_for_an_answer() -> None:
    found = shown(Group.PEERS, *processes(OURS, [Figures(60.0, 60.0)] * 20), *processes(PEER, [60.0] * 5))
    assert found[-1] == "cannot tell"


def test_languages_are_compared_by_the_mean_that_our_tables_show() -> None:
    java = processes(probe("add-one-line", "java-17", 256), [Figures(500.0, 66.0)] * 8)
    found = shown(Group.LANGUAGES, *java, *processes(POOL, [Figures(900.0, 60.0)] * 8))
    assert found[4:] == ("1.100 [1.100, 1.100]", "-", "-", "-")


@pytest.mark.parametrize(("ours", "met"), [(62.9, "yes"), (63.1, "no"), (57.1, "yes"), (56.9, "no"), (45.0, "no")])
def test_a_loop_may_be_neither_slower_nor_quicker_than_a_bare_one_by_five_percent(ours: float, met: str) -> None:
    assert shown(Group.BARE, *processes(POOL, [ours] * 8), *processes(BARE, [60.0] * 8))[-1] == met


def test_singles_are_compared_within_their_process_where_it_has_both() -> None:
    without = Figures(mean=0.0, median_block=500.0)
    near = Figures(mean=0.0, median_block=30.0, single_p50=30.3)
    far = Figures(mean=0.0, median_block=130.0, single_p50=131.3)
    found = shown(Group.SINGLES, *processes(POOL, [without, *[near, far] * 4]))
    assert found[1:5] == ("80.0 (30.0 to 130.0)", "80.8 (30.3 to 131.3)", "8", "1.010 [1.010, 1.010]")


def test_a_side_without_a_figure_has_no_answer() -> None:
    ours = processes(POOL, [Figures(60.0, 60.0)])
    found = shown(Group.BARE, Measurement(0, BARE, None, "It failed."), *ours)
    assert found[1:6] == ("-", "60.0 (60.0 to 60.0)", "1", "-", "-")
    assert found[-1] == "cannot tell"


def test_markdown_holds_every_answer_and_what_is_missing() -> None:
    lines = as_markdown(AGREEMENT, SESSION, answers_of(AGREEMENT, SESSION, [*Group])).splitlines()
    assert lines[0] == "2026-01-02T03:04:05+00:00, a CPU, CPUs 0 and 1 (same-l3). cpp: g++ 1 -O3."
    assert lines[-4:] == [
        f"| {PEERS} | 60.0 (60.0 to 60.0) | 63.0 (63.0 to 63.0) | 7 and 8 "
        "| 1.050 [1.050, 1.050] | 1.040 [1.040, 1.040] | within 5% | yes |",
        "",
        "- The bare Java program: 'javac' cannot be started.",
        "- core-to-core-latency rust cas-one-line: 2 of 9 processes failed. The first: It failed.",
    ]


def test_the_report_of_locks_holds_means_beside_median_windows() -> None:
    measured = session(*processes(probe("mutex"), [Figures(5.1, 5.0)] * 8), *processes(BARE_MUTEX, [5.0] * 8))
    assert as_markdown(LOCK, measured, answers_of(LOCK, measured, LOCK.headings)).splitlines()[-3:] == [
        "| ours / theirs | theirs | ours | processes | ratio | by median window | limit | met |",
        "| --- | ---: | ---: | ---: | ---: | ---: | --- | --- |",
        "| cpp mutex / bare | 5.00 (5.00 to 5.00) | 5.10 (5.10 to 5.10) | 8 | 1.020 [1.020, 1.020] "
        "| 1.000 [1.000, 1.000] | within 3% | yes |",
    ]


def test_json_holds_the_whole_session() -> None:
    whole = msgspec.json.decode(as_json(SESSION, answers_of(AGREEMENT, SESSION, [*Group])))
    assert msgspec.convert(whole["session"], Session) == SESSION
    assert [one["met"] for one in whole["answers"]] == ["yes"]
