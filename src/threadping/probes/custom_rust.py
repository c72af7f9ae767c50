"""A mechanism of the user's own in Rust: its crate, and how cargo builds it."""

import json
import os
import re
import shutil
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from msgspec import Struct

from threadping.model.cases import OwnMechanism
from threadping.model.errors import UsageError
from threadping.model.text import plain, shell_words
from threadping.probes.build_cache import BuiltProgram, Telling, built_with, cached_probe, check_room, files_in
from threadping.probes.builds import OwnSource
from threadping.probes.process import run_bounded

TRAITS = ("Signal", "Lock", "TryQueue", "Channel")
IMPL = re.compile(
    rf"\bimpl\b[^{{}};]*?\b(?:{'|'.join(TRAITS)})\b\s*(?:<[^{{}};]*?>)?\s+for\s+(?P<type>(?:\w+::)*\w+)[^{{}};]*\{{"
)
NOT_RUST = re.compile(r'//[^\n]*|/\*.*?\*/|\bb?r(#*)".*?"\1|"(?:\\.|[^"\\])*"', re.DOTALL)  # comments and texts


class Crate(Struct, frozen=True):
    """A library crate."""

    package: str  # its name for cargo
    library: str  # its name for rustc
    root: Path  # the file that the library begins with


def read_crate(folder: Path, given: str) -> Crate:
    """Read the crate in a folder with a Cargo.toml; raise UsageError if it is no library."""
    try:
        manifest = tomllib.loads((folder / "Cargo.toml").read_text())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"'{given}': its Cargo.toml cannot be read: {error}.") from error
    match manifest:
        case {"package": {"name": str(package)}} if isinstance(library := manifest.get("lib", {}), dict):
            pass
        case {"package": {"name": str()}}:
            raise UsageError(f"'{given}': its Cargo.toml cannot be read: [lib] is not a table.")
        case {"workspace": _}:
            raise UsageError(f"'{given}' is a workspace of crates: name the folder of one of them.")
        case _:
            raise UsageError(f"'{given}': its Cargo.toml has no [package] with a name.")
    root = folder / library.get("path", "src/lib.rs")
    if not root.is_file():
        raise UsageError(
            f"'{given}' is not a library crate: '{root.relative_to(folder)}' is missing. `threadping new queue "
            "--language rust my_queue` writes one."
        )
    return Crate(package, library.get("name", package.replace("-", "_")), root)


def type_of(crate: Crate, given: str) -> str:
    """Return the type of the crate's root that implements a trait; raise UsageError unless it is one."""
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
        f"(docs/how-to/custom-mechanism.md). Where a macro writes that, name the type: {given}:MyQueue."
    )


def _types_in(file: Path) -> list[str]:
    text = NOT_RUST.sub(" ", file.read_text(errors="replace"))
    return list(dict.fromkeys(found["type"].split("::")[-1] for found in IMPL.finditer(text)))


CARGO_SECONDS = 600.0  # it may have to load and compile the crate's dependencies
MOST_TARGET_BYTES = 2 << 30  # more of cargo's output is not kept
INSTALL_RUST = "Install Rust with rustup (https://rustup.rs)"

FIRST_ERROR = re.compile(
    r"^error(?:\[E\d+\])?: (?P<what>.+)(?:\n(?!error|warning).*)*?\n *--> (?P<file>[^\n:]+):(?P<line>\d+):",
    re.MULTILINE,
)
FAILED_CRATE = re.compile(r"^error: could not compile `(?P<package>[^`]+)`", re.MULTILINE)
NEEDS_NETWORK = re.compile(r"--offline|offline mode|no matching package|failed to (?:download|get|load source)")


class Cargo(Struct, frozen=True):
    """The user's cargo, with the words that were given, the flags of its rustc, and what it calls itself."""

    program: str
    words: tuple[str, ...]
    rustflags: str
    version: str


