"""The options of the subcommands, and how their words are read."""

import inspect
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import typer
from msgspec.structs import replace

from threadping import numbers
from threadping.contract import MOST_THREADS, OutliersRequest, Pin
from threadping.contract.request import HOUR_NS
from threadping.errors import UnknownName, UsageError
from threadping.experiments.experiment import Experiment
from threadping.model import COUNT_SCALES, DEFAULT_WARMUP, WarmupPolicy
from threadping.plan import OUTLIERS

Format = Literal["table", "json", "csv", "hgrm", "hlog"]
Listing = Literal["table", "json"]
NANOS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "min": 60e9, "h": 3600e9}
LONGEST_BUDGET = 24 * 3600.0
MOST_WARMUP_ROUNDS, MOST_WARMUP_OPS, MOST_FACTOR = 1_000_000, 1_000_000_000_000, 1_000_000
"""What the contract takes."""

LONG, WHAT, HOW, OUTPUT = "How long", "What", "How", "Output"

Runtimes = Annotated[
    list[str] | None,
    typer.Option(
        "--runtime",
        metavar="NAME",
        help="cpp, 'cpp -march=native', java-17, java (every JVM), 'java-17 -XX:+UseParallelGC', a path to a JVM; "
        "NAME,NAME where none has flags. Repeatable.",
        rich_help_panel=WHAT,
    ),
]
OutputFormat = Annotated[
    Format, typer.Option("--format", help="What goes to stdout; all else goes to stderr.", rich_help_panel=OUTPUT)
]
ListingFormat = Annotated[Listing, typer.Option("--format", help="What goes to stdout.", rich_help_panel=OUTPUT)]
OutputFile = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write .json, .csv, .hgrm (percentile distributions) or .hlog (an HdrHistogram interval log) beside it.",
        rich_help_panel=OUTPUT,
    ),
]
Chart = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Draw it: .svg, .png or .html.", rich_help_panel=OUTPUT)
]
Store = Annotated[
    str | None,
    typer.Option(
        metavar="PATH-or-URL",
        envvar="THREADPING_STORE",
        help="Where runs are kept; by default in the user's data folder.",
        rich_help_panel=OUTPUT,
    ),
]


class Option(NamedTuple):
    """An option of a subcommand that measures: the name of its value, its type, and its default."""

    name: str
    type: Any
    default: Any = None


def word(name: str) -> str:
    """The name of an option's value: what Python takes for one."""
    return name.replace("-", "_")


def _listed(name: str, metavar: str, text: str, panel: str) -> Option:
    kind = Annotated[list[str] | None, typer.Option(f"--{name}", metavar=metavar, help=text, rich_help_panel=panel)]
    return Option(word(name), kind)


def _text(name: str, metavar: str, text: str, panel: str, default: str | None = None) -> Option:
    kind = Annotated[str | None, typer.Option(f"--{name}", metavar=metavar, help=text, rich_help_panel=panel)]
    return Option(name, kind, default)


def _number(name: str, least: int, most: int, text: str, panel: str) -> Option:
    given = typer.Option(f"--{name}", min=least, max=most, help=text, rich_help_panel=panel)
    return Option(name, Annotated[int | None, given])


