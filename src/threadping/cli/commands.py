"""The commands: the options of each, and the function of this room that it calls."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from threadping.cli import syntax
from threadping.cli.options import (
    Command,
    Option,
    command,
    file,
    form,
    how,
    jvm_flag,
    output,
    param,
    path,
    studying,
    time,
    what,
)
from threadping.experiments import EXPERIMENTS, of_run
from threadping.experiments.experiment import Experiment
from threadping.plan.rounds import HIGHEST_SEED

FORMATS = ("json", "csv", "hgrm", "hlog", "run")

RUNTIME = what(
    "--runtime runtimes",
    "Languages and JVMs: cpp, 'cpp -march=native', java-17, java (every JVM), 'java-17 -XX:+UseParallelGC', a path to "
    "a JVM, or cpp=PATH: a C++ probe of your own. Repeatable.",
    syntax.RUNTIMES,
)
EXPERIMENT = what("--experiment", "Only the cases of this experiment.", click.Choice([*EXPERIMENTS]))
MECHANISM = what(
    "--mechanism mechanisms",
    "Only these: NAME,NAME; `threadping mechanisms` lists them. Repeatable.",
    syntax.NAMES,
)
PLACEMENT = what(
    "--placement placements",
    "Where the threads run, by what their CPUs share: same-cpu, smt (a core), same-l2, same-l3, same-node, cross-node; "
    "or unpinned. Repeatable.",
    syntax.NAMES,
)
CPUS = what("--cpus", "These CPUs, one for each thread, instead of a placement.", syntax.CPUS)
BUDGET = time("--budget budget_s", "How long in all: 30s, 2m, 1h; by default 60s.", syntax.TIME, default="60s")
TRIAL = time("--trial trial_s", "The length of each trial: 300ms, 2s.", syntax.TRIAL)
UNTIL = time(
    "--until",
    "End early: measure a case no more when half of its interval is within this, such as 3%.",
    syntax.UNTIL,
)
SEED = time("--seed", "Repeat the random orders of another run.", syntax.NumberInRange(0, HIGHEST_SEED))
ANYWAY = how("--anyway", "Measure although another threadping is measuring.", is_flag=True)
CHART = file("--chart", "Draw a chart: .svg, .png or .html.", "the chart", "svg", "png", "html")
PAGE = file("--report page", "Write a page too: FILE.html.", "the page", "html")
LOCATION = output(
    "--store location",
    "Where runs are kept, $THREADPING_STORE; by default in the user's data folder.",
    metavar="PATH|URL",
    envvar="THREADPING_STORE",
)
FORMAT = form("table, json, csv, hgrm, hlog or run (for import); all else goes to stderr.", *FORMATS)
LISTING = form("table or json.", "json")
TABULAR = form("table, json or csv.", "json", "csv")
OF_A_STUDY = form("table, json, csv or markdown.", "json", "csv", "markdown")
FILE = file(
    "--output -o file",
    "Also write a file: .json, .csv, .hgrm (percentiles), .hlog (HdrHistogram's interval log), .run (for import).",
    "the output",
    *FORMATS,
)
STRICT = output("--strict", "Exit with 1 if a case failed or has a warning.", is_flag=True)
THREADS = what(
    "--threads",
    "How many threads: 4, 1-8 or 1,2,8; by default 1, 2, 4, ... beyond the number of CPUs.",
    syntax.THREADS,
    default=(),
)
PAIRS = what(
    "--pairs", "How many pairs of threads: 16, 1-4 or 1,16,256; by default 1, 16 and 256.", syntax.PAIRS, default=()
)
STATE = what(
    "--state",
    "Measure only while the core-to-core latency is near (the lowest known), far, or in a range of ns (20-40); "
    "waits for that within the budget.",
    syntax.STATE,
)
BUSY = (
    how(
        "--busy",
        "Measure beside N busy threads that compete for the CPUs; N,M measures both; none (0) by default.",
        syntax.BUSY,
        default=("0",),
    ),
    how(
        "--busy-nice",
        "Their niceness: by how much the busy threads give way to others, 0 (the default) to 19.",
        syntax.NumberInRange(0, 19),
        default=0,
    ),
)
STANDING = (
    *BUSY,
    how(
        "--pin pins",
        "Pin each thread to its CPU (thread, the default), or the process to all of them (process).",
        syntax.PINS,
        default=("thread",),
    ),
    how(
        "--warmup warmups",
        "Warm up until the pace is steady (steady, the default), or for R rounds of N operations: 10x100k, 1x500M. "
        "Repeatable.",
        syntax.WARMUPS,
        default=("steady",),
    ),
    how(
        "--lines",
        "Measure over N cache lines; by default as many as suit the mechanism.",
        syntax.NumberInRange(1, 65536),
    ),
    how(
        "--home homes",
        "Place the shared memory near this role or NUMA node; by default near the first thread. Repeatable.",
        syntax.NAMES,
    ),
)


def selecting(experiments: Sequence[Experiment]) -> list[click.Parameter]:
    """Those that say what of these experiments is measured, and how: fields of Selection."""
    counted = {one.asking.group for one in experiments if one.asking.threads is None}
    short = {name: text for one in experiments for name, text in one.options.items()}
    jvm_options = {name: given for one in experiments for name, given in one.jvm_options.items()}
    looks = "10x,5us" if any(one.looks for one in experiments) else "off"
    return [
        *(MECHANISM, RUNTIME, PLACEMENT, CPUS),
        *([THREADS] if 1 in counted else []),
        *([PAIRS] if 2 in counted else []),
        *(BUDGET, TRIAL, SEED),
        *(param(f"--{name}", text, syntax.value_of(name)) for name, text in short.items()),
        param(
            "--param",
            "Any parameter that `threadping mechanisms` lists; VALUE,VALUE measures both. Repeatable.",
            syntax.PARAM,
        ),
        *(jvm_flag(name, flags, text) for name, (flags, text) in jvm_options.items()),
        *STANDING,
        how(
            "--outliers",
            "What counts as an outlier, whose cause is looked for: 10x,5us (ten medians, and at least 5 us), 20us, "
            f"off; by default {looks}.",
            syntax.OUTLIER,
            default=looks,
        ),
        ANYWAY,
    ]


SELECTED = selecting([*EXPERIMENTS.values()])
"""Every option that says what is measured, and how."""


RUN_HELP = """Measure signal, lock, notify and ring, in C++ and on every JVM.

