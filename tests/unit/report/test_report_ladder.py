"""The ladder: what it says, at every width."""

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from rich.console import Console, RenderableType

from tests.golden.fixture import APART, CASES, ROWS, RUN, STEAL, VIRTUALISED, make_case, make_latency, make_row
from threadping.model import Row, Run, Skipped, Verdict, WarmupPolicy
from threadping.report.bar import Axis
from threadping.report.ladder import ladder
from threadping.report.marks import said, worst_of_their_own


def printed(renderable: RenderableType, width: int = 160, *, colour: bool = False) -> str:
    file = io.StringIO()
    console = Console(
        file=file,
        width=width,
        markup=False,
        highlight=False,
        emoji=False,
        force_terminal=colour,
        color_system="truecolor" if colour else None,
        no_color=False,
        _environ={"TERM": "xterm"},
    )
    console.print(renderable)
    return file.getvalue()


def shown(rows: tuple[Row, ...] = ROWS, width: int = 160, run: Run = RUN) -> str:
    return printed(ladder(run, rows), width)


def flat(text: str) -> str:
    return " ".join(text.split())


def test_the_fastest_is_first_and_what_has_no_figure_is_last_with_its_reason() -> None:
    rungs = [line for line in shown().splitlines() if re.match(r"\d ", line)]
    means = [re.search(r"\d+\.?\d* [nµm]s|no figure: [\w-]+", line) for line in rungs]
    assert [mean and mean[0] for mean in means] == [
        "59.3 ns",
        "64.9 ns",
        "28.1 µs",
        "6.00 ms",
        "no figure: trial-failed",
    ]
    assert [line[0] for line in rungs] == ["1", "2", "3", "4", "5"]


def test_what_was_varied_and_pinned_and_another_warmup_are_told() -> None:
    assert "warm-up" not in shown()
    case = make_case("cas-one-line", "cpp", replace(APART, pin="process"), {"wait": "pause", "pauses": 10})
    default = replace(ROWS[1], params={"wait": "spin"})
    other = make_row(replace(case, warmup=WarmupPolicy(1, 500_000_000)), ROWS[1].latency_ns)
    text = shown((default, other), 200)
    assert "placement            warm-up" in text
    assert "same-l3 0,1          10x100k" in text
    assert "same-l3 0,1 process  1x500M" in text
    assert "cas-one-line wait=pause pauses=10" in flat(text)
    assert "wait=spin" not in text


def test_every_figure_is_there() -> None:
    line = next(line for line in shown().splitlines() if line.startswith("1 "))
    figures = ["59.3 ns", "58.1\u201360.4", "68.5 ns", "98.5 ns", "1.20 µs", "88.1 µs", "119 ns", "16.9 M"]
    assert re.findall(r"[\d.\u2013]+ (?:ns|µs|M)|[\d.]+\u2013[\d.]+", line) == figures


def test_what_a_figure_means_is_said_above_it() -> None:
    text = flat(shown())
    assert "One-way latency is half a round trip." in text
    assert "from whole blocks" in text
    assert "from single round trips, between which the clock is read." in text
    assert "A reading costs 20.4 ns (cpp) and 26.8 ns (java-17, java-17 -XX:+UseParallelGC): half of it is" in text
    assert "one-way latency ─" in text


def test_clocks_that_cost_differently_are_told_as_a_span() -> None:
    rows = (ROWS[1], replace(ROWS[1], clock_cost_ns=22.96), replace(ROWS[0], clock_cost_ns=26.8))
    assert "A reading costs 20.4\u201323.0 ns (cpp) and 26.8 ns (java-17): half" in flat(shown(rows))
    assert "A reading costs 20.4 ns: half" in flat(shown(ROWS[1:2]))


def test_the_heading_names_run_machine_and_what_was_planned() -> None:
    text = flat(shown())
    for part in ("bench-7", "AMD EPYC 9B45", "2 CPUs", "16 GiB", "Linux 6.1.0-13-amd64", "hypervisor KVM"):
        assert part in text
    assert "g++ 12.2.0 -O3" in text
    assert "12 rounds of 5 cases planned: 47 trials measured, 3 failed" in text
    assert "complete after 1 min 2 s" in text


def test_an_absent_percentile_is_a_dash_and_a_reason() -> None:
    text = shown()
    line = next(line for line in text.splitlines() if line.startswith("4 "))
    assert re.search(r"6\.00 ms +\u2013 +\u2013 +12\.0 ms", line)
    assert "too few single round trips" in text
    assert "(case 4 has 744)" in text
    assert "too few single round trips" not in shown(ROWS[:3])


