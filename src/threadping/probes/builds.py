"""Programs of runtimes and mechanisms: the identity of a build, and the values of `--mechanism`.

Those are names of threadping's mechanisms, and files with custom ones.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from threadping.model.base import Word
from threadping.model.cases import Runtime
from threadping.model.errors import UsageError
from threadping.probes.language import words

_CLASS = r"(?:[^\W\d][\w$]*\.)*[^\W\d][\w$]*"


JavaClass = tuple[str, str]  # where a class is, jars and folders between colons, and its name


def read_java_class(text: str) -> JavaClass | None:
    """Read `my.jar:com.acme.MyQueue`, `target/classes:MyQueue`, `a.jar:b.jar:MyQueue`; None of what is no such text."""
    class_path, _, name = text.rpartition(":")
    last = class_path.rpartition(":")[2]
    is_there = last.endswith(".jar") or "/" in last or (last != "" and Path(last).is_dir())
    return (class_path, name) if is_there and re.fullmatch(_CLASS, name) else None


OWN_CLASS = "--own"  # the probe's word before CLASSPATH:CLASS


def own_java(own: JavaClass, runtime: Runtime, name: str = "") -> Runtime:
    """Return the probe of this JVM with the class as its only mechanism, called like it, or by this name."""
    class_path, class_name = own
    entries = (str(Path(entry).expanduser().absolute()) for entry in class_path.split(":"))
    where = ":".join([*entries, class_name])
    return replace(runtime, command=(*runtime.command, OWN_CLASS, where, *(("--name", name) if name else ())))


def files_of_own(command: Sequence[str]) -> Iterator[Path]:
    """Yield the jars, and the class files of the folders, that a probe with a custom class runs."""
    if OWN_CLASS in command:
        for entry in map(Path, command[command.index(OWN_CLASS) + 1].split(":")[:-1]):
            yield from sorted(entry.rglob("*.class")) if entry.is_dir() else [entry]


def build_of(runtime: Runtime) -> str:
    """Return a digest of its probe's files and custom mechanisms; empty where one cannot be read."""
    import hashlib  # 15 ms that a list does not wait for

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
        """Return the digest of a mechanism's loops, then those that an option adds; empty if unknown, or custom."""
        for name in (f"{experiment} {mechanism}", experiment) if mechanism not in self.own else ():
            if keys := [one for one in sorted(self.digests) if one == name or one.startswith(f"{name} --")]:
                return " ".join(map(self.digests.__getitem__, keys))
        return ""


def loops_of(runtime: Runtime) -> Loops:
    """Read the digests that the build wrote next to the program (tools/loop-digests); another's program has none."""
    program = _program(runtime.command)
    digest_file = program.with_name(f"{program.name}.loops.json")
    try:
        digests = msgspec.json.decode(digest_file.read_bytes(), type=dict[str, Word])
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


HEADER = re.compile(r"(?P<file>.+\.(?:hpp|hh|hxx|h))(?::(?P<chosen>[\w:]+))?")
# A folder; a bare word is the name of a mechanism
CRATE = re.compile(r"(?P<folder>\.|\.\.|[^:]*/[^:]*|[^:]+(?=:))(?::(?P<chosen>\w+(?:::\w+)*))?")


class OwnSource(Struct, frozen=True):
    """A file, or a folder, with a mechanism of the user's own."""

    given: str  # as named
    language: str  # of the runtimes that measure it
    file: str  # the header, the class path, or the folder of the crate
    chosen: str  # the class, or the type, that was named; empty where the only one that can be measured is meant
    name: str = ""  # what it is called

    @property
    def identity(self) -> tuple[str, ...]:
        return (self.language, *map(os.path.abspath, self.file.split(":")), self.chosen)

    def parts(self, *, whole: bool = False) -> tuple[str, ...]:
        """Return the parts of its name, the most specific last; with `whole` the ending and namespaces too."""
        path = Path(self.file).absolute()
        of_class = [one for one in re.split(r"[.:$]+", self.chosen) if one]
        named = path.name if whole or self.language == "rust" else path.stem  # a folder's name has no ending
        return (*path.parts[1:-1], named, *(of_class if whole else of_class[-1:]))


def read_mechanisms(given: Sequence[str]) -> tuple[tuple[str, ...], tuple[OwnSource, ...]]:
    """Return the names of all mechanisms, in order, and the custom ones; raise UsageError for a missing file."""
    read = {text: _source(text) for text in given}
    own = {one.identity: one for one in reversed(read.values()) if one}
    if not own:
        return tuple(given), ()
    taken = {name for one in words().experiments.values() for name in one.mechanisms}
    taken |= {text for text, one in read.items() if not one}
    named = dict(zip(own, _names([*own.values()], taken), strict=True))
    names = tuple(dict.fromkeys(named[one.identity] if one else text for text, one in read.items()))
    sources = {named[identity]: one for identity, one in own.items()}
    return names, tuple(replace(sources[name], name=name) for name in names if name in sources)


def _source(text: str) -> OwnSource | None:
    if header := HEADER.fullmatch(text):
        file = Path(header["file"]).expanduser()
        if not file.is_file():
            raise UsageError(f"No header at '{file}'. Name a custom mechanism by its path: ./my_queue.hpp.")
        return OwnSource(text, "cpp", str(file.absolute()), header["chosen"] or "")
    if crate := CRATE.fullmatch(text):
        folder = Path(os.path.abspath(Path(crate["folder"]).expanduser()))  # noqa: PTH100 - `resolve` would follow links
        if (folder / "Cargo.toml").is_file():
            return OwnSource(text, "rust", str(folder), crate["chosen"] or "")
    if java := read_java_class(text):
        return OwnSource(text, "java", *java)
    if "/" in text or (
        ":" in text and not re.fullmatch(r"[\w<>, ]+(::[\w<>, ()]+)+", text)
    ):  # std::mutex is the name of one
        raise UsageError(
            f"There is no custom mechanism at '{text}'. Name a C++ header (./my_queue.hpp), a Java class path and "
            "class (my.jar:com.acme.MyQueue), or a Rust folder with a Cargo.toml (./my_crate)."
        )
    return None


def _names(own: Sequence[OwnSource], taken: Iterable[str]) -> list[str]:
    """Return names as short as distinguishes all: `my_queue`, or `base/my_queue` and `head/my_queue`."""
    alike = Counter(one.parts() for one in own)
    parts, depths = [one.parts(whole=alike[one.parts()] > 1) for one in own], [1] * len(own)
    while True:
        names = ["/".join(of[-depth:]) for of, depth in zip(parts, depths, strict=True)]
        often = Counter([*names, *dict.fromkeys(taken)])
        longer = [
            depth + (often[name] > 1 and depth < len(of)) for of, name, depth in zip(parts, names, depths, strict=True)
        ]
        if longer == depths:
            break
        depths = longer
    if nameless := [one.given for one, name in zip(own, names, strict=True) if often[name] > 1]:
        raise UsageError(f"'{nameless[0]}' has no name of its own: give its file, or its class, another one.")
    return names
