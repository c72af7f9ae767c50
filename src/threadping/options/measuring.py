"""Options that select cases, and the commands that measure experiments."""

from collections.abc import Iterable
from functools import partial
from typing import Any

import click

from threadping.experiments import EXPERIMENTS, of_run
from threadping.model.cases import DEFAULT_WARMUP
from threadping.model.contract import HIGHEST_SEED, OUTLIERS
from threadping.options import shared, syntax
from threadping.options.program import CONDUCT, Command, LazyCommands, Subjects, command, texts
from threadping.probes.builds import read_mechanisms


def mechanisms(names: str, help: str) -> shared.Option:
    """Return the option for mechanisms, by names or by files with custom ones, which `own` collects."""

    def read(context: click.Context, option: click.Parameter, values: Any) -> tuple[str, ...]:
        named, context.params["own"] = read_mechanisms(shared.flat(context, option, values))
        return named

    return shared.subject_option(names, help, syntax.NAMES, callback=read, **shared.completed_by("mechanisms"))


def gather_params(
    context: click.Context, _option: click.Parameter, given: Iterable[tuple[str, tuple[str, ...]]]
) -> None:
    """Collect the parameters of several options in one of the context, `params`."""
    found: dict[str, tuple[str, ...]] = context.params.setdefault("params", {})
    for name, values in given:
        found[name] = tuple(dict.fromkeys((*found.get(name, ()), *values)))


param = partial(shared.method_option, multiple=True, callback=gather_params, expose_value=False)


def jvm_flag(name: str, flags: tuple[str, ...], help: str) -> shared.Option:
    """Return an option that sets flags of every JVM; `jvm_flags` collects them."""

    def gather(context: click.Context, _option: click.Parameter, given: bool) -> None:
        context.params.setdefault("jvm_flags", {}).update({name: flags} if given else {})

    return shared.method_option(f"--{name}", help, is_flag=True, callback=gather, expose_value=False)


BUILT_IN_ONLY = ("network", "jitter")  # subjects without custom mechanisms and without memory that threads share
BUILT_IN = mechanisms("--mechanism mechanisms", "Measure only NAME,NAME.")
MECHANISM = mechanisms("--mechanism mechanisms", "Measure only NAME,NAME or your own ./my_queue.hpp.")
BUILDING = (
    shared.method_option("--cxx", "Compile your C++ with COMMAND [default: $CXX, c++].", metavar="COMMAND"),
    shared.method_option("--cxxflags", "Compile it with FLAGS: '-O2 -I../include'.", metavar="FLAGS", default=""),
    shared.method_option("--cargoflags", "Build your crate with FLAGS: '--features x'.", metavar="FLAGS", default=""),
)
PLACEMENT = shared.subject_option(
    "--placement placements",
    "Place threads on CPUs by what they share: same-cpu, smt, same-l2, same-l3, same-node, cross-node, or unpinned.",
    syntax.PLACEMENTS,
    **shared.completed_by("placements"),
)
CPUS = shared.subject_option("--cpus", "Use these CPUs, one for each thread.", syntax.CPUS)
BUDGET = shared.time_option("--budget budget_s", "Measure this long in all [default: 60s].", syntax.TIME, default=60.0)
TRIAL_TIME = shared.time_option("--trial trial_s", "Set the length of each trial: 300ms, 2s.", syntax.TRIAL)
END_EARLY = shared.time_option("--until", "Stop a case once half its interval is within 3%.", syntax.UNTIL)
SEED = shared.time_option("--seed", "Repeat the random order of a run.", syntax.whole_number(0, HIGHEST_SEED))
PAIRS = shared.subject_option("--pairs", "Set the pairs of threads [default: 1,16,256].", syntax.PAIRS, default=())
IN_STATE = shared.subject_option(
    "--state", "Measure only while core-to-core latency is low, high, or 20-40ns.", syntax.STATE
)
BUSY_THREADS = (
    shared.method_option("--busy", "Add N busy threads; 0,2 measures both [default: 0].", syntax.BUSY, default=((0,),)),
    shared.method_option(
        "--busy-nice", "Set their niceness, 0 to 19 [default: 0].", syntax.whole_number(0, 19), default=0
    ),
)
EACH_THREAD, UNTIL_STEADY = (("thread",),), ((DEFAULT_WARMUP,),)  # as if each were given
STANDING = (
    *BUSY_THREADS,
    shared.method_option("--pin pins", "Pin each thread [default], or the process.", syntax.PINS, default=EACH_THREAD),
    shared.method_option(
        "--warmup warmups", "Warm up R rounds of N: 10x100k [default: steady].", syntax.WARMUPS, default=UNTIL_STEADY
    ),
)
SHARED_MEMORY = (
    shared.method_option("--slots lines", "Use N padded slots of 128 bytes.", syntax.whole_number(1, 65536)),
    shared.method_option("--home homes", "Place memory near a role or NUMA node.", syntax.NAMES),
)


