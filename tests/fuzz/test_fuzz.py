"""Foreign inputs end in a sentence: damaged matrices, and what the mutations are."""

from collections import Counter
from itertools import islice
from random import Random

import pytest

from tests.fuzz.matrices import EXAMPLES, attempt
from tests.fuzz.mutate import EXTREMES, MUTATIONS, Mutation, mutations


def test_every_example_is_read() -> None:
    assert {attempt(one) for one in EXAMPLES} == {"read"}


def test_spoiled_matrices_are_read_or_refused() -> None:
    outcomes = Counter(map(attempt, islice(mutations(1, EXAMPLES), 3000)))
    assert outcomes["read"] > 300 and outcomes["refused"] > 300, outcomes


INPUTS = [b"first,1.5\nsecond,2\n", b'{"third": [3, 4e5, -6]}']


def test_a_seed_repeats_its_mutations_and_another_has_others() -> None:
    first = [*islice(mutations(1, INPUTS), 200)]
    assert [*islice(mutations(1, INPUTS), 200)] == first
    assert [*islice(mutations(2, INPUTS), 200)] != first
    assert len(set(first)) > 150
    assert max(map(len, first)) < 1 << 20


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_every_mutation_changes_an_example_and_takes_an_empty_one(mutation: Mutation) -> None:
    assert any(mutation(Random(seed), INPUTS[0], INPUTS) != INPUTS[0] for seed in range(50))
    mutation(Random(1), b"", [b""])


def test_numbers_become_extreme_ones() -> None:
    seen = b"".join(islice(mutations(3, INPUTS), 3000))
    assert all(extreme in seen for extreme in EXTREMES)
