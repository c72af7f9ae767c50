"""Results that contradict themselves, their request or arithmetic."""

from tests.fuzz.results import fuzz


def test_a_mutated_result_is_refused_or_measured_and_ends_nothing() -> None:
    found = fuzz(3_000, seed=1)
    assert found.keys() == {"garbage", "contradiction", "other-schema", "measured"}
    assert found.total() == 3_000 and min(found.values()) >= 30