def find_cargo(environment: Mapping[str, str], words: str, folder: Path) -> Cargo:
    """Find $CARGO, that of PATH, or rustup's, as in the crate's folder, which may name its toolchain."""
    usual = Path(environment.get("CARGO_HOME") or Path.home() / ".cargo") / "bin" / "cargo"
    named = environment.get("CARGO")
    program = shutil.which(named) if named else shutil.which("cargo") or shutil.which(str(usual))
    if not program:
        missing = f"'{named}', which CARGO names, cannot be started" if named else "none was found"
        raise UsageError(f"A custom crate needs cargo, and {missing}. {INSTALL_RUST}.")
    said = run_bounded((program, "--version"), folder=folder, seconds=30.0).log.strip()
    version = re.search(r"^cargo (\d+)\.(\d+)\S*", said, re.MULTILINE)
    oldest = _ours()["package"]["rust-version"]
    if not version:
        raise UsageError(f"'{program}' is not a cargo that can be started: {plain(said) or 'it said nothing'}.")
    if (int(version[1]), int(version[2])) < tuple(map(int, oldest.split("."))):
        raise UsageError(
            f"{version[0]} is too old: {oldest} or later is needed. {INSTALL_RUST}, and run `rustup update`."
        )
    with built_with("rust/.cargo/config.toml").open("rb") as config:
        rustflags = [*tomllib.load(config)["build"]["rustflags"], environment.get("RUSTFLAGS", "")]
    return Cargo(program, shell_words("--cargoflags", words), " ".join(filter(None, rustflags)), version[0])


def crate_compiled(source: OwnSource, cargo: Cargo, folder: Path, telling: Telling) -> OwnMechanism:
    """Compile the probe of a crate, or take it from the cache; raise UsageError, or OutputUnwritable."""
    at = Path(source.file)
    crate = read_crate(at, source.given)
    type_name = source.chosen or type_of(crate, source.given)
    build = partial(_build, source, crate, type_name, cargo)
    tell = partial(telling, f"compiling {source.given} with {cargo.version} …")
    configured = (place / ".cargo" / "config.toml" for place in (at, *at.parents))
    settings = [file.read_bytes().hex() for file in (_lock_of(at), *configured) if file and file.is_file()]
    said = (type_name, cargo.version, cargo.program, cargo.rustflags, *cargo.words, *settings)
    place = (source.file, str(Path.cwd()))  # cargo alone knows which files are read, and words name folders from here
    made_by = " ".join((cargo.version, cargo.rustflags, *cargo.words))
    return cached_probe(folder, source, said, build, tell, made_by, place=place)


def _build(source: OwnSource, crate: Crate, type_name: str, cargo: Cargo, here: Path) -> BuiltProgram:
    at, ours = Path(source.file), built_with("rust")
    target = here.parent / "cargo"
    with suppress(OSError):  # another cargo may just remove some
        os.utime(target)  # what is used is not evicted
        if sum(one.lstat().st_size for one in target.rglob("*")) > MOST_TARGET_BYTES:
            shutil.rmtree(target, ignore_errors=True)
    program = f"own-{here.name.rpartition('-')[2]}"  # two that are compiled at once are two
    (here / "src").mkdir()
    main = here / "src" / "main.rs"
    main.write_text(f"fn main() {{\n    threadping::own!({_quoted(at.name)}, {crate.library}::{type_name})\n}}\n")
    (here / "Cargo.toml").write_text(_manifest(program, crate, at))
    if lock := _lock_of(at):
        shutil.copyfile(lock, here / "Cargo.lock")
    command = (
        *(cargo.program, "build", "--quiet", "--release", "--manifest-path", str(here / "Cargo.toml")),
        *("--target-dir", str(target), "--config", f"patch.crates-io.threadping.path={_quoted(str(ours))}"),
        *cargo.words,
    )
    if said := _run(cargo, command, at, here / "log", lock is not None):
        check_room(said)
        raise UsageError(plain(_why_not_built(source.given, at, crate, type_name, said)))
    built = next(target.glob(f"**/release/{program}"), None)
    if not built:
        raise UsageError(
            f"'{source.given}' was compiled, but not into {target}: leave --cargoflags out that place it elsewhere."
        )
    files = [file for file in files_in(built.with_suffix(".d").read_text()) if not file.startswith(str(here))]
    manifests = set()
    for file in files:
        above = (place / "Cargo.toml" for place in Path(file).parents)
        manifests |= {str(one) for one in islice(filter(Path.is_file, above), 1)}
    try:
        kept = shutil.copy2(built, here / "probe")
    finally:
        for left in (
            *built.parent.glob(f"{program}*"),
            *(built.parent / "deps").glob(f"{program.replace('-', '_')}-*"),
        ):
            left.unlink(missing_ok=True)
    return Path(kept), tuple(sorted({*files, *manifests}))


