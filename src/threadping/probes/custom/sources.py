"""Values of `--mechanism`: names of threadping's mechanisms, and files with custom ones."""

import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from threadping.model.errors import UsageError
from threadping.probes.builds import read_java_class
from threadping.probes.language import words

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
        """Return the mechanism's identity, however it was named."""
        return (self.language, *map(os.path.abspath, self.file.split(":")), self.chosen)

    def parts(self, *, whole: bool = False) -> tuple[str, ...]:
        """Return the parts of its name, the most specific last: its folders, its file, its class.

        With `whole` the file's ending and the class's namespaces too, by which those of one place differ.
        """
        path = Path(self.file).absolute()
        of_class = [one for one in re.split(r"[.:$]+", self.chosen) if one]
        named = path.name if whole or self.language == "rust" else path.stem  # a folder's name has no ending
        return (*path.parts[1:-1], named, *(of_class if whole else of_class[-1:]))


def read_mechanisms(given: Sequence[str]) -> tuple[tuple[str, ...], tuple[OwnSource, ...]]:
    """Return the names of all mechanisms, in order, and the custom ones, each once.

    Raises UsageError: a header is not there, or one can be told from others by nothing.
    """
    read = {text: _source(text) for text in given}
    own = {one.identity: one for one in reversed(read.values()) if one}
    if not own:
        return tuple(given), ()
    taken = {text for text, one in read.items() if not one} | _known()
    named = dict(zip(own, _names([*own.values()], taken), strict=True))
    names = tuple(dict.fromkeys(named[one.identity] if one else text for text, one in read.items()))
    sources = {named[identity]: one for identity, one in own.items()}
    return names, tuple(replace(sources[name], name=name) for name in names if name in sources)


def _source(text: str) -> OwnSource | None:
    if header := HEADER.fullmatch(text):
        file = Path(header["file"]).expanduser()
        if not file.is_file():
            raise UsageError(f"No header at '{file}'. A mechanism of your own is named by its path: ./my_queue.hpp.")
        return OwnSource(text, "cpp", str(file.absolute()), header["chosen"] or "")
    if crate := CRATE.fullmatch(text):
        folder = Path(os.path.abspath(Path(crate["folder"]).expanduser()))  # noqa: PTH100 - `resolve` would follow links
        if (folder / "Cargo.toml").is_file():
            return OwnSource(text, "rust", str(folder), crate["chosen"] or "")
    if java := read_java_class(text):
        return OwnSource(text, "java", java.class_path, java.name)
    if "/" in text or (":" in text and not re.fullmatch(r"\w+(::\w+)+", text)):  # std::mutex is the name of one
        raise UsageError(
            f"'{text}' is no mechanism of your own: a C++ one is a header (./my_queue.hpp), a Java one a class path "
            "and a class (my.jar:com.acme.MyQueue), a Rust one a folder with a Cargo.toml (./my_crate). Each "
            "must be there."
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


def _known() -> set[str]:
    return {name for one in words().experiments.values() for name in one.mechanisms}