MEASURING = (
    _text("budget", "TIME", "How long the whole may take: 30s, 2m, 1h.", LONG, "60s"),
    _number("seed", 0, 2**53 - 1, "Repeat another run's random orders.", LONG),
    Option("runtime", Runtimes),
    _listed("mechanism", "NAME", "Which mechanism; NAME,NAME, repeatable.", WHAT),
    _listed("placement", "NAME", "same-cpu, smt, same-l2, same-l3, same-node, cross-node, unpinned. Repeatable.", WHAT),
    _text(
        "state",
        "STATE",
        "Measure only while the CPUs stand so far apart: near, far, or from-to in ns (20-40); waits within the budget.",
        WHAT,
    ),
    _text("cpus", "A,B", "These CPUs instead of placements: 0,1.", WHAT),
)
THREADS = _text(
    "threads", "N", "How many threads: 4, 1-8 or 1,2,8; by default 1, 2, 4, ... beyond the number of CPUs.", WHAT
)
PAIRS = _text("pairs", "N", "How many pairs of threads: 16, 1-4 or 1,16,256; by default 1, 16 and 256.", WHAT)
PARAM = _listed(
    "param",
    "NAME=VALUE",
    "A mechanism's parameter, as `threadping mechanisms` lists them; VALUE,VALUE measures both. Repeatable.",
    HOW,
)
STANDING = (
    _listed(
        "pin", "WHAT", "Each thread to its CPU (thread, the default), or the process to all of them (process).", HOW
    ),
    _listed(
        "warmup",
        "RxN",
        "Until the pace is steady (steady, the default), or R rounds of N operations: 10x100k, 1x500M. Repeatable.",
        HOW,
    ),
    _text(
        "outliers",
        "FROM",
        "From where on what takes long is looked into: 10x,5us (the default: ten medians, at least 5 us), 20us, off.",
        HOW,
    ),
    _number("lines", 1, 65536, "Over how many cache lines; by default what a mechanism says itself.", HOW),
    _listed(
        "home",
        "WHERE",
        "Make the cells on the CPUs of a role or of a NUMA node; by default on the first thread's. Repeatable.",
        HOW,
    ),
)
SHOWING = (
    Option("output_format", OutputFormat, "table"),
    Option("output_file", OutputFile),
    Option("chart", Chart),
    Option("store", Store),
)


def signature_for(experiments: Sequence[Experiment]) -> inspect.Signature:
    """The options that apply to a subcommand which measures these experiments, as typer reads them off a function."""
    varied = {one.asking.crew for one in experiments if one.asking.threads is None}
    options = [*MEASURING, *([THREADS] if 1 in varied else []), *([PAIRS] if 2 in varied else []), PARAM]
    short = {name: text for one in experiments for name, text in one.options.items()}
    options += [_listed(name, "VALUE", text, HOW) for name, text in short.items()]
    for one in experiments:
        options += [
            Option(
                word(name),
                Annotated[bool, typer.Option(f"--{name}", help=text, rich_help_panel=HOW)],
                False,
            )
            for name, (_, text) in one.jvm_options.items()
        ]
    return inspect.Signature(
        [
            inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=one.type)
            for one in (*options, *STANDING, *SHOWING)
        ]
    )


def parse_seconds(text: str) -> float:
    """Read a time such as `30s`, `2m`, `1.5h`, `500ms` or `30` as seconds; UsageError if it is none, or absurd."""
    ns = _nanos(text, "ms|s|min|m|h|")
    if ns is None:
        raise UsageError(f"'{text}' is not a time. Write it as 30s, 2m or 1h.")
    seconds = ns / 1e9
    if not 0 < seconds <= LONGEST_BUDGET:
        raise UsageError(f"A budget of {text} cannot be met; it must be above 0 and at most 24h.")
    return seconds


def _nanos(text: str, units: str) -> float | None:
    """Read a number with one of these units, or without one as seconds; None if it is none."""
    match = re.fullmatch(rf"(\d+(?:\.\d+)?)\s*({units})", text.strip())
    return float(match[1]) * NANOS[match[2] or "s"] if match else None


def split_names(values: Sequence[str] | None) -> tuple[str, ...]:
    """Read repeated options whose values may also be lists with commas, each name once, in the order given."""
    names = [name.strip() for value in values or () for name in value.split(",")]
    return tuple(dict.fromkeys(name for name in names if name))


def split_runtimes(values: Sequence[str] | None) -> tuple[str, ...]:
    """The same for runtimes: a comma in what has flags, or is a path, belongs to it."""
    listed = [[value] if " " in value.strip() or "/" in value else value.split(",") for value in values or ()]
    return tuple(dict.fromkeys(name.strip() for names in listed for name in names))


