"""Which runtimes were found, and whether their probes answer."""

import os

from threadping.errors import ProbeUnusable
from threadping.model import Runtime, Skipped
from threadping.probes.description import describe
from threadping.probes.runtimes import find_runtimes


def list_runtimes() -> None:
    """Start every runtime once and print how it describes itself."""
    from threadping.report.console import stdout
    from threadping.report.runs import runtimes_table

    found = find_runtimes(os.environ)
    usable: list[Runtime] = []
    unusable: list[Skipped] = [*found.missing]
    for runtime in found.runtimes:
        try:
            usable.append(describe(runtime).runtime)
        except ProbeUnusable as error:
            unusable.append(Skipped(runtime.label, str(error)))
    stdout().print(runtimes_table(usable, unusable))
