"""What must be known of a language's probe to launch it."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct

from threadping.flags import without_secrets
from threadping.model.cases import Runtime, Skipped

Findings = tuple[list[Runtime], list[Skipped]]
"""The usable runtimes in the order of preference, and what is missing or unusable, with the remedy."""


Making = Callable[[Runtime], None] | None
"""Is called with a runtime before a preparation that takes time; None where only what is prepared already is used."""


def as_it_is(runtime: Runtime, _folder: Path, _making: Making) -> Runtime:
    """A runtime that starts no sooner for any preparation."""
    return runtime


class Language(Struct, frozen=True, kw_only=True):
    """How a language's probe is found and launched; a Runtime's `probe` is the name of its language.

    Attributes:
        find: looks for its runtimes, given the environment, the root of the file system, and the folder of the probes;
            no probe is started.
        usual: the pattern of the labels that are measured when nothing is asked for.
        name: the word that selects a runtime that was found, which its label begins with.
        with_flags: a runtime with flags behind those that it has; UsageError where it takes none.
        at: the runtime at a path that a user gave; UsageError for what is no such thing.
        prepare: the runtime as it starts soonest, given a folder of the user's cache, telling before it takes time.
        compiles: whether it compiles as it runs, so that its trials must be long.
        further: whether it is asked after the others where no runtime is named: a first minute has no room for it.
    """

    find: Callable[[Mapping[str, str], Path, Path], Findings]
    usual: str
    name: Callable[[Runtime], str] = lambda runtime: runtime.label
    with_flags: Callable[[Runtime, tuple[str, ...]], Runtime]
    at: Callable[[Path], Runtime]
    prepare: Callable[[Runtime, Path, Making], Runtime] = as_it_is
    compiles: bool = False
    further: bool = False


def probes_folder() -> Path:
    """Where the probes are: beside this package, or where a developer who builds another one says."""
    return Path(os.environ.get("THREADPING_PROBES") or Path(__file__).parent.parent / "_probes").absolute()


def label(name: str, flags: tuple[str, ...]) -> str:
    """What tells a runtime with flags apart."""
    return " ".join([name, *map(without_secrets, flags)])
