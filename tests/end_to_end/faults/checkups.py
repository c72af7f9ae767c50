"""A machine that is examined while something else runs on it."""

from tests.end_to_end.faults.fault import STORED, UNCHANGED, WHOLE, Bench, How, others_use, read_faults
from tests.fakes.answers import Steps

HEADING = "Check-ups"
ABOUT = "More load never makes a verdict milder, and nothing is blamed on a machine that other programs may explain."


def slow(bench: Bench) -> None:
    """All takes twenty times as long as planned."""

    def monotonic(clock: Steps) -> float:
        clock.now += 0.4
        return clock.now

    bench.patch.setattr(Steps, "monotonic", monotonic)


FAULTS = read_faults(
    __file__,
    {
        "other programs on half of the CPUs, next to which all is late": How(WHOLE, others_use(0.5)),
        "the same, of a machine on which nothing is late": How(WHOLE, others_use(0.5)),
        "a check-up whose trials take so long that one round is measured": How(WHOLE, slow),
        "the same, for a script that wants to know": How(WHOLE, slow),
        "a check-up since a run that is none": STORED,
        "a finding that the check-up printed": How(UNCHANGED, lambda bench: bench.run("doctor")),
    },
)
