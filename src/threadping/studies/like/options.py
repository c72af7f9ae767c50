"""The command `like`."""

import click

from threadping.options import syntax
from threadping.options.command import command, completed_by, time, what
from threadping.options.shared import ANYWAY, LOCATION, OF_A_STUDY, SEED

LIKE = command(
    "like",
    """Say what a number of another tool means here: our cases that repeat its protocol, by its rules and by ours.

    Without a tool: list those that are known.
    """,
    "studies.like.study.like",
    click.Argument(["tool"], required=False, metavar="[TOOL]", **completed_by("tools")),
    what("--run path", "Run the tool itself too, in turn with ours: where its program is.", metavar="PATH"),
    time("--budget budget_s", "How long in all; 20s by default.", syntax.TIME, default="20s"),
    *(SEED, ANYWAY, OF_A_STUDY, LOCATION),
    examples=[
        ("like", "which tools are known"),
        ("like core-to-core-latency", "its numbers, by its rules and ours"),
        ("like c2clat --run ./c2clat", "the tool itself beside ours"),
    ],
)
