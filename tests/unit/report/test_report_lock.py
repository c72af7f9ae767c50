"""How `lock` is shown: the scaling table, the ladder, its trials."""

import re

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from tests.conftest import make_windows
from tests.golden.fixture import ROWS, RUN, TRIALS
from tests.golden.lock_fixture import (
    LOCK_CASES,
    LOCK_ROWS,
    LOCK_RUN,
    LOCK_TRIALS,
    make_lock_case,
    make_lock_row,
    make_lock_trial,
    wait,
)
from tests.unit.report.test_report_ladder import printed
from tests.unit.report.test_report_tables import flat
from threadping.contract import Distribution, Result
from threadping.model import Row, Sampling, WarmupPolicy
from threadping.report.announcement import announcement
from threadping.report.ladder import ladder, rungs
from threadping.report.lock.scaled import scaled
from threadping.report.lock.scaling import scaling_grid
from threadping.report.runs import trials_table

DASH = "\N{EN DASH}"


def shown(rows: tuple[Row, ...] = LOCK_ROWS, width: int = 160) -> str:
    return printed(ladder(LOCK_RUN, rows), width)


def scaling(rows: tuple[Row, ...] = LOCK_ROWS, width: int = 160) -> list[str]:
    return [flat(line) for line in printed(scaling_grid(rows), width).splitlines()]


def standing(row: Row, placement: str, *cpus: int | None, ops: float | None = None) -> Row:
    return replace(row, placement=placement, cpus=cpus, threads=len(cpus), ops_per_s=ops or row.ops_per_s)


ONE = LOCK_ROWS[0]


# ---- what belongs together ----


def test_a_line_goes_on_where_more_threads_need_cpus_further_apart() -> None:
    rows = [standing(ONE, "same-cpu", 1), standing(ONE, "same-l3", 1, 2), standing(ONE, "cross-node", 1, 2, 9)]
    (line,) = scaled(rows)
    assert line.standing == "same-l3 to cross-node"
    assert list(line.rows) == [1, 2, 3]


def test_placements_of_as_many_threads_are_lines_of_their_own_that_share_the_single_thread_on_their_cpus() -> None:
    alone = [standing(ONE, "same-cpu", 4), standing(ONE, "same-cpu", 1)]
    rows = [*alone, standing(ONE, "same-l3", 1, 2), standing(ONE, "cross-node", 4, 9)]
    near, far = scaled(rows)
    assert (near.standing, near.rows[1].cpus) == ("same-l3", (1,))
    assert (far.standing, far.rows[1].cpus) == ("cross-node", (4,))


def test_single_threads_by_themselves_are_told_apart_by_their_cpu() -> None:
    assert [line.standing for line in scaled([standing(ONE, "same-cpu", 1), standing(ONE, "same-cpu", 4)])] == [
        "same-cpu 1",
        "same-cpu 4",
    ]


def test_what_the_scheduler_places_is_another_line_and_so_is_what_is_varied_pinned_or_warmed_up_otherwise() -> None:
    others = (
        standing(ONE, "unpinned", None),
        replace(ONE, pin="process"),
        replace(ONE, params={"critical": 9}, varied=("critical",)),
        replace(ONE, warmup="1x500M"),
        replace(ONE, runtime="java-17"),
    )
    for other in others:
        assert len(scaled([ONE, other])) == 2


def test_what_has_its_cells_elsewhere_is_another_line() -> None:
    usual = LOCK_ROWS[4]
    lines = scaled([usual, replace(usual, home="node 1")])
    assert [line.standing for line in lines] == ["same-l3", "same-l3 home node 1"]


# ---- the scaling table ----


def test_a_line_a_mechanism_a_column_a_number_of_threads() -> None:
    assert scaling() == [
        "operations/s by number of threads",
        "mechanism runtime 1 2 8",
        "\N{BOX DRAWINGS LIGHT HORIZONTAL}" * 60,
        "fetch-add cpp 204 M 41.9 M 42.0 M",
        "mutex cpp 53.3 M 14.1 M 9.87 M",
        f"unprotected java-17 611 M 388 M {DASH}",
        f"reentrant-lock java-17 48.2 M 22.6 M {DASH}",
        f"ticket-lock cpp {DASH} {DASH} {DASH}",
    ]


def test_the_best_of_a_column_stands_out_but_not_one_that_loses_updates() -> None:
    coloured = printed(scaling_grid(LOCK_ROWS), colour=True)
    best = re.findall(r"\x1b\[1;32m([^\x1b]+)\x1b", coloured)
    assert best == ["204 M", "41.9 M", "42.0 M"]


