"""The histogram that other tools read holds the same round trips, to three digits."""

from pathlib import Path

from hdrh.histogram import HdrHistogram
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.store.examples import a_failed_trial, a_run, a_trial
from threadping.contract import Distribution
from threadping.store import open_store
from threadping.store.histogram import HIGHEST_NS, encode

HOUR_NS = 3_600_000_000_000


def test_small_values_are_exact() -> None:
    singles = Distribution((0, 1, 118, 2047), (3, 1, 500, 2**40), 0)
    assert decoded(encode(singles)) == {0: 3, 1: 1, 118: 500, 2047: 2**40}


def test_the_form_is_compressed_v2_of_the_promised_range() -> None:
    encoded = encode(Distribution((118,), (1,), 0))
    assert encoded.startswith("HISTFAAA")  # the V2 compressed cookie, 0x1c849314, in base64
    histogram = HdrHistogram.decode(encoded)
    assert (histogram.lowest_trackable_value, histogram.highest_trackable_value) == (1, HOUR_NS)
    assert histogram.significant_figures == 3


def test_an_hour_and_more_is_counted_and_not_dropped() -> None:
    counts = decoded(encode(Distribution((HOUR_NS - 1, HOUR_NS, 3 * HOUR_NS), (1, 2, 4), 0)))
    assert sum(counts.values()) == 7
    assert all(abs(value - HIGHEST_NS) <= HIGHEST_NS / 1000 for value in counts)


def test_no_singles_is_an_empty_histogram() -> None:
    assert HdrHistogram.decode(encode(Distribution((), (), 0))).get_total_count() == 0


@given(st.dictionaries(st.integers(0, HOUR_NS), st.integers(1, 2**32), min_size=1))
def test_every_count_is_there_within_a_thousandth(counts: dict[int, int]) -> None:
    values = sorted(counts)
    histogram = HdrHistogram.decode(encode(Distribution(tuple(values), tuple(counts[value] for value in values), 0)))
    assert histogram.get_total_count() == sum(counts.values())
    for value in values:
        together = [other for other in values if histogram.values_are_equivalent(value, other)]
        assert histogram.get_count_at_value(value) == sum(counts[other] for other in together)
        assert together[-1] - together[0] <= value / 1000 + 1


def test_the_store_keeps_one_for_each_trial_that_measured(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "runs.sqlite3")) as store:
        run_id = store.begin(a_run()).id
        store.add(run_id, a_failed_trial(round=1))
        store.add(run_id, a_trial(round=0))
        first, second = store.histograms(run_id)
    assert first is not None
    assert decoded(first) == {118: 500, 120: 300, 140: 199, 9000: 1}
    assert second is None


def decoded(encoded: str) -> dict[int, int]:
    """Return lowest equivalent values (ns) and their counts."""
    histogram = HdrHistogram.decode(encoded)
    found = {item.value_iterated_to: item.count_at_value_iterated_to for item in histogram.get_recorded_iterator()}
    return {histogram.get_lowest_equivalent_value(value): count for value, count in found.items()}
