"""Machines whose truth is known: what trials and reference pings on them would say."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.random import Generator
from numpy.typing import NDArray

from threadping.studies.compare.blocks import Looks, SideTrial, TrialBlock, is_spoilt, order
from threadping.studies.compare.verdict import PairBlocks, RatioTest, Rules, compare

Floats = NDArray[np.float64]

PING_NOISE = 0.011
NEAR: Floats = np.log(np.array((24.0, 26.5, 29.3)))
"""Levels of two CPUs that are near to each other, as seen on a virtual machine."""
FAR, FAR_SHARE = np.log(130.0), 0.07


class Machine(Struct, frozen=True):
    """A model of the logarithms of trials, and of the pings between them; the unit of time is one trial.

    Attributes:
        state: draws the state at the ends of a number of trials; pings measure it.
        trials: draws the differences between a number of trials, in addition to normal, independent noise.
        follows: by how much a trial's figure follows the state.
    """

    state: Callable[[Generator, int], Floats]
    trials: Callable[[Generator, int], Floats] = lambda _, trials: np.zeros(trials)
    follows: float = 1.0


def _still(_: Generator, times: int) -> Floats:
    return np.full(times, NEAR[0])


def _drift(_: Generator, times: int) -> Floats:
    return np.linspace(NEAR[0], NEAR[0] + np.log(1.1), times)


def _wanders(draw: Generator, times: int, dwell: float = 20) -> Floats:
    """Draw levels 10% apart; each lasts `dwell` trials on average."""
    moves = draw.random(times) < 1 / dwell
    moves[0] = True
    since = np.maximum.accumulate(np.where(moves, np.arange(times), 0))
    return NEAR[draw.integers(len(NEAR), size=times)][since]


def _far(draw: Generator, times: int) -> Floats:
    """And now and then another state."""
    near, away = _wanders(draw, times), np.zeros(times, bool)
    is_far = draw.random() < FAR_SHARE
    for time in range(times):
        is_far = draw.random() < (0.9 if is_far else 0.1 * FAR_SHARE / (1 - FAR_SHARE))
        away[time] = is_far
    return np.where(away, FAR, near)


def _correlated(draw: Generator, trials: int) -> Floats:
    """Draw noise of 1.1%; 90% of it remains from trial to trial."""
    noise = draw.normal(0, 0.011, trials)
    for trial in range(1, trials):
        noise[trial] = 0.9 * noise[trial - 1] + np.sqrt(1 - 0.9**2) * noise[trial]
    return noise


MACHINES: Mapping[str, Machine] = {
    "still": Machine(_still),
    "drifts by 10%": Machine(_drift),
    "levels 10% apart": Machine(_wanders),
    "levels and a far state": Machine(_far),
    "1 trial in 20 is 1.3x slower": Machine(_still, lambda draw, n: np.log(1.3) * (draw.random(n) < 0.05)),
}
"""The five of the review."""

OTHERS: Mapping[str, Machine] = {
    "levels that figures do not follow": Machine(_wanders, follows=0.0),
    "noise that lasts (AR 0.9)": Machine(_still, _correlated),
    "3 trials in 10 are 10% slower": Machine(_still, lambda draw, n: np.log(1.1) * (draw.random(n) < 0.3)),
}


def blocks(
    machine: Machine, draw: Generator, number: int, *, noise: float = 0.011, ratio: float = 1.0
) -> list[TrialBlock]:
    """Draw blocks of A against a B that is `ratio` times A."""
    state = machine.state(draw, 4 * number + 1)
    pings = np.exp(state + draw.normal(0, PING_NOISE, len(state)))
    during = (state[1:] + state[:-1]) / 2
    logs = machine.follows * during + machine.trials(draw, 4 * number) + draw.normal(0, noise, 4 * number)
    seed, made = int(draw.integers(2**31)), []
    for block in range(number):
        trials = enumerate(order(seed, 0, block), 4 * block)
        made.append(
            TrialBlock(
                tuple(
                    SideTrial(
                        side,
                        float(np.exp(logs[at]) * (ratio if side == "b" else 1.0)),
                        float(pings[at]),
                        float(pings[at + 1]),
                    )
                    for at, side in trials
                )
            )
        )
    return made


def measured(
    given: Sequence[TrialBlock], looks: Looks, *, margin: float = 0.03, comparisons: int = 1
) -> tuple[RatioTest, int]:
    """Return the verdict and the number of blocks used: at the first analysis that settles it, or the last."""
    good = 0
    for number, block in enumerate(given, 1):
        final = number == len(given)
        good += not is_spoilt(block)
        if not final and (is_spoilt(block) or good not in looks.blocks):
            continue
        found = compare(PairBlocks(given[:number]), Rules(margin, looks), comparisons, final=final)
        if final or found.is_settled:
            return found, number
    raise ValueError("there are no blocks")
