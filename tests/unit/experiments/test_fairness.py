import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadping.experiments.fairness import is_told, jain


@pytest.mark.parametrize(
    ("work", "index"),
    [([5], 1.0), ([7, 7, 7], 1.0), ([9, 0, 0], 1 / 3), ([0, 0, 0, 1], 0.25), ([1, 3], 0.8), ([1, 2, 3], 36 / 42)],
)
def test_jains_index_is_one_where_all_did_alike_and_one_nth_where_one_did_it_all(work: list[int], index: float) -> None:
    assert jain(work) == pytest.approx(index)


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=64).filter(any), st.integers(1, 10**6))
def test_jains_index_keeps_its_bounds_and_knows_no_unit(work: list[int], scale: int) -> None:
    assert 1 / len(work) - 1e-9 <= jain(work) <= 1 + 1e-9
    assert jain([part * scale for part in work]) == pytest.approx(jain(work))


def test_fairness_is_not_told_of_so_few_operations_that_the_index_is_of_chance() -> None:
    assert all(is_told(work) for work in ([100, 100], [199, 1], [0, 200]))
    assert not any(is_told(work) for work in ([100, 99], [1, 0], [0, 0]))