The most useful cases come first, as many as the budget has room for."""


def measuring(name: str) -> Command:
    """The command that measures the experiment of this name, or all of them for `run`."""
    experiments = [name] if name in EXPERIMENTS else list(of_run())
    text = EXPERIMENTS[name].help if name in EXPERIMENTS else RUN_HELP
    params = selecting([EXPERIMENTS[one] for one in experiments])
    params += [UNTIL, STATE, FORMAT, FILE, CHART, PAGE, STRICT, LOCATION]
    return studying(name, "survey", text, *params, experiments=tuple(experiments))


def _run(default: str | None = "last") -> click.Argument:
    return click.Argument(["which"], metavar="[RUN]", required=False, default=default)


def _several(name: str, metavar: str, **rest: Any) -> click.Argument:
    return click.Argument([name], metavar=metavar, nargs=-1, **rest)


MARGIN = how("--margin", "A difference that does not matter; 3% by default.", syntax.SHARE)
FAIL_ABOVE = output(
    "--fail-above",
    "Exit with 3 if B is surely slower by more than this; by default by more than the margin.",
    syntax.SHARE,
)
OR_4 = output("--strict", "Exit with 4 if too little was measured to decide that.", is_flag=True)
IDENTIFY = output(
    "--identify", "Keep the names of hosts and of users' folders, which a page leaves out otherwise.", is_flag=True
)

PING = command(
    "ping",
    """Measure core-to-core latency every second until Ctrl-C, as ping(8) does for hosts.

    Between CPUs A and B, or between all pairs of up to four CPUs. One way is half a round trip. Nothing is stored.
    """,
    "cli.ping.ping",
    click.Argument(["cpus"], metavar="[A,B]", type=syntax.PAIR, required=False),
    time("--count -c rounds", "End after so many intervals.", syntax.NumberInRange(1)),
    time(
        "--interval -i interval_s",
        "Time between two pings of a pair: 0.1 or more, 1 by default.",
        float,
        metavar="SECONDS",
        default=1.0,
    ),
    output(
        "--above above_ns",
        "Show only pings that cross this latency, such as 60ns; exit with 3 if any was above.",
        syntax.LATENCY,
    ),
    ANYWAY,
    LISTING,
)
PUBLISHED = command(
    "published",
    "Repeat published experiments, and compare their figures with those of this machine.",
    "studies.published.study.published",
    what(
        "--of experiments",
        "Only figures of this published experiment, such as lock-contention. Repeatable.",
        syntax.NAMES,
    ),
    RUNTIME,
    what("--run which", "Measure nothing: compare this run, or 'last'.", metavar="RUN"),
    time("--budget budget_s", "How long in all; 3m by default.", syntax.TIME, default="3m"),
    *(SEED, ANYWAY, OF_A_STUDY, CHART, LOCATION),
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
        click.Choice(["constant", "poisson", "bursts"]),
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
        click.Choice(["disruptor", "agrona", "folly", "openmp", "vllm"]),
        metavar="SYSTEM",
    ),
    *(RUNTIME, MECHANISM, PLACEMENT, CPUS, *BUSY, BUDGET, SEED, ANYWAY, OF_A_STUDY, LOCATION),
)
COMPARE = command(
    "compare",
    """Say whether B is slower than A, with an exit code.

    A and B are the two values of one option: two runtimes, mechanisms, placements, or values of a parameter. They are
    measured in turn, in random order. Given a run of `compare` it shows that again, given two runs it lays them side
    by side.
    """,
    "studies.compare.command.compare",
    _several("what", "[EXPERIMENT... | RUN [RUN]]"),
    EXPERIMENT,
    *SELECTED,
    what(
        "--metric",
        "Which figure: headline (each experiment's, the default), mean, p99, cpu (CPU time of an operation) or rate.",
        click.Choice(["headline", "mean", "p99", "cpu", "rate"]),
    ),
    *(MARGIN, FAIL_ABOVE, OR_4),
    what("--across-machines across", "Lay runs of different machines side by side.", is_flag=True),
    what(
        "--history nights",
        "Compare a run with the last N before it on this machine: is this host as it was? Exit with 3 if not.",
        syntax.NumberInRange(4),
    ),
    what("--self itself", "Compare a thing with itself: how often is it said to differ?", is_flag=True),
    what("--power", "With --self: how often would a slowdown of 1, 2, 3 or 5% be seen?", is_flag=True),
    form("table, json, csv or markdown, a comment for a pull request.", "json", "csv", "markdown"),
    *(CHART, LOCATION),
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
    what("--cpus", "These CPUs instead of all: 0-3,8.", syntax.CPUS),
    what(
        "--mechanism mechanisms",
        "How the two threads signal; cas-one-line by default. `threadping mechanisms` lists those of signal.",
        syntax.NAMES,
    ),
    RUNTIME,
    what("--resume", "Go on with an interrupted matrix.", metavar="RUN"),
    time(
        "--budget longest_s",
        "How long at most; by default 10s, or what measuring every pair three times takes.",
        syntax.TIME,
    ),
    UNTIL,
    SEED,
    how(
        "--home homes",
        "Where the cache lines are placed: at the first CPU of a pair (the default), the second, or on a NUMA node. "
        "Each is a matrix of its own. Repeatable.",
        syntax.NAMES,
    ),
    how("--directions", "Both ways: ping and pong change places.", is_flag=True),
    *(ANYWAY, *OF_MATRIX),
)
RESUME = command(
    "resume",
    """Go on with a run that was interrupted, killed, or ended by a full disk: its number, or 'last'.

    What it has not measured yet is measured now, on the same machine and by the same builds, in the rest of its budget;
    then it shows what it would have shown.
    """,
    "conduct.resume.resume",
    click.Argument(["which"], metavar="RUN", required=True),
    ANYWAY,
    form("a table, or a format that this kind of run has; all else goes to stderr.", *FORMATS, "markdown"),
    *(FILE, CHART, PAGE, STRICT, LOCATION),
)
IMPORT = command(
    "import",
    """Store the runs that pages and .run files carry; or show the matrix of another tool beside yours.

    Runs of a page (.html) or a .run file are shown and compared like yours. What core-to-core-latency and c2clat
    print, as CSV or for a person, alone or in a paste with other text, is shown and not stored. `-` is standard input.
    """,
    "cli.report.import_files",
    _several("files", "PAGE.html|FILE.run|MATRIX...", required=True, type=click.Path(path_type=Path)),
    *OF_MATRIX,
)
SHOW = command(
    "show",
    "Show every case of a run: its number, or 'last' by default.",
    "cli.history.show",
    *(_run(), EXPERIMENT),
    what(
        "--state",
        "Only cases measured in this state: near, far, or a range of core-to-core latency (20-40ns).",
        syntax.STATE,
    ),
    output("--percentiles", "Every percentile, and histograms.", is_flag=True),
    output("--outliers", "Outliers too, by their causes.", is_flag=True),
    output("--trials", "Each trial by itself, failed ones too.", is_flag=True),
    *(FORMAT, FILE, CHART, LOCATION),
)
REPORT = command(
    "report",
    "Write a page that holds a run, or several side by side: numbers, 'last', or pages of others.",
    "cli.report.report",
    _several("which", "[RUN|PAGE]..."),
    file("--output -o page", "The page; threadping-RUN.html here by default.", "the page", "html"),
    *(path(f"--{one}", f"Write each chart into this folder as .{one}.", "DIR") for one in ("svg", "png")),
    output("--markdown", "Print its answers as markdown, for a pull request.", is_flag=True),
    *(IDENTIFY, LOCATION),
)
EXPLAIN = command(
    "explain",
    "Say what a warning or a figure means; with a run, with its figures.",
    "cli.history.explain",
    *(click.Argument(["term"], metavar="WORD"), _run(None), LOCATION),
)
STATES = command(
    "states",
    "Show how the core-to-core latency changed: in a run, or in all runs of this machine.",
    "cli.history.show_states",
    *(_run(None), LISTING, CHART, LOCATION),
)
LIST = command(
    "list",
    "List the runs, newest first.",
    "cli.history.list_runs",
    output("--limit", "Show N runs at most; 20 by default.", syntax.NumberInRange(1), default=20),
    *(LISTING, LOCATION),
)
REMOVE = command(
    "rm",
    "Remove runs from the store.",
    "cli.history.remove",
    _several("which", "RUN...", required=True),
    what("--force", "Remove even a run that another host seems to be still measuring.", is_flag=True),
    LOCATION,
)
MECHANISMS = command(
    "mechanisms",
    "List every mechanism: what it does, its parameters, and what it costs the CPU.",
    "cli.runtimes.list_mechanisms",
    *(RUNTIME, LISTING),
)
RUNTIMES = command(
    "runtimes",
    "List the C++ probes and the JVMs found here, and which of them can be used.",
    "cli.runtimes.list_runtimes",
    LISTING,
)


def _scheduler(*, required: bool) -> Option:
    help = "Dask's scheduler: tcp://HOST:8786 or tls://HOST:8786" + ("." if required else "; the fleet's by default.")
    return what("--on scheduler", help, metavar="ADDRESS", required=required)


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
            "cli.fleet.run",
            *_words("[COMMAND] [COMMAND-OPTIONS]..."),
            *(LISTING, LOCATION),
            settings=OF_HOSTS,
        ),
        command(
            "hop",
            """Measure the one-way latency between every two hosts, and over the loopback of each.

            HOP-OPTIONS are those of `threadping hop`, for each pair: --budget (5s by default), --bytes.
            """,
            "cli.fleet.run",
            *_words("[HOP-OPTIONS]..."),
            what("--transport", "How messages travel; tcp by default.", click.Choice(["tcp", "udp"]), default="tcp"),
            *(TABULAR, LOCATION),
            settings=OF_HOSTS,
        ),
        command(
            "resume",
            "Measure on those hosts of a fleet (its number, or 'last') that have no run yet.",
            "cli.fleet.resume",
            *(WHICH, _scheduler(required=False), LISTING, LOCATION),
        ),
        command(
            "show",
            "Say which hosts of a fleet (its number, or 'last') differ from their kind, or how far apart they are.",
            "cli.fleet.show",
            *(WHICH, form("table or json; after `fleet hop` also csv.", "json", "csv"), PAGE, IDENTIFY, LOCATION),
        ),
    ],
    help="Put one question to many hosts, by Dask, and say which of them differ.",
)

OTHERS: dict[str, click.Command] = {
    one.name or "": one
    for one in (
        *(PING, PUBLISHED, ADVISE, COMPARE, MATRIX, FLEET, RESUME),
        *(SHOW, REPORT, EXPLAIN, STATES, LIST, IMPORT, REMOVE),
        *(MECHANISMS, RUNTIMES),
    )
}
"""The commands that are not made from experiments."""
