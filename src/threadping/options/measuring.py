"""Commands that measure experiments, and the options that say what of these is measured, and how."""

from collections.abc import Sequence

import click

from threadping.experiments import EXPERIMENTS, of_run
from threadping.experiments.experiment import Experiment
from threadping.grouping import gathered
from threadping.options import shared, syntax
from threadping.options.command import completed_by, how, jvm_flag, param, studying, what
from threadping.options.help import Command


def selecting(names: Sequence[str]) -> list[click.Parameter]:
    """Those that say what of these experiments is measured, and how: fields of Selection."""
    experiments = [EXPERIMENTS[name] for name in names]
    counted = {one.asking.group for one in experiments if one.asking.threads is None}
    short = {name: _help_of(name, names) for one in experiments for name in one.options}
    jvm_options = {name: given for one in experiments for name, given in one.jvm_options.items()}
    looks = "10x,5us" if any(one.looks for one in experiments) else "off"
    return [
        *(shared.MECHANISM, shared.RUNTIME, shared.PLACEMENT, shared.CPUS),
        *([_threads(experiments)] if 1 in counted else []),
        *([shared.PAIRS] if 2 in counted else []),
        *(shared.BUDGET, shared.TRIAL_TIME, shared.SEED),
        *(param(f"--{name}", text, syntax.value_of(name)) for name, text in short.items()),
        param(
            "--param",
            "Any parameter that `threadping mechanisms` lists; VALUE,VALUE measures both. Repeatable.",
            syntax.PARAM,
            **completed_by("params"),
        ),
        *(jvm_flag(name, flags, text) for name, (flags, text) in jvm_options.items()),
        *shared.STANDING,
        how(
            "--outliers",
            "What counts as an outlier, whose cause is looked for: 10x,5us (ten medians, and at least 5 us), 20us, "
            f"off; by default {looks}.",
            syntax.OUTLIER,
            default=looks,
        ),
        *shared.BUILDING,
        shared.ANYWAY,
    ]


def _threads(experiments: Sequence[Experiment]) -> click.Parameter:
    """Return the option for the number of threads, with those that these experiments measure by default."""
    shares = {one.asking.of_cpus for one in experiments if one.asking.threads is None and one.asking.group == 1}
    ours = (
        "1, 2, 4, ... beyond the number of CPUs" if () in shares else "2, and half, once and twice the number of CPUs"
    )
    return what("--threads", f"How many threads: 4, 1-8 or 1,2,8; by default {ours}.", syntax.THREADS, default=())


def _help_of(option: str, names: Sequence[str]) -> str:
    """What an option says of these experiments: where it does not say the same of all, which it says it of."""
    said = gathered((text, name) for name in names if (text := EXPERIMENTS[name].options.get(option)))
    return " ".join(said) if len(said) == 1 else " ".join(f"{', '.join(of)}: {text}" for text, of in said.items())


SELECTED = selecting([*EXPERIMENTS])
"""Every option that says what is measured, and how."""


*SOME, LAST = of_run()
RUN_HELP = f"""Measure {", ".join(SOME)} and {LAST}, in C++, on every JVM and in Rust.

The most useful cases come first, as many as the budget has room for: those of C++ and Java, and with a larger budget
those of Rust."""


RUN_EXAMPLES = [
    ("run", "the most useful cases, in a minute"),
    ("run --budget 10m --runtime cpp", "C++ alone, for longer"),
    ("run --report page.html", "and a page to show"),
]


def measuring(name: str) -> Command:
    """The command that measures the experiment of this name, or all of them for `run`."""
    experiments = [name] if name in EXPERIMENTS else list(of_run())
    text = EXPERIMENTS[name].help if name in EXPERIMENTS else RUN_HELP
    params = selecting(experiments)
    params += [
        shared.END_EARLY,
        shared.IN_STATE,
        shared.RUN_FORMAT,
        shared.FILE,
        shared.CHART,
        shared.PAGE,
        shared.STRICT,
        shared.LOCATION,
    ]
    examples = EXPERIMENTS[name].examples if name in EXPERIMENTS else RUN_EXAMPLES
    ends = {4: "With --strict: a case has a warning, or is not known within --until."}
    return studying(name, "survey", text, *params, examples=examples, ends=ends, experiments=tuple(experiments))
