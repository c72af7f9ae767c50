"""Damaged matrices are read, or refused in a sentence."""

from collections import Counter
from itertools import islice

from tests.fuzz.matrices import ATTACHED, EXAMPLES, attempt
from tests.fuzz.mutate import mutations


def test_every_example_is_read() -> None:
    assert {attempt(one) for one in EXAMPLES} == {"read"}


def test_spoiled_matrices_are_read_or_refused() -> None:
    outcomes = Counter(map(attempt, islice(mutations(1, EXAMPLES + ATTACHED), 1000)))
    assert outcomes["read"] > 100 and outcomes["refused"] > 100, outcomes
