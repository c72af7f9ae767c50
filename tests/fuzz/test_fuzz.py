"""Foreign inputs end in a sentence: damaged matrices, and what the mutations are."""

from collections import Counter
from itertools import islice
from math import isfinite
from random import Random

import pytest

from tests.fuzz.mutate import EXTREMES, MUTATIONS, Mutation, mutations
from tests.unit.studies.matrix.pastes import C2CLAT, EXACT, OTHERS, WHOLE
from threadping.model.errors import Unreadable
from threadping.model.recognition import decode, recognise
from threadping.output.heat import Scale, drawn
from threadping.studies.matrix.pasted import MOST_CPUS, MOST_NS, PASTED_FORMATS, read

EXAMPLES = [
    one if isinstance(one, bytes) else one.encode()
    for examples in (EXACT, WHOLE, C2CLAT, OTHERS)
    for one in examples.values()
]


def attempt(data: bytes) -> str:
    """Import it as the command does; every figure is one of a pair of CPUs, and every format can write it."""
    try:
        if recognise(data, "it") == "page":
            return "page"
        found = read(decode(data, "it"), "it")
    except Unreadable as error:
        said = str(error)
        assert said.startswith("it cannot be imported: ") and said.endswith(".") and said.isprintable(), said
        assert len(said) < 300, said
        return "refused"
    for one in found:
        cpus, figures = {*one.map.cpus}, one.map.ns
        assert 2 <= len(cpus) == len(one.map.cpus) <= MOST_CPUS
        assert figures and all({*pair} <= cpus and pair[0] != pair[1] for pair in figures)
        assert all(isfinite(ns) and 0 <= ns <= MOST_NS for ns in figures.values())
        assert sum(group.pairs for group in one.map.groups) == sum(ns > 0 for ns in figures.values())
        scale = Scale.of(one.map)
        assert all(scale.colour(ns) for ns in drawn(one.map, None, 64).known)
        for write in PASTED_FORMATS.values():
            assert write(one.map)
    return "read"


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
