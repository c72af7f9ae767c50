"""Whatever a paste of a matrix was spoiled into, it is read, shown and written, or refused in a sentence."""

from collections import Counter
from itertools import islice
from math import isfinite

from tests.fuzz.mutate import mutations
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
