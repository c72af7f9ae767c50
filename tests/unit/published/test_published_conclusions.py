"""Each conclusion's rule on planted rows: for it, against it, and neither."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from tests.unit.analysis.examples import MACHINE, RUN
from tests.unit.published.examples import STEADY, Planted, case_of, measured, trials
from threadping.analysis.states import NO_STATES
from threadping.model import Failure, Row, State
from threadping.published.catalogue import Repetition
from threadping.published.conclusions import CONCLUSIONS, Judged, judge

LAZY_SET, PINNING, AFTER_RELEASE, BIASED, TAIL, BATCHING = CONCLUSIONS
WIDE = (1.0, 0.4, 2.5, 0.5, 1.6, 1.2)
"""Trials that do not agree."""


def planted(conclusion: Any, *figures: Planted) -> Mapping[Repetition, Planted]:
    """The figures of what a conclusion needs, in the order in which it names that."""
    return dict(zip(dict.fromkeys(conclusion.needs), figures, strict=True))


def judged(conclusion: Any, *figures: Planted) -> Judged:
    (one,) = judge([conclusion], measured(planted(conclusion, *figures)))
    return one


def wide(figure: float) -> Planted:
    return [figure * by for by in WIDE]


@pytest.mark.parametrize(
    ("conclusion", "figures", "verdict"),
    [
        (LAZY_SET, (60, 90), "holds here"),
        (LAZY_SET, (91, 90), "holds here"),
        (LAZY_SET, (120, 90), "not here"),
        (LAZY_SET, (99, 90), "cannot tell"),
        (LAZY_SET, (wide(90), 90), "cannot tell"),
        (PINNING, (9_000, 2_000), "holds here"),
        (PINNING, (3_000, 2_000), "not here"),
        (PINNING, (500, 2_000), "not here"),
        (PINNING, (wide(4_000), 2_000), "cannot tell"),
        (AFTER_RELEASE, (3_000, 2_000), "holds here"),
        (AFTER_RELEASE, (2_000, 2_000), "not here"),
        (AFTER_RELEASE, (2_000, 3_000), "not here"),
        (AFTER_RELEASE, (wide(2_400), wide(2_000)), "cannot tell"),
        # one thread biased, not biased, biased late; two threads biased, not biased
        (BIASED, (5e9, 2e8, 2e8, 5e7, 5e7), "holds here"),
        (BIASED, (2e8, 2e8, 2e8, 5e7, 5e7), "not here"),
        (BIASED, (5e9, 2e8, 5e9, 5e7, 5e7), "not here"),
        (BIASED, (5e9, 2e8, 2e8, 9e7, 5e7), "not here"),
        (BIASED, (5e9, 2e8, 2e8, wide(5e7), 5e7), "cannot tell"),
        (TAIL, (15_000, 3_000), "holds here"),
        (TAIL, (3_000, 3_000), "not here"),
        (TAIL, (wide(4_000), 3_000), "cannot tell"),
        # as many in flight as fit, one, batches of ten
        (BATCHING, (3e7, 8e6, 2e8), "holds here"),
        (BATCHING, (8e6, 8e6, 2e8), "not here"),
        (BATCHING, (3e7, 8e6, 3e7), "not here"),
        (BATCHING, (3e7, 8e6, wide(4e7)), "cannot tell"),
    ],
)
def test_a_conclusion_is_judged_by_its_rule(conclusion: Any, figures: tuple[Planted, ...], verdict: str) -> None:
    one = judged(conclusion, *figures)
    assert one.verdict == verdict
    assert "times" in one.why
    assert {ours.row.case for ours in one.figures} == {case_of(needed) for needed in conclusion.needs}


def test_why_names_both_figures_and_how_far_they_reach() -> None:
    assert judged(LAZY_SET, 60, 90).why == (
        "release-one-line java-17 same-l3 (typical 60.0 ns, 59.0~61.0) is 0.67 times seqcst-one-line java-17 same-l3 "
        "(typical 90.0 ns, 88.5~91.5), which is not more than 1.1"
    ).replace("~", "\N{EN DASH}")
    assert judged(LAZY_SET, wide(90), 90).why.endswith("the intervals do not tell whether it is more than 1.1 times")


def test_a_process_pinned_to_all_cpus_is_not_pinned() -> None:
    found = measured(planted(PINNING, 9_000, 2_000))
    of_two = replace(MACHINE, topology=replace(MACHINE.topology, allowed=found.run.cases[1].placement.cpus))
    (one,) = judge([PINNING], replace(found, run=replace(found.run, machine=of_two)))
    assert one.verdict == "cannot tell"
    assert "the 2 CPUs that it was pinned to are all that this process may use" in one.why


def test_a_delay_that_ended_before_the_trials_tells_nothing() -> None:
    found = measured(planted(BIASED, 5e9, 2e8, 2e8, 5e7, 5e7))
    longer = [replace(one, wall_ns=5_000_000_000) for one in found.observations]
    (one,) = judge([BIASED], replace(found, observations=longer))
    assert one.verdict == "cannot tell"
    assert one.why.endswith("give a shorter --budget")


def test_fewer_than_six_trials_tell_nothing() -> None:
    one = judged(LAZY_SET, [60.0] * 5, 90)
    assert one.verdict == "cannot tell"
    assert one.why == "release-one-line java-17 same-l3 has 5 trials, and fewer than 6 carry no interval"


def test_what_was_not_measured_is_said() -> None:
    found = planted(LAZY_SET, 60, 90)
    (first, *_) = found
    (absent,) = judge([LAZY_SET], measured({first: found[first]}))
    assert absent.verdict == "cannot tell"
    assert "seqcst-one-line java two-cores: run 7 has no such case" in absent.why
    (failed,) = judge([LAZY_SET], measured({**found, first: Failure("crashed", "It crashed.")}))
    assert failed.verdict == "cannot tell"
    assert "1 of 1 trials failed" in failed.why


def test_where_single_trials_do_not_carry_a_percentile_the_next_one_is_compared() -> None:
    found = measured(planted(TAIL, 15_000, 3_000))
    (whole,) = judge([TAIL], found)
    assert {ours.figure for ours in whole.figures} == {"latency_ns.p99.9"}
    few = [
        replace(one, distributions={name: _less(of) for name, of in one.distributions.items()})
        for one in found.observations
    ]
    (less,) = judge([TAIL], replace(found, observations=few))
    assert {ours.figure for ours in less.figures} == {"latency_ns.p99"}
    assert less.verdict == "holds here"


def _less(of: Any) -> Any:
    return replace(of, counts=tuple(max(1, count // 5) for count in of.counts))


def test_only_figures_of_one_state_are_compared() -> None:
    """The one is near in most of its trials, the other far."""
    near, far = (State((0, 1), ns, (ns, ns), 0.5, 12) for ns in (27.0, 128.0))

    def in_states(row: Row, value: float, state: State, of: int) -> Row:
        interval = replace(row.intervals["latency_ns.typical"], range=(value, value), ci95=(value, value))
        figures = row.figures | {"latency_ns.typical": value}
        return replace(row, trials=of, figures=figures, intervals={"latency_ns.typical": interval}, states=(state,))

    found = measured(planted(LAZY_SET, 60, 90), NO_STATES, RUN)
    release, seqcst = found.rows
    rows = [
        in_states(release, 200, far, 6),
        in_states(release, 60, near, 18),
        in_states(seqcst, 240, far, 12),
    ]
    (one,) = judge([LAZY_SET], replace(found, rows=rows))
    assert one.verdict == "holds here"
    assert [ours.value for ours in one.figures] == [200, 240]
    (apart,) = judge([LAZY_SET], replace(found, rows=rows[1:]))
    assert (apart.verdict, apart.why) == ("cannot tell", "they were not measured in the same state of the machine")


def test_trials_are_planted_as_steady_as_they_say() -> None:
    needed = LAZY_SET.needs[0]
    told = [one.figures["latency_ns.typical"] for one in trials(needed, 100.0)]
    assert told == pytest.approx([100 * by for by in STEADY])
