"""Spoiled examples are the same for a seed, of every kind, and bounded."""

from itertools import islice
from random import Random

import pytest

from tests.fuzz.mutate import EXTREMES, MUTATIONS, Mutation, mutations

EXAMPLES = [b"first,1.5\nsecond,2\n", b'{"third": [3, 4e5, -6]}']


def test_a_seed_repeats_its_mutations_and_another_has_others() -> None:
    first = [*islice(mutations(1, EXAMPLES), 200)]
    assert [*islice(mutations(1, EXAMPLES), 200)] == first
    assert [*islice(mutations(2, EXAMPLES), 200)] != first
    assert len(set(first)) > 150
    assert max(map(len, first)) < 1 << 20


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_every_mutation_changes_an_example_and_takes_an_empty_one(mutation: Mutation) -> None:
    assert any(mutation(Random(seed), EXAMPLES[0], EXAMPLES) != EXAMPLES[0] for seed in range(50))
    mutation(Random(1), b"", [b""])


def test_numbers_become_extreme_ones() -> None:
    seen = b"".join(islice(mutations(3, EXAMPLES), 3000))
    assert all(extreme in seen for extreme in EXTREMES)