def test_one_verdict_on_many_cases_is_one_line() -> None:
    text = flat(shown())
    assert text.count("This is a virtual machine") == 1
    assert "i info virtualised, all cases: This is" in text
    assert "! warning steal, cases 1, 2: The hypervisor" in text
    assert "✗ error trial-failed, case 5: Every trial failed (hung): The probe was killed [/proc/41]" in text


def wide(message: str, code: str = "wide") -> Row:
    return replace(ROWS[1], verdicts=(Verdict(code, "warning", message),))


def test_verdicts_that_differ_in_their_figures_only_are_one_with_spans() -> None:
    messages = (
        "p99 of java-17 is 3.0-fold (9,600 to 12 ns).",
        "p99 of java-17 is 1.5-fold (895 to 12 ns).",
        "p99 of java-17 is 10-fold (10,000 to 12 ns).",
    )
    (one,) = said([wide(message) for message in messages])
    assert one.verdict.message == "p99 of java-17 is 1.5\u201310-fold (895\u201310,000 to 12 ns)."
    assert one.of == (0, 1, 2)
    assert worst_of_their_own([wide(message) for message in messages]) == [None] * 3


@pytest.mark.parametrize(
    ("one", "other", "code"),
    [
        ("Of java-17, 5 ns.", "Of java-25, 5 ns.", "wide"),
        ("p99 is 5 ns.", "p50 is 5 ns.", "wide"),
        ("It ended by signal 6.", "It ended by signal 11.", "trial-failed"),
    ],
)
def test_numbers_that_are_names_are_not_merged(one: str, other: str, code: str) -> None:
    assert [len(found.of) for found in said([wide(one, code), wide(other, code)])] == [1, 1]


def test_verdicts_are_sorted_by_gravity() -> None:
    assert [one.verdict.severity for one in said(ROWS)] == ["error", "warning", "warning", "info", "info"]


def test_a_row_is_marked_for_what_is_not_said_of_all() -> None:
    assert worst_of_their_own(ROWS) == ["warning", "warning", "warning", None, "error"]
    everywhere = tuple(replace(row, verdicts=(STEAL,)) for row in ROWS)
    assert worst_of_their_own(everywhere) == [None] * 5
    assert worst_of_their_own(everywhere[:1]) == ["warning"]


def test_skipped_things_with_one_reason_are_together() -> None:
    skipped = (Skipped("smt", "only CPU 3"), Skipped("same-l2", "only CPU 3"), Skipped("java-8", "is [old]"))
    text = flat(shown(run=replace(RUN, skipped=skipped)))
    assert "- smt, same-l2: only CPU 3 - java-8: is [old]" in text


def test_failed_trials_are_counted_and_the_command_to_see_them_named() -> None:
    text = flat(shown())
    assert "case 3, 1 of 12 trials; case 5, 2 of 2 trials. `threadping show 7 --trials`" in text
    assert "show" not in flat(shown(run=replace(RUN, id=0)))
    assert "Failed trials" not in shown(ROWS[1:3])


def test_an_unfinished_run_says_so_with_its_note() -> None:
    text = flat(shown(run=replace(RUN, status="interrupted", note="Interrupted [by] hand.")))
    assert "interrupted after 1 min 2 s" in text
    assert "note Interrupted [by] hand." in text


def test_without_rows_the_rest_is_still_told() -> None:
    text = flat(shown(()))
    assert "0 trials measured, 0 failed" in text
    assert "no two of the CPUs 0-1" in text


def test_another_experiment_is_a_table_of_its_own_with_numbers_that_go_on() -> None:
    call = replace(ROWS[1], experiment="notify", measures="call", verdicts=(Verdict("odd", "warning", "Odd."),))
    text = shown((*ROWS[1:3], call))
    assert "─ one-way latency ─" in text
    assert "─ call latency ─" in text
    assert re.search(r"^3 ! +cas-one-line", text, re.MULTILINE)
    assert "! warning odd, case 3: Odd." in text
    assert "all of it is in every percentile" in flat(text)


# ---- widths ----


@pytest.mark.parametrize(
    ("width", "left_out"),
    [
        (60, "CPU time per hand-over, hand-overs/s, bar"),
        (80, "bar"),
        (100, "CPU time per hand-over, hand-overs/s, bar"),
        (120, "bar"),
        (140, None),
    ],
)
def test_what_does_not_fit_is_left_out_least_important_first_and_named(width: int, left_out: str | None) -> None:
    text = shown(
        (ROWS[0], ROWS[1], make_row(make_case("release-two-lines", "cpp", CASES[0].placement), LATENCY)), width
    )
    if left_out is None:
        assert "A wider terminal" not in text
        assert "10 ns … " in text
    else:
        assert f"A wider terminal, or --format json, shows: {left_out}." in flat(text)


