"""Which mechanisms there are, as the probes describe them."""

import os
from collections.abc import Sequence

from threadping.cli.describing import describe_all
from threadping.probes.runtimes import find_runtimes
from threadping.probes.words import words


def list_mechanisms(runtimes: Sequence[str]) -> None:
    """Ask the runtimes, and print what they have."""
    from threadping.report.console import stdout
    from threadping.report.mechanisms import Having, mechanisms_table

    found = find_runtimes(os.environ)
    described, unusable = describe_all(found.select(runtimes) or found.defaults())
    said = words()
    having = [
        Having(
            experiment.name,
            one.runtime.label,
            mechanism,
            said.timed.get(mechanism.timed, mechanism.timed),
            said.of(experiment.name, mechanism.name) or mechanism.words,
        )
        for one in described
        for experiment in one.description.experiments
        for mechanism in experiment.mechanisms
    ]
    stdout().print(mechanisms_table(having, unusable))
