"""The options that several commands share, and those that say of experiments what of them is measured, and how."""

import click
from click.core import ParameterSource

from threadping.experiments import EXPERIMENTS
from threadping.options import syntax
from threadping.options.command import completed_by, file, form, how, mechanisms, output, time, what
from threadping.plan.plan import HIGHEST_SEED
from threadping.proposals import keep_store
from threadping.views.formats import EXPORTS, ending_of

READERS = ", ".join(f"{ending_of(name)} ({one.says})" for name, one in EXPORTS.items())

RUNTIME = what(
    "--runtime runtimes",
    "Languages and JVMs: cpp, 'cpp -march=native', java-17, java (every JVM), 'java-17 -XX:+UseParallelGC', rust, a "
    "path to a JVM, or NAME=PATH: a probe of your own (docs/own-probe.md). Repeatable.",
    syntax.RUNTIMES,
    **completed_by("runtimes"),
)
ONE_EXPERIMENT = what(
    "--experiment",
    f"Only the cases of this experiment: {', '.join(EXPERIMENTS)}.",
    syntax.one_of(*EXPERIMENTS),
    metavar="NAME",
)
MECHANISM = mechanisms(
    "--mechanism mechanisms",
    "Only these: NAME,NAME; `threadping mechanisms` lists them. Or your own: ./my_queue.hpp, ./my_crate (docs/own.md). "
    "Repeatable.",
)
BUILDING = (
    how("--cxx", "What compiles your own; by default $CXX, or c++, g++, clang++.", metavar="COMMAND"),
    how("--cxxflags", "With which flags: '-I ../include -O2 -ltbb'.", metavar="FLAGS", default=""),
    how("--cargoflags", "With which cargo builds your crate: '--features my_crate/fast'.", metavar="FLAGS", default=""),
)
PLACEMENT = what(
    "--placement placements",
    "Where the threads run, by what their CPUs share: same-cpu, smt (a core), same-l2, same-l3, same-node, cross-node; "
    "or unpinned. Repeatable.",
    syntax.NAMES,
    **completed_by("placements"),
)
CPUS = what("--cpus", "These CPUs, one for each thread, instead of a placement.", syntax.CPUS)
BUDGET = time("--budget budget_s", "How long in all: 30s, 2m, 1h; by default 60s.", syntax.TIME, default="60s")
TRIAL_TIME = time("--trial trial_s", "The length of each trial: 300ms, 2s.", syntax.TRIAL)
END_EARLY = time(
    "--until",
    "End early: measure a case no more when half of its interval is within this, such as 3%.",
    syntax.UNTIL,
)
SEED = time("--seed", "Repeat the random orders of another run.", syntax.NumberInRange(0, HIGHEST_SEED))
ANYWAY = how("--anyway", "Measure although another threadping is measuring.", is_flag=True)
CHART = file("--chart", "Draw a chart: .svg, .png or .html.", "the chart", ".svg", ".png", ".html")
PAGE = file("--report page", "Write a page too: FILE.html.", "the page", ".html")


def _keep(context: click.Context, option: click.Parameter, location: str | None) -> str | None:
    """Every command that is proposed names the store that was named, as the next one would not find it otherwise."""
    if context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE:  # not a command inside a fleet's
        keep_store(location)
    return location


LOCATION = output(
    "--store location",
    "Where runs are kept, $THREADPING_STORE; by default in the user's data folder.",
    metavar="PATH|URL",
    envvar="THREADPING_STORE",
    callback=_keep,
)
RUN_FORMAT = form(f"table, {', '.join(EXPORTS)} (docs/formats.md); all else goes to stderr.", *EXPORTS)
LISTING = form("table or json.", "json")
OF_A_STUDY = form("table, json, csv or markdown.", "json", "csv", "markdown")
TABULAR = form("table, json or csv.", "json", "csv")
FILE = file(
    "--output -o file",
    f"Also write a file: {READERS}; or FOLDER/ for an .hgrm of each distribution.",
    "the output",
    *map(ending_of, EXPORTS),
    folder=True,
)
STRICT = output("--strict", "Exit with 1 if a case failed, with 4 if one is in doubt.", is_flag=True)
PAIRS = what(
    "--pairs", "How many pairs of threads: 16, 1-4 or 1,16,256; by default 1, 16 and 256.", syntax.PAIRS, default=()
)
IN_STATE = what(
    "--state",
    "Measure only while the core-to-core latency is near (the lowest known), far, or in a range (20-40ns); "
    "waits for that within the budget.",
    syntax.STATE,
)
BUSY_THREADS = (
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
    *BUSY_THREADS,
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
IDENTIFY = output(
    "--identify", "Keep the names of hosts and of users' folders, which a page leaves out otherwise.", is_flag=True
)
