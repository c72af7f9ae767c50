"""Ask the runtimes what they can do."""

from collections.abc import Sequence

from threadping.errors import FlagRefused, ProbeUnusable
from threadping.model import Runtime, Skipped
from threadping.probes.description import Described, describe
from threadping.probes.language import as_it_is
from threadping.probes.languages import LANGUAGES


def prepared(wanted: Sequence[Runtime]) -> list[Runtime]:
    """The runtimes as they start soonest: each virtual machine from an archive in the user's cache."""
    if all(LANGUAGES[runtime.probe].prepare is as_it_is for runtime in wanted):
        return list(wanted)
    from platformdirs import user_cache_path  # 15 ms that C++ does not wait for

    from threadping.views.terminal.console import stderr

    def making(runtime: Runtime) -> None:
        stderr().print(f"{runtime.label}: archiving the classes of its probe, so that every trial starts sooner …")

    folder = user_cache_path("threadping", appauthor=False) / "classes"
    return [LANGUAGES[runtime.probe].prepare(runtime, folder, making) for runtime in wanted]


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
