"""The commands `published` and `like`."""

import click

from threadping.options import syntax
from threadping.options.program import command
from threadping.options.shared import (
    ANYWAY,
    CHART,
    LOCATION,
    OF_A_STUDY,
    RUNTIME,
    SEED,
    completed_by,
    rejected_option,
    subject_option,
    time_option,
)

PUBLISHED = command(
    "published",
    "Repeat published experiments, and compare their figures with those of this machine.",
    "studies.reproduce.study.published",
    subject_option(
        "--of experiments",
        "Only figures of this published experiment, such as lock-contention. Repeatable.",
        syntax.NAMES,
        **completed_by("articles"),
    ),
    RUNTIME,
    rejected_option(
        "--mechanism",
        "published repeats what the articles measured, by their mechanisms. Measure others beside these by the "
        "experiment itself: threadping signal --mechanism ./my_flag.hpp,seqcst-one-line",
    ),
    subject_option(
        "--run which", "Measure nothing: compare this run, or 'last'.", metavar="RUN", **completed_by("runs")
    ),
    time_option("--budget budget_s", "How long in all; 3m by default.", syntax.TIME, default="3m"),
    *(SEED, ANYWAY, OF_A_STUDY, CHART, LOCATION),
    examples=[
        ("published", "all figures, in three minutes"),
        ("published --of disruptor", "those of the Disruptor"),
        ("published --run last", "a run that was measured already"),
    ],
)
LIKE = command(
    "like",
    """Say what a number of another tool means here: our cases that repeat its protocol, by its rules and by ours.

    Without a tool: list those that are known.
    """,
    "studies.reproduce.study.like",
    click.Argument(["tool"], required=False, metavar="[TOOL]", **completed_by("tools")),
    time_option("--budget budget_s", "How long in all; 20s by default.", syntax.TIME, default="20s"),
    *(SEED, ANYWAY, OF_A_STUDY, LOCATION),
    examples=[
        ("like", "which tools are known"),
        ("like core-to-core-latency", "its numbers, by its rules and ours"),
    ],
)