def parse_threads(text: str | None) -> tuple[int, ...]:
    """Read `4`, `1-8` or `1,2,8` as numbers of threads, ascending, each once; none where nothing was given."""
    return _numbers(text, "--threads", MOST_THREADS, "numbers of threads", "4, 1-8 or 1,2,8")


def parse_pairs(text: str | None) -> tuple[int, ...]:
    """The same for numbers of pairs."""
    return _numbers(text, "--pairs", MOST_THREADS // 2, "numbers of pairs", "16, 1-4 or 1,16,256")


def _numbers(text: str | None, option: str, most: int, what: str, example: str) -> tuple[int, ...]:
    return () if text is None else tuple(sorted(set(numbers.parse(text, option, 1, most, what=what, example=example))))


def parse_outliers(text: str | None) -> OutliersRequest | None:
    """Read from where on what takes long is looked into: `10x,5us`, `20us`, `100x`, or `off`, which is None."""
    if text is None or text.strip() == "off":
        return None if text else OUTLIERS
    factor = least = None
    for part in text.split(","):
        multiple = re.fullmatch(r"(\d+(?:\.\d+)?)x", part.strip())
        duration = _nanos(part, "ns|us|ms|s")
        if multiple and factor is None and 1 <= float(multiple[1]) <= MOST_FACTOR:
            factor = float(multiple[1])
        elif duration is not None and least is None and 1 <= duration <= HOUR_NS:
            least = round(duration)
        else:
            raise UsageError(
                f"'{text}' does not say what is an outlier. Write how many times the median it takes, how long at "
                "least, or both: 10x, 20us, 10x,5us; or off."
            )
    return replace(OUTLIERS, factor=factor or 1.0, least_ns=least or 1)


def parse_params(params: Sequence[str] | None, short: Mapping[str, Sequence[str] | None]) -> dict[str, tuple[str, ...]]:
    """Read `NAME=VALUE,VALUE` and those that have an option of their own; for each name its values, each once."""
    written = [*(params or ()), *(f"{name}={value}" for name, values in short.items() for value in values or ())]
    values: dict[str, list[str]] = {}
    for text in written:
        name, equals, listed = text.partition("=")
        if not (name.strip() and equals and split_names([listed])):
            raise UsageError(f"'{text}' is not a parameter. Write it as NAME=VALUE, such as --param pauses=10.")
        values.setdefault(name.strip(), []).append(listed)
    return {name: split_names(listed) for name, listed in values.items()}


def parse_pins(values: Sequence[str] | None) -> tuple[Pin, ...]:
    """Read what is to be pinned."""
    known: dict[str, Pin] = {"thread": "thread", "process": "process"}
    names = split_names(values) or ("thread",)
    for name in names:
        if name not in known:
            raise UnknownName("pin", name, list(known))
    return tuple(known[name] for name in names)


def parse_warmups(values: Sequence[str] | None) -> tuple[WarmupPolicy, ...]:
    """Read warm-ups such as `steady` and `10x100k`; none where none was given."""
    return tuple(dict.fromkeys(_warmup(text) for text in split_names(values)))


def _warmup(text: str) -> WarmupPolicy:
    if text == DEFAULT_WARMUP.text:
        return DEFAULT_WARMUP
    match = re.fullmatch(r"(\d{1,7})x(\d{1,13})([kMG]?)", text)
    scales = {letter: scale for scale, letter in COUNT_SCALES}
    policy = WarmupPolicy(int(match[1]), int(match[2]) * scales.get(match[3], 1)) if match else None
    within = policy and 1 <= policy.rounds <= MOST_WARMUP_ROUNDS and 1 <= policy.ops <= MOST_WARMUP_OPS
    if policy is None or not within:
        raise UsageError(
            f"'{text}' is not a warm-up. Write steady, or rounds x operations in each: 10x100k, 1x500M; at most "
            f"{WarmupPolicy(MOST_WARMUP_ROUNDS, MOST_WARMUP_OPS).text}."
        )
    return policy
