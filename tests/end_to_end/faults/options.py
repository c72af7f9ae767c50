"""Words and numbers that cannot be meant."""

from tests.end_to_end.faults.fault import NOTHING, UNCHANGED, WHOLE, Bench, Fault, in_shell, trials, typed

HEADING = "Words and numbers"
ABOUT = "A wrong request is refused before anything is measured; where a known name is near, it is suggested."

LOCKS = {"FAKE_LOCKS": "mutex,ticket-lock"}
RINGS = {"FAKE_RINGS": "disruptor,sequenced-ring"}

FAULTS = (
    *typed(__file__),
    Fault(
        "a header of one's own without a compiler",
        "run signal --mechanism ./my_flag.hpp --cxx g+++",
        2,
        "'g+++' is not a compiler that can be started. Name another with --cxx, or install g++.",
        NOTHING,
        before=lambda bench: (bench.folder / "my_flag.hpp").touch(),
    ),
    Fault(
        "bytes that are no text",
        "run signal --mechanism '\udcff\udcfe'",
        2,
        "Unknown mechanism '\\xff\\xfe'. Known: steady.",
        NOTHING,
        run=in_shell('exec "$@"'),
    ),
    Fault(
        "SQL for the number of a run",
        "show '1; DROP TABLE runs'",
        2,
        "There is no run '1; DROP TABLE runs' in the store \N{HORIZONTAL ELLIPSIS}/runs.sqlite3, which holds run "
        "1. Write such a number, or last.",
        UNCHANGED,
        Bench.store_a_run,
    ),
    Fault(
        "a number of 400 digits",
        f"run queue --batch {'9' * 400}",
        2,
        f"batch of disruptor must be a whole number from 0 to 1M, not '{'9' * 400}'.",
        NOTHING,
        env=RINGS,
    ),
    Fault(
        "a budget too small for all that was asked for",
        "run lock --mechanism mutex,ticket-lock --threads 1-4 --budget 2.3s",
        0,
        "Measured 4 of 8: 1 and 4 threads of mutex and ticket-lock.",
        trials(12),
        env=LOCKS,
    ),
    Fault(
        "a budget too small for all pairs of a comparison",
        "compare lock --mechanism mutex,ticket-lock --threads 1-4 --budget 3s --seed 1",
        0,
        "Measured 1 of 4: 1 thread; cannot tell: the metric moves in steps as large as the margin",
        WHOLE,
        env=LOCKS,
    ),
)
