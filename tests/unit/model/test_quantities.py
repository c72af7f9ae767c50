"""Numbers as a person reads them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadping.model import quantities

SECONDS_OF = {"ns": 1.0, "\u00b5s": 1e3, "ms": 1e6, "s": 1e9}


@pytest.mark.parametrize(
    ("ns", "shown"),
    [
        (0, "0.00 ns"),
        (0.42, "0.42 ns"),
        (9.994, "9.99 ns"),
        (9.995, "10.0 ns"),
        (59.274, "59.3 ns"),
        (99.96, "100 ns"),
        (999.4, "999 ns"),
        (999.6, "1.00 \u00b5s"),
        (28_112.5, "28.1 \u00b5s"),
        (5_998_214.7, "6.00 ms"),
        (999_600_000, "1.00 s"),
        (4.2e9, "4.20 s"),
        (1.5e12, "1500 s"),
    ],
)
def test_a_time_has_three_digits_and_the_unit_that_suits_it(ns: float, shown: str) -> None:
    assert quantities.time(ns) == shown


@given(st.floats(1, 9.9e11))
def test_a_time_reads_back_within_half_of_its_last_digit(ns: float) -> None:
    digits, unit = quantities.time(ns).split()
    assert float(digits) * SECONDS_OF[unit] == pytest.approx(ns, rel=0.00502)
    assert len(digits.replace(".", "")) == 3


@pytest.mark.parametrize(
    ("mean", "low", "high", "shown"),
    [
        (59.274, 58.118, 60.441, "58.1\u201360.4"),
        (950, 890, 1_240, "890\u20131240"),  # the unit is the mean's, at both ends
        (28_112.5, 27_350, 28_990, "27.4\u201329.0"),
        (59.274, 59.26, 59.29, "59.26\u201359.29"),
        (59.274, 59.2731, 59.2732, "59.3\u201359.3"),  # nothing narrower can be distinguished in five digits
        (100, 100, 100, "100\u2013100"),
    ],
)
def test_an_interval_has_the_unit_of_its_mean_and_digits_that_differ(
    mean: float, low: float, high: float, shown: str
) -> None:
    assert quantities.interval(mean, low, high) == shown


@pytest.mark.parametrize(
    ("value", "low", "high", "shown"),
    [
        (38_900, 36_400, 41_700, "36\u201342"),
        (12_800, 9_400, 11_200, "9.4\u201311"),
        (18, 1.1, 38.1, "1.1\u201338"),  # was told as 18.0 ns, give or take 103%
        (402, 26, 1_876, "26\u20131876"),
        (11_400, 757, 217_000, "0.76\u2013217"),
        (1_152_000, 18_000, 34_721_000, "18 \u00b5s\u201335 ms"),
        (45.7, 29.4, 960_000, "29 ns\u2013960 \u00b5s"),
        (26, 0, 100, "0\u2013100"),
    ],
)
def test_a_wide_interval_has_two_digits_that_count_and_ends_far_from_its_figure_have_units(
    value: float, low: float, high: float, shown: str
) -> None:
    assert quantities.from_to(value, low, high) == shown


def test_the_ends_of_any_interval_have_units_where_they_are_far_from_the_figure_s() -> None:
    assert quantities.interval(1_152_000, 18_000, 34_721_000) == "18 \u00b5s\u201335 ms"
    assert quantities.from_to(5e6, 1e5, 9e7, quantities.MULTIPLES) == "0.10\u201390"
    assert quantities.from_to(5e6, 1e3, 9e7, quantities.MULTIPLES) == "1.0 k\u201390 M"
    assert [quantities.around(half) for half in (0.004, 0.04, 0.1)] == ["\xb10%", "\xb14%", "\xb110%"]


@pytest.mark.parametrize(
    ("number", "shown"), [(167, "167"), (35_571, "35.6 k"), (16_870_803, "16.9 M"), (999_700, "1.00 M"), (0.5, "0.50")]
)
def test_a_count_is_short(number: float, shown: str) -> None:
    assert quantities.count(number) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.62, "0.6 s"),
        (5, "5.0 s"),
        (9.96, "10 s"),
        (42.4, "42 s"),
        (59.7, "1 min"),
        (102, "1 min 42 s"),
        (3599.8, "1 h"),
        (7500, "2 h 5 min"),
    ],
)
def test_a_duration_is_for_a_person(seconds: float, shown: str) -> None:
    assert quantities.duration(seconds) == shown


@pytest.mark.parametrize(
    ("size", "shown"), [(17, "17 B"), (1 << 20, "1 MiB"), (25_276_510_208, "23.5 GiB"), (3 << 50, "3072 TiB")]
)
def test_memory(size: int, shown: str) -> None:
    assert quantities.memory(size) == shown


@pytest.mark.parametrize(
    ("least", "most", "shown"),
    [
        (0.31, 0.69, "31\u201369%"),
        (0.5, 0.5, "50%"),
        (0.496, 0.504, "50%"),
        (0.071, 0.188, "7\u201319%"),
        (0.008, 0.024, "0.8\u20132.4%"),
        (0.0001, 0.0041, "0.01\u20130.41%"),
        (0, 1, "0\u2013100%"),
    ],
)
def test_shares_have_digits_that_suit_the_larger(least: float, most: float, shown: str) -> None:
    assert quantities.shares(least, most) == shown


@pytest.mark.parametrize(
    ("share", "shown"), [(0, "0"), (1e-9, "<0.01%"), (0.0042, "0.42%"), (0.042, "4.2%"), (0.365, "36%"), (1, "100%")]
)
def test_a_share_is_never_rounded_to_nothing(share: float, shown: str) -> None:
    assert quantities.percent(share) == shown


def test_an_interval_of_counts_has_the_multiple_of_its_mean() -> None:
    assert quantities.interval(14_120_000, 13_800_000, 14_400_000, quantities.MULTIPLES) == "13.8\u201314.4"


@pytest.mark.parametrize(("share", "more"), [(0.042, "4.2%"), (9.9, "990%"), (746.54, "748x")])
def test_beyond_tenfold_nobody_reads_a_percentage(share: float, more: str) -> None:
    assert quantities.more(share) == more
