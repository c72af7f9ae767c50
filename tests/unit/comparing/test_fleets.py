"""Two fleets, over their hosts: who is paired, in which states, and how often equals are said to differ."""

import pytest

from tests.unit.analysis.examples import SIGNAL
from tests.unit.comparing.test_fleet import answer
from threadping.analysis.answer import Answer
from threadping.comparing.fleets import contrasts, pairs_of
from threadping.model import Host


def hosts(*figures: float, far: bool = False) -> dict[str, Answer]:
    """A host for each figure, whose CPUs are far from each other or near."""
    apart = 120.0 if far else 30.0
    return {f"host-{number}": answer(ns, [apart + number / 100] * 8) for number, ns in enumerate(figures)}


A = tuple(100.0 * 1.07**number for number in range(10))
"""Hosts that differ from each other by more than the fleets do."""


@pytest.mark.parametrize(("paired", "word", "ratio"), [(True, "slower", 1.05), (False, "cannot-tell", 1.05)])
def test_hosts_that_are_in_both_are_compared_with_themselves(paired: bool, word: str, ratio: float) -> None:
    a, b = hosts(*A), hosts(*(one * (1.05 + 0.0001 * number) for number, one in enumerate(A)))
    pairs = {name: name for name in a} if paired else {}
    core_to_core, of_case = contrasts(a, b, pairs, margin=0.03)
    assert core_to_core.subject.pair == (0, 1) and core_to_core.values == (30.045, 30.045)
    assert of_case.subject.case == SIGNAL and of_case.hosts == (10, 10) and of_case.core_to_core_ns == (30.045, 30.045)
    assert of_case.comparison.answer == word
    assert of_case.comparison.ratio == pytest.approx(ratio, abs=0.01)
    assert of_case.comparison.decides is not None and of_case.comparison.decides[0] < 1.0505
    if not paired:  # a number of hosts, of which there are 20
        assert of_case.comparison.needs_s is not None and of_case.comparison.needs_s > 20


def test_how_many_hosts_are_needed_is_said_where_each_is_measured_twice() -> None:
    """By a percent or two slower or faster, in turn: to be sure of a thousandth takes ten thousand."""
    other = hosts(*(one * (1 + 0.01 * (-1) ** number * (1 + number / 10)) for number, one in enumerate(A)))
    *_, of_case = contrasts(hosts(*A), other, {name: name for name in other}, margin=0.001)
    assert of_case.comparison.needs_s == pytest.approx(10_866, rel=0.001)


def test_fleets_that_were_never_in_one_state_are_compared_in_their_usual_ones() -> None:
    """Other CPUs are another distance apart."""
    near, far = hosts(*A[:8]), hosts(*(4 * one for one in A[:8]), far=True)
    found = contrasts(near, far, {}, margin=0.03)
    assert [(one.subject.pair, one.comparison.answer) for one in found] == [((0, 1), "slower"), (None, "slower")]
    assert found[0].comparison.ratio == pytest.approx(4, 0.01)
    assert found[1].core_to_core_ns == (30.035, 120.035)
    few = contrasts(near, hosts(*A[:2]), {}, margin=0.03)
    assert not few, "two hosts say nothing of their kind"
    both = hosts(*A[:6]) | {f"far-{name}": one for name, one in hosts(*A[:8], far=True).items()}
    shared = [one.core_to_core_ns for one in contrasts(both, both, {}, margin=0.03)]
    assert shared == [(None, None), (30.025, 30.025), (120.035, 120.035)]
    assert contrasts(both, {}, {}, margin=0.03) == ()


def test_a_host_that_was_started_anew_is_known_by_its_name_unless_two_have_it() -> None:
    def host(key: str, name: str) -> Host:
        return Host(key, key, name, "", "", "")

    before = [host("a", "one"), host("b", "two"), host("c", "twin"), host("d", "twin")]
    after = [host("a2", "one"), host("b", "renamed"), host("c2", "twin"), host("d", "twin")]
    assert pairs_of(before, after) == {"a": "a2", "b": "b", "d": "d"}
    assert pairs_of(before, [host("a", "one"), host("x", "x"), host("y", "y")]) == {}, "most hosts are on one side"
    assert pairs_of(before, after[1:2]) == {"b": "b"}, "of one host each is on both"
