"""How often trials are called unsteady that are not, and how often those that are: simulated, with a seed."""

import numpy as np
import pytest
from msgspec.structs import replace

from tests.conftest import Window, make_windows
from tests.unit.analysis.examples import DECLARED, LOCK, RUN, result
from threadping.analysis import reading
from threadping.analysis.declaration import Evidence
from threadping.analysis.estimate import interval, summed_up
from threadping.model import Row

WINDOWS, OPS = 24, 10_000
"""Throughput windows of a trial, and the operations in each. A drift is of two thirds, of eight windows each."""

(NOT_STEADY,) = (check for check in DECLARED["lock"].checks if check.code == "not-steady")
EXACT = result(LOCK)


def alarms(rows: int, trials: int, sd: float, drift: float = 0.0) -> int:
    """In how many of so many rows `not-steady` speaks; a trial's drift is `drift`, give or take `sd`."""
    rng = np.random.default_rng(17)
    noise = rng.normal(0, sd * (WINDOWS / 6) ** 0.5, (rows, trials, WINDOWS))
    trend = np.repeat(np.array([0, 0.5, 1]) * drift, WINDOWS // 3)
    return sum(_speaks([_drift(one) for one in of_row]) for of_row in 1_000_000 * np.exp(noise + trend))


def _drift(ns: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> float:
    windows = make_windows(*(Window(0, "throughput", round(one), (OPS,)) for one in ns), threads=1)
    found = reading.drift(replace(EXACT, threads=EXACT.threads[:1], windows=windows))
    assert found is not None
    return found


def _speaks(drifts: list[float]) -> bool:
    row = Row(LOCK, len(drifts), 0, {"drift": summed_up(drifts, "typical")}, {"drift": interval(drifts)})
    return NOT_STEADY.find(Evidence(LOCK, row, (), (), RUN, DECLARED["lock"])) is not None


@pytest.mark.parametrize("trials", [6, 12])
@pytest.mark.parametrize("sd", [0.01, 0.02])
def test_noise_alone_is_called_unsteady_less_often_than_one_time_in_twenty(trials: int, sd: float) -> None:
    assert alarms(200, trials, sd) < 200 / 20


@pytest.mark.parametrize("sd", [0.01, 0.02])
def test_a_tenth_more_at_the_end_of_each_of_six_trials_is_seen_almost_always(sd: float) -> None:
    assert alarms(100, 6, sd, drift=np.log(1.1)) >= 95
