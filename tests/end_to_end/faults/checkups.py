"""A machine that is examined while something else runs on it."""

from tests.end_to_end.faults.fault import UNCHANGED, WHOLE, Bench, Fault
from tests.fakes.answers import Steps

HEADING = "Check-ups"
ABOUT = "More load never makes a verdict milder, and nothing is blamed on a machine that other programs may explain."

QUIET = {
    **{"FAKE_CLOCKS": "clock-monotonic", "FAKE_CALLS": "condition"},
    **{"FAKE_GAPS_NS": "2000x20", "FAKE_WAKE_NS": "9000"},
}
LATE = {**QUIET, "FAKE_GAPS_NS": "2000x20,4000000x1", "FAKE_WAKE_NS": "190000"}


def busy(bench: Bench) -> None:
    """Other programs take half of the CPU time."""
    bench.patch.setattr("threadping.conduct.runner.others_since", lambda _cpus: lambda: 0.5)


def slow(bench: Bench) -> None:
    """All takes twenty times as long as planned."""

    def monotonic(clock: Steps) -> float:
        clock.now += 0.4
        return clock.now

    bench.patch.setattr(Steps, "monotonic", monotonic)


FAULTS = (
    Fault(
        "other programs on half of the CPUs, next to which all is late",
        "doctor",
        3,
        "Unfit for latency: busy-neighbours.",
        WHOLE,
        busy,
        env=LATE,
    ),
    Fault(
        "the same, of a machine on which nothing is late",
        "doctor",
        3,
        "Unfit for latency: busy-neighbours.",
        WHOLE,
        busy,
        env=QUIET,
    ),
    Fault(
        "a check-up whose trials take so long that one round is measured",
        "doctor",
        0,
        "In doubt for latency: only 1 of … rounds measured.",
        WHOLE,
        slow,
        env=QUIET,
    ),
    Fault(
        "the same, for a script that wants to know",
        "doctor --strict",
        4,
        "Ended with its budget after 1 of … rounds: trials took longer than planned.",
        WHOLE,
        slow,
        env=QUIET,
    ),
    Fault(
        "a finding that the check-up printed",
        "explain slow-wake-up last",
        0,
        "A thread that is woken runs after 190 µs (190 µs with the CPU kept awake): the scheduler, the kernel or a "
        "tracer takes the time, and no sleeping CPU.",
        UNCHANGED,
        lambda bench: bench.run("doctor"),
        env=LATE,
    ),
)
