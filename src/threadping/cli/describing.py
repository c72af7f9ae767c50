"""Ask the runtimes what they can do."""

from collections.abc import Sequence

from threadping.errors import FlagRefused, ProbeUnusable
from threadping.model import Runtime, Skipped
from threadping.probes.description import Described, describe


def describe_all(wanted: Sequence[Runtime]) -> tuple[list[Described], list[Skipped]]:
    """Start every runtime once and ask. One that cannot answer is left out, with the reason, unless none can."""
    described: list[Described] = []
    errors: list[tuple[str, ProbeUnusable]] = []
    for runtime in wanted:
        try:
            described.append(describe(runtime))
        except ProbeUnusable as error:
            errors.append((runtime.label, error))
    if not described:
        only_flags = errors and all(isinstance(error, FlagRefused) for _, error in errors)
        kind = FlagRefused if only_flags else ProbeUnusable
        raise kind(" ".join(str(error) for _, error in errors) or "No runtime was found.")
    return described, [Skipped(label, str(error)) for label, error in errors]
