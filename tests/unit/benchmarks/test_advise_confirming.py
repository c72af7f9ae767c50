"""An advice held against a run of its own."""

from typing import Any

import pytest

from benchmarks.advise.confirming import arguments, fails, share, way_of, worst_p99

ADVICE = {
    "mechanism": "spin-then-park",
    "runtime": "java-17",
    "placement": "same-l3",
    "params": {"spins": 100, "rate": 1000},
    "busy": 2,
}


def row(p99: float | None = 9e3, cpu: float = 5.0, held: float = 1000) -> dict[str, Any]:
    timed = None if p99 is None else {"p99": p99}
    return {"latency_ns": timed, "cpu_percent": cpu, "held_per_s": held, "offered_per_s": 1000}


def test_just_what_was_advised_is_measured() -> None:
    assert " ".join(arguments(ADVICE)) == (
        "paced --mechanism spin-then-park --runtime java-17 --placement same-l3 --param=spins=100 --param=rate=1000 "
        "--busy 2"
    )
    assert way_of(ADVICE) == "spin-then-park spins=100 java-17"


@pytest.mark.parametrize(
    ("rows", "failed"),
    [
        ([row(), row(p99=1e4)], ()),
        ([row(), row(p99=10_001)], ("p99",)),  # in one of two states
        ([row(cpu=20.1)], ("cpu",)),
        ([row(p99=None, held=980)], ("rate", "p99")),
        ([row(), row(p99=None)], ()),  # a state of few messages
        ([], ("rate",)),
    ],
)
def test_it_fails_in_whatever_any_state_of_the_machine_misses(rows: Any, failed: tuple[str, ...]) -> None:
    assert fails(rows, 1e4, 20.0) == failed


def test_the_worst_p99_is_of_any_state_that_has_one() -> None:
    assert worst_p99([row(), row(p99=1e4), row(p99=None)]) == 1e4
    assert worst_p99([row(p99=None)]) is None


@pytest.mark.parametrize(
    ("times", "of", "said"),
    [
        (19, 20, "19 of 20 (76% to 99%)"),  # Wilson: 0.7639 to 0.9911
        (20, 20, "20 of 20 (84% to 100%)"),
        (0, 10, "0 of 10 (0% to 28%)"),
        (0, 0, "none of none"),
    ],
)
def test_a_share_has_the_interval_that_so_few_leave_open(times: int, of: int, said: str) -> None:
    assert share(times, of) == said