def selecting(subject: str) -> list[click.Parameter]:
    """Return the options that select cases of a subject, as fields of Selection; those of all subjects for `run`."""
    of = EXPERIMENTS.get(subject)
    looks = of is None or of.looks
    explains = f"Explain what exceeds this limit [default: {'10x,5us' if looks else 'off'}]."
    counted = of.defaults.group if of and of.defaults.threads is None else 0
    shares = of.defaults.of_cpus if of else ()
    usual = {(): "1, 2, 4, ...", (1.0,): "1, and all the CPUs"}.get(shares, "2, half, all and twice the CPUs")
    threads = shared.subject_option("--threads", f"Set the threads [default: {usual}].", syntax.THREADS, default=())
    return [
        *(BUILT_IN if subject in BUILT_IN_ONLY else MECHANISM, shared.RUNTIME, PLACEMENT, CPUS),
        *([threads] if counted == 1 else [PAIRS] if counted == 2 else []),
        *(BUDGET, TRIAL_TIME, SEED),
        *(param(f"--{name}", text, syntax.value_of(name)) for name, text in (of.options if of else {}).items()),
        param("--param", "Set any parameter; A,B measures both.", syntax.PARAM, **shared.completed_by("params")),
        *(jvm_flag(name, flags, text) for name, (flags, text) in (of.jvm_options if of else {}).items()),
        *STANDING,
        *(() if subject in BUILT_IN_ONLY else SHARED_MEMORY),
        shared.method_option("--outlier-limit outliers", explains, syntax.OUTLIER, default=OUTLIERS if looks else None),
        *(() if subject in BUILT_IN_ONLY else BUILDING),
        *shared.MEASURING,
    ]


RUN_SUBJECTS = {name: one.help for name, one in EXPERIMENTS.items() if name != "self-test"}
"""Subjects of `run` and `compare` with their sentences; only `doctor --self-test` measures the self-test."""


def measuring(name: str, **how: Any) -> Command:
    """Return the command that measures the subject of this name, or all of them for `run`."""
    of = EXPERIMENTS.get(name)
    experiments = (name,) if of else of_run()
    params = [*selecting(name), END_EARLY, IN_STATE, *shared.ROWS, shared.STRICT, shared.LOCATION]
    own = of and {"help": of.help, "examples": [(f"run {words}", says) for words, says in of.examples]}
    said = {**(own or texts()["run"]), "ends": {"4": "With --strict: a case has a warning, or misses --until."}}
    return command(name, CONDUCT, *params, said=said, study="survey", experiments=experiments, **how)


def of_subjects(of_subject: str, metavar: str) -> dict[str, Any]:
    """Return how a command is made that a subject may follow: each subject's is made by this function."""
    commands = LazyCommands(dict.fromkeys(RUN_SUBJECTS, of_subject))
    return {"kind": partial(Subjects, sentences=RUN_SUBJECTS, commands=commands, subcommand_metavar=metavar)}


RUN = measuring("run", **of_subjects("options.measuring.measuring", "[SUBJECT]"))
