"""The runtimes of this machine, and the mechanisms that they have."""

import os
from collections.abc import Sequence
from functools import partial

from threadping.conduct.environment import describe_all, describe_each, skipped_by
from threadping.conduct.showing import present_sheets
from threadping.conduct.study import Output
from threadping.model.cases import Runtime, Skipped
from threadping.output.listings import MechanismInRuntime, mechanisms_table, runtimes_table
from threadping.output.records import sheet_of
from threadping.probes.builds import loops_of
from threadping.probes.language import words
from threadping.probes.runtimes import find_runtimes


def list_runtimes(form: str) -> None:
    """Print how each runtime describes itself."""
    found = find_runtimes(os.environ)
    described, errors = describe_each(found.runtimes)
    usable, unusable = [one.runtime for one in described], [*found.missing, *skipped_by(errors)]
    sheets = sheet_of("runtimes", Runtime, usable, "own"), sheet_of("unusable", Skipped, unusable, "budget", "cases")
    present_sheets(Output(form=form), partial(runtimes_table, usable, unusable), *sheets)


def list_mechanisms(runtimes: Sequence[str], form: str) -> None:
    """Print what the runtimes can measure."""
    found = find_runtimes(os.environ)
    described, unusable = describe_all(found.select(runtimes) or found.defaults())
    said = words()
    having = [
        MechanismInRuntime(
            experiment.name,
            one.runtime.label,
            mechanism,
            ", ".join(dict.fromkeys(said.timed.get(name, name) for name in mechanism.timed)),
            said.of(experiment.name, mechanism.name) or mechanism.words,
            said.version(experiment.name, mechanism.name, one.runtime.probe),
            loops.of(experiment.name, mechanism.name),
        )
        for one in described
        for loops in (loops_of(one.runtime),)
        for experiment in one.description.experiments
        for mechanism in experiment.mechanisms
    ]
    sheets = (
        sheet_of("mechanisms", MechanismInRuntime, having),
        sheet_of("unusable", Skipped, unusable, "budget", "cases"),
    )
    present_sheets(Output(form=form), partial(mechanisms_table, having, unusable), *sheets)
