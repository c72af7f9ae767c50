"""The runtimes of this machine, and the mechanisms that they have."""

import os
import platform
from collections.abc import Sequence
from importlib.metadata import version

from threadping.cli.answer import Output, give
from threadping.errors import FlagRefused, ProbeUnusable
from threadping.model import Runtime, Skipped
from threadping.probes.description import Described, describe, read_topology
from threadping.probes.language import as_it_is
from threadping.probes.runtimes import LANGUAGES, find_cpp, find_runtimes
from threadping.probes.words import words


def prepared(wanted: Sequence[Runtime]) -> list[Runtime]:
    """The runtimes as they start soonest: each JVM from an archive in the user's cache."""
    if all(LANGUAGES[runtime.probe].prepare is as_it_is for runtime in wanted):
        return list(wanted)
    from platformdirs import user_cache_path  # 15 ms that C++ does not wait for

    from threadping.views.terminal.console import stderr

    def making(runtime: Runtime) -> None:
        stderr().print(f"{runtime.label}: archiving the classes of its probe, so that every trial starts sooner …")

    folder = user_cache_path("threadping", appauthor=False) / "classes"
    return [LANGUAGES[runtime.probe].prepare(runtime, folder, making) for runtime in wanted]


def describe_each(wanted: Sequence[Runtime]) -> tuple[list[Described], dict[str, ProbeUnusable]]:
    """Start each runtime once and ask what it can do; and the errors of those that do not answer, by label."""
    described: list[Described] = []
    errors: dict[str, ProbeUnusable] = {}
    for runtime in wanted:
        try:
            described.append(describe(runtime))
        except ProbeUnusable as error:
            errors[runtime.label] = error
    return described, errors


def describe_all(wanted: Sequence[Runtime]) -> tuple[list[Described], list[Skipped]]:
    """The same, with the errors as what is left out; ProbeUnusable where no runtime answers."""
    described, errors = describe_each(wanted)
    if not described:
        only_flags = errors and all(isinstance(error, FlagRefused) for error in errors.values())
        kind = FlagRefused if only_flags else ProbeUnusable
        raise kind(" ".join(map(str, errors.values())) or "No runtime was found.")
    return described, _skipped(errors)


def list_runtimes(form: str) -> None:
    """Print how each runtime describes itself."""
    found = find_runtimes(os.environ)
    described, errors = describe_each(found.runtimes)
    usable, unusable = [one.runtime for one in described], [*found.missing, *_skipped(errors)]
    from threadping.views.export.as_json import runtimes_json
    from threadping.views.terminal.lists import runtimes_table

    give(Output(form=form), {"json": runtimes_json}, runtimes_table, usable, unusable)


def list_mechanisms(runtimes: Sequence[str], form: str) -> None:
    """Print what the runtimes can measure."""
    from threadping.views.export.as_json import mechanisms_json
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
    give(Output(form=form), {"json": mechanisms_json}, mechanisms_table, having, unusable)


def _skipped(errors: dict[str, ProbeUnusable]) -> list[Skipped]:
    return [Skipped(label, str(error)) for label, error in errors.items()]


def about() -> str:
    """The version and the architecture, then the C++ probe: its compiler with the flags, and its hwloc.

    No virtual machine is started for it: each takes a third of a second, and `threadping runtimes` names them all.
    """
    lines = [f"threadping {version('threadping')} {platform.machine()}"]
    try:
        cpp = find_cpp(os.environ)
        lines.append(f"C++ probe: {describe(cpp).runtime.version}; {read_topology(cpp).source}")
    except ProbeUnusable as unusable:
        lines.append(str(unusable))
    return "\n".join(lines)
