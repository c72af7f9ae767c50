"""Rankings: false sentences and power, simulated with a seed; the first line for each subject.

`python -m benchmarks.simulated.tables rankings` prints the table of docs/internals/statistics.md.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from tests.golden import minute
from tests.golden.fixture import CAS, DECLARED, QUIET, RUN, STEADY
from threadping.analysis.analyse import analyse
from threadping.analysis.declaration import Row
from threadping.analysis.ranking import answers_of, rank, slower_by
from threadping.model.contract import Params
from threadping.model.run import Observation

Floats = np.ndarray[Any, np.dtype[np.float64]]
Draw = Callable[[np.random.Generator, int, int], Floats]
"""The times of rows of trials, by the numbers of both: all rows are equal in truth."""


def unlike(rng: np.random.Generator, rows: int, trials: int) -> Floats:
    """Scatter by 1 to 40%, each row by its own."""
    scatter: Floats = rng.choice(np.array([0.01, 0.02, 0.1, 0.4]), (rows, 1))
    return np.exp(rng.normal(0, 1, (rows, trials)) * scatter)


def mixed(share: float, factor: float, sd: float = 0.03) -> Draw:
    """In a `share` of trials a time is `factor` times as long: bursts, or two modes."""

    def draw(rng: np.random.Generator, rows: int, trials: int) -> Floats:
        return np.exp(rng.normal(0, sd, (rows, trials))) * np.where(rng.random((rows, trials)) < share, factor, 1)

    return draw


def ties(rng: np.random.Generator, rows: int, trials: int) -> Floats:
    return np.round(20 * np.exp(rng.normal(0, 0.05, (rows, trials)))) / 20


def wandering(least: float) -> Draw:
    """The machine changes its level now and then; each row follows it by a power from `least` to 1."""

    def draw(rng: np.random.Generator, rows: int, trials: int) -> Floats:
        levels = rng.choice([1, 1.3, 0.8], trials)
        held = np.maximum.accumulate(np.where(rng.random(trials) < 0.15, np.arange(trials), 0))
        return np.exp(rng.normal(0, 0.03, (rows, trials))) * levels[held] ** rng.uniform(least, 1, (rows, 1))

    return draw


def runs(rng: np.random.Generator, rows: int, trials: int) -> Floats:
    """Rows differ from run to run 1.7 times as much as their trials explain."""
    return np.exp(rng.normal(0, 0.05, (rows, trials)) + rng.normal(0, 0.05 * 1.375 / trials**0.5, (rows, 1)))


DRAWS: Mapping[str, Draw] = {
    "noise 5%": mixed(0, 1, 0.05),
    "noise 30%": mixed(0, 1, 0.3),
    "unlike noise, 1 to 40%": unlike,
    "bursts, 10% of trials 3x": mixed(0.1, 3),
    "two modes, half of trials 2x": mixed(0.5, 2),
    "ties, steps of 5%": ties,
    "wandering machine": wandering(1),
    "runs scatter 1.7x": runs,
}


def false(draw: Draw, rows: int, trials: int, times: int) -> float:
    """The share of rankings of equals in which one is said to be slower than the best."""
    rng = np.random.default_rng([rows, trials])
    return sum(any(rank(draw(rng, rows, trials).tolist())) for _ in range(times)) / times


def found(factor: float, sd: float, rows: int, times: int) -> float:
    """The share of rankings in which a row that is `factor` times slower is said to be so; 6 trials each."""
    rng = np.random.default_rng(rows)
    slower = np.where(np.arange(rows) == rows - 1, factor, 1)[:, None]
    return sum(rank((slower * mixed(0, 1, sd)(rng, rows, 6)).tolist())[-1] is not None for _ in range(times)) / times


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_false_sentences_are_few(draw: Draw) -> None:
    assert false(draw, 4, 6, 60) <= 0.1  # of 5%, as few trials as this tell it


def test_what_is_much_slower_is_found() -> None:
    assert found(2.0, 0.1, 4, 30) == 1.0
    assert found(1.2, 0.03, 4, 30) >= 0.9


def of_two(experiment: str, *mechanisms: str) -> Sequence[Row]:
    """The rows of a made-up run of a subject that the minute has not: the second mechanism takes twice as long."""
    headline, param = DECLARED[experiment].headline, DECLARED[experiment].param
    params: Params = {param: 1_000} if param else {}
    cases = [replace(CAS, experiment=experiment, mechanism=name, params=params) for name in mechanisms]
    seen = [
        Observation(number, 0, case, None, 1, QUIET | {headline: fold * vary * 10_000})
        for fold, case in enumerate(cases, start=1)
        for number, vary in enumerate(STEADY, start=1)
    ]
    return analyse(replace(RUN, cases=tuple(cases)), seen, (), DECLARED).rows


def test_the_first_line_names_the_metric_and_the_best() -> None:
    for experiment, begins in [
        ("signal", "release-one-line wait=pause (cpp, java-17) and cas-one-line (cpp, java-17) do not differ: 25.8"),
        ("lock", "1 to 2 threads: fetch-add (cpp) is fastest: 140 M (137\N{EN DASH}143) operations/s with 2 threads"),
        ("wakeup", "16 pairs: condition (cpp) is fastest: 1.61 µs (1.58\N{EN DASH}1.64) for the call that wakes"),
        ("queue", "disruptor (java-17): 184 ns (180\N{EN DASH}189) from sender to receiver, p99 567 ns, p99.9 756 ns"),
        ("barrier", "2 threads: spin-barrier (cpp) is fastest: 312 ns (306\N{EN DASH}318) until all are done"),
        ("load", "rate 1k: futex (cpp) is fastest: 10.0 µs (9.8\N{EN DASH}10.2) from when a message is due"),
        ("network", "futex (cpp) is fastest: 10.0 µs (9.8\N{EN DASH}10.2) one way; condition (cpp) is"),
        ("jitter", "2 threads: futex (cpp) is fastest: 10.0 µs (9.8\N{EN DASH}10.2) lateness (p99.99)"),
    ]:
        rows = [row for row in minute.ANSWER.rows if row.case.experiment == experiment]
        assert next(iter(answers_of(rows or of_two(experiment, "futex", "condition")))).startswith(begins)


def test_a_bound_that_rounds_to_one_is_not_printed() -> None:
    assert slower_by([1.001]) == "slower"
    assert slower_by([3.0, 1.001]) == "slower, the last at least 3.0 times"
    assert slower_by([3.0, 1.11]) == "at least 1.11 to 3.0 times slower"
