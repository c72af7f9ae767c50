"""Figures of `lock` from a result: contention, readers and writers."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from tests.conftest import Window, make_distribution, make_windows
from tests.unit.analysis.examples import LOCK, Given, judged, observed, result, row
from threadping.analysis.declaration import Row
from threadping.experiments import lock
from threadping.experiments.lock import LOCK as EXPERIMENT
from threadping.experiments.lock import jain
from threadping.model.cases import Placement
from threadping.model.contract import CountsHeld, Result

SPREAD = (0.99, 0.995, 1.0, 1.0, 1.0, 1.005, 1.01)


def windows(*counts: tuple[int, int]) -> Result:
    """Throughput windows of a millisecond, with the operations of two threads, before a sampling one."""
    undisturbed = (Window(0, "throughput", 1_000_000, ops) for ops in counts)
    return result(LOCK, windows=make_windows(*undisturbed, Window(0, "sampling", 10, (100, 100)), every=8))


def figures(of: Result) -> dict[str, float]:
    return observed(LOCK, of).figures


def test_a_rate_is_of_all_throughput_windows_and_of_no_sampling_one() -> None:
    assert figures(windows((100, 100), (600, 200)))["ops_per_s"] == pytest.approx(1_000 / 2e-3)


def test_operations_in_a_row_are_those_per_handover() -> None:
    """Of 0 handovers it never went to another one; of 0 operations nothing is known."""
    for made, handovers, in_a_row in ((1_200, 100, 12.0), (1_200, 1_200, 1.0), (1_200, 0, 1_200.0), (0, 0, None)):
        counts = {"handoffs": CountsHeld(made, handovers, exact=False)}
        assert figures(result(LOCK, counts=counts)).get("lock.consecutive") == in_a_row
    assert "lock.consecutive" not in figures(result(LOCK, counts={"increments": CountsHeld(1_200, 1_200, exact=True)}))


def test_what_was_lost_is_of_increments_alone() -> None:
    counts = {"increments": CountsHeld(1_000, 750, exact=False), "handoffs": CountsHeld(400, 4, exact=False)}
    found = figures(result(LOCK, counts=counts))
    assert [found[f"lock.updates.{name}"] for name in ("made", "found", "lost")] == [1_000, 750, 0.25]


def test_a_wait_is_compared_with_one_operation_of_every_thread() -> None:
    """A wait of 330 ns on average, while the threads together take 100 ns for an operation."""
    for cpus, cycle_ns in (((0, 1), 200), ((0, 1, 0, 1), 400)):
        of = replace(LOCK, placement=Placement("same-l3", cpus))
        windows = make_windows(Window(0, "throughput", 1_000 * len(cpus), (10,) * len(cpus)), threads=len(cpus))
        waits = {"acquire": make_distribution((300, 360), (1, 1))}
        found = observed(of, result(of, windows=windows, distributions=waits)).figures
        assert found["lock.wait_over_cycle"] == pytest.approx(330 / (cycle_ns + 20))
    untimed = result(LOCK, distributions={"acquire": make_distribution((), ())})
    assert "lock.wait_over_cycle" not in figures(untimed)


def test_fairness_is_of_each_window_and_shares_are_of_the_whole_trial() -> None:
    turns = figures(windows((100, 0), (0, 100), (0, 0), (0, 200)))
    assert [turns[f"lock.fairness.{name}"] for name in ("jain", "shares.min", "shares.max")] == [0.5, 0.25, 0.75]


def test_one_thread_alone_shares_with_nobody_waits_for_nobody_and_hands_over_to_nobody() -> None:
    alone = replace(LOCK, placement=Placement("same-cpu", (1,)))
    found = row(alone, *[result(alone)] * 6)
    assert found.value("ops_per_s") == pytest.approx(12e6)
    of_several = ("lock.fairness.jain", "lock.fairness.shares", "lock.consecutive", "lock.wait_over_cycle")
    assert not [name for name in found.figures if name.startswith(of_several)]
    assert found.findings == ()


def test_jains_index_is_one_if_all_did_as_much_and_none_of_few() -> None:
    for work, index in (([100], 1), ([700] * 3, 1), ([900, 0, 0], 1 / 3), ([100, 300], 0.8), ([200, 0], 0.5)):
        assert jain(work) == pytest.approx(index)
    assert jain([100, 99]) is jain([0]) is None


UNDECIDED = "which distance is enough is not known: more trials (--budget) or a greater stride would"


def test_the_ratio_to_the_widest_distance_shows_which_is_enough() -> None:
    rows: list[tuple[dict[float, float], int, list[str]]] = [
        (
            {8: 1.0, 64: 4.0, 128: 4.0, 256: 4.0},
            7,
            [
                "8 bytes apart they disturb each other: 256 give 4.00 (3.96\N{EN DASH}4.04) times as many",
                "64 bytes apart are enough here: 256 give 1.00 (0.99\N{EN DASH}1.01) times as many",
            ],
        ),
        (
            {64: 3.0, 128: 4.0, 256: 4.0},
            7,
            [
                "64 bytes apart they disturb each other; lines are fetched in pairs: "
                "256 give 1.33 (1.32\N{EN DASH}1.35) times as many",
                "128 bytes apart are enough here: 256 give 1.00 (0.99\N{EN DASH}1.01) times as many",
            ],
        ),
        ({64: 1.0, 128: 1.04}, 7, [UNDECIDED]),
        ({8: 1.0, 64: 4.0}, 3, [UNDECIDED]),
        ({}, 7, []),
    ]
    for rates, trials, said in rows:
        planted = {place: [rate * one for one in SPREAD[:trials]] for place, rate in rates.items()}
        assert [*EXPERIMENT.figures.curves[0].concludes(planted)] == said


WAITS = {
    "acquire": make_distribution((100, 300, 9_000), (8, 2, 1)),
    "wait-to-read": make_distribution((100,), (8,)),
    "wait-to-write": make_distribution((300, 9_000), (2, 1)),
}


def shared(*roles: str, ops: Sequence[int] = (100, 900), writes: int = 250, reads: int = 750) -> Result:
    """Return a throughput window of 1 ms with operations of threads of these roles."""
    of = result(LOCK)
    threads = tuple(replace(one, role=role) for one, role in zip(of.threads, roles, strict=True))
    counts = {"increments": CountsHeld(writes, writes, exact=True), "whole reads": CountsHeld(reads, reads, exact=True)}
    windows = make_windows(Window(0, "throughput", 1_000_000, tuple(ops)), every=8)
    return replace(of, threads=threads, counts=counts, windows=windows, distributions=WAITS)


def test_reads_and_writes_are_counted_apart_and_a_writer_has_a_share_of_the_turns() -> None:
    rows: list[tuple[tuple[str, str], tuple[int, int], float | None, int]] = [
        (("writer", "reader"), (500, 500), 1.0, 500),
        (("writer", "reader"), (10, 990), 0.02, 10),
        (("reader-writer", "reader-writer"), (100, 900), None, 250),  # the pattern says how many write
    ]
    for roles, ops, turn, writes in rows:
        found = figures(shared(*roles, ops=ops))
        assert found.get("lock.writers.turn") == (turn and pytest.approx(turn))
        assert found["lock.writes_per_s"] == pytest.approx(writes / 1e-3)
        assert found["lock.reads_per_s"] == pytest.approx((1_000 - writes) / 1e-3)
        assert found["ops_per_s"] == pytest.approx(1_000 / 1e-3)


def test_where_every_operation_writes_or_reads_nothing_is_said_of_the_others() -> None:
    assert not {lock.READS, lock.WRITES, lock.TURN} & figures(result(LOCK)).keys()
    assert lock.TURN not in figures(shared("reader", "reader"))


def test_the_waits_of_readers_and_of_writers_appear_next_to_all_waits() -> None:
    found = observed(LOCK, shared("writer", "reader")).distributions
    assert found["read_wait_ns"] == WAITS["wait-to-read"]
    assert found["write_wait_ns"] == WAITS["wait-to-write"]
    assert found["latency_ns"] == WAITS["acquire"]


def test_an_operation_cheaper_than_a_clock_reading_has_no_wait_of_either_kind() -> None:
    trial, of_waits = observed(LOCK, shared("writer", "reader")), {"read_wait_ns.samples", "write_wait_ns.samples"}
    for takes_ns, shown in ((19, set[str]()), (21, of_waits)):
        rates = {"ops_per_s": 2e9 / takes_ns, "clock_cost_ns": 20.0}
        row = judged(LOCK, [replace(trial, figures={**trial.figures, **rates})] * 6)
        assert of_waits & row.figures.keys() == shown
        assert row.headline


def lock_of(mechanism: str, reads: float, turn: float = 1.0, trials: int = 7) -> Row:
    case = replace(LOCK, mechanism=mechanism, params={"writers": 1}, varied=("writers",))
    planted = {lock.READS: [reads * one for one in SPREAD], lock.TURN: [turn * one for one in SPREAD]}
    return Given(planted, of=case, trials=trials).row


AT = "(cpp, 2 threads, writers 1)"


def test_the_ratio_shows_the_readers_gain_over_a_mutex_and_starvation() -> None:
    cases: list[tuple[Sequence[Row], Sequence[str]]] = [
        (
            (lock_of("mutex", 1e6), lock_of("shared-mutex", 5e5), lock_of("seqlock", 3e6)),
            [f"Readers read most with seqlock {AT}: 3.00 (2.97\N{EN DASH}3.03) times what mutex gives them."],
        ),
        (
            (lock_of("mutex", 1e6), lock_of("shared-mutex", 5e5)),
            [
                f"Readers read most with mutex {AT}: shared-mutex, the next, gives 0.50 (0.50\N{EN DASH}0.51) "
                "times what mutex gives them."
            ],
        ),
        (
            (lock_of("mutex", 1e6), lock_of("shared-mutex", 1e6)),
            [
                f"Readers read as much with shared-mutex as with mutex {AT}: 1.00 (0.99\N{EN DASH}1.01) "
                "times what mutex gives them."
            ],
        ),
        (
            (lock_of("mutex", 1e6, trials=3), lock_of("seqlock", 2e6, trials=3)),
            [f"Whether readers gain by seqlock over mutex is not known {AT}: more trials (--budget) would show."],
        ),
        (
            (lock_of("pthread-rwlock-readers", 1e6, 0.01), lock_of("pthread-rwlock-writers", 1e6, 0.5)),
            [f"Writers starve with pthread-rwlock-readers {AT}: one makes less than 0.1 of an equal share."],
        ),
        ((lock_of("mutex", 1e6),), []),
        ((), []),
    ]
    for rows, said in cases:
        assert [*lock.gains(rows)] == said
