"""Commands that measure experiments, and the options that say what of these is measured, and how."""

from collections.abc import Sequence

import click

from threadping.experiments import EXPERIMENTS, of_run
from threadping.experiments.experiment import Experiment
from threadping.options import syntax
from threadping.options.command import Command, how, jvm_flag, param, studying
from threadping.options.shared import (
    ANYWAY,
    BUDGET,
    CHART,
    CPUS,
    END_EARLY,
    FILE,
    IN_STATE,
    LOCATION,
    MECHANISM,
    PAGE,
    PAIRS,
    PLACEMENT,
    RUN_FORMAT,
    RUNTIME,
    SEED,
    STANDING,
    STRICT,
    THREADS,
    TRIAL_TIME,
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
        *(BUDGET, TRIAL_TIME, SEED),
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
    params += [END_EARLY, IN_STATE, RUN_FORMAT, FILE, CHART, PAGE, STRICT, LOCATION]
    return studying(name, "survey", text, *params, experiments=tuple(experiments))
