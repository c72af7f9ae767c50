"""Numbers as they are read and written."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadping.model.errors import UsageError
from threadping.model.numbers import compact, letters, named, parse, parse_cpus, ranges, whole


def hours(text: str) -> tuple[int, ...]:
    return parse(text, "--hours", 1, 12, what="hours", example="1,2 or 3-12")


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("5", (5,)), ("1,12", (1, 12)), ("3-3", (3,)), ("3,1,3", (3, 1, 3)), (" 4 , 6 - 8 ", (4, 6, 7, 8))],
)
def test_numbers_are_read_in_the_order_given(text: str, numbers: tuple[int, ...]) -> None:
    assert hours(text) == numbers


ADVICE = "Write hours from 1 to 12: 1,2 or 3-12."


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", f"cannot be read at ''. {ADVICE}"),
        ("ten", f"cannot be read at 'ten'. {ADVICE}"),
        ("1,,2", f"cannot be read at ''. {ADVICE}"),
        ("1, -1", f"cannot be read at '-1'. {ADVICE}"),
        ("1;2", f"cannot be read at '1;2'. {ADVICE}"),
        ("\u0663", f"cannot be read at '\u0663'. {ADVICE}"),  # a digit, but none of ours
        ("1" * 30, f"cannot be read at '{'1' * 30}'. {ADVICE}"),
        ("1,3-2", "runs backwards at '3-2'. Write 2-3, or 3,2."),
        ("1,0", f"is out of bounds at '0'. {ADVICE}"),
        ("13", f"is out of bounds at '13'. {ADVICE}"),
        ("2,0-3", f"is out of bounds at '0-3'. {ADVICE}"),
        ("1-99999999999", f"is out of bounds at '1-99999999999'. {ADVICE}"),
    ],
)
def test_what_is_refused_is_named_with_the_remedy(text: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=re.escape(f"--hours '{text}' {complaint}") + "$"):
        hours(text)


def test_a_long_list_is_quoted_by_its_beginning_and_refused_before_it_is_too_long() -> None:
    many = ",".join(["1-12"] * 100)
    with pytest.raises(UsageError, match=rf"^--hours '{many[:59]}…' names some of its numbers twice\. Write hours"):
        hours(many)
    with pytest.raises(UsageError, match=r"^--hours '1{59}…' cannot be read at '1{59}…'\."):
        hours("1" * 5000)
    assert len(parse_cpus("0-65535")) == 65_536


def test_cpus_go_as_far_as_the_contract_and_each_is_given_once() -> None:
    assert parse_cpus("3,0,65535") == (3, 0, 65535)
    with pytest.raises(UsageError, match=r"^--cpus '1,0-2' names CPU 1 twice\. For threads on one CPU write"):
        parse_cpus("1,0-2")
    with pytest.raises(UsageError, match=r"^--cpus '65536' .* Write CPU numbers from 0 to 65535: 0,1 or 2-3\.$"):
        parse_cpus("65536")


@given(st.lists(st.integers(0, 65535), min_size=1, unique=True), st.integers(2, 4))
def test_what_is_written_is_read_back(numbers: list[int], at_least: int) -> None:
    assert list(parse_cpus(",".join(ranges(numbers, at_least)))) == numbers


@pytest.mark.parametrize(
    ("numbers", "pairs", "threes"),
    [
        ([], "", ""),
        ([3], "3", "3"),
        ([0, 1], "0-1", "0,1"),
        ([1, 2, 3, 5, 8, 9], "1-3,5,8-9", "1-3,5,8,9"),
        ([2, 1, 0, 0, 1], "2,1,0,0-1", "2,1,0,0,1"),
        ([None, None, 1, None, 3], "-,-,1,-,3", "-,-,1,-,3"),
        ([0, 1, 2, None, 4, 5, 6], "0-2,-,4-6", "0-2,-,4-6"),
    ],
)
def test_numbers_that_follow_each_other_are_a_range(numbers: list[int | None], pairs: str, threes: str) -> None:
    assert ",".join(ranges(numbers)) == pairs
    assert ",".join(ranges(numbers, at_least=3)) == threes


def test_of_many_parts_the_ends_are_shown() -> None:
    assert ranges(range(0, 8, 2), at_most=4) == ["0", "2", "4", "6"]
    assert ranges([0, 2, 4, 6, 8, 9], at_most=4) == ["0", "2", "\u2026", "8-9"]


def test_cpus_are_named_once_and_ascending() -> None:
    assert [named(cpus) for cpus in ([3], [1, 0, 1], {8, 0, 1, 2})] == ["CPU 3", "CPUs 0-1", "CPUs 0-2,8"]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("500", 500),
        ("-1", -1),
        ("10k", 10_000),
        ("1.5M", 1_500_000),
        (" 2G ", 2_000_000_000),
        ("1.5", None),
        ("0.0001k", None),
        ("1K", None),
        ("k", None),
        ("1e3", None),
        ("", None),
        ("\u0663", None),
    ],
)
def test_a_whole_number_may_be_so_many_thousands_or_millions(text: str, number: int | None) -> None:
    assert whole(text) == number


@given(st.integers(0, 10**15))
def test_a_number_that_is_written_short_is_read_again(number: int) -> None:
    assert whole(compact(number)) == number
    assert len(compact(number)) <= len(str(number))


def test_places_beyond_the_alphabet_have_two_letters() -> None:
    assert [letters(place) for place in (0, 25, 26, 51, 52, 701, 702)] == ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]
