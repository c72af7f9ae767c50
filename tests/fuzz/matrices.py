"""Mutated matrices of other tools: each is read or refused in a sentence, never an exception.

`python -m tests.fuzz.matrices 500000 [SEED]` tries 500,000 inputs. It keeps a failing input in the current folder.
"""

import sys
import time
from collections import Counter
from itertools import islice
from math import isfinite
from pathlib import Path

from tests.conftest import ROOT
from tests.fuzz.mutate import mutations
from tests.unit.studies.matrix.pastes import C2CLAT, EXACT, OTHERS, WHOLE
from threadping.model.errors import Unreadable
from threadping.model.files import decode, recognise
from threadping.output.heat import Scale, drawn
from threadping.studies.matrix.pasted import MOST_CPUS, MOST_NS, PASTED_FORMATS, read

EXAMPLES = [
    one if isinstance(one, bytes) else one.encode()
    for examples in (EXACT, WHOLE, C2CLAT, OTHERS)
    for one in examples.values()
]
ATTACHED = [one.read_bytes() for one in sorted((ROOT / "tests" / "data" / "pasted").iterdir())]
"""Examples that are read; and files of other tools, some of which are refused."""


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


def main(number: int, seed: int = 1) -> None:
    """Try a number of inputs, and count their outcomes; the first fault ends it with a traceback."""
    outcomes, slowest = Counter[str](), 0.0
    for place, data in enumerate(islice(mutations(seed, EXAMPLES + ATTACHED), number)):
        begun = time.monotonic()
        try:
            outcomes[attempt(data)] += 1
        except BaseException:
            kept = Path(f"fuzz-matrices-{seed}-{place}.bin")
            kept.write_bytes(data)
            print(f"input {place} of seed {seed} is a fault, kept in {kept}; before it: {dict(outcomes)}")
            raise
        slowest = max(slowest, time.monotonic() - begun)
    print(f"matrices: {number:,} inputs of seed {seed}: {dict(outcomes)}; the slowest took {slowest:.2f} s")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
