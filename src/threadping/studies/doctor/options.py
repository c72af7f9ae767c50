"""The command `doctor`."""

from threadping.analysis.health import PURPOSES
from threadping.options import syntax
from threadping.options.program import command
from threadping.options.shared import (
    ANYWAY,
    LOCATION,
    OF_A_STUDY,
    SEED,
    file,
    output_option,
    subject_option,
    time_option,
)

DOCTOR = command(
    "doctor",
    """Say in about ten seconds whether this machine can be trusted with latency, benchmarks or real time (--for).

    It changes nothing, needs no rights, and measures what it finds: gaps of threads that always run, wake-ups of
    threads that slept, beside sleeping CPUs and beside CPUs that are kept awake.
    """,
    "studies.doctor.command.doctor",
    subject_option(
        "--for purpose",
        "By which limits: latency (the default), benchmark or realtime; docs/doctor.md has them.",
        syntax.one_of(*PURPOSES),
        metavar="PURPOSE",
        default="latency",
    ),
    subject_option(
        "--limit limit_ns", "How late a thread may be, in place of the purpose's limit: 50us.", syntax.LATENCY
    ),
    subject_option("--cpus", "Examine these CPUs alone: 2,3.", syntax.CPUS),
    subject_option(
        "--since --against before",
        "Say what has changed since this run of doctor: its number, or last.",
        metavar="RUN",
    ),
    subject_option(
        "--instrument",
        "Check threadping in place of the machine: known delays and stalls are planted, and must be measured.",
        is_flag=True,
    ),
    time_option(
        "--budget budget_s",
        "How long in all; 10s by default, 30s with --instrument. Three rounds may take twice that on a busy machine.",
        syntax.TIME,
    ),
    *(SEED, ANYWAY, OF_A_STUDY),
    file(
        "--output -o file",
        "Also write a file: .run (for `threadping import`), .json, or .csv.",
        "the output",
        *(".run", ".json", ".csv"),
    ),
    output_option("--strict", "Exit with 4 if it is in doubt.", is_flag=True),
    LOCATION,
    examples=[
        ("doctor", "is this machine fit for low latency?"),
        ("doctor --for realtime --cpus 2,3", "are these fit for real time?"),
        ("doctor --since last", "did it help what you have changed?"),
    ],
    ends={0: "Fit, or in doubt.", 3: "Unfit.", 4: "With --strict: in doubt."},
)
