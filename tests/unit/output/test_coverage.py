"""How much was measured of what was asked for, and what was left out, in words."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.analysis.test_reasons import AXES, NAMED, case, grid
from threadping.analysis.covering import covering_order
from threadping.model.cases import Case
from threadping.output.heading import Coverage

JVMS = ["java-17", "java-21", "java-25", "java-26"]


def first(number: int, cases: Sequence[Case], *named: str) -> Coverage:
    """So many of these cases were measured: those that cover their axes."""
    taken = {cases[at] for at in covering_order(cases, named)[:number]}
    return Coverage([one for one in cases if one in taken], [one for one in cases if one not in taken])


@pytest.mark.parametrize(
    ("number", "axes", "clause", "groups"),
    [
        (
            8,
            {"runtime": JVMS, "threads": [1, 2, 3, 4]},
            "measured 8 of 16: 1 and 4 threads of 4 runtimes",
            ["2 and 3 threads: java-17, java-21, java-25 and java-26 (8 cases)"],
        ),
        (
            1,
            {"runtime": JVMS[:2], "threads": [1, 2]},
            "measured 1 of 4: 1 thread of java-17",
            ["2 threads: java-17 (1 case)", "1 and 2 threads: java-21 (2 cases)"],
        ),
        (
            3,
            {"runtime": JVMS, "threads": [1, 2]},
            "measured 3 of 8: 1 or 2 threads of 3 runtimes",
            [
                "2 threads: java-17 and java-25 (2 cases)",
                "1 thread: java-21 (1 case)",
                "1 and 2 threads: java-26 (2 cases)",
            ],
        ),
        (
            4,
            {"mechanism": [*"abcdefgh"], "rate": [1_000, 10_000, 100_000]},
            "measured 4 of 24: 4 mechanisms, rate=1k or 100k",
            None,
        ),
        (2, {"mechanism": [*"abcdefgh"]}, "measured 2 of 8: a and b", ["c, d, e and 3 more (6 cases)"]),
        (5, {"threads": [*range(1, 65)]}, "measured 5 of 64: 1 to 64 threads", ["2 to 63 threads (59 cases)"]),
        (2, {"mechanism": [*"ab"]}, "", []),
    ],
)
def test_it_is_said_what_was_measured_and_listed_what_was_not(
    number: int, axes: dict[str, Any], clause: str, groups: list[str] | None
) -> None:
    found = first(number, grid(**axes), *axes, "rate=")
    assert found.clause == clause
    assert groups is None or found.groups == groups


@given(AXES, st.integers(1, 9))
def test_a_list_of_what_was_left_out_has_every_case_once_and_all_of_a_line_are_left_out(
    axes: dict[str, list[Any]], number: int
) -> None:
    found = first(number, cases := grid(**axes), *NAMED)
    counted = [int(text.rpartition("(")[2].split()[0]) for text in found.groups]
    assert sum(counted) == len(found.left_out) == len(cases) - len(found.measured)
    assert bool(found.clause) is bool(found.left_out)


def test_an_axis_that_follows_from_others_is_not_said() -> None:
    """One thread stands elsewhere than two, and a parameter that one mechanism has says no more than its name."""
    cases = [case(threads=1), case(threads=2, rate=None), case(mechanism="b", threads=1, rate=7)]
    assert Coverage(cases[:1], cases[1:]).clause.endswith("1 thread of steady")
