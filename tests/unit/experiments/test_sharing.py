"""What `lock` reads of readers and writers, and what it says of them together."""

from collections.abc import Mapping, Sequence

import pytest
from msgspec.structs import replace

from tests.conftest import Window, make_distribution, make_windows
from tests.unit.analysis.examples import LOCK, Given, judged, observed, result
from threadping.analysis.declaration import Row
from threadping.experiments import lock
from threadping.model.contract import CountsHeld, Result

WAITS = {
    "acquire": make_distribution((100, 300, 9_000), (8, 2, 1)),
    "wait-to-read": make_distribution((100,), (8,)),
    "wait-to-write": make_distribution((300, 9_000), (2, 1)),
}


def shared(*roles: str, ops: Sequence[int] = (100, 900), writes: int = 250, reads: int = 750) -> Result:
    """A throughput window of a millisecond in which threads of these roles did so many operations."""
    of = result(LOCK)
    threads = tuple(replace(one, role=role) for one, role in zip(of.threads, roles, strict=True))
    counts = {
        "increments": CountsHeld(writes, writes, exact=True),
        "whole reads": CountsHeld(reads, reads, exact=True),
    }
    windows = make_windows(Window(0, "throughput", 1_000_000, tuple(ops)), every=8)
    return replace(of, threads=threads, counts=counts, windows=windows, distributions=WAITS)


def figures(of: Result) -> Mapping[str, float]:
    return observed(LOCK, of).figures


def test_threads_that_only_read_and_only_write_are_counted_apart() -> None:
    found = figures(shared("writer", "reader"))
    assert found["lock.reads_per_s"] == pytest.approx(900 / 1e-3)
    assert found["lock.writes_per_s"] == pytest.approx(100 / 1e-3)
    assert found["ops_per_s"] == pytest.approx(1_000 / 1e-3)


def test_of_threads_that_do_either_the_pattern_says_how_many_write() -> None:
    found = figures(shared("reader-writer", "reader-writer"))
    assert found["lock.writes_per_s"] == pytest.approx(1_000 / 1e-3 / 4)
    assert found["lock.reads_per_s"] == pytest.approx(3_000 / 1e-3 / 4)


def test_a_writer_that_has_its_turn_as_often_as_a_reader_has_all_of_its_share() -> None:
    assert figures(shared("writer", "reader", ops=(500, 500)))["lock.writers.turn"] == 1
    assert figures(shared("writer", "reader", ops=(10, 990)))["lock.writers.turn"] == pytest.approx(0.02)
    assert "lock.writers.turn" not in figures(shared("reader-writer", "reader-writer"))
    assert "lock.writers.turn" not in figures(shared("reader", "reader"))


def test_where_every_operation_writes_nothing_is_said_of_readers() -> None:
    assert not {lock.READS, lock.WRITES, lock.TURN} & figures(result(LOCK)).keys()


def test_the_waits_of_both_kinds_stand_beside_all_of_them() -> None:
    found = observed(LOCK, shared("writer", "reader")).distributions
    assert found["read_wait_ns"] == WAITS["wait-to-read"]
    assert found["write_wait_ns"] == WAITS["wait-to-write"]
    assert found["latency_ns"] == WAITS["acquire"]


OF_WAITS = {f"{kind}_wait_ns.samples" for kind in ("read", "write")}


@pytest.mark.parametrize(("takes_ns", "shown"), [(19, set()), (21, OF_WAITS)])
def test_where_an_operation_is_cheaper_than_a_reading_of_the_clock_no_wait_of_either_kind_is_shown(
    takes_ns: float, shown: set[str]
) -> None:
    trial = observed(LOCK, shared("writer", "reader"))
    rates = {"ops_per_s": 2e9 / takes_ns, "clock_cost_ns": 20.0}
    row = judged(LOCK, [replace(trial, figures={**trial.figures, **rates})] * 6)
    assert OF_WAITS & row.figures.keys() == shown
    assert row.headline


def lock_of(mechanism: str, reads: float, turn: float = 1.0, trials: int = 7) -> Row:
    case = replace(LOCK, mechanism=mechanism, params={"writers": 1}, varied=("writers",))
    spread = (0.99, 0.995, 1.0, 1.0, 1.0, 1.005, 1.01)
    planted = {lock.READS: [reads * one for one in spread], lock.TURN: [turn * one for one in spread]}
    return Given(planted, of=case, trials=trials).row


AT = "(cpp, 2 threads, writers 1)"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
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
    ],
)
def test_what_readers_gain_over_a_mutex_is_told_by_the_interval_of_the_ratio_and_who_starves(
    rows: Sequence[Row], said: Sequence[str]
) -> None:
    assert [*lock.gains(rows)] == said
