"""The options that several subcommands share, and how their words are read."""

import re
from pathlib import Path
from typing import Annotated, Literal

import typer

from threadping.contract import MOST_THREADS, Pin
from threadping.errors import UnknownName, UsageError
from threadping.model import COUNT_SCALES, WarmupPolicy

Format = Literal["table", "json", "csv"]
SECONDS = {"ms": 0.001, "s": 1.0, "": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
LONGEST_BUDGET = 24 * 3600.0
MOST_WARMUP_ROUNDS, MOST_WARMUP_OPS = 1_000_000, 1_000_000_000_000
"""What the contract takes."""

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
        help="cpp, 'cpp -march=native', java-17, java (every JVM), 'java-17 -XX:+UseParallelGC', a path to a JVM. "
        "Repeatable.",
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
Threads = Annotated[
    str | None,
    typer.Option(
        metavar="N",
        help="How many threads contend in lock: 4, 1-8 or 1,2,8; by default 1, 2, 4, ... beyond the number of CPUs.",
        rich_help_panel="What",
    ),
]
Params = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        metavar="NAME=VALUE",
        help="A mechanism's parameter, as `threadping mechanisms` lists them; VALUE,VALUE measures both. Repeatable.",
        rich_help_panel="How",
    ),
]
Waits = Annotated[
    list[str] | None,
    typer.Option(
        "--wait", metavar="WAY", help="How a spinning thread waits: spin, pause, yield, backoff.", rich_help_panel="How"
    ),
]
Betweens = Annotated[
    list[str] | None,
    typer.Option("--between", metavar="WHAT", help="Between threads or processes.", rich_help_panel="How"),
]
Criticals = Annotated[
    list[str] | None,
    typer.Option(
        "--critical", metavar="N", help="Steps of work inside the lock; N,M measures both.", rich_help_panel="How"
    ),
]
Outsides = Annotated[
    list[str] | None,
    typer.Option(
        "--outside", metavar="N", help="Steps of work between two operations; N,M measures both.", rich_help_panel="How"
    ),
]
NoCoarsening = Annotated[
    bool,
    typer.Option(
        "--no-coarsening",
        help="Forbid every JVM to merge neighbouring lock operations (-XX:-EliminateLocks).",
        rich_help_panel="How",
    ),
]
Pins = Annotated[
    list[str] | None,
    typer.Option(
        "--pin",
        metavar="WHAT",
        help="Pin each thread to its CPU (thread, the default), or the whole process to all of them (process).",
        rich_help_panel="How",
    ),
]
Warmups = Annotated[
    list[str] | None,
    typer.Option(
        "--warmup",
        metavar="RxN",
        help="R rounds of N operations before measuring: 10x100k (the default), 1x500M. Repeatable.",
        rich_help_panel="How",
    ),
]
Lines = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=65536,
        help="Over how many cache lines a mechanism is measured; by default what it says itself.",
        rich_help_panel="How",
    ),
]
Homes = Annotated[
    list[str] | None,
    typer.Option(
        "--home",
        metavar="WHERE",
        help="Make the cells on the CPUs of a role (ping, pong, worker) or of a NUMA node (0); by default on the first "
        "thread's. Repeatable.",
        rich_help_panel="How",
    ),
]
OutputFormat = Annotated[
    Format, typer.Option("--format", help="What goes to stdout; all else goes to stderr.", rich_help_panel="Output")
]
Chart = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Draw how lock scales with its threads: .svg, .png or .html.", rich_help_panel="Output"
    ),
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


def parse_threads(text: str | None) -> tuple[int, ...]:
    """Read `4`, `1-8` or `1,2,8` as numbers of threads, ascending, each once; none where nothing was given."""
    numbers: set[int] = set()
    for part in () if text is None else text.split(","):
        match = re.fullmatch(r"\s*(\d{1,9})(?:\s*-\s*(\d{1,9}))?\s*", part, re.ASCII)
        if not match:
            raise UsageError(
                f"--threads '{text}' cannot be read at '{part.strip()}'. Write numbers of threads: 4, 1-8 or 1,2,8."
            )
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            raise UsageError(f"--threads '{text}' runs backwards at '{part.strip()}'. Write {last}-{first}.")
        if first < 1 or last > MOST_THREADS:
            raise UsageError(
                f"--threads '{text}' cannot be measured: a trial has at least 1 thread and at most {MOST_THREADS:,}."
            )
        numbers.update(range(first, last + 1))
    return tuple(sorted(numbers))


def parse_params(params: list[str] | None, **short_forms: list[str] | None) -> dict[str, tuple[str, ...]]:
    """Read `NAME=VALUE,VALUE` and those that have an option of their own; for each name its values, each once."""
    written = [*(params or ()), *(f"{name}={value}" for name, values in short_forms.items() for value in values or ())]
    values: dict[str, list[str]] = {}
    for text in written:
        name, equals, listed = text.partition("=")
        if not (name.strip() and equals and split_names([listed])):
            raise UsageError(f"'{text}' is not a parameter. Write it as NAME=VALUE, such as --param pauses=10.")
        values.setdefault(name.strip(), []).append(listed)
    return {name: split_names(listed) for name, listed in values.items()}


def parse_pins(values: list[str] | None) -> tuple[Pin, ...]:
    """Read what is to be pinned."""
    known: dict[str, Pin] = {"thread": "thread", "process": "process"}
    names = split_names(values) or ("thread",)
    for name in names:
        if name not in known:
            raise UnknownName("pin", name, list(known))
    return tuple(known[name] for name in names)


def parse_warmups(values: list[str] | None) -> tuple[WarmupPolicy, ...]:
    """Read warm-ups such as `10x100k`; none where none was given."""
    return tuple(dict.fromkeys(_warmup(text) for text in split_names(values)))


def _warmup(text: str) -> WarmupPolicy:
    match = re.fullmatch(r"(\d{1,7})x(\d{1,13})([kMG]?)", text)
    scales = {letter: scale for scale, letter in COUNT_SCALES}
    policy = WarmupPolicy(int(match[1]), int(match[2]) * scales.get(match[3], 1)) if match else None
    if policy is None or policy.rounds > MOST_WARMUP_ROUNDS or not 1 <= policy.ops <= MOST_WARMUP_OPS:
        raise UsageError(
            f"'{text}' is not a warm-up. Write it as rounds x operations in each: 10x100k, 1x500M; at most "
            f"{WarmupPolicy(MOST_WARMUP_ROUNDS, MOST_WARMUP_OPS).text}."
        )
    return policy
