"""The commands: the options of each, and the function of this room that it calls."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from threadping.cli import options, syntax
from threadping.cli.options import (
    ANYWAY,
    BUDGET,
    BUSY,
    CHART,
    CPUS,
    EXPERIMENT,
    FILE,
    FORMAT,
    HOPS,
    HOW,
    LISTING,
    LOCATION,
    MECHANISM,
    OUTPUT,
    PAGE,
    PLACEMENT,
    RUNTIME,
    SEED,
    SELECTED,
    TIME,
    WHAT,
    Command,
    CompareFormat,
    MatrixFormat,
    Option,
    command,
    flag,
    listed,
    path,
)
from threadping.experiments import EXPERIMENTS, of_run

RUN_HELP = "Measure all experiments but paced and hop, in all runtimes and placements."


def measuring(name: str) -> Command:
    """The command that measures the experiment of this name, or all of them for `run`."""
    experiments = [name] if name in EXPERIMENTS else list(of_run())
    text = EXPERIMENTS[name].help if name in EXPERIMENTS else RUN_HELP
    params = options.measuring([EXPERIMENTS[one] for one in experiments])
    return command(name, text, "measure.run", *params, experiments=tuple(experiments))


def _run(default: str | None = "last") -> click.Argument:
    return click.Argument(["which"], metavar="[RUN]", required=False, default=default)


def _several(name: str, metavar: str, **rest: Any) -> click.Argument:
    return click.Argument([name], metavar=metavar, nargs=-1, **rest)


MARGIN = Option("--margin", "A difference that does not matter; 3% by default.", HOW, type=syntax.SHARE)
FAIL_ABOVE = Option(
    "--fail-above",
    "Exit with 3 if B is surely slower by more than this; by default if it is called slower.",
    OUTPUT,
    type=syntax.SHARE,
)
OR_4 = flag("--strict", "Exit with 4 if the budget was too small to decide that.", OUTPUT)
IDENTIFY = flag(
    "--identify", "Keep the names of hosts and of users' folders, which a page leaves out otherwise.", OUTPUT
)

PING = command(
    "ping",
    """Measure core-to-core latency every second until Ctrl-C, as ping(8) does for hosts.

    Between CPUs A and B, or between all pairs of up to four CPUs. One way is half a round trip. Nothing is stored.
    """,
    "ping.ping",
    click.Argument(["cpus"], metavar="[A,B]", type=syntax.PAIR, required=False),
    Option("--count -c rounds", "End after so many intervals.", TIME, metavar="N", type=click.IntRange(1)),
    Option(
        "--interval -i interval_s",
        "Time between two pings of a pair: 0.1 or more, 1 by default.",
        TIME,
        metavar="SECONDS",
        type=float,
        default=1.0,
    ),
    Option(
        "--above above_ns",
        "Show only pings that cross this latency, such as 60ns; exit with 3 if any was above.",
        OUTPUT,
        type=syntax.LATENCY,
    ),
    ANYWAY,
    LISTING,
)
PUBLISHED = command(
    "published",
    "Repeat published experiments, and compare their figures with those of this machine.",
    "published.published",
    listed(
        "--of experiments",
        "Only figures of this published experiment, such as lock-contention. Repeatable.",
        WHAT,
        type=syntax.NAMES,
    ),
    RUNTIME,
    Option("--run which", "Measure nothing: compare this run, or 'last'.", WHAT, metavar="RUN"),
    Option("--budget budget_s", "How long in all; 3m by default.", TIME, type=syntax.TIME, default="3m"),
    *(SEED, ANYWAY, LISTING, CHART, LOCATION),
)
ADVISE = command(
    "advise",
    """Find the cheapest way of waiting that meets a latency, and say what it costs; exit with 1 if none does.

    Every way of waiting is measured as `paced` does, in every language; one that misses by far only briefly.
    """,
    "advise.advise",
    Option("--rate", "Messages a second: 500, 10k, 1M.", WHAT, type=syntax.RATE, required=True),
    Option(
        "--arrivals",
        "When messages are due: constant (the default), poisson or bursts.",
        WHAT,
        type=click.Choice(["constant", "poisson", "bursts"]),
        metavar="WHEN",
        default="constant",
    ),
    Option(
        "--burst",
        "How many messages are due at once with --arrivals bursts, 10 by default; the mean rate stays.",
        WHAT,
        type=click.IntRange(1, 10_000),
        metavar="N",
    ),
    Option(
        "--p99 p99_ns",
        "The p99 latency that is required, from when a message is due: 20us.",
        WHAT,
        type=syntax.LATENCY,
        required=True,
    ),
    Option("--cpu cpu_share", "The most CPU time of the waiting thread, of a core: 20%.", WHAT, type=syntax.SHARE),
    Option(
        "--for system",
        "Choose among the ways of waiting of disruptor, agrona, folly, openmp or vllm, and print its configuration.",
        WHAT,
        type=click.Choice(["disruptor", "agrona", "folly", "openmp", "vllm"]),
        metavar="SYSTEM",
    ),
    *(RUNTIME, MECHANISM, PLACEMENT, CPUS, *BUSY, BUDGET, SEED, ANYWAY, LISTING, LOCATION),
)
COMPARE = command(
    "compare",
    """Say whether B is slower than A, with an exit code.

    A and B are the two values of one option: two runtimes, mechanisms, placements, or values of a parameter. They are
    measured in turn, in random order. Given a run of `compare` it shows that again, given two runs it lays them side
    by side.
    """,
    "compare.compare",
    _several("what", "[EXPERIMENT... | RUN [RUN]]"),
    EXPERIMENT,
    *SELECTED,
    Option(
        "--metric",
        "Which figure: headline (each experiment's, the default), mean, p99, cpu (CPU time of an operation) or rate.",
        WHAT,
        type=click.Choice(["headline", "mean", "p99", "cpu", "rate"]),
        default="headline",
    ),
    *(MARGIN, FAIL_ABOVE, OR_4),
    flag("--across-machines across", "Lay runs of different machines side by side.", WHAT),
    Option(
        "--history nights",
        "Compare a run with the last N before it on this machine: is this host as it was? Exit with 3 if not.",
        WHAT,
        metavar="N",
        type=click.IntRange(4),
    ),
    flag("--self itself", "Compare a thing with itself: how often is it said to differ?", WHAT),
    flag("--power", "With --self: how often would a slowdown of 1, 2, 3 or 5% be seen?", WHAT),
    options.form(CompareFormat, "table, json, csv or markdown, a comment for a pull request."),
    *(CHART, LOCATION),
)
OF_MATRIX = (
    options.form(MatrixFormat, "table, json, csv, or as core-to-core-latency and c2clat write theirs."),
    *(CHART, LOCATION),
)
MATRIX = command(
    "matrix",
    """Measure the one-way latency between every two CPUs.

    Pairs that share no CPU are measured at once, as long as that changes nothing. It ends when every figure is within
    1%, or with its budget.
    """,
    "matrix.measure",
    Option("--cpus", "These CPUs instead of all: 0-3,8.", WHAT, type=syntax.CPUS),
    Option(
        "--mechanism mechanisms",
        "How the two threads signal; cas-one-line by default. `threadping mechanisms` lists those of signal.",
        WHAT,
        type=syntax.NAMES,
        default=(),
    ),
    RUNTIME,
    Option("--resume", "Go on with an interrupted matrix.", WHAT, metavar="RUN"),
    Option(
        "--budget longest_s",
        "How long at most; by default 10s, or what measuring every pair three times takes.",
        TIME,
        type=syntax.TIME,
    ),
    SEED,
    listed(
        "--home homes",
        "Where the lines are made: at the first CPU of a pair (the default), the second, or on a NUMA node. Each is a "
        "matrix of its own. Repeatable.",
        HOW,
        type=syntax.NAMES,
    ),
    flag("--directions", "Both ways: ping and pong change places.", HOW),
    *(ANYWAY, *OF_MATRIX),
)
IMPORT = command(
    "import",
    """Store the runs that pages and .run files carry; or show the matrix of another tool beside yours.

    Runs of a page (.html) or a .run file are shown and compared like yours. core-to-core-latency's CSV and
    c2clat's text are shown and not stored.
    """,
    "report.import_files",
    _several("files", "PAGE.html|FILE.run|MATRIX...", required=True, type=click.Path(path_type=Path)),
    *OF_MATRIX,
)
SHOW = command(
    "show",
    "Show every case of a run: its number, or 'last' by default.",
    "history.show",
    *(_run(), EXPERIMENT),
    Option(
        "--state",
        "Only cases measured in this state: near, far, or a range of core-to-core latency (20-40ns).",
        WHAT,
        type=syntax.STATE,
    ),
    flag("--percentiles", "Every percentile, and histograms.", OUTPUT),
    flag("--outliers", "Outliers too, by their causes.", OUTPUT),
    flag("--trials", "Each trial by itself, failed ones too.", OUTPUT),
    *(FORMAT, FILE, CHART, LOCATION),
)
REPORT = command(
    "report",
    "Write a page that holds a run, or several side by side: numbers, 'last', or pages of others.",
    "report.report",
    _several("which", "[RUN|PAGE]..."),
    path("--output -o page", "The page; threadping-RUN.html here by default."),
    *(path(f"--{one}", f"Write each chart into this folder as .{one}.", "DIR") for one in ("svg", "png")),
    flag("--markdown", "Print its answers as markdown, for a pull request.", OUTPUT),
    *(IDENTIFY, LOCATION),
)
EXPLAIN = command(
    "explain",
    "Say what a warning or a figure means; with a run, with its figures.",
    "history.explain",
    *(click.Argument(["term"], metavar="WORD"), _run(None), LOCATION),
)
STATES = command(
    "states",
    "Show how the core-to-core latency changed: in a run, or in all runs of this machine.",
    "states.show_states",
    *(_run(None), LISTING, CHART, LOCATION),
)
LIST = command(
    "list",
    "List the runs, newest first.",
    "history.list_runs",
    Option("--limit", "Show N runs at most; 20 by default.", OUTPUT, metavar="N", type=click.IntRange(1), default=20),
    *(LISTING, LOCATION),
)
REMOVE = command(
    "rm",
    "Remove runs from the store.",
    "history.remove",
    _several("which", "RUN...", required=True),
    flag("--force", "Remove even a run that another host seems to be still measuring.", WHAT),
    LOCATION,
)
MECHANISMS = command(
    "mechanisms",
    "List every mechanism: what it does, its parameters, and what it costs the CPU.",
    "runtimes.list_mechanisms",
    *(RUNTIME, LISTING),
)
RUNTIMES = command(
    "runtimes",
    "List the C++ probes and the JVMs found here, and which of them can be used.",
    "runtimes.list_runtimes",
    LISTING,
)


def _scheduler(*, required: bool) -> Option:
    help = "Dask's scheduler: tcp://HOST:8786 or tls://HOST:8786" + ("." if required else "; the fleet's by default.")
    return Option("--on scheduler", help, WHAT, metavar="ADDRESS", required=required)


def _words(metavar: str) -> Sequence[click.Parameter]:
    return _several("words", metavar, type=click.UNPROCESSED), _scheduler(required=True)


OF_HOSTS = {"ignore_unknown_options": True}
WHICH = click.Argument(["which"], metavar="[FLEET]", required=False, default="last")

FLEET = click.Group(
    "fleet",
    [
        command(
            "run",
            """Measure once on each host on which a worker of the scheduler runs.

            COMMAND is `run` or an experiment, with any of its options: `fleet run --on ADDRESS signal --budget 10s`.
            """,
            "fleet.run",
            *_words("[COMMAND] [OPTIONS]..."),
            flag("--self-check", "First measure what Dask costs on each host: 10 s more.", WHAT),
            *(LISTING, LOCATION),
            settings=OF_HOSTS,
        ),
        command(
            "hop",
            """Measure the one-way latency between every two hosts, and over the loopback of each.

            OPTIONS are those of `threadping hop`, for each pair: --budget (5s by default), --bytes.
            """,
            "fleet.run",
            *_words("[OPTIONS]..."),
            Option(
                "--transport",
                "How messages travel; tcp by default.",
                WHAT,
                type=click.Choice(["tcp", "udp"]),
                default="tcp",
            ),
            *(HOPS, LOCATION),
            settings=OF_HOSTS,
        ),
        command(
            "resume",
            "Measure on those hosts of a fleet (its number, or 'last') that have no run yet.",
            "fleet.resume",
            *(WHICH, _scheduler(required=False), LISTING, LOCATION),
        ),
        command(
            "show",
            "Say which hosts of a fleet (its number, or 'last') differ from their kind, or how far apart they are.",
            "fleet.show",
            *(WHICH, HOPS, PAGE, IDENTIFY, LOCATION),
        ),
        command(
            "compare",
            """Say whether fleet B is slower than fleet A, over their hosts, with the exit codes of `compare`.

            A and B are numbers of fleets, or parts of them: `3:host-1,host-2`, `3:EPYC` and `3:Xeon`, `3:6.12` and
            `4:6.18`. Hosts that are in both are compared with themselves.
            """,
            "fleet.compare",
            click.Argument(["which"], metavar="A B", nargs=2),
            *(MARGIN, FAIL_ABOVE, OR_4, HOPS, CHART, LOCATION),
        ),
    ],
    help="Put one question to many hosts, by Dask, and say which of them differ.",
)

OTHERS: dict[str, click.Command] = {
    one.name or "": one
    for one in (
        *(PING, PUBLISHED, ADVISE, COMPARE, MATRIX, FLEET),
        *(SHOW, REPORT, EXPLAIN, STATES, LIST, IMPORT, REMOVE),
        *(MECHANISMS, RUNTIMES),
    )
}
"""The commands that are not made from experiments."""
