"""A few hundred mutated pages, of which each is refused in a sentence, or is such that every command reads it."""

import os

import pytest

from tests.fuzz.pages import corpus, fuzz, mutants_of_bytes, structured_mutants
from threadping.conduct.door import let_in
from threadping.output.carried import embed_runs

SEEDS = int(os.environ.get("THREADPING_FUZZ_SEEDS", "2"))
"""Each of some fifty mutants that obey the types; half as many again of a hundred whose bytes are spoilt."""


@pytest.mark.parametrize("seed", range(SEEDS))
def test_pages_with_other_values_are_refused_or_read_by_every_command(seed: int) -> None:
    outcomes = fuzz(structured_mutants(50, seed), each=20)
    assert {*outcomes} == {"refused", "read"} and outcomes["read"] > 5


@pytest.mark.parametrize("seed", range(SEEDS // 2))
def test_pages_with_other_bytes_are_refused_or_read_by_every_command(seed: int) -> None:
    outcomes = fuzz(mutants_of_bytes(100, seed), each=20)
    assert {*outcomes} <= {"refused", "read"} and outcomes["refused"] > 50


def test_what_is_mutated_comes_in_as_it_is() -> None:
    for one in corpus():
        let_in(embed_runs([one]).encode(), "a.run")
