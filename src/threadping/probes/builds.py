"""Identity of a runtime's program: a build of a probe, a class of Java, a custom program."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from threadping.model.bounds import Word
from threadping.model.cases import Runtime

_CLASS = r"(?:[^\W\d][\w$]*\.)*[^\W\d][\w$]*"


class JavaClass(Struct, frozen=True):
    """A class and where it is: jars and folders, between colons."""

    class_path: str
    name: str

    @property
    def entries(self) -> tuple[Path, ...]:
        return tuple(Path(entry).expanduser().absolute() for entry in self.class_path.split(":"))


def read_java_class(text: str) -> JavaClass | None:
    """Read `my.jar:com.acme.MyQueue`, `target/classes:MyQueue`, `a.jar:b.jar:MyQueue`; None of what is no such text."""
    class_path, _, name = text.rpartition(":")
    last = class_path.rpartition(":")[2]
    is_there = last.endswith(".jar") or "/" in last or (last != "" and Path(last).is_dir())
    return JavaClass(class_path, name) if is_there and re.fullmatch(_CLASS, name) else None


OWN_CLASS = "--own"  # the probe's word before CLASSPATH:CLASS


def own_java(own: JavaClass, runtime: Runtime, name: str = "") -> Runtime:
    """Return the probe of this JVM with the class as its only mechanism.

    The mechanism has the simple name of the class, or this one where two are called so.
    """
    where = ":".join([*map(str, own.entries), own.name])
    return replace(runtime, command=(*runtime.command, OWN_CLASS, where, *(("--name", name) if name else ())))


def files_of_own(command: Sequence[str]) -> Iterator[Path]:
    """Yield the jars, and the class files of the folders, that a probe with a custom class runs."""
    if OWN_CLASS in command:
        for entry in map(Path, command[command.index(OWN_CLASS) + 1].split(":")[:-1]):
            yield from sorted(entry.rglob("*.class")) if entry.is_dir() else [entry]


def build_of(runtime: Runtime) -> str:
    """Return a digest of the files of its probe, and of its custom mechanisms.

    Of one that cannot be read nothing is known, which shows when it is started.
    """
    found = hashlib.sha256()
    for file in chain.from_iterable(map(_files, (runtime.command, *(own.command for own in runtime.own)))):
        try:
            with file.open("rb") as content:
                found.update(hashlib.file_digest(content, "sha256").digest())
        except OSError:
            return ""
    for own in runtime.own:
        found.update(own.digest.encode())
    return found.hexdigest()[:16]


class Loops(Struct, frozen=True):
    """Digests of a runtime's timed loops as they were compiled, and the mechanisms that these are nothing to.

    A digest has the key experiment and mechanism, `lock mutex`; the experiment alone where it covers all of
    its mechanisms together. That of loops which an option brings has the option behind it, `lock mutex --writers`.
    """

    digests: Mapping[str, str]
    own: frozenset[str]

    def of(self, experiment: str, mechanism: str) -> str:
        """Return the digest of a mechanism's loops, followed by those of loops that an option adds.

        Empty where none is known, and of a user's own.
        """
        if mechanism in self.own:
            return ""
        return self._under(f"{experiment} {mechanism}") or self._under(experiment)

    def _under(self, name: str) -> str:
        names = (one for one in sorted(self.digests) if one == name or one.startswith(f"{name} --"))
        return " ".join(self.digests[one] for one in names)


def loops_of(runtime: Runtime) -> Loops:
    """Read the digests that the build wrote next to the runtime's program (tools/loop-digests).

    Without a readable file nothing is known: the program may be of another build, or a user's own.
    """
    program = _program(runtime.command)
    beside = program.with_name(f"{program.name}.loops.json")
    try:
        digests = msgspec.json.decode(beside.read_bytes(), type=dict[str, Word])
    except (OSError, msgspec.DecodeError):
        digests = {}
    return Loops(digests, frozenset(one.name for one in runtime.own))


def _program(command: Sequence[str]) -> Path:
    """Return the program; of a JVM the archive that it runs."""
    return Path(command[command.index("-jar") + 1] if "-jar" in command else command[0])


def _files(command: Sequence[str]) -> Iterator[Path]:
    """Yield the program; of a JVM also the native code next to its archive, and the user's classes."""
    program = _program(command)
    yield program
    if "-jar" in command:
        yield from sorted(program.parent.glob("*.so"))
        yield from files_of_own(command)
