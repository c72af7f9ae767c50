"""What there is to measure with: runtimes, and their mechanisms."""

import os
from collections.abc import Sequence

from threadping.cli.describing import describe_all
from threadping.cli.options import Listing
from threadping.errors import ProbeUnusable
from threadping.model import Runtime, Skipped
from threadping.probes.description import describe
from threadping.probes.runtimes import find_runtimes
from threadping.probes.words import words


def list_runtimes(output: Listing) -> None:
    """Start every runtime once and print how it describes itself."""
    found = find_runtimes(os.environ)
    usable: list[Runtime] = []
    unusable: list[Skipped] = [*found.missing]
    for runtime in found.runtimes:
        try:
            usable.append(describe(runtime).runtime)
        except ProbeUnusable as error:
            unusable.append(Skipped(runtime.label, str(error)))
    if output == "json":
        from threadping.views.export.listings import runtimes_json

        print(runtimes_json(usable, unusable), end="")
    else:
        from threadping.views.terminal.console import stdout
        from threadping.views.terminal.lists import runtimes_table

        stdout().print(runtimes_table(usable, unusable))


def list_mechanisms(runtimes: Sequence[str], output: Listing) -> None:
    """Ask the runtimes, and print what they have."""
    from threadping.views.terminal.mechanisms import Having, mechanisms_table

    found = find_runtimes(os.environ)
    described, unusable = describe_all(found.select(runtimes) or found.defaults())
    said = words()
    having = [
        Having(
            experiment.name,
            one.runtime.label,
            mechanism,
            ", ".join(dict.fromkeys(said.timed.get(name, name) for name in mechanism.timed)),
            said.of(experiment.name, mechanism.name) or mechanism.words,
        )
        for one in described
        for experiment in one.description.experiments
        for mechanism in experiment.mechanisms
    ]
    if output == "json":
        from threadping.views.export.listings import mechanisms_json

        print(mechanisms_json(having, unusable), end="")
    else:
        from threadping.views.terminal.console import stdout

        stdout().print(mechanisms_table(having, unusable))
