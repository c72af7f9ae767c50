"""The command `which`."""

import click

from threadping.options import syntax
from threadping.options.program import studying
from threadping.options.shared import ANYWAY, BUILDING, LOCATION, MECHANISM, OF_A_STUDY, RUNTIME, SEED, time_option

WHICH_QUEUE = studying(
    "which",
    "which",
    """Say which queue to take: which are best, and which fall apart, on CPUs of their own, on one CPU, unpinned, and
    beside busy threads.

    Each queue passes messages one at a time, one by one from a producer that works, and by 100; where it takes several
    producers, from several too.
    """,
    click.Argument(["what"], metavar="queue", type=syntax.one_of("queue")),
    *(RUNTIME, MECHANISM),
    time_option(
        "--budget budget_s", "How long in all; 3m by default, which carries C++ whole.", syntax.TIME, default="3m"
    ),
    *(SEED, *BUILDING, ANYWAY, OF_A_STUDY, LOCATION),
    examples=[
        ("which queue", "of C++, one JVM and Rust"),
        ("which queue --runtime cpp", "those of C++, in all regimes"),
        ("which queue --mechanism disruptor,sequenced-ring", "of two"),
    ],
)
