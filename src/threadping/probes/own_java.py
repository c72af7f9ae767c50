"""A class of the user's own, as the only mechanism of a probe: the Java probe that is told where it is."""

from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from threadping.characters import plain
from threadping.errors import ProbeUnusable, UsageError
from threadping.model.cases import Runtime
from threadping.probes.java_class import JavaClass
from threadping.probes.process import NotStarted, describe_status, run_bounded, temporary_folder
from threadping.probes.refusals import telling_line

OWN_CLASS = "--own"
"""The probe's word before CLASSPATH:CLASS; what follows is about that class alone."""

CHECK_SECONDS = 60.0
"""The checks take one second or two, and give up by themselves what hangs."""

USAGE_STATUS = 2
"""Of a class that cannot be tried as it was named."""


def own_java(own: JavaClass, runtime: Runtime, name: str = "") -> Runtime:
    """The probe of this virtual machine that has the class as its only mechanism, in the experiments of its concept.

    The mechanism has the simple name of the class, or this one where two are called so.
    """
    where = ":".join([*map(str, own.entries), own.name])
    return replace(runtime, command=(*runtime.command, OWN_CLASS, where, *(("--name", name) if name else ())))


def check_own_java(probe: Runtime) -> str:
    """Have the probe try whether its class keeps the promises of its concept; what was tried, in a sentence.

    Raises UsageError for a class that cannot be tried, ProbeUnusable with what was seen of one that is broken.
    """
    try:
        with temporary_folder() as folder:
            ended = run_bounded((*probe.command, "check"), folder=folder, seconds=CHECK_SECONDS)
    except NotStarted as error:
        raise ProbeUnusable(f"Runtime {probe.label} cannot be used. {error}") from error
    said = plain((ended.log.strip().splitlines() or [""])[-1])
    if ended.status == 0:
        return said
    if ended.status == USAGE_STATUS:
        raise UsageError(said)
    if ended.status == 1 and said:
        raise ProbeUnusable(f"{said} Nothing was measured.")
    how = f"ran for {CHECK_SECONDS:.0f} s" if ended.status is None else f"ended with {describe_status(ended.status)}"
    named = _class_of(probe).rpartition(":")[2]
    last = telling_line(ended.log)
    words = f": {plain(last)}" if last else ""
    raise ProbeUnusable(f"{named} was tried, and its virtual machine {how}{words}. Nothing was measured.")


def files_of_own(runtime: Runtime) -> Iterator[Path]:
    """The jars, and the class files of the folders, that a probe with a class of the user's own runs."""
    if OWN_CLASS in runtime.command:
        for entry in map(Path, _class_of(runtime).split(":")[:-1]):
            yield from sorted(entry.rglob("*.class")) if entry.is_dir() else [entry]


def _class_of(probe: Runtime) -> str:
    """Its CLASSPATH:CLASS."""
    return probe.command[probe.command.index(OWN_CLASS) + 1]
