"""What `lock` reads from windows and waits, and what it says of them."""

import pytest
from msgspec.structs import replace

from tests.conftest import Window, make_distribution, make_windows
from tests.unit.analysis.examples import LOCK, observed, result, row
from threadping.experiments.lock import EXPERIMENT, jain
from threadping.model.cases import Placement
from threadping.model.contract import CountsHeld, Result


def windows(*counts: tuple[int, int]) -> Result:
    """Throughput windows of a millisecond, with the operations of two threads, before a sampling one."""
    undisturbed = (Window(0, "throughput", 1_000_000, ops) for ops in counts)
    return result(LOCK, windows=make_windows(*undisturbed, Window(0, "sampling", 10, (100, 100)), every=8))


def figures(of: Result) -> dict[str, float]:
    return observed(LOCK, of).figures


def test_a_rate_is_of_all_throughput_windows_and_of_no_sampling_one() -> None:
    assert figures(windows((100, 100), (600, 200)))["ops_per_s"] == pytest.approx(1_000 / 2e-3)


@pytest.mark.parametrize(
    ("counts", "in_a_row"),
    [
        ({"hand-overs": CountsHeld(1_200, 100, exact=False)}, 12.0),
        ({"hand-overs": CountsHeld(1_200, 1_200, exact=False)}, 1.0),
        ({"hand-overs": CountsHeld(1_200, 0, exact=False)}, 1_200.0),  # it never went to another one
        ({"hand-overs": CountsHeld(0, 0, exact=False)}, None),
        ({"increments": CountsHeld(1_200, 1_200, exact=True)}, None),
        ({}, None),
    ],
)
def test_in_a_row_are_the_operations_for_each_that_another_thread_made_before(
    counts: dict[str, CountsHeld], in_a_row: float | None
) -> None:
    assert figures(result(LOCK, counts=counts)).get("lock.in_a_row") == in_a_row


def test_what_was_lost_is_of_increments_alone() -> None:
    counts = {"increments": CountsHeld(1_000, 750, exact=False), "hand-overs": CountsHeld(400, 4, exact=False)}
    found = figures(result(LOCK, counts=counts))
    assert [found[f"lock.updates.{name}"] for name in ("made", "found", "lost")] == [1_000, 750, 0.25]


@pytest.mark.parametrize(("cpus", "cycle_ns"), [((0, 1), 200), ((0, 1, 2, 3), 400), ((0, 1, 0, 1), 400)])
def test_a_wait_is_held_against_an_operation_of_every_thread_and_one_clock_reading(
    cpus: tuple[int, ...], cycle_ns: int
) -> None:
    """A wait of 330 ns on average, while the threads together take 100 ns for an operation."""
    of = replace(LOCK, placement=Placement("same-l3", cpus))
    windows = make_windows(Window(0, "throughput", 1_000 * len(cpus), (10,) * len(cpus)), threads=len(cpus))
    waits = {"acquire": make_distribution((300, 360), (1, 1))}
    found = observed(of, result(of, windows=windows, distributions=waits)).figures
    assert found["lock.wait_over_cycle"] == pytest.approx(330 / (cycle_ns + 20))


def test_where_no_wait_was_timed_there_is_nothing_to_hold_against_the_cycle() -> None:
    untimed = result(LOCK, distributions={"acquire": make_distribution((), ())})
    assert "lock.wait_over_cycle" not in figures(untimed)


def test_fairness_is_of_each_window_and_shares_are_of_the_whole_trial() -> None:
    turns = figures(windows((100, 0), (0, 100), (0, 0), (0, 200)))
    assert [turns[f"lock.fairness.{name}"] for name in ("jain", "shares.min", "shares.max")] == [0.5, 0.25, 0.75]


def test_one_thread_alone_shares_with_nobody_waits_for_nobody_and_hands_over_to_nobody() -> None:
    alone = replace(LOCK, placement=Placement("same-cpu", (1,)))
    found = row(alone, *[result(alone)] * 6)
    assert found.value("ops_per_s") == pytest.approx(12e6)
    of_several = ("lock.fairness.jain", "lock.fairness.shares", "lock.in_a_row", "lock.wait_over_cycle")
    assert not [name for name in found.figures if name.startswith(of_several)]
    assert found.findings == ()


@pytest.mark.parametrize(
    ("work", "index"),
    [
        ([100], 1),
        ([700] * 3, 1),
        ([900, 0, 0], 1 / 3),
        ([100, 300], 0.8),
        ([200, 0], 0.5),
        ([100, 99], None),
        ([0], None),
    ],
)
def test_jains_index_is_one_where_all_did_as_much_and_of_few_operations_it_is_none(
    work: list[int], index: float | None
) -> None:
    assert jain(work) == (index and pytest.approx(index))


@pytest.mark.parametrize(
    ("rates", "said"),
    [
        (
            {8: 1.0, 64: 4.0, 128: 4.0, 256: 4.0},
            [
                "8 bytes apart they disturb each other: 256 give 4.00 (3.96\N{EN DASH}4.04) times as many",
                "64 bytes apart are enough here: 256 give 1.00 (0.99\N{EN DASH}1.01) times as many",
            ],
        ),
        (
            {64: 3.0, 128: 4.0, 256: 4.0},
            [
                "64 bytes apart they disturb each other; lines are fetched in pairs: "
                "256 give 1.33 (1.32\N{EN DASH}1.35) times as many",
                "128 bytes apart are enough here: 256 give 1.00 (0.99\N{EN DASH}1.01) times as many",
            ],
        ),
        (
            {64: 1.0, 128: 1.04},
            ["which distance is enough cannot be told: more trials (--budget) or a greater --stride would"],
        ),
        ({}, []),
    ],
)
def test_how_far_apart_is_enough_is_told_by_the_interval_of_the_ratio_to_the_widest(
    rates: dict[float, float], said: list[str]
) -> None:
    curve = EXPERIMENT.figures.curves[0]
    spread = (0.99, 0.995, 1.0, 1.0, 1.0, 1.005, 1.01)
    assert [*curve.concludes({place: [rate * one for one in spread] for place, rate in rates.items()})] == said


def test_three_trials_conclude_nothing() -> None:
    curve = EXPERIMENT.figures.curves[0]
    assert [*curve.concludes({8: [1.0] * 3, 64: [4.0] * 3})] == [
        "which distance is enough cannot be told: more trials (--budget) or a greater --stride would"
    ]
