"""The published figures beside ours: the tables, the reasons, and the conclusions."""


import pytest
from msgspec.structs import replace

from tests.unit.published.examples import Planted, measured
from tests.unit.views.terminal.printing import flat, printed
from threadping.analysis.states import NO_STATES
from threadping.model import Failure, State
from threadping.published import conclusions
from threadping.published.catalogue import Repetition, repetition
from threadping.published.comparison import Measured, compare
from threadping.published.records import figures
from threadping.views.terminal.published import fold, published_tables

EXPERIMENTS = ("inter-thread-latency", "lock-contention", "notify-cost")
WIDTHS = (60, 80, 100, 160, 200)


def planted(experiment: str, by: float = 2.0) -> dict[Repetition, Planted | Failure]:
    """So many times the first figure that each case repeats."""
    found: dict[Repetition, Planted | Failure] = {}
    for one in figures():
        if one.experiment == experiment and isinstance(repeats := repetition(one), Repetition):
            found.setdefault(repeats, by * one.value)
    return found


def shown(experiment: str, found: Measured, width: int = 160) -> str:
    of_it = [one for one in figures() if one.experiment == experiment]
    judged = conclusions.judge(conclusions.of_experiments([experiment]), found)
    return printed(published_tables(found, NO_STATES, compare(of_it, found), judged), width)


# ---- tables ----


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_no_line_is_wider_than_the_console(experiment: str) -> None:
    found = measured(planted(experiment))
    for width in WIDTHS:
        assert experiment in shown(experiment, found, width)


def test_a_case_stands_above_what_was_published_of_it_and_ours() -> None:
    text = shown("locked-signalling", measured(planted("locked-signalling")))
    assert (
        flat(text).count("condition java-17 unpinned Intel Nehalem 2.8 GHz, Fedora 15 64-bit, 2011 8.49 µs 2.00x") == 1
    )
    assert "Intel Sandy Bridge 2.0 GHz, Fedora 15 64-bit, 2011 16.8 µs 1.01x here 17.0 µs 16.7~17.3" in flat(
        text
    ).replace("\N{EN DASH}", "~")


def test_numbers_of_threads_stand_side_by_side_and_those_left_out_are_told_once() -> None:
    few = {one: value for one, value in planted("lock-contention").items() if one.threads < 4}
    text = flat(shown("lock-contention", measured(few), 200)).replace("\N{EN DASH}", "-")
    assert "1 thread 2 threads 3 threads 4 threads" in text
    assert "reentrant-lock java-17 unpinned here 126 M 20.4 M 28.2 M - - - - -" in text
    assert "here/published 2.00x 2.00x 2.00x - - - - -" in text
    assert "ReentrantLock, not pinned with 4-8 threads (30 figures): run 7 has no such case" in text


def test_percentiles_stand_side_by_side_with_the_ranges_of_their_trials() -> None:
    text = flat(shown("notify-cost", measured(planted("notify-cost")), 200))
    assert "monitor java-17 256 pairs unpinned here" in text
    assert "min max mean p50 p90 p95 p99 p99.9" in text
    assert "In brackets is the range of the trials, each by itself." in text
    assert "Java, Object.notify, 16 pairs; Java, Object.notify, 256 pairs (16 figures): measured on Windows" in text


def test_metrics_that_need_cases_of_their_own_are_told_one_below_the_other() -> None:
    text = flat(shown("disruptor", measured(planted("disruptor")), 200))
    assert "figure 95% CI here/published" in text
    assert text.count(" here ") == 5
    batched = "disruptor batch=10 java-17 same-l3 1,2 throughput, publisher batches too: Intel, not named, Linux, 2011"
    assert f"{batched} 100 M" in text


def test_the_most_telling_columns_stay_where_not_all_fit() -> None:
    text = flat(shown("notify-cost", measured(planted("notify-cost")), 80))
    assert "max mean p50 p99 p99.9" in text
    text = flat(shown("lock-contention", measured(planted("lock-contention")), 80))
    assert "1 thread 2 threads 3 threads 4 threads 5 threads 8 threads" in text


def test_each_state_has_its_figure() -> None:
    found = measured(planted("locked-signalling"))
    near, far = (State((0, 1), ns, (ns, ns), 0.5, 12) for ns in (27.0, 128.0))
    pinned, other = found.rows
    split = [replace(pinned, trials=9, states=(near,)), replace(pinned, trials=4, states=(far,)), other]
    text = flat(shown("locked-signalling", replace(found, rows=split)))
    assert text.index("here, 27.0 ns apart") < text.index("here, 128 ns apart")


def test_what_nothing_repeats_is_a_reason_only() -> None:
    text = flat(shown("network-hop", measured({})))
    assert "(2 figures): a hop between hosts, quoted for scale" in text
    assert "figure 95% CI" not in text


def test_a_conclusion_is_a_sentence_with_a_verdict_and_why() -> None:
    (lazy_set, *_) = conclusions.CONCLUSIONS
    found = measured(dict(zip(lazy_set.needs, (60.0, 90.0), strict=True)))
    text = flat(shown("inter-thread-latency", found))
    assert "What was concluded - holds here: An ordered store (lazySet) costs a hand-over nothing on x86" in text
    assert "is 0.67 times seqcst-one-line java-17 same-l3" in text


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(0.00123, "0.0012x"), (0.0994, "0.099x"), (0.1, "0.10x"), (1.0, "1.00x"), (12.34, "12.3x"), (1234.0, "1,234x")],
)
def test_ratios_have_as_many_digits_as_say_something(ratio: float, text: str) -> None:
    assert fold(ratio) == text
