"""The command `matrix`; with what `import` takes for matrices of other tools."""

from threadping.options import syntax
from threadping.options.program import command
from threadping.options.shared import (
    ANYWAY,
    BUILDING,
    CHART,
    END_EARLY,
    LOCATION,
    RUNTIME,
    SEED,
    form,
    mechanisms,
    method_option,
    subject_option,
    time_option,
)

OF_MATRIX = (
    form(
        "table, json, csv, or as core-to-core-latency and c2clat write theirs.",
        "json",
        "csv",
        "core-to-core-latency",
        "c2clat",
    ),
    *(CHART, LOCATION),
)
MATRIX = command(
    "matrix",
    """Measure the one-way latency between every two CPUs.

    Pairs that share no CPU are measured at once, as long as that changes nothing. It ends when every figure is known
    within 1%, or as --until says, or with its budget.
    """,
    "studies.matrix.study.measure",
    subject_option("--cpus", "These CPUs instead of all: 0-3,8.", syntax.CPUS),
    mechanisms(
        "--mechanism mechanisms",
        "How the two threads signal; cas-one-line by default. `threadping mechanisms` lists those of signal. Or your "
        "own: ./my_flag.hpp (docs/own.md).",
    ),
    RUNTIME,
    subject_option("--resume", "Go on with an interrupted matrix.", metavar="RUN"),
    time_option(
        "--budget longest_s",
        "How long at most; by default 10s, or what measuring every pair three times takes.",
        syntax.TIME,
    ),
    END_EARLY,
    SEED,
    method_option(
        "--home homes",
        "Where the cache lines are placed: at the first CPU of a pair (the default), the second, or on a NUMA node. "
        "Each is a matrix of its own. Repeatable.",
        syntax.NAMES,
    ),
    method_option("--directions", "Both ways: ping and pong change places.", is_flag=True),
    *(*BUILDING, ANYWAY, *OF_MATRIX),
    examples=[
        ("matrix", "every two CPUs"),
        ("matrix --cpus 0-3 --chart map.html", "these four, and a map"),
        ("matrix --format core-to-core-latency", "as that tool prints it"),
    ],
)