LATENCY = make_latency(61.0, 60.0, 62.0, min=50, p50=61.0, p90=70.0, p99=80.0, p99_9=90.0, max=1000.0)


def test_names_are_wrapped_before_figures_are_left_out() -> None:
    text = shown(width=150)
    assert "10 ns … 10 ms" in text
    assert "-XX:+UseParallelGC" in text
    assert "java-17 -XX" not in text.partition("one-way latency ─")[2].partition("Verdicts")[0]


@pytest.mark.parametrize("width", range(44, 200, 2))
def test_at_every_width_no_line_is_too_long_and_no_essential_figure_is_broken(width: int) -> None:
    text = shown(width=width)
    assert max(map(len, text.splitlines())) <= width
    for figure in (
        "59.3 ns",
        "58.1\u201360.4",
        "98.5 ns",
        "28.1 µs",
        "27.4\u201329.0",
        "44.3 µs",
        "6.00 ms",
        "5.87\u20136.13",
    ):
        assert figure in text
    assert ("mean \N{BOX DRAWINGS LIGHT HORIZONTAL} p99.9, log\n" in text) == (
        "10 ns \N{HORIZONTAL ELLIPSIS} 10 ms\n" in text
    )
    assert " one-way latency " in text


@pytest.mark.parametrize("width", [80, 100, 120, 160])
def test_no_line_ends_in_blanks(width: int) -> None:
    assert all(line == line.rstrip() for line in shown(width=width).splitlines())


NAMES = st.text("abc-[] ", min_size=1, max_size=40).filter(str.strip)


@given(NAMES, NAMES, st.floats(1, 1e10), st.integers(60, 200))
def test_any_names_fit_any_width(mechanism: str, runtime: str, mean: float, width: int) -> None:
    case = make_case(mechanism, runtime, CASES[0].placement, {"size": 10**20})
    latency = make_latency(mean, mean * 0.9, mean * 1.1, min=mean, p50=mean, p90=mean, p99=mean, p99_9=mean, max=mean)
    text = shown((make_row(case, latency, VIRTUALISED), *ROWS), width)
    assert max(map(len, text.splitlines())) <= width


# ---- colour and strings ----


def test_colour_comes_on_a_terminal_only_and_words_do_without() -> None:
    coloured = printed(ladder(RUN, ROWS), colour=True)
    assert "\x1b[" in coloured
    assert "\x1b" not in shown()
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == shown()


def test_foreign_strings_are_shown_as_they_are() -> None:
    text = printed(ladder(RUN, ROWS), colour=True)
    assert "[bold]lock[/]" in text
    evil = replace(ROWS[1], mechanism="a\x1b[2Jb", verdicts=(Verdict("c\x1b]0;x", "info", "d\x07\ne"),))
    text = shown((evil,))
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "d\\x07 e" in text


# ---- bars ----


def test_the_axis_holds_every_value_in_whole_decades() -> None:
    assert Axis.over([59.3, 28_100, 6e6]).label() == "10 ns … 10 ms"
    assert Axis.over([64, 59.3]).label() == "10 ns … 100 ns"
    assert Axis.over([100.0]).label() == "10 ns … 100 ns"  # a value at the low end would have no length
    assert Axis.over([]).label() == Axis.over([0.0, 1.0]).label()


def test_a_bar_is_a_logarithm() -> None:
    axis = Axis(1, 5)
    assert axis.bar(1_000.0, None, 8).plain == "████"
    assert axis.bar(1e5, None, 8).plain == "█" * 8
    assert axis.bar(10.0, None, 8).plain == "▏"
    assert axis.bar(1_000 * 10 ** (4 / 64), None, 8).plain == "████▏"
    assert axis.bar(1e9, None, 8).plain == "█" * 8


def test_a_line_goes_on_to_the_tail_where_that_lies_beyond() -> None:
    axis = Axis(1, 5)
    assert axis.bar(1_000.0, 1e5, 8).plain == "████───┤"
    assert axis.bar(1_000.0, 900.0, 8).plain == "████"
    assert axis.bar(1_000.0, 1_500.0, 8).plain == "████┤"


@given(st.floats(0, 1e12), st.none() | st.floats(0, 1e12), st.integers(1, 40))
def test_a_bar_never_leaves_its_column(mean: float, tail: float | None, width: int) -> None:
    assert 1 <= Axis.over([mean, tail or mean]).bar(mean, tail, width).cell_len <= width
