"""The command `compare`."""

from threadping.options import syntax
from threadping.options.program import command
from threadping.options.shared import (
    CHART,
    LOCATION,
    ONE_EXPERIMENT,
    SELECTED,
    form,
    method_option,
    output_option,
    subject_option,
    variadic,
)

MARGIN_OPTION = method_option("--margin", "A difference that does not matter; 3% by default.", syntax.SHARE)
FAIL_ABOVE = output_option(
    "--fail-above",
    "Exit with 3 if B is surely slower by more than this; by default by more than the margin.",
    syntax.SHARE,
)
OR_4 = output_option("--strict", "Exit with 4 if too little was measured to decide that.", is_flag=True)

COMPARE = command(
    "compare",
    """Say whether B is slower than A, with an exit code.

    A and B are the two values of one option: two runtimes, mechanisms, placements, or values of a parameter. They are
    measured in turn, in random order. Given a run of `compare` it shows that again, given two runs it lays them side
    by side.
    """,
    "studies.compare.study.compare_command",
    variadic("what", "[EXPERIMENT... | RUN [RUN]]"),
    ONE_EXPERIMENT,
    *SELECTED,
    subject_option(
        "--metric",
        "Which figure: headline (each experiment's, the default), mean, p99, cpu (CPU time of an operation) or rate.",
        syntax.one_of("headline", "mean", "p99", "cpu", "rate"),
        metavar="WHICH",
    ),
    *(MARGIN_OPTION, FAIL_ABOVE, OR_4),
    subject_option("--across-machines across", "Lay runs of different machines side by side.", is_flag=True),
    subject_option(
        "--history nights",
        "Compare a run with the last N (9 or more) before it here: is this host as it was? Exit with 3 if not.",
        syntax.NumberInRange(9),
    ),
    subject_option(
        "--a", "A whole, where A and B differ in runtime and mechanism: 'java-17 monitor'.", metavar="'RUNTIME NAME'"
    ),
    subject_option("--b", "B likewise: 'cpp mutex', or 'cpp ./my_lock.hpp'.", metavar="'RUNTIME NAME'"),
    subject_option(
        "--self itself", "A/A test: compare a thing with itself; how often is it said to differ?", is_flag=True
    ),
    subject_option("--power", "With --self: how often would a slowdown of 1, 2, 3 or 5% be seen?", is_flag=True),
    form("table, json, csv or markdown, a comment for a pull request.", "json", "csv", "markdown"),
    *(CHART, LOCATION),
    examples=[
        ("compare signal --mechanism cas-one-line,condition", "two of them"),
        ("compare ring --runtime java-17 --runtime java-25", "two JVMs"),
        ("compare last --fail-above 5%", "the newest comparison, as a gate"),
    ],
    ends={
        3: "B is surely slower: by more than --fail-above, or than a host's usual nights.",
        4: "With --strict: too little was measured to decide.",
    },
)
