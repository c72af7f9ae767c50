"""What a check-up would call unfit, seen in passing by any run: one line, and nothing where nothing is."""

import pytest
from msgspec.structs import replace

from tests.unit.analysis.examples import DECLARED, RUN, SIGNAL, observed, result
from threadping.analysis.analyse import analyse
from threadping.analysis.answer import Answer
from threadping.model.cases import Runtime
from threadping.output.findings import unusable

SECOND_NS = 1e9


def ran(
    others: float | None = None,
    throttled: int | None = None,
    stolen: float = 0.0,
    clock: float = 20.0,
    runtimes: tuple[Runtime, ...] = (),
) -> Answer:
    """Ten trials of a second, on two CPUs."""
    exact = observed(SIGNAL, result())
    figures = {"counters.measured_ns": SECOND_NS, "counters.steal_ns": stolen, "clock_cost_ns": clock}
    measured = {**exact.figures, **figures}
    seen = replace(exact, figures=measured, wall_ns=int(SECOND_NS), others=others, throttled_ns=throttled)
    return analyse(replace(RUN, runtimes=runtimes), [seen] * 10, (), DECLARED)


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (ran(), ""),
        (ran(others=0.04, throttled=0, stolen=0.0, clock=60.0), ""),
        (ran(others=0.2), "other programs used 20% of the CPU time"),
        (ran(throttled=300_000_000), "a quota took 15% of the CPU time"),
        (ran(throttled=1_000_000), ""),  # 0.05%
        (ran(stolen=1e8), "the hypervisor took 5.0% of the CPU time"),
        (ran(stolen=4e6), ""),  # four ticks in all
        (ran(clock=430.0), "a reading of the clock takes 430 ns in cpp"),
        (
            ran(others=0.1, clock=430.0, stolen=1e8),
            "the hypervisor took 5.0% of the CPU time; a reading of the clock takes 430 ns in cpp; other programs used "
            "10% of the CPU time",
        ),
    ],
)
def test_one_line_above_the_answer_says_what_is_beyond_the_limits_for_benchmarks(found: Answer, why: str) -> None:
    said = " ".join(one.plain for one in unusable(found))
    assert said == (f"! `threadping doctor` would call this machine unfit for benchmarks: {why}." if why else "")


def test_a_machine_whose_figures_are_not_to_be_used_is_not_said_to_be_loaded_twice() -> None:
    said = " ".join(one.plain for one in unusable(ran(others=0.5)))
    assert "Do not use these figures" in said and "doctor" not in said


def test_a_clock_that_a_custom_probe_says_is_slow_is_no_fault_of_the_machine() -> None:
    custom = Runtime(SIGNAL.runtime, "probe", ("/opt/go-probe",), "go 1.26")
    assert [*unusable(ran(clock=430.0, runtimes=(custom,)))] == []
