"""The state that was asked for, as it is written and as it is found."""

import pytest

from threadping.analysis.states import StateFilter, parse_state
from threadping.model.errors import UsageError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, None),
        ("near", StateFilter("near")),
        ("far", StateFilter("far")),
        ("20-40", StateFilter("20-40", (20, 40))),
        ("20-40ns", StateFilter("20-40ns", (20, 40))),
        ("24.5-30.25 ns", StateFilter("24.5-30.25 ns", (24.5, 30.25))),
        ("30-30", StateFilter("30-30", (30, 30))),
    ],
)
def test_a_state_is_written_as_a_word_or_as_a_range(text: str | None, expected: StateFilter | None) -> None:
    assert parse_state(text) == expected


@pytest.mark.parametrize(
    "text", ["", "Near", "40-20", "20", "-5-20", "20-", "20-40us", "1e3-2e3", "20-40-60", "nan-nan"]
)
def test_what_is_no_state_is_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_state(text)
    expected = f"--state '{text}' is not a state. Write near, far, or a range of pings: 20-40ns."
    assert (str(refused.value), refused.value.exit_code) == (expected, 2)


@pytest.mark.parametrize(
    ("text", "ns", "seen", "holds"),
    [
        ("near", 26, [], True),  # the only one that is seen is near
        ("far", 26, [], False),
        ("far", 32, [26], False),
        ("near", 30, [26, 127], True),
        ("near", 33, [26, 127], False),
        ("near", 20, [26, 127], True),  # nearer than ever
        ("far", 127, [26], True),
        ("far", 102, [26, 127], True),
        ("far", 101, [26, 127], False),
        ("20-40", 20, [5, 127], True),
        ("20-40", 40, [5], True),
        ("20-40", 40.1, [], False),
        ("20-40", 19.9, [], False),
    ],
)
def test_it_holds_at_that_end_of_all_that_was_seen_or_within_its_range(
    text: str, ns: float, seen: list[float], holds: bool
) -> None:
    wanted = parse_state(text)
    assert wanted
    assert wanted.holds(ns, seen) is holds


@pytest.mark.parametrize(
    ("text", "seen", "only"),
    [("far", [], True), ("far", [26, 30], True), ("far", [26, 127], False), ("near", [26, 30], False)],
)
def test_a_far_state_is_not_known_where_all_that_was_seen_is_alike(text: str, seen: list[float], only: bool) -> None:
    wanted = parse_state(text)
    assert wanted
    assert wanted.is_only(seen) is only
