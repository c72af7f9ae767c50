"""What verdicts and figures mean, told on demand."""

import pytest
from msgspec.structs import replace

from tests.golden.fixture import DECLARED, ROWS, RUN
from tests.unit.views.terminal.printing import flat, printed
from threadping.errors import UnknownName
from threadping.model import Run
from threadping.views.terminal.explanation import explanation, terms


def told(term: str, run: Run | None = None) -> str:
    return printed(explanation(term, DECLARED, run, ROWS if run else []))


def test_a_verdict_says_what_it_means_and_what_to_do() -> None:
    assert told("steal") == (
        "! steal  warning\n"
        "The hypervisor kept these CPUs from running for \N{HORIZONTAL ELLIPSIS} of the time; the tail is partly its "
        "own. Use a machine with CPUs of its own, or a quieter hour.\n"
    )


def test_with_a_run_each_case_has_its_own_numbers() -> None:
    text = told("steal", RUN)
    assert "\n\n2 cas-one-line cpp same-l3\nThe hypervisor kept these CPUs from running for 2.4% of the time; " in text
    assert "\n\n3 release-two-lines spin=100 java-17 -XX:+UseParallelGC same-l3\nThe hypervisor kept " in text
    assert "for 1.9% of the time" in text
    assert "cas-one-line" not in told("steal")


def test_cases_of_which_the_same_is_said_stand_together_and_none_are_told_too() -> None:
    text = told("trial-failed", RUN)
    assert "\n4 condition java-17 same-l3; 13 reentrant-lock java-17 same-l3\n1 of 6 trials failed" in text
    assert "(hung): The probe was killed [/proc/41]" in text
    assert "\n\nall cases\nThe frequency governor is 'powersave'" in told("governor-not-performance", RUN)
    assert told("paging", RUN).endswith("\nIt is said of no case of run 7.\n")


@pytest.mark.parametrize("term", ["typical", "latency_ns.typical"])
def test_a_figure_is_known_by_its_name_and_by_what_stands_over_its_column(term: str) -> None:
    assert told(term).startswith("latency_ns.typical  signal\nOne way, half a round trip: ")
    assert told(term).endswith("\nns, the less the better; over trials the median\n")


def test_what_experiments_share_is_said_once_and_what_they_do_not_of_each() -> None:
    assert told("CPU/op").count("\n") == 3
    assert told("CPU/op").startswith("cpu_ns_per_op  signal, lock, notify, ring\n")
    text = told("p99")
    assert "latency_ns.p99  signal\nOf single round trips" in text
    assert "latency_ns.p99  lock\nFrom wanting the lock" in text
    assert told("wait p99").startswith("latency_ns.p99  lock\n")
    assert told("counters.moved") == "counters.moved  signal, lock, notify, ring\ncount; over trials the sum\n"


def test_a_word_that_is_a_verdict_and_a_figure_is_explained_as_both() -> None:
    text = told("preempted")
    assert text.startswith(
        "! preempted  warning\nOthers took the CPU from the spinning threads \N{HORIZONTAL ELLIPSIS} times"
    )
    assert "\ncounters.preempted  signal, lock, notify, ring\n" in text


def test_what_was_not_measured_is_told_by_reason() -> None:
    assert "-  smt, numa-near: no two of the CPUs 0-1 that may be used share a core\n-  same-l2: " in told(
        "not-measured", RUN
    )
    assert told("not-measured", replace(RUN, skipped=())) == "Run 7 left nothing out.\n"
    assert "explain not-measured RUN" in told("not-measured")


def test_everything_that_is_declared_can_be_explained() -> None:
    known = terms(DECLARED)
    assert {"steal", "coarsened", "typical", "ops_per_s", "ops/s", "wait p99.9", "not-measured"} <= set(known)
    assert len(known) == len(set(known))
    assert all(flat(told(term, RUN)) for term in known)


def test_a_term_that_nobody_knows_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"Unknown verdict or figure 'stael'\. Did you mean steal"):
        told("stael")
