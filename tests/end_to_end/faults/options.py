"""Words and numbers that cannot be meant."""

from tests.end_to_end.faults.fault import NOTHING, STORED, WHOLE, Fault, How, read_faults, trials

HEADING = "Words and numbers"
ABOUT = "A wrong request is refused before anything is measured; where a known name is near, it is suggested."

FAULTS = (
    *read_faults(
        __file__,
        {
            "a header of one's own without a compiler": How(
                NOTHING, lambda bench: (bench.folder / "my_flag.hpp").touch()
            ),
            "SQL for the number of a run": STORED,
            "a budget too small for all that was asked for": How(trials(12)),
            "a budget too small for all pairs of a comparison": How(WHOLE),
        },
    ),
    Fault(
        "bytes that are no text",
        "run signal --mechanism '\udcff\udcfe'",
        2,
        "Unknown mechanism '\\xff\\xfe'. Known: steady.",
        NOTHING,
    ),
    Fault(
        "a number of 400 digits",
        f"run queue --batch {'9' * 400}",
        2,
        f"batch of disruptor must be a whole number from 0 to 1M, not '{'9' * 400}'.",
        NOTHING,
        env={"FAKE_RINGS": "disruptor,sequenced-ring"},
    ),
)
