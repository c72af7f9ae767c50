"""Tables of rows and of trials: their columns, and the columns left out; tests/golden has their look."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.golden import calls, minute
from tests.golden.fixture import ANSWER, CAS, DECLARED, MOVED, MUTEX, RUN, SIGNALS, TOGETHER, locks, signals
from tests.unit.analysis.examples import QUEUE, observed, result
from tests.unit.output.printing import flat, printed
from threadping.analysis.analyse import analyse
from threadping.analysis.answer import Answer
from threadping.analysis.checks import Finding
from threadping.analysis.declaration import Column, Declaration, Figure
from threadping.analysis.states import parse_state
from threadping.model.cases import Placement, WarmupPolicy
from threadping.model.errors import UnknownName, UsageError
from threadping.model.run import Observation
from threadping.output.findings import FindingGroup
from threadping.output.layout import Blocks, Field, column, grid, named, written
from threadping.output.row_tables import cases_table, percentiles_tables, trials_table
from threadping.output.screen import RowView, only
from threadping.output.screen import tables_of as tables
from threadping.studies.survey import STUDY


def answer(seen: Sequence[Observation]) -> Answer:
    return analyse(replace(RUN, cases=tuple(dict.fromkeys(one.case for one in seen))), seen, (), DECLARED)


def shown(of: Answer | Sequence[Observation], width: int = 160, **detail: object) -> str:
    return printed(tables(of if isinstance(of, Answer) else answer(of), RowView(**detail)), width)  # type: ignore[arg-type]


def rows(text: str) -> list[str]:
    return [flat(line) for line in text.partition("\n#")[2].splitlines() if re.match(r" ?\d+ ", line)]


def head(text: str) -> str:
    return next(flat(line) for line in text.splitlines() if line.startswith("#"))


def pivot(text: str, experiment: str) -> list[str]:
    first = text.partition(f"\n{experiment}: ")[2].partition("\n#")[0]
    return [flat(line) for line in first.partition("\N{BOX DRAWINGS LIGHT HORIZONTAL}\n")[2].splitlines() if line]


def test_columns_that_say_nothing_are_left_out_and_an_unusual_warmup_has_one() -> None:
    assert not {"threads", "lost", "warm-up"} & {*head(shown(locks(MUTEX[2], 1e6))).split()}
    assert " Jain " not in head(shown(locks(MUTEX[1], 1e6)))
    long = replace(MUTEX[2], warmup=WarmupPolicy(1, 500_000_000))
    named = [line.split()[1:3] for line in rows(shown([*locks(MUTEX[2], 1e6), *locks(long, 1e5)]))]
    assert named == [["mutex", "steady"], ["mutex", "1x500M"]]


def test_what_all_rows_have_in_common_is_in_the_heading_and_in_no_column() -> None:
    alone = [one for one in calls.OBSERVATIONS if one.case.groups == 16]
    assert "thread (cpp, 16 pairs, same-l3 0,1)\n" in shown(alone)
    assert head(shown(alone)).startswith("# mechanism call ")
    deep = [
        replace(QUEUE, mechanism=name, params={"depth": 1, "batch": batch}, varied=("depth", "batch"))
        for name in ("disruptor", "queue")
        for batch in (2, 3)
    ]
    text = shown([replace(observed(case, result(case)), round=n) for case in deep for n in range(1, 7)])
    assert "receiver (cpp, same-l3 0,1, depth=1)\n" in text
    assert {line.split()[1] for line in rows(text)} == {"disruptor", "queue"}
    assert "depth=1" not in text.partition("\n#")[2]


def test_rows_are_of_the_mechanisms_runtimes_and_placements_that_are_wanted() -> None:
    def names(**detail: object) -> set[str]:
        return {row.case.mechanism for row in only(MOVED, RowView(**detail)).rows}  # type: ignore[arg-type]

    assert names(mechanisms=("std::mutex",)) == {"mutex"}
    assert names(mechanisms=("mutex", "cas")) == {"mutex", "cas-one-line"}
    assert names(runtimes=("java",), placements=("same-l3",), experiment="lock") == {"reentrant-lock", "unprotected"}
    assert len(only(MOVED, RowView(runtimes=("java-17",))).rows) < len(
        only(MOVED, RowView(runtimes=("java",))).rows
    )  # that JVM without flags, not with them
    with pytest.raises(UnknownName, match=r"Unknown mechanism of this run 'futex'\. .*Known: "):
        only(MOVED, RowView(mechanisms=("futex",)))


def test_another_metric_leads_rows_and_orders_them_in_their_places() -> None:
    def led(metric: str) -> list[tuple[int, float | None]]:
        found = only(MOVED, RowView(metric=metric, experiment="signal", state=parse_state("low")))
        return [(row.place, row.value(f"round_trip_ns.{metric}")) for row in found.rows if row.state]

    assert [place for place, _ in led("headline")] == [1, 2, 3]
    tails = [value or 0 for _, value in led("p99")]
    assert tails == sorted(tails) and tails[0]
    first = "release-one-line wait=pause (cpp): 122 ns (122\u2013122) round trip p99, p99.9 804 ns; "
    assert shown(MOVED, metric="p99", experiment="signal").startswith(first)
    of = only(MOVED, RowView(metric="p99", experiment="signal"))
    heads = [one.head for one in cases_table(of.rows, of.declared["signal"]).columns]
    assert heads.count("round trip p99") == 1 and heads.index("round trip p99") < heads.index("median")
    with pytest.raises(UsageError, match=r"No row of this run has the metric p99\."):
        only(replace(of, rows=tuple(replace(row, figures={}) for row in of.rows)), RowView(metric="p99"))


def test_a_range_is_in_brackets_and_one_trial_is_called_one() -> None:
    for trials, over, said in [
        (6, "95% interval", "49.2\u201350.8"),
        (3, "range", "(49.0\u201351.0)"),
        (1, "range", "1 trial"),
    ]:
        text = shown(signals(CAS, 50.0)[:trials])
        assert f" median {over} round trip p50 " in head(text)
        assert f" ns {said} " in rows(text)[0]


def test_a_ratio_has_the_decimals_that_say_something() -> None:
    assert [written("index", value) for value in (0.876, 99.0, 122.13, 65_536.0)] == ["0.88", "99.00", "122", "65,536"]


def test_an_incomparable_row_comes_last_and_is_never_highlighted() -> None:
    text = printed(tables(ANSWER), colour=True)
    best = re.findall(r"\x1b\[1;32m([^\x1b]+)\x1b", text.partition("lock: ")[2].partition("#")[0])
    assert [flat(one) for one in best] == ["204 M", "42.0 M", "42.1 M"]
    lines = [line for line in rows(shown(minute.ANSWER, state=parse_state("low"))) if "monitor java-17 2 " in line]
    assert [line.split()[1] for line in lines] == ["i"]


def test_no_stream_is_highlighted_among_unlike_regimes() -> None:
    def best(of: Answer) -> list[str]:
        return re.findall(r"\x1b\[1;32m([^\x1b]+)\x1b", printed(tables(of), colour=True).partition("queue: ")[2])

    cases = [
        replace(QUEUE, mechanism=name, params={"batch": batch}, varied=("batch",) if batch > 1 else ())
        for name in ("disruptor", "queue")
        for batch in (1, 10)
    ]
    seen = [replace(observed(case, result(case)), round=n) for case in cases for n in range(1, 7)]
    of = answer(seen)
    assert len(best(of)) == 4
    unlike = [replace(row, regime="backlogged" if row.case.mechanism == "queue" else "") for row in of.rows]
    assert best(replace(of, rows=tuple(unlike))) == []


def test_placements_of_as_many_threads_are_lines_of_their_own_with_the_thread_on_their_cpus() -> None:
    cases = [
        replace(MUTEX[1], placement=Placement(name, cpus))
        for name, cpus in (("same-cpu", (4,)), ("same-cpu", (1,)), ("same-l3", (1, 2)), ("cross-node", (4, 9)))
    ]
    text = shown([one for number, case in enumerate(cases, start=1) for one in locks(case, number * 1e6)])
    assert pivot(text, "lock") == ["mutex cross-node 1.00 M 4.01 M", "mutex same-l3 2.00 M 3.01 M"]
    assert pivot(shown(locks(MUTEX[2], 1e6)), "lock") == []


def test_a_declared_parameter_has_a_column_for_each_value_at_each_placement() -> None:
    apart = [
        replace(QUEUE, params={"batch": batch, "wait": "pause"}, varied=("batch", "wait"), placement=placement)
        for placement in (QUEUE.placement, TOGETHER)
        for batch in (1, 10)
    ]
    other = replace(QUEUE, mechanism="queue", params={"wait": "pause"})  # which all have, so that the heading has it
    text = shown([replace(observed(case, result(case)), round=n) for case in (*apart, other) for n in range(1, 7)])
    assert pivot(text, "queue") == ["disruptor same-l3 0,1 10.0 M 100 M", "disruptor same-cpu 1 10.0 M 100 M"]


def test_details_choose_experiment_and_state_and_open_percentiles_and_outliers() -> None:
    assert re.findall(r"^(\w+): ", shown(MOVED, experiment="lock"), re.M)[:1] == ["lock"]
    with pytest.raises(UnknownName, match=r"Unknown experiment of this run 'rin'\. Known: signal, lock"):
        shown(MOVED, experiment="rin")
    for state, kept, gone in (("low", " 19.8 ns ", " 62.3 ns "), ("high", " 62.3 ns ", " 19.8 ns (")):
        below = shown(MOVED, state=parse_state(state)).partition("signal: ")[2]
        assert (kept in below, gone in below) == (True, False)
        assert "condition" in below  # of no state
    assert " samples\n" not in shown(MOVED)
    assert re.search(r"\nround trip\n#.* p50 +p99 +p99\.9 +max +samples\n", shown(MOVED, percentiles=True))
    assert "\noutliers: " in shown(calls.ANSWER, outliers=True)
    assert "\noutliers: " not in shown(calls.ANSWER)
    assert shown(signals(CAS, 50.0), outliers=True).endswith("No outliers.\n")


def test_percentiles_have_only_rows_with_timed_operations() -> None:
    first, *others = (row for row in MOVED.rows if row.case.experiment == "signal")
    untimed = replace(first, figures={name: one for name, one in first.figures.items() if "." not in name})
    timed = [row for row in others if row.value("round_trip_ns.samples")]
    made = percentiles_tables([untimed, *timed], first.declared)
    text = "".join(printed(block, 160) for block in made if str(block))
    assert len(rows("\n" + text)) == len(timed), text


@pytest.mark.parametrize("fact", ["by", "fold", "factor", "half", "share", "failed"])
def test_the_worst_of_several_rows_is_the_one_with_the_most_findings(fact: str) -> None:
    found = [Finding("regime", "warning", {"way": "slower", fact: much}) for much in (0.05, -0.3, 0.1)]
    of = list(zip(ANSWER.rows, found, strict=False))
    assert FindingGroup("regime", "warning", of).worst == of[1]


@pytest.mark.parametrize("width", [44, 60, 80, 100, 160])
def test_at_every_width_headlines_are_whole(width: int) -> None:
    text = shown(ANSWER, width).partition("signal: ")[2]
    for figure in ("39.8 ns", "28.3 \u00b5s", "6.01 ms", "53.4 M", "9.89 M"):
        assert figure in text


def test_figures_that_were_asked_for_stay_where_others_go() -> None:
    rates = {"lock.reads_per_s": 1e6, "lock.writes_per_s": 2e6}
    text = head(shown([replace(one, figures={**one.figures, **rates}) for one in locks(MUTEX[2], 1e6)], 80))
    assert "reads/s writes/s" in text and "wait max" not in text


@settings(max_examples=12)
@given(st.text("abc-[] ", min_size=1, max_size=40).filter(str.strip), st.floats(1, 1e10), st.integers(60, 200))
def test_any_names_fit_any_width(name: str, one_way: float, width: int) -> None:
    case = replace(CAS, mechanism=name, runtime=name[::-1], params={"size": 10**20}, varied=("size",))
    shown([*signals(case, one_way), *SIGNALS], width)


def test_before_a_percentile_or_a_name_is_broken_intervals_go_and_are_named() -> None:
    text = shown(MOVED, 80, percentiles=True, experiment="lock")
    assert "18   fetch-add      cpp     8            26.2 ns 57.0 ns  190 ns 8.00 ms 24.0 ms" in text
    assert "\nNot shown at this width: min, p90, p95, samples, intervals of p50, p99, p99.9." in text


def test_foreign_strings_are_shown_as_they_are_and_steer_nothing() -> None:
    text = shown(signals(replace(CAS, mechanism="a\x1b[2Jb", runtime="[red]java[/]"), 50.0))
    assert "a\\x1b[2Jb" in text and "[red]java[/]" in text and "\x1b" not in text


def test_another_experiment_needs_its_declaration_only_and_one_that_is_unknown_is_named() -> None:
    depth = Figure(name="depth", unit="count", read=("depth",), better="more", column=Column("depth"))
    full = Figure(name="full", unit="share", read=("full",), column=Column("full", rank=1))
    stack = Declaration(
        title="how deep", metric="deep", headline="depth", figures=(depth, full), distributions=(), op="message"
    )
    cases = [replace(CAS, experiment="stack", mechanism=name) for name in ("shallow", "deep")]
    seen = [
        Observation(number, 0, case, None, 1, {"depth": 100.0 * at + number, "full": 0.25})
        for number in range(6)
        for at, case in enumerate(cases)
    ]
    run = replace(RUN, cases=(*cases, replace(CAS, experiment="heap")))
    text = printed(tables(analyse(run, seen, (), {"stack": stack})))
    assert "stack: how deep (cpp, same-l3 0,1) # mechanism depth 95% interval full" in flat(text)
    assert [line.split(" ", 2)[2] for line in rows(text)] == ["102 100\u2013105 25%", "2 0.36\u20134.64 25%"]
    assert "Not shown: cases of heap, which this threadping does not know." in text


def test_trials_that_failed_say_why_and_narrow_ones_lose_columns_not_figures() -> None:
    empty = replace(
        ANSWER, trials=tuple(replace(one, observation=Observation(3, 0, CAS, None, 1)) for one in ANSWER.trials[:1])
    )
    assert flat(printed(trials_table(empty)).splitlines()[-1]) == "3 cas-one-line nothing was measured"
    text = printed(Blocks.of(*STUDY.blocks(ANSWER, RowView(trials=True, experiment="signal"))), 60)
    assert ": 32 trials ended " in flat(text)
    assert "59.3 ns" in text
    assert "lock: " not in text
    assert "Not shown at this width: mean, per s, CPU/op, drift, slept," in text
    assert re.search(r"unpinned\n  hung: The probe was killed", text)


def test_a_long_head_wraps_before_its_column_goes() -> None:
    figures = ["28.2 ns (±2%)", "1 ns"]
    asks: Field[str] = named("asks", lambda _: "tell a thread")
    figure: Field[str] = column("java-17 -Xint -Xmx9m", str, rank=1)
    table = grid(figures, asks, figure, rule=False)
    wide, narrow, narrower = (printed(table, width).splitlines() for width in (40, 27, 16))
    assert wide[0] == "asks          java-17 -Xint -Xmx9m"
    assert narrow[:3] == ["asks          java-17 -Xint", "                     -Xmx9m", "tell a thread 28.2 ns (±2%)"]
    assert narrower[0] == "asks"


def test_the_lines_of_an_indented_name_are_below_it_and_indented_further() -> None:
    assert printed(grid(["  tell a thread"], named("", str), rule=False), 12).splitlines() == ["  tell a", "    thread"]
