"""The options that several subcommands share, and how their words are read."""

import re
from typing import Annotated, Literal

import typer

from threadping.errors import UsageError

Format = Literal["table", "json", "csv"]
SECONDS = {"ms": 0.001, "s": 1.0, "": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
LONGEST_BUDGET = 24 * 3600.0

Budget = Annotated[
    str, typer.Option(metavar="TIME", help="How long the whole may take: 30s, 2m, 1h.", rich_help_panel="How long")
]
Seed = Annotated[
    int | None,
    typer.Option(min=0, max=2**53 - 1, help="Repeat another run's random orders.", rich_help_panel="How long"),
]
Runtimes = Annotated[
    list[str] | None,
    typer.Option(
        "--runtime",
        metavar="NAME",
        help="cpp, java-17, java (every JVM), 'java-17 -XX:+UseParallelGC', a path to a JVM. Repeatable.",
        rich_help_panel="What",
    ),
]
Mechanisms = Annotated[
    list[str] | None,
    typer.Option("--mechanism", metavar="NAME", help="Which mechanism; repeatable.", rich_help_panel="What"),
]
Placements = Annotated[
    list[str] | None,
    typer.Option(
        "--placement",
        metavar="NAME",
        help="same-cpu, smt, same-l2, same-l3, same-node, cross-node, unpinned. Repeatable.",
        rich_help_panel="What",
    ),
]
Cpus = Annotated[
    str | None,
    typer.Option(metavar="A,B", help="These CPUs instead of placements: 0,1.", rich_help_panel="What"),
]
OutputFormat = Annotated[
    Format, typer.Option("--format", help="What goes to stdout; all else goes to stderr.", rich_help_panel="Output")
]
Store = Annotated[
    str | None,
    typer.Option(
        metavar="PATH-or-URL",
        envvar="THREADPING_STORE",
        help="Where runs are kept; by default in the user's data folder.",
        rich_help_panel="Output",
    ),
]


def parse_seconds(text: str) -> float:
    """Read a time such as `30s`, `2m`, `1.5h`, `500ms` or `30` as seconds; UsageError if it is none, or absurd."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(ms|s|min|m|h|)", text.strip())
    if not match:
        raise UsageError(f"'{text}' is not a time. Write it as 30s, 2m or 1h.")
    seconds = float(match[1]) * SECONDS[match[2]]
    if not 0 < seconds <= LONGEST_BUDGET:
        raise UsageError(f"A budget of {text} cannot be met; it must be above 0 and at most 24h.")
    return seconds


def split_names(values: list[str] | None) -> tuple[str, ...]:
    """Read repeated options whose values may also be lists with commas, each name once, in the order given."""
    names = [name.strip() for value in values or () for name in value.split(",")]
    return tuple(dict.fromkeys(name for name in names if name))
