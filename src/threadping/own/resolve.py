"""The runtimes that measure mechanisms of the user's own, with the probes of these."""

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from threadping.errors import UsageError
from threadping.model.cases import OwnMechanism, Runtime
from threadping.own.cargo import crate_compiled, find_cargo
from threadping.own.checking import check, check_once
from threadping.own.compiling import compiled, find_compiler
from threadping.own.harness import with_loop
from threadping.own.headers import classes_of
from threadping.own.kept import forget_oldest
from threadping.own.sources import OwnSource
from threadping.own.tools import Telling
from threadping.probes.builds import build_of
from threadping.probes.java_class import JavaClass
from threadping.probes.language import probes_folder
from threadping.probes.own_java import own_java

MOST_CLASSES = 3
"""Maximum number of classes of a header that are named where none is a mechanism."""

TITLES = {"cpp": "C++", "java": "Java", "rust": "Rust"}


class Building(Struct, frozen=True):
    """How mechanisms of the user's own are built.

    Attributes:
        cxx: the compiler, as it was given,
        cxxflags: and its flags.
        cargoflags: cargo's words.
        pair: asked for the two CPUs on which they are measured beside a bare loop; where it gives fewer they are not.
    """

    cxx: str | None = None
    cxxflags: str = ""
    cargoflags: str = ""
    pair: Callable[[], Sequence[int]] = tuple


Built = tuple[OwnMechanism, Path]
"""A mechanism that keeps its promises, and the folder where what is known of it is kept."""


def resolve(
    sources: Sequence[OwnSource], runtimes: Sequence[Runtime], building: Building, telling: Telling
) -> list[Runtime]:
    """The runtimes, each with the mechanisms of its language, which are built, and checked, unless that was done.

    Raises:
        UsageError: none of the runtimes measures one, or it cannot be built.
        PromiseBroken: one does not do what it promises.
    """
    for one in sources:
        if not any(_measures(runtime, one) for runtime in runtimes):
            title = TITLES[one.language]
            raise UsageError(
                f"'{one.given}' is measured by {title}, and no {title} runtime is selected: leave --runtime out, or "
                f"add one (--runtime {one.language})."
            )
    return [
        replace(
            runtime, own=tuple(_built(runtime, one, building, telling) for one in sources if _measures(runtime, one))
        )
        for runtime in runtimes
    ]


def _measures(runtime: Runtime, source: OwnSource) -> bool:
    """Whether it is a runtime of threadping's own in that language: another's probe is a whole one."""
    ours = runtime.probe == "java" or Path(runtime.command[0]).parent == probes_folder()
    return ours and runtime.probe == source.language


def _built(runtime: Runtime, source: OwnSource, building: Building, telling: Telling) -> OwnMechanism:
    own, kept = BUILDERS[source.language](runtime, source, building, telling)
    cpus = building.pair()
    return with_loop(own, source.language, cpus, kept, telling) if len(cpus) == 2 else own


def _build_cpp(runtime: Runtime, source: OwnSource, building: Building, telling: Telling) -> Built:
    """Compiled with the flags of its runtime too: `cpp -march=native`."""
    flags = " ".join((*runtime.label.split()[1:], building.cxxflags))
    folder = _cache()
    own = compiled(source, find_compiler(os.environ, building.cxx, flags), folder, telling)
    kept = folder / own.digest
    try:
        check_once(kept, partial(check, own))
    except UsageError as error:
        if not str(error).startswith("No class of"):
            raise
        has = classes_of(Path(source.file).read_text(errors="replace"))[:MOST_CLASSES]
        raise UsageError(f"{error} What it has: {'; '.join(map(str, has))}.") from error
    return own, kept


def _build_rust(_runtime: Runtime, source: OwnSource, building: Building, telling: Telling) -> Built:
    folder = _cache()
    cargo = find_cargo(os.environ, building.cargoflags, Path(source.file))
    own = crate_compiled(source, cargo, folder, telling)
    kept = folder / own.digest
    check_once(kept, partial(check, own))
    return own, kept


def _build_java(runtime: Runtime, source: OwnSource, _building: Building, telling: Telling) -> Built:
    """The class as it is: nothing is compiled."""
    probe = own_java(JavaClass(source.file, source.chosen), runtime, source.name)
    digest = f"{build_of(probe)}-{source.chosen}"  # a folder has other classes too

    own = OwnMechanism(source.name, source.given, probe.command, digest, runtime.version)

    def checked() -> None:
        telling(f"{runtime.label}: seeing whether {source.given} keeps its promises …")
        check(own)
        forget_oldest(_cache())

    kept = _cache() / f"{runtime.label.split()[0]}-{digest}"
    check_once(kept, checked)
    return own, kept


def _cache() -> Path:
    from platformdirs import user_cache_path  # 15 ms that nobody else waits for

    return user_cache_path("threadping", appauthor=False) / "own"


BUILDERS: dict[str, Callable[[Runtime, OwnSource, Building, Telling], Built]] = {
    "cpp": _build_cpp,
    "java": _build_java,
    "rust": _build_rust,
}
"""By language."""
