"""A class of the user's own, as the only mechanism of a probe: the Java probe that is told where it is."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from threadping.model.cases import Runtime
from threadping.probes.java_class import JavaClass

OWN_CLASS = "--own"
"""The probe's word before CLASSPATH:CLASS; what follows is about that class alone."""


def own_java(own: JavaClass, runtime: Runtime, name: str = "") -> Runtime:
    """The probe of this virtual machine that has the class as its only mechanism, in the experiments of its concept.

    The mechanism has the simple name of the class, or this one where two are called so.
    """
    where = ":".join([*map(str, own.entries), own.name])
    return replace(runtime, command=(*runtime.command, OWN_CLASS, where, *(("--name", name) if name else ())))


def files_of_own(command: Sequence[str]) -> Iterator[Path]:
    """The jars, and the class files of the folders, that a probe with a class of the user's own runs."""
    if OWN_CLASS in command:
        for entry in map(Path, command[command.index(OWN_CLASS) + 1].split(":")[:-1]):
            yield from sorted(entry.rglob("*.class")) if entry.is_dir() else [entry]
