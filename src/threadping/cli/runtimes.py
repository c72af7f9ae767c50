"""The runtimes of this machine, and the mechanisms that they have."""

import os
import platform
from collections.abc import Sequence
from importlib.metadata import version

from threadping.cli.answer import Output, give
from threadping.errors import FlagRefused, ProbeUnusable
from threadping.model.cases import Runtime, Skipped
from threadping.probes import description
from threadping.probes.description import Described, describe, read_topology
from threadping.probes.language import Making, as_it_is
from threadping.probes.runtimes import LANGUAGES, find_cpp, find_runtimes
from threadping.probes.words import words


def _prepared(wanted: Sequence[Runtime], making: Making) -> list[Runtime]:
    """The runtimes as they start soonest: each JVM from an archive in the user's cache."""
    if all(LANGUAGES[runtime.probe].prepare is as_it_is for runtime in wanted):
        return list(wanted)
    from platformdirs import user_cache_path  # 15 ms that C++ does not wait for

    folder = user_cache_path("threadping", appauthor=False) / "classes"
    return [LANGUAGES[runtime.probe].prepare(runtime, folder, making) for runtime in wanted]


def _tell_making(runtime: Runtime) -> None:
    from rich.text import Text

    from threadping.views.terminal.console import stderr
    from threadping.views.terminal.names import plain

    said = "archiving the classes of its probe, so that every trial starts sooner …"
    stderr().print(Text(f"{plain(runtime.label)}: {said}"))


def describe_each(
    wanted: Sequence[Runtime], *, prepare: bool = False
) -> tuple[list[Described], dict[str, ProbeUnusable]]:
    """Start each runtime once and ask what it can do; and the errors of those that do not answer, by label.

    With `prepare` as they start soonest, which may take a second for each JVM that was never measured before.
    """
    asked = _prepared(wanted, None) if prepare else list(wanted)
    found = dict(zip(wanted, description.describe_each(asked), strict=True))
    if prepare:
        found = {runtime: _once_prepared(one) for runtime, one in found.items()}
    described = [one for one in found.values() if isinstance(one, Described)]
    errors = {of.label: one for of, one in found.items() if isinstance(one, ProbeUnusable)}
    return described, errors


def _once_prepared(one: Described | ProbeUnusable) -> Described | ProbeUnusable:
    """A runtime that answers, described once more if it starts sooner from now on."""
    if isinstance(one, ProbeUnusable):
        return one
    (runtime,) = _prepared([one.runtime], _tell_making)
    return one if runtime == one.runtime else description.describe_each([runtime])[0]


def describe_all(wanted: Sequence[Runtime], *, prepare: bool = False) -> tuple[list[Described], list[Skipped]]:
    """The same, with the errors as what is left out; ProbeUnusable where no runtime answers."""
    described, errors = describe_each(wanted, prepare=prepare)
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
