import pytest

from threadping.model.contract import MILLISECOND, SECOND, Policy, WindowsRequest
from threadping.planning.defaults import crowding, in_blocks, in_cells, in_long_periods, in_periods, on_schedule

MS = MILLISECOND


def test_blocks_are_the_same_for_every_trial() -> None:
    windows = WindowsRequest("ops", throughput=1000, sampling=300, visits=5, chunk_ns=20_000, clock_share=0.02)
    for trial in ((150 * MS, 50 * MS, 1), (MS, 0, 9)):
        assert in_blocks(*trial) == Policy(windows, look_ns=MS, patience_ns=SECOND)
        asleep = WindowsRequest("ops", throughput=100, sampling=100, visits=1, chunk_ns=20_000, clock_share=0.02)
        assert in_blocks(*trial, blocking=True).windows == asleep
        short = WindowsRequest("ops", throughput=300, sampling=30, visits=3, chunk_ns=20_000, clock_share=0.02)
        assert in_cells(*trial) == Policy(short, look_ns=MS, patience_ns=SECOND)


@pytest.mark.parametrize(
    ("measure_ns", "crowding", "throughput", "sampling"),
    [
        (90 * MS, 1, 6 * MS, 3 * MS),  # ten visits of 9 ms
        (94 * MS, 1, 6_266_666, 3_133_333),  # ten of 9.4 ms
        (95 * MS, 1, 5_757_575, 2_878_787),  # eleven of 8.64 ms
        (5 * MS, 1, 3_333_333, 1_666_666),  # one, as long as there is time
        (MS, 1, 666_666, 333_333),
        (240 * MS, 2, 40 * MS, 20 * MS),  # four visits of 60 ms: two threads a CPU, 30 ms for each
        (240 * MS, 4, 80 * MS, 40 * MS),
        (179 * MS, 4, 119_333_333, 59_666_666),  # 1.49 visits of 120 ms are one
        (180 * MS, 4, 60 * MS, 30 * MS),  # 1.5 are two
    ],
)
def test_periods_are_as_many_as_best_fill_the_trial(
    measure_ns: int, crowding: int, throughput: int, sampling: int
) -> None:
    windows = WindowsRequest("ns", throughput, sampling, visits=1, chunk_ns=20_000, clock_share=0.02)
    assert in_periods(measure_ns, 50 * MS, crowding).windows == windows


@pytest.mark.parametrize(
    ("measure_ns", "throughput", "sampling"),
    [
        (100 * MS, 10 * MS, 40 * MS),  # two visits of 50 ms
        (124 * MS, 12_400_000, 49_600_000),  # 2.48 are two
        (125 * MS, 8_333_333, 33_333_332),  # 2.5 are three
        (5 * MS, MS, 4 * MS),
    ],
)
def test_long_periods_are_mostly_sampled_and_every_operation_of_them_is_timed(
    measure_ns: int, throughput: int, sampling: int
) -> None:
    windows = WindowsRequest("ns", throughput, sampling, visits=1, chunk_ns=20_000, clock_share=1.0)
    for rounds in (1, 4):
        assert in_long_periods(measure_ns, 50 * MS, rounds).windows == windows


@pytest.mark.parametrize(
    ("measure_ns", "half", "patience"),
    [
        (40 * MS, 20 * MS, SECOND),
        (149 * MS, 37_250_000, SECOND),
        (2000 * MS, 200 * MS, 2 * SECOND),
        (5000 * MS, 500 * MS, 3 * SECOND),
    ],
)
def test_on_a_schedule_visits_are_few_and_patience_lasts_as_long_as_the_trial(
    measure_ns: int, half: int, patience: int
) -> None:
    windows = WindowsRequest("ns", half, half, visits=1, chunk_ns=20_000, clock_share=0.02)
    assert on_schedule(measure_ns, 50 * MS, 1) == Policy(windows, look_ns=MS, patience_ns=patience)


@pytest.mark.parametrize(
    ("warmup_ns", "crowding", "look_ns"),
    [
        (1000 * MS, 1, MS),
        (1000 * MS, 2, 8 * MS),
        (1000 * MS, 4, 16 * MS),
        (100 * MS, 4, 6_250_000),  # a sixteenth of the warm-up
        (10 * MS, 4, MS),  # never less than a millisecond
        (0, 2, MS),
    ],
)
def test_a_look_lasts_until_each_thread_had_a_slice_but_not_too_long(
    warmup_ns: int, crowding: int, look_ns: int
) -> None:
    assert in_periods(150 * MS, warmup_ns, crowding).look_ns == look_ns


@pytest.mark.parametrize(("crowding", "patience_ms"), [(1, 1000), (2, 1000), (3, 1500), (4, 2000), (9, 2000)])
def test_patience_grows_with_the_crowd_up_to_two_seconds(crowding: int, patience_ms: int) -> None:
    assert in_periods(150 * MS, 50 * MS, crowding).patience_ns == patience_ms * MS


@pytest.mark.parametrize(
    ("cpus", "usable", "busy", "rounds"),
    [
        ((0, 1), 64, 0, 1),
        ((1, 1), 64, 0, 2),
        ((0, 1, 0), 64, 0, 2),
        ((0, 1, 0, 1, 0), 2, 0, 3),
        ((None,) * 8, 8, 0, 1),
        ((None,) * 9, 8, 0, 2),
        ((3,), 1, 0, 1),
        ((0, 1), 4, 2, 1),  # busy threads go where a CPU is free
        ((0, 1), 4, 3, 2),
        ((0, 1), 2, 1, 2),
        ((0, 0), 2, 4, 4),
    ],
)
def test_crowding_is_how_many_rounds_it_takes_until_all_had_a_cpu(
    cpus: tuple[int | None, ...], usable: int, busy: int, rounds: int
) -> None:
    assert crowding(cpus, usable, busy) == rounds