def _manifest(program: str, crate: Crate, at: Path) -> str:
    profile = "".join(f"{name} = {json.dumps(value)}\n" for name, value in _ours()["profile"]["release"].items())
    return (
        f'[package]\nname = "{program}"\nversion = "0.0.0"\nedition = "2021"\n\n[dependencies]\n'
        f'threadping = "*"\n'
        f"{crate.package} = {{ path = {_quoted(str(at))} }}\n\n[profile.release]\n{profile}\n[workspace]\n"
    )


def _run(cargo: Cargo, command: tuple[str, ...], folder: Path, log: Path, is_locked: bool) -> str:
    """Have cargo build it, without a network where versions are known or there is none; return its complaint, or ""."""
    variables = {
        "RUSTFLAGS": cargo.rustflags,
        "CARGO_TERM_COLOR": "never",
        "THREADPING_LIB": str(built_with("lib")),
        "TMPDIR": str(log.parent),
    }
    into = ("sh", "-c", 'exec "$@" > "$0" 2>&1', str(log))
    said = {}
    for offline in (is_locked, not is_locked):
        words = (*into, *command, *(["--offline"] if offline else []))
        ended = run_bounded(words, folder=folder, seconds=CARGO_SECONDS, variables=variables)
        if ended.status == 0:
            return ""
        late = f"error: cargo had not ended after {CARGO_SECONDS:.0f} s"
        said[offline] = log.read_text(errors="replace") if ended.status is not None else late
        if not NEEDS_NETWORK.search(said[offline]):
            return said[offline]
    return said[False]


def _why_not_built(given: str, folder: Path, crate: Crate, type_name: str, said: str) -> str:
    begin = f"'{given}' does not compile"
    failed = FAILED_CRATE.search(said)
    package = failed["package"] if failed else crate.package
    if found := FIRST_ERROR.search(said):
        what = found["what"].rstrip(".")
        if package.startswith("own-"):
            return f"'{given}' has no public type '{type_name}' that could be measured: {what}."
        of = "" if package == crate.package else f" of {package}"
        file = found["file"].removeprefix(f"{folder}/")
        return f"{begin}: line {found['line']} of {file}{of}: {what}."
    if unlinked := re.search(r"(?:cannot find|unable to find library) -l([\w.+-]+)", said):
        remedy = " Install g++, which brings it." if unlinked[1] == "stdc++" else ""
        return f"{begin}: the linker cannot find lib{unlinked[1]}.{remedy}"
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    first = next((line.removeprefix("error: ") for line in lines if line.startswith("error")), "cargo said nothing")
    causes = [
        after
        for line, after in pairwise(lines)
        if line == "Caused by:" or (first.endswith(":") and line.endswith(first))
    ]
    return f"{begin}: {': '.join(one.rstrip(':.') for one in (first, *causes[-1:]))}."


def _lock_of(crate: Path) -> Path | None:
    places = (place / "Cargo.lock" for place in (crate, *crate.parents) if (place / "Cargo.toml").is_file())
    return next((lock for lock in places if lock.is_file()), None)


def _ours() -> dict[str, dict[str, Any]]:
    with built_with("rust/Cargo.toml").open("rb") as manifest:
        return tomllib.load(manifest)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
