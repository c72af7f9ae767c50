"""Recorded outputs of tools are read exactly; any other output gets an explanation."""

from pathlib import Path

import pytest

from benchmarks.reproduce.outputs import MOST_READ, OUTPUT_READERS, RUNS, NotPrinted, number_in
from threadping.studies.reproduce.stated import tools

RECORDED = Path(__file__).parents[1] / "data" / "tools"
PRINTED = {
    "core-to-core-latency": ((RECORDED / "core-to-core-latency.txt").read_text(), None),
    "perf-pipe": ((RECORDED / "perf-pipe.txt").read_text(), 6754.850),
    "perf-messaging": ((RECORDED / "perf-messaging.txt").read_text(), 1_036_000_000.0),
    "stress-ng": ((RECORDED / "stress-ng.txt").read_text(), 299062.52),
    # As their sources print them.
    "c2clat": (" CPU    0    1\n   0    0   27\n   1   27    0\n", 27.0),
    "lat-pipe": ("Pipe latency: 5.0123 microseconds\n", 5012.3),
    "lat-ctx": ('\n"size=0k ovr=0.51\n2 1.23\n', 1230.0),
    "pingpong": ("avg latency to communicate\ntimes are in ns\n\n          1\n 0:    61.2\n\n", 61.2),
    "context1": ("COUNT|0|1|lps\nCOUNT|146123|1|lps\n", 146123.0),
    "coherency": (
        "Number of CPUs: 2\n0 to 1: 275.200012 ns\nCache line offset: 0\nx,137.600006\n54.849998,x\n",
        96.225002,
    ),
    "crossbeam": ("unbounded_spsc            Rust crossbeam-channel   0.179 sec\n", 179_000_000.0),
}


def test_this_file_covers_every_reader_and_every_number_that_is_run_has_one() -> None:
    assert PRINTED.keys() == OUTPUT_READERS.keys()
    assert {run.prints for run in RUNS.values()} <= OUTPUT_READERS.keys()
    assert {*RUNS} <= {(tool.name, one.name) for tool in tools().values() for one in tool.numbers}


@pytest.mark.parametrize("name", PRINTED)
def test_what_was_printed_is_read(name: str) -> None:
    output, expected = PRINTED[name]
    found = number_in(output, name)
    assert found > 0 if expected is None else found == pytest.approx(expected)


def test_of_core_to_core_latency_the_csv_counts_and_not_what_was_rounded() -> None:
    output, _ = PRINTED["core-to-core-latency"]
    exact = next(line.strip(",") for line in output.splitlines() if line.endswith(",") and line.strip(","))
    assert number_in(output, "core-to-core-latency") == float(exact)


def test_of_stress_ng_the_rate_by_real_time_of_either_stressor_is_read() -> None:
    assert number_in((RECORDED / "stress-ng-futex.txt").read_text(), "stress-ng") == 25709.64


def test_of_a_coherency_matrix_of_more_cpus_nobody_knows_which_are_ours() -> None:
    with pytest.raises(NotPrinted, match="more than two CPUs, among which ours are not known"):
        number_in("Cache line offset: 0\nx,51.0,52.0\n51.0,x,53.0\n52.0,53.0,x\n", "coherency")


@pytest.mark.parametrize("name", OUTPUT_READERS)
def test_what_is_something_else_is_refused_in_a_clause(name: str) -> None:
    for output in ("", "\n\n", "usage: it [options]\n", "\0\x1b[2J" * 9, "0 " * MOST_READ, "\N{SNOWMAN}"):
        with pytest.raises(NotPrinted) as refused:
            number_in(output, name)
        said = str(refused.value)
        assert said.isprintable() and 0 < len(said) < 200


def test_no_number_of_an_operation_that_takes_nothing() -> None:
    for name, zero in (("perf-pipe", " 0.000 usecs/op\n"), ("context1", "COUNT|0|1|lps\n")):
        with pytest.raises(NotPrinted, match="it printed 0"):
            number_in(zero, name)