def test_placement_and_warmup_are_told_where_they_differ() -> None:
    assert scaling((ONE, standing(ONE, "unpinned", None), replace(ONE, warmup="1x500M")))[1] == (
        "mechanism runtime placement warm-up 1"
    )


def test_counts_of_threads_that_do_not_fit_are_left_out_and_both_ends_stay() -> None:
    rows = tuple(replace(ONE, threads=2**power) for power in range(13))
    text = "\n".join(scaling(rows, 60))
    assert re.search(r"^1 4 .* 4096$", text, re.MULTILINE)
    assert "shows: 2 threads, 8 threads, 32 threads" in flat(text)
    assert text.count("53.3 M") == 7


# ---- the ladder ----


def test_threads_go_up_and_among_as_many_the_most_operations_come_first() -> None:
    order = [(rung.row.threads, rung.row.mechanism) for rung in rungs(tuple(reversed(LOCK_ROWS)))]
    assert order == [
        (1, "unprotected"),
        (1, "fetch-add"),
        (1, "mutex"),
        (1, "reentrant-lock"),
        (2, "unprotected"),
        (2, "fetch-add"),
        (2, "reentrant-lock"),
        (2, "mutex"),
        (8, "fetch-add"),
        (8, "mutex"),
        (8, "ticket-lock"),
    ]
    assert re.search(r"\n 4    reentrant.*\n\n 5    unprotected", shown())


def test_every_figure_is_there() -> None:
    line = next(line for line in shown().splitlines() if line.startswith(" 8 "))
    assert flat(line).startswith(
        "8 mutex cpp 2 same-l3 0,1 14.1 M 13.8\N{EN DASH}14.4 117 ns 88.0 ns 1.31 µs 52.4 µs 4.11 ms 0.87 "
        "31\N{EN DASH}69% 0 "
    )


def test_one_thread_shares_with_nobody() -> None:
    line = flat(next(line for line in shown().splitlines() if line.startswith(" 3 ")))
    assert f"18.4 µs {DASH} {DASH} 0 " in line


def test_lost_updates_have_a_column_only_where_some_are() -> None:
    line = next(line for line in shown().splitlines() if line.startswith(" 5 "))
    assert "  36%  " in line
    assert "lost" in shown()
    assert "lost" not in shown(LOCK_ROWS[:6]).partition("Verdicts")[0]


def test_counters_that_hold_too_much_are_not_called_lost() -> None:
    row = make_lock_row(LOCK_CASES[6], 1e6, wait(1, 2, 3, 4), lost=-24_000_000)
    assert " -10% " in shown((row,))


def test_what_has_no_lock_is_named_where_its_time_stands_under_the_wait() -> None:
    text = flat(shown())
    assert (
        "* fetch-add, unprotected have no lock to wait for: there, the wait is the time of the whole increment." in text
    )
    assert "* fetch-add has no lock to wait for" in flat(shown(LOCK_ROWS[:2]))
    assert "no lock to wait for" not in shown(LOCK_ROWS[:1])


def test_an_absent_percentile_is_a_dash_and_a_reason_in_the_words_of_lock() -> None:
    text = shown()
    assert re.search(r"41\.8 µs +\u2013 +24\.0 ms", text)
    assert "too few timed waits to tell it, so it is absent, not guessed (case 10 has 8,210)" in flat(text)
    assert "hand-over" not in text
    assert "round trip" not in text


def test_many_that_lack_a_percentile_are_told_together() -> None:
    few = tuple(
        replace(row, samples=10 + n, latency_ns=replace(row.latency_ns, p99_9=UNSET))
        for n, row in enumerate(LOCK_ROWS[:10])
        if row.latency_ns
    )
    assert "guessed (cases 1-10 have 10\N{EN DASH}19)" in flat(shown(few))


def test_waits_that_were_never_timed_are_dashes_beside_the_operations() -> None:
    line = flat(next(line for line in shown((replace(ONE, latency_ns=None),)).splitlines() if line.startswith("1 ")))
    assert f"53.3 M 52.2{DASH}54.4 18.8 ns {DASH} {DASH} {DASH} {DASH}" in line


def test_the_heading_says_what_the_figures_are() -> None:
    text = flat(shown())
    assert "Operations/s are those of all threads together" in text
    assert "timed for one operation in 8 to 64 in periods of their own, which slowed these by up to 1.8%" in text
    assert "A reading of the clock costs 19.5 ns (cpp) and 26.8 ns (java-17): one is in every percentile" in text
    assert "over periods of 10.0\N{EN DASH}80.0 ms" in text
    assert "wait to acquire" in text


