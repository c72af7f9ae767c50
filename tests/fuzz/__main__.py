"""Try a reader of foreign bytes for as long as one likes: `python -m tests.fuzz matrices 500000 [SEED]`.

The reader's module, `tests/fuzz/test_matrices.py`, has `EXAMPLES`, and `attempt`, which reads spoiled bytes and says in
a word what came of it; whatever it raises is a fault. An input that is one is kept in the current folder.
"""

import sys
import time
from collections import Counter
from importlib import import_module
from itertools import islice
from pathlib import Path

from tests.fuzz.mutate import mutations


def main(reader: str, number: int, seed: int = 1) -> None:
    """Try so many inputs, and print how often what came of them; the first fault ends it as a traceback."""
    tried = import_module(f"tests.fuzz.test_{reader}")
    outcomes, slowest = Counter[str](), 0.0
    for place, data in enumerate(islice(mutations(seed, tried.EXAMPLES), number)):
        begun = time.monotonic()
        try:
            outcomes[tried.attempt(data)] += 1
        except BaseException:
            kept = Path(f"fuzz-{reader}-{seed}-{place}.bin")
            kept.write_bytes(data)
            print(f"input {place} of seed {seed} is a fault, kept in {kept}; before it: {dict(outcomes)}")
            raise
        slowest = max(slowest, time.monotonic() - begun)
    print(f"{reader}: {number:,} inputs of seed {seed}: {dict(outcomes)}; the slowest took {slowest:.2f} s")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
