"""Options that select cases, and the commands that measure experiments."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import click

from threadping.experiments import EXPERIMENTS, of_run
from threadping.experiments.common import Experiment
from threadping.model.contract import HIGHEST_SEED
from threadping.options import shared, syntax
from threadping.options.program import Command, LazyCommands, Subjects, studying
from threadping.probes.builds import read_mechanisms


def mechanisms(names: str, help: str) -> shared.Option:
    """Return the option for mechanisms, by names or by files with custom ones, which `own` collects."""

    def read(context: click.Context, option: click.Parameter, values: Any) -> tuple[str, ...]:
        named, context.params["own"] = read_mechanisms(shared.flat(context, option, values))
        return named

    return shared.subject_option(names, help, syntax.NAMES, callback=read, **shared.completed_by("mechanisms"))


def _gathered(into: str, pairs: Callable[[Any], Iterable[tuple[str, tuple[str, ...]]]]) -> dict[str, Any]:
    """Return a callback that collects the pairs of several options in one parameter, a mapping `into`."""

    def gather(context: click.Context, _option: click.Parameter, given: Any) -> None:
        found: dict[str, tuple[str, ...]] = context.params.setdefault(into, {})
        for name, values in pairs(given):
            found[name] = tuple(dict.fromkeys((*found.get(name, ()), *values)))

    return {"callback": gather, "expose_value": False}


def param(option: str, help: str, type: syntax.Syntax, **rest: Any) -> shared.Option:
    """Return an option for parameters; `params` collects all of them."""
    return shared.method_option(option, help, type, multiple=True, **_gathered("params", iter), **rest)


def jvm_flag(name: str, flags: tuple[str, ...], help: str) -> shared.Option:
    """Return an option that stands for flags of every JVM; `jvm_flags` collects them."""
    return shared.method_option(
        f"--{name}", help, is_flag=True, **_gathered("jvm_flags", lambda given: [(name, flags)] if given else ())
    )


MECHANISM = mechanisms(
    "--mechanism mechanisms",
    "Only these: NAME,NAME (`threadping info mechanisms`). Or yours: ./my_queue.hpp (docs/how-to/custom-mechanism.md). "
    "Repeatable.",
)
BUILDING = (
    shared.method_option("--cxx", "What compiles your own; by default $CXX, or c++, g++, clang++.", metavar="COMMAND"),
    shared.method_option("--cxxflags", "With which flags: '-I ../include -O2 -ltbb'.", metavar="FLAGS", default=""),
    shared.method_option(
        "--cargoflags", "With which cargo builds your crate: '--features my_crate/fast'.", metavar="FLAGS", default=""
    ),
)
PLACEMENT = shared.subject_option(
    "--placement placements",
    "Where the threads run, by what their CPUs share: same-cpu, smt (a core), same-l2, same-l3, same-node, cross-node; "
    "or unpinned. Repeatable.",
    syntax.NAMES,
    **shared.completed_by("placements"),
)
CPUS = shared.subject_option("--cpus", "These CPUs, one for each thread, instead of a placement.", syntax.CPUS)
BUDGET = shared.time_option(
    "--budget budget_s", "How long in all: 30s, 2m, 1h; by default 60s.", syntax.TIME, default="60s"
)
TRIAL_TIME = shared.time_option("--trial trial_s", "The length of each trial: 300ms, 2s.", syntax.TRIAL)
END_EARLY = shared.time_option(
    "--until",
    "End early: measure a case no more when half of its interval is within this, such as 3%.",
    syntax.UNTIL,
)
SEED = shared.time_option("--seed", "Repeat the random orders of another run.", syntax.NumberInRange(0, HIGHEST_SEED))
PAIRS = shared.subject_option(
    "--pairs", "How many pairs of threads: 16, 1-4 or 1,16,256; by default 1, 16 and 256.", syntax.PAIRS, default=()
)
IN_STATE = shared.subject_option(
    "--state",
    "Measure only while the core-to-core latency is low (the lowest known), high, or in a range (20-40ns); "
    "waits for that within the budget.",
    syntax.STATE,
)
BUSY_THREADS = (
    shared.method_option(
        "--busy",
        "Measure beside N busy threads that compete for the CPUs; N,M measures both; none (0) by default.",
        syntax.BUSY,
        default=("0",),
    ),
    shared.method_option(
        "--busy-nice",
        "Their niceness: by how much the busy threads give way to others, 0 (the default) to 19.",
        syntax.NumberInRange(0, 19),
        default=0,
    ),
)
STANDING = (
    *BUSY_THREADS,
    shared.method_option(
        "--pin pins",
        "Pin each thread to its CPU (thread, the default), or the process to all of them (process).",
        syntax.PINS,
        default=("thread",),
    ),
    shared.method_option(
        "--warmup warmups",
        "Warm up until the pace is steady (steady, the default), or for R rounds of N operations: 10x100k, 1x500M. "
        "Repeatable.",
        syntax.WARMUPS,
        default=("steady",),
    ),
    shared.method_option(
        "--slots lines",
        "Measure over N padded slots of 128 bytes; by default as many as suit the mechanism.",
        syntax.NumberInRange(1, 65536),
    ),
    shared.method_option(
        "--home homes",
        "Place the shared memory near this role or NUMA node; by default near the first thread. Repeatable.",
        syntax.NAMES,
    ),
)


def selecting(subject: str) -> list[click.Parameter]:
    """Return the options that select cases of a subject, as fields of Selection; those of all subjects for `run`."""
    of = EXPERIMENTS.get(subject)
    looks = "10x,5us" if of is None or of.looks else "off"
    counted = of.defaults.group if of and of.defaults.threads is None else 0
    return [
        *(MECHANISM, shared.RUNTIME, PLACEMENT, CPUS),
        *(
            [shared.subject_option("--threads", _threads(of), syntax.THREADS, default=())]
            if of and counted == 1
            else []
        ),
        *([PAIRS] if counted == 2 else []),
        *(BUDGET, TRIAL_TIME, SEED),
        *(param(f"--{name}", text, syntax.value_of(name)) for name, text in (of.options if of else {}).items()),
        param(
            "--param",
            "Any parameter that `threadping info mechanisms` lists; VALUE,VALUE measures both. Repeatable.",
            syntax.PARAM,
            **shared.completed_by("params"),
        ),
        *(jvm_flag(name, flags, text) for name, (flags, text) in (of.jvm_options if of else {}).items()),
        *STANDING,
        shared.method_option(
            "--outlier-limit outliers",
            "What counts as an outlier, whose cause is looked for: 10x,5us (ten medians, and at least 5 us), 20us, "
            f"off; by default {looks}.",
            syntax.OUTLIER,
            default=looks,
        ),
        *BUILDING,
        *shared.MEASURING,
    ]


def _threads(of: Experiment) -> str:
    usual = "1, 2, 4, ... beyond the number of CPUs"
    if of.defaults.of_cpus:
        usual = "2, and half, once and twice the number of CPUs"
    return f"How many threads: 4, 1-8 or 1,2,8; by default {usual}."


RUN_SUBJECTS = {name: one.help for name, one in EXPERIMENTS.items() if name != "self-test"}
"""What `run` and `compare` measure, each with its sentence; the self-test is `doctor`'s."""