def test_timing_that_cost_nothing_or_met_every_operation_is_told_so() -> None:
    assert ONE.lock is not UNSET
    row = replace(ONE, lock=replace(ONE.lock, sampling=Sampling(1, -0.01)))
    assert "It was timed for each operation in periods of their own." in flat(shown((row,)))


def test_without_a_single_figure_the_table_still_stands() -> None:
    text = flat(shown(LOCK_ROWS[-1:]))
    assert "1 ✗ ticket-lock cpp 8 same-l3 0,1 no figure: trial-failed, see below" in text or (
        "1 ticket-lock cpp 8 same-l3 0,1 no figure: trial-failed, see below" in text
    )
    assert "The wait to acquire is from wanting the lock to holding it. fairness" in text


def test_both_experiments_stand_one_after_the_other_under_their_names() -> None:
    text = printed(ladder(RUN, (*ROWS, *LOCK_ROWS)))
    assert text.index("\nsignal\n") < text.index("one-way latency ─") < text.index("\nlock\n")
    assert text.index("\nlock\n") < text.index("operations/s by number") < text.index("─ wait to acquire ─")
    assert re.search(r"^ 6    unprotected", text, re.MULTILINE)
    assert "\nlock\n" not in shown()


@pytest.mark.parametrize("width", range(44, 200, 4))
def test_at_every_width_no_line_is_too_long_and_no_essential_figure_is_broken(width: int) -> None:
    text = shown(width=width)
    assert max(map(len, text.splitlines())) <= width
    for figure in ("53.3 M", "52.2\N{EN DASH}54.4", "1.31 µs", "22.4 µs"):
        assert figure in text
    left_out = flat(text).partition("shows: ")[2].partition(" * fetch-add")[0]
    assert ("0.87" in text) == ("Jain's index" not in left_out)
    assert ("36%" in text) == ("lost updates" not in left_out)


def test_numbers_of_threads_keep_their_noun_where_they_stand_without_their_head() -> None:
    text = shown(width=80)
    assert " 3    mutex  cpp  1 thread  same-cpu 0\n" in text
    assert " 8    mutex  cpp  2 threads  same-l3 0,1\n" in text


# ---- trials and the announcement ----


def test_every_trial_tells_its_throughput_and_what_was_lost() -> None:
    lines = [flat(line) for line in printed(trials_table(LOCK_RUN, LOCK_TRIALS)).splitlines()]
    assert "3 of 132 trials ended" in lines[0]
    # two plain windows of 10 ms with 400,000 operations each; Jain 400^2 / (2 * (300^2 + 100^2))
    assert "1 mutex cpp 2 same-l3 0,1 40.0 M 25.0 ns 40.0 ns 4.11 µs 0.80 0 8 4 0.6 s" in lines
    assert "1 unprotected java-17 2 same-l3 0,1 40.0 M 25.0 ns 40.0 ns 4.11 µs 0.80 36% 8 4 0.6 s" in lines
    assert "2 ticket-lock cpp 8 same-l3 0,1 stalled: No thread gets the lock any more: a release …" in lines


def test_a_trial_that_was_cut_before_its_first_window_has_dashes() -> None:
    trial = make_lock_trial(LOCK_CASES[4], 1)
    assert isinstance(trial.result, Result)
    empty = replace(
        trial.result,
        measured=replace(trial.result.measured, ops=0),
        windows=make_windows(),
        distributions={"acquire": Distribution((), (), 0)},
    )
    text = flat(printed(trials_table(LOCK_RUN, [replace(trial, result=empty)])))
    assert f"1 mutex cpp 2 same-l3 0,1 {DASH} {DASH} {DASH} {DASH} {DASH} 0 8 4 0.6 s" in text


def test_trials_of_both_experiments_are_two_tables() -> None:
    text = printed(trials_table(RUN, [*TRIALS, *LOCK_TRIALS]))
    assert text.index("\nsignal\n") < text.index("fastest") < text.index("\nlock\n") < text.index("Jain")


def test_the_announcement_names_the_numbers_of_threads() -> None:
    text = flat(printed(announcement(LOCK_CASES, 12, 0.5, 62.3, ())))
    assert "experiments lock" in text
    assert "threads 1; 2; 8 placements same-cpu 0; same-l3 0,1" in text
    warmed = replace(make_lock_case("mutex", "cpp", 4), warmup=WarmupPolicy(1, 500_000_000))
    assert "threads 4 placements same-l3 0,1 warm-ups 1x500M" in flat(printed(announcement([warmed], 3, 0.5, 9, ())))
