"""Whatever a paste of a matrix was spoiled into, it is read, shown and written, or refused in a sentence."""

from collections import Counter
from itertools import islice
from math import isfinite

from tests.fuzz.mutate import mutations
from tests.unit.matrix.pastes import C2CLAT, EXACT, OTHERS, WHOLE
from threadping.errors import Unreadable
from threadping.matrix.pasted import MOST_CPUS
from threadping.matrix.published import read
from threadping.matrix.squares import MOST_NS
from threadping.recognition import decode, recognise
from threadping.views.heat import Scale, drawn
from threadping.views.matrix import FORMATS

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
        cpus, cells = {*one.matrix.cpus}, one.matrix.cells
        assert 2 <= len(cpus) == len(one.matrix.cpus) <= MOST_CPUS
        assert cells and all({*cell.cpus} <= cpus and cell.cpus[0] != cell.cpus[1] for cell in cells)
        assert all(isfinite(cell.latency.value) and 0 <= cell.latency.value <= MOST_NS for cell in cells)
        assert sum(group.pairs for group in one.matrix.clusters) == sum(cell.latency.value > 0 for cell in cells)
        scale = Scale.of(one.matrix)
        assert all(scale.colour(ns) for ns in drawn(one.matrix, None, "unknown", 64).known)
        for name in FORMATS:
            assert FORMATS[name](None, one.matrix)
    return "read"


def test_every_example_is_read() -> None:
    assert {attempt(one) for one in EXAMPLES} == {"read"}


def test_spoiled_matrices_are_read_or_refused() -> None:
    outcomes = Counter(map(attempt, islice(mutations(1, EXAMPLES), 3000)))
    assert outcomes["read"] > 300 and outcomes["refused"] > 300, outcomes
