"""Start each runtime once, to learn what it offers and what a start takes."""

from collections.abc import Sequence

from rich.text import Text

from threadping.characters import plain
from threadping.errors import FlagRefused, ProbeUnusable
from threadping.model.cases import Runtime, Skipped
from threadping.probes import description
from threadping.probes.description import Described
from threadping.probes.language import Making, as_it_is
from threadping.probes.runtimes import LANGUAGES
from threadping.sheets.console import stderr


def _prepared(wanted: Sequence[Runtime], making: Making) -> list[Runtime]:
    """The runtimes as they start soonest: each JVM from an archive in the user's cache."""
    if all(LANGUAGES[runtime.probe].prepare is as_it_is for runtime in wanted):
        return list(wanted)
    from platformdirs import user_cache_path  # 15 ms that C++ does not wait for

    folder = user_cache_path("threadping", appauthor=False) / "classes"
    return [LANGUAGES[runtime.probe].prepare(runtime, folder, making) for runtime in wanted]


def _tell_making(runtime: Runtime) -> None:
    say(f"{runtime.label}: archiving the classes of its probe, so that every trial starts sooner …")


def say(what: str) -> None:
    """Tell what takes time, before it does."""
    stderr().print(Text(plain(what)))


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
    return described, skipped_by(errors)


def skipped_by(errors: dict[str, ProbeUnusable]) -> list[Skipped]:
    """What is left out by these errors, by label."""
    return [Skipped(label, str(error)) for label, error in errors.items()]
