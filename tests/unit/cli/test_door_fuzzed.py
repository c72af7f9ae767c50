"""A few hundred mutated pages, of which each is refused in a sentence, or is such that every command reads it."""

import os
from itertools import islice

import pytest

from tests.fuzz.pages import corpus, fuzz, mutants
from threadping.conduct.pages import load_bundle
from threadping.output.bundle import embed_runs

SEEDS = int(os.environ.get("THREADPING_FUZZ_SEEDS", "2"))
"""Each of a hundred mutants, of which half obey the types, and the bytes of half are spoilt."""


@pytest.mark.parametrize("seed", range(SEEDS))
def test_spoilt_reports_are_refused_or_read_by_every_command(seed: int) -> None:
    outcomes = fuzz(islice(mutants(seed, structured_each=2), 100), seed, each=20)
    assert {*outcomes} <= {"refused", "refused by import", "read"}
    assert outcomes["read"] > 5 and outcomes["refused"] > 50


def test_what_is_mutated_comes_in_as_it_is() -> None:
    for one in corpus():
        load_bundle(embed_runs([one]).encode(), "a.run")
