"""Every contender once a round, in a fresh random order, so that drift of the machine affects all equally."""

import random
from collections.abc import Iterator, Sequence

from benchmarks.records import Contender, Measurement, Unmeasured

HIGHEST_SEED = 2**53 - 1


def carry_out(contenders: Sequence[Contender], rounds: int, seed: int) -> Iterator[list[Measurement]]:
    """Measure, and hand over one round at a time; a process that fails is recorded and the others go on."""
    for number in range(rounds):
        rng = random.Random(f"{seed}/{number}")
        order = rng.sample(contenders, len(contenders))
        yield [_measurement(number, contender, rng.randrange(HIGHEST_SEED)) for contender in order]


def _measurement(number: int, contender: Contender, seed: int) -> Measurement:
    try:
        return Measurement(number, contender.subject, contender.measure(seed), None)
    except Unmeasured as error:
        return Measurement(number, contender.subject, None, str(error))
