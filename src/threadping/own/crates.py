"""A Rust crate of the user's own, by reading it: how it is called, and which of its types are mechanisms."""

import re
import tomllib
from pathlib import Path

from msgspec import Struct

from threadping.errors import UsageError

TRAITS = ("Signal", "Lock", "TryQueue", "Channel")
IMPL = re.compile(
    rf"\bimpl\b[^{{}};]*?\b(?:{'|'.join(TRAITS)})\b\s*(?:<[^{{}};]*?>)?\s+for\s+(?P<type>(?:\w+::)*\w+)[^{{}};]*\{{"
)
NOT_RUST = re.compile(r'//[^\n]*|/\*.*?\*/|\bb?r(#*)".*?"\1|"(?:\\.|[^"\\])*"', re.DOTALL)
"""Comments and texts."""


class Crate(Struct, frozen=True):
    """A library crate.

    Attributes:
        package: its name for cargo.
        library: its name for rustc.
        root: the file that the library begins with.
    """

    package: str
    library: str
    root: Path


def read_crate(folder: Path, given: str) -> Crate:
    """The crate in a folder with a Cargo.toml; UsageError where that is none, or no library."""
    try:
        manifest = tomllib.loads((folder / "Cargo.toml").read_text())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"'{given}': its Cargo.toml cannot be read: {error}.") from error
    match manifest:
        case {"package": {"name": str(package)}} if isinstance(library := manifest.get("lib", {}), dict):
            pass
        case {"package": {"name": str()}}:
            raise UsageError(f"'{given}': its Cargo.toml cannot be read: [lib] is no table.")
        case {"workspace": _}:
            raise UsageError(f"'{given}' is a workspace of crates: name the folder of one of them.")
        case _:
            raise UsageError(f"'{given}': its Cargo.toml has no [package] with a name.")
    root = folder / library.get("path", "src/lib.rs")
    if not root.is_file():
        raise UsageError(
            f"'{given}' is no library crate: '{root.relative_to(folder)}' is missing. `threadping new queue --language "
            "rust my_queue` writes one."
        )
    return Crate(package, library.get("name", package.replace("-", "_")), root)


def type_of(crate: Crate, given: str) -> str:
    """The type of the crate's root that implements one of the traits; UsageError where none does, or several do."""
    found = _types_in(crate.root)
    if len(found) == 1:
        return found[0]
    if found:
        these = f"{', '.join(found[:-1])} and {found[-1]}"
        raise UsageError(f"'{given}' has several types that can be measured, {these}. Name one: {given}:{found[0]}.")
    source = crate.root.parent
    for file in sorted(source.rglob("*.rs")):
        if file != crate.root and (within := _types_in(file)):
            module = "::".join(part for part in file.relative_to(source).with_suffix("").parts if part != "mod")
            raise UsageError(
                f"'{given}' has no mechanism in {crate.root.name}, but {within[0]} in {file.relative_to(source)}: name "
                f"it with its module, {given}:{module}::{within[0]}."
            )
    raise UsageError(
        f"'{given}' has no type that implements {', '.join(TRAITS[:-1])} or {TRAITS[-1]} of the crate threadping "
        f"(docs/own-rust.md). Where a macro writes that, name the type: {given}:MyQueue."
    )


def _types_in(file: Path) -> list[str]:
    text = NOT_RUST.sub(" ", file.read_text(errors="replace"))
    return list(dict.fromkeys(found["type"].split("::")[-1] for found in IMPL.finditer(text)))
