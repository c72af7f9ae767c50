"""The command `advise`."""

from threadping.options import syntax
from threadping.options.program import studying
from threadping.options.shared import (
    ANYWAY,
    BUDGET,
    BUILDING,
    BUSY_THREADS,
    CPUS,
    LOCATION,
    MECHANISM,
    OF_A_STUDY,
    PLACEMENT,
    RUNTIME,
    SEED,
    output_option,
    subject_option,
)

ADVISE = studying(
    "advise",
    "advise",
    """Find the cheapest wait strategy that meets a latency, and say what it costs; exit with 3 if none does.

    Every wait strategy is measured as `paced` does, or with --workers as `crowd` does, in every language; one that
    misses by far is soon left out.
    """,
    subject_option(
        "--rate", "Messages a second: 500, 10k, 1M; with --workers rounds a second, 1k by default.", syntax.RATE
    ),
    subject_option(
        "--arrivals",
        "When messages are due: constant (the default), poisson or bursts.",
        syntax.one_of("constant", "poisson", "bursts"),
        metavar="WHEN",
        default="constant",
    ),
    subject_option(
        "--burst",
        "How many messages are due at once with --arrivals bursts, 10 by default; the mean rate stays.",
        syntax.NumberInRange(1, 10_000),
    ),
    subject_option(
        "--p99 p99_ns",
        "The p99 latency that is required, from when a message is due: 20us.",
        syntax.LATENCY,
    ),
    subject_option(
        "--workers",
        "How many threads are let go at once: asks how to release them, as `crowd` measures it.",
        syntax.NumberInRange(1, 4095),
    ),
    subject_option(
        "--jobs",
        "How many jobs each round of --workers has; one for each by default.",
        syntax.NumberInRange(1, 1_000_000),
    ),
    subject_option(
        "--done done_ns", "The p99 that is required until all --workers have done their part: 50us.", syntax.LATENCY
    ),
    subject_option(
        "--cpu cpu_share",
        "The most CPU time of the waiting thread, or of a whole crowd, of a core: 20%.",
        syntax.SHARE,
    ),
    subject_option(
        "--for system",
        "Choose for disruptor, agrona, folly, openmp, ggml or vllm, and print its configuration.",
        syntax.one_of("disruptor", "agrona", "folly", "openmp", "ggml", "vllm"),
        metavar="SYSTEM",
    ),
    output_option("--strict", "Exit with 4 if that is not sure.", is_flag=True),
    *(RUNTIME, MECHANISM, PLACEMENT, CPUS, *BUSY_THREADS, BUDGET, SEED, *BUILDING, ANYWAY, OF_A_STUDY, LOCATION),
    examples=[
        ("advise --rate 20k --p99 50us", "the cheapest within 50 us"),
        ("advise --rate 1k --p99 200us --cpu 20%", "of a fifth of a core"),
        ("advise --workers 8 --done 200us", "to let eight threads go"),
    ],
    ends={
        3: "No wait strategy meets it, surely.",
        4: "With --strict: that is not sure, or cannot be told here now.",
    },
)