*SOME, LAST = of_run()
RUN_HELP = f"""Measure {", ".join(SOME)} and {LAST} in a minute, or one subject in depth.

The most useful cases come first, as many as the budget has room for: those of C++ and Java, and with a larger budget
those of Rust."""
RUN_EXAMPLES = [
    ("run", "the overview, in a minute"),
    ("run queue --mechanism disruptor", "one queue"),
    ("run --budget 10m --runtime cpp", "C++ alone, for longer"),
]


def measuring(name: str, **how: Any) -> Command:
    """Return the command that measures the subject of this name, or all of them for `run`."""
    experiments = [name] if name in EXPERIMENTS else list(of_run())
    text = EXPERIMENTS[name].help if name in EXPERIMENTS else RUN_HELP
    params = [
        *selecting(name),
        END_EARLY,
        IN_STATE,
        *shared.ROWS,
        shared.STRICT,
        shared.LOCATION,
    ]
    examples = (
        [(f"run {words}", says) for words, says in EXPERIMENTS[name].examples] if name in EXPERIMENTS else RUN_EXAMPLES
    )
    ends = {4: "With --strict: a case has a warning, or is not known within --until."}
    return studying(name, "survey", text, *params, examples=examples, ends=ends, experiments=tuple(experiments), **how)


def of_subjects(of_subject: str, metavar: str) -> dict[str, Any]:
    """Return how a command is made that a subject may follow: each subject's is made by this function."""
    commands = LazyCommands(dict.fromkeys(RUN_SUBJECTS, of_subject))
    return {"kind": partial(Subjects, sentences=RUN_SUBJECTS, commands=commands, subcommand_metavar=metavar)}


RUN = measuring("run", **of_subjects("options.measuring.measuring", "[SUBJECT]"))
