"""What has changed since another check-up: by intervals, and nothing by chance."""

import random

import pytest

from threadping.analysis.health.health import Effect
from threadping.studies.doctor.reading import changes


def six(chance: random.Random, value: float, noise: float = 0.05) -> tuple[float, ...]:
    return tuple(value * (1 + noise * chance.gauss(0, 1)) for _ in range(6))


@pytest.mark.parametrize(("factor", "verdict"), [(0.5, "better"), (2.0, "worse"), (1.0, "same")])
def test_a_planted_change_is_told_in_95_of_100_comparisons(factor: float, verdict: str) -> None:
    chance, noise = random.Random(3), 0.01
    told = [
        changes({"late": Effect("late", six(chance, 100 * factor, noise))}, {"late": six(chance, 100, noise)})["late"]
        for _ in range(100)
    ]
    assert sum(one.verdict == verdict for one in told) >= 95


def test_of_equals_at_most_one_in_a_hundred_is_said_to_have_changed() -> None:
    chance = random.Random(5)
    for noise in (0.02, 0.1, 0.3):
        told = [
            changes({"late": Effect("late", six(chance, 100, noise))}, {"late": six(chance, 100, noise)})["late"]
            for _ in range(300)
        ]
        assert sum(one.verdict in ("better", "worse") for one in told) <= 3


def test_what_was_not_measured_both_times_or_too_seldom_is_not_compared() -> None:
    now = {"late": Effect("late", (1.0, 2.0)), "clock": Effect("clock", (9.0,) * 6)}
    found = changes(now, {"late": (5.0,) * 6, "stolen": (0.0,) * 6})
    assert {name: one.verdict for name, one in found.items()} == {"late": "cannot tell"}
    assert changes({"stolen": Effect("stolen", (0.0,) * 6)}, {"stolen": (0.0,) * 6})["stolen"].verdict == "same"
