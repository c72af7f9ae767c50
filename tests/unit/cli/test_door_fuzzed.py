"""Import validation refuses each of a few hundred mutated reports in a sentence, or every command can read it."""

import os
from itertools import islice

import pytest

from tests.fuzz.pages import corpus, fuzz, mutants
from threadping.conduct.pages import load_bundle
from threadping.output.bundle import embed_runs

SEEDS = int(os.environ.get("THREADPING_FUZZ_SEEDS", "2"))
"""Number of seeds; each makes a hundred mutants: half obey the types, half have damaged bytes."""


@pytest.mark.parametrize("seed", range(SEEDS))
def test_spoilt_reports_are_refused_or_read_by_every_command(seed: int) -> None:
    outcomes = fuzz(islice(mutants(seed, structured_each=2), 100), seed, each=20)
    assert {*outcomes} <= {"refused", "refused by import", "read"}
    assert outcomes["read"] > 5 and outcomes["refused"] > 50


def test_an_accepted_mutant_is_imported_unchanged() -> None:
    for one in corpus():
        load_bundle(embed_runs([one]).encode(), "a.run")
