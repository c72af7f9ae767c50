"""The command `advise`."""

from threadping.options import syntax
from threadping.options.command import studying, what
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
)

ADVISE = studying(
    "advise",
    "advise",
    """Find the cheapest way of waiting that meets a latency, and say what it costs; exit with 1 if none does.

    Every way of waiting is measured as `paced` does, in every language; one that misses by far is soon left out.
    """,
    what("--rate", "Messages a second: 500, 10k, 1M.", syntax.RATE, required=True),
    what(
        "--arrivals",
        "When messages are due: constant (the default), poisson or bursts.",
        syntax.one_of("constant", "poisson", "bursts"),
        metavar="WHEN",
        default="constant",
    ),
    what(
        "--burst",
        "How many messages are due at once with --arrivals bursts, 10 by default; the mean rate stays.",
        syntax.NumberInRange(1, 10_000),
    ),
    what(
        "--p99 p99_ns",
        "The p99 latency that is required, from when a message is due: 20us.",
        syntax.LATENCY,
        required=True,
    ),
    what("--cpu cpu_share", "The most CPU time of the waiting thread, of a core: 20%.", syntax.SHARE),
    what(
        "--for system",
        "Choose among the ways of waiting of disruptor, agrona, folly, openmp or vllm, and print its configuration.",
        syntax.one_of("disruptor", "agrona", "folly", "openmp", "vllm"),
        metavar="SYSTEM",
    ),
    *(RUNTIME, MECHANISM, PLACEMENT, CPUS, *BUSY_THREADS, BUDGET, SEED, *BUILDING, ANYWAY, OF_A_STUDY, LOCATION),
    examples=[
        ("advise --rate 20k --p99 50us", "the cheapest way within 50 us"),
        ("advise --rate 1k --p99 200us --cpu 20%", "of a fifth of a core"),
        ("advise --rate 20k --p99 50us --for disruptor", "as Java code"),
    ],
    ends={1: "No way of waiting meets it; or a failure."},
)
