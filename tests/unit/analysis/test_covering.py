"""The order in which cases cover their axes, whatever the axes are."""

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from math import prod
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.unit.analysis.examples import SIGNAL
from threadping.analysis.covering import axes_of, covering_order
from threadping.model.cases import Case, Placement


def case(**values: Any) -> Case:
    """A case with these values on its axes; `rate` is a parameter."""
    threads, rate = values.pop("threads", 2), values.pop("rate", None)
    at = Placement("unpinned", (None,) * threads)
    return replace(SIGNAL, placement=at, params={"rate": rate} if rate else {}, **values)


def grid(**axes: Sequence[object]) -> list[Case]:
    return [case(**dict(zip(axes, values, strict=True))) for values in product(*axes.values())]


def ordered(cases: Sequence[Case], *named: str) -> list[tuple[Any, ...]]:
    points = [axes_of(cases[at]) for at in covering_order(cases, named)]
    return [tuple(point[axis] for axis in named) for point in points]


def test_the_ends_of_a_number_come_before_its_middle_in_every_runtime() -> None:
    found = ordered(grid(runtime=["java-17", "java-25"], threads=[1, 2, 3, 4]), "runtime", "threads")
    assert found == [
        *[("java-17", 1), ("java-25", 4), ("java-17", 4), ("java-25", 1)],
        *[("java-17", 2), ("java-25", 2), ("java-17", 3), ("java-25", 3)],
    ]


def test_each_mechanism_that_nobody_named_has_all_corners_before_the_next_and_the_middles_follow() -> None:
    found = covering_order(cases := grid(threads=[1, 2, 4], mechanism=["a", "b"]), ("threads",))
    assert [(cases[at].mechanism, cases[at].threads) for at in found] == [
        *[("a", 1), ("a", 4), ("b", 1), ("b", 4)],
        *[("a", 2), ("b", 2)],
    ]


def test_once_every_value_was_seen_new_pairs_of_values_come_first() -> None:
    axes: dict[str, Sequence[object]] = {"mechanism": ["a", "b"], "runtime": ["java-17", "java-25"], "threads": [1, 4]}
    first = ordered(grid(**axes), *axes)[:5]
    assert {pair for one in first for pair in combinations(one, 2)} == {
        pair for one in product(*axes.values()) for pair in combinations(one, 2)
    }


def test_the_range_between_two_ends_is_halved_again_and_again() -> None:
    found = ordered(grid(threads=[*range(1, 10)]), "threads")
    assert found[:5] == [(1,), (9,), (5,), (3,), (7,)]


@pytest.mark.parametrize("named", [(), ("pin",), ("runtime",)])
def test_without_several_values_on_a_named_axis_nothing_changes_its_place(named: tuple[str, ...]) -> None:
    cases = grid(threads=[4, 1, 2], mechanism=["a", "b"])
    assert covering_order(cases, named) == [*range(6)]


WORDS = st.integers(1, 5).map(lambda number: [f"m{at}" for at in range(number)])
NUMBERS = st.lists(st.integers(1, 64), min_size=1, max_size=6, unique=True)
AXES = st.fixed_dictionaries({"mechanism": WORDS, "runtime": WORDS, "threads": NUMBERS, "rate": NUMBERS})
NAMED = ("mechanism", "runtime", "threads", "rate=")


def ends(axes: Mapping[str, Sequence[Any]]) -> dict[str, set[object]]:
    """What is to be seen soon: every word, and the least and the greatest of each number."""
    return {
        name: {*values} if name in ("mechanism", "runtime") else {min(values), max(values)}
        for name, values in axes.items()
    }


def seen(cases: Sequence[Case], wanted: Mapping[str, set[object]]) -> dict[str, int]:
    points = [axes_of(one) | {"rate": one.params["rate"]} for one in cases]
    return {axis: len({point[axis] for point in points} & values) for axis, values in wanted.items()}


@given(AXES)
def test_every_prefix_shows_as_many_ends_and_words_of_each_axis_as_so_many_cases_can(
    axes: dict[str, list[Any]],
) -> None:
    """So no order shows more of them with as few cases, and the one in which they were asked neither."""
    cases, wanted = grid(**axes), ends(axes)
    order = covering_order(cases, NAMED)
    assert sorted(order) == [*range(len(cases))] and order == covering_order(cases, NAMED)
    corners = prod(map(len, wanted.values()))
    for number in range(1, corners + 1):
        taken = [cases[at] for at in order[:number]]
        assert seen(taken, wanted) == {axis: min(number, len(values)) for axis, values in wanted.items()}
    middle = [cases[at] for at in order[:corners]]
    assert all(one.threads in wanted["threads"] and one.params["rate"] in wanted["rate"] for one in middle)


@given(AXES)
def test_twice_as_many_cases_as_mechanisms_show_both_ends_of_each_one(axes: dict[str, list[Any]]) -> None:
    cases = grid(mechanism=axes["mechanism"], threads=axes["threads"])
    least, most = min(axes["threads"]), max(axes["threads"])
    for named in (("threads",), ("mechanism", "threads")):
        first = [cases[at] for at in covering_order(cases, named)[: 2 * len(axes["mechanism"])]]
        assert {(one.mechanism, one.threads) for one in first} >= {
            (name, threads) for name in axes["mechanism"] for threads in (least, most)
        }


def test_ten_thousand_cases_are_ordered_each_once() -> None:
    cases = grid(mechanism=[*"abcdefghijklmnopqrst"], runtime=[*"abcde"], threads=[*range(1, 11)], rate=[*range(1, 11)])
    assert sorted(covering_order(cases, NAMED)) == [*range(10_000)]
