"""Every contender once a round, in a fresh random order, so that drift of the machine affects all equally."""

import random
from collections.abc import Iterator, Sequence

from benchmarks.records import Contender, Measurement, Subject, Unmeasured

HIGHEST_SEED = 2**53 - 1


Pairs = Sequence[tuple[Subject, Subject]]
"""Pairs of subjects: the two sides of each question."""


def execute_run(
    contenders: Sequence[Contender], rounds: int, seed: int, pairs: Pairs = ()
) -> Iterator[list[Measurement]]:
    """Measure, and hand over one round at a time; a process that fails is recorded and the others go on.

    The sides of a pair follow each other at once, either of them first, and with them all that one of them is
    to be held against: a machine whose state moves from second to second is in one state for both.
    """
    together = _together(pairs)
    for number in range(rounds):
        rng = random.Random(f"{seed}/{number}")
        order = rng.sample(contenders, len(contenders))
        if pairs:
            in_turn = [one for of in rng.sample(together, len(together)) for one in rng.sample(of, len(of))]
            place = {subject: at for at, subject in enumerate(in_turn)}
            order.sort(key=lambda one: place[one.subject])
        yield [_measurement(number, contender, rng.randrange(HIGHEST_SEED)) for contender in order]


def _together(pairs: Pairs) -> list[list[Subject]]:
    """Return groups of subjects that share a pair, each subject once."""
    found: list[list[Subject]] = []
    for pair in pairs:
        sharing = [of for of in found if not set(pair).isdisjoint(of)]
        found = [of for of in found if of not in sharing]
        found.append([*dict.fromkeys((*pair, *(one for of in sharing for one in of)))])
    return found


def _measurement(number: int, contender: Contender, seed: int) -> Measurement:
    try:
        return Measurement(number, contender.subject, contender.measure(seed), None)
    except Unmeasured as error:
        return Measurement(number, contender.subject, None, str(error))
