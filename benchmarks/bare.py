"""Programs with nothing around the work: how the C++ ones are compiled, and the one line in which all answer."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from benchmarks.command import BUILD, build, printed
from benchmarks.records import BARE, Contender, Subject
from threadping.model.cases import Runtime

SHARED_SOURCES = Path(__file__).parent / "bare"
"""Sources that the bare programs share; all of Rust's are one crate here."""

PROBE_IN_RUST = Path(__file__).parents[1] / "probes" / "rust"

FIGURE = r"^(?:one-way|operation) ns: (\d+(?:\.\d+)?)$"
"""A virtual machine may print what it likes around it."""


def compile_cpp(source: Path, folder: Path) -> Path:
    """Compile a C++ program into `folder`, as the probe is compiled; its loops begin a line of code as well."""
    program = folder / source.stem
    folder.mkdir(parents=True, exist_ok=True)
    options = ("-std=c++20", "-O3", "-falign-loops=64", "-pthread", f"-I{SHARED_SOURCES}")
    command = (os.environ.get("CXX", "c++"), *options, str(source), "-o", str(program))
    build("The bare C++ program", command, "Run `make setup`, which names the packages that building needs.")
    return program


def compile_rust(name: str) -> Path:
    """Compile a Rust program, one of `bare/rust`, with the flags that the Rust probe is compiled with."""
    target = BUILD / "bare-rust"
    flags = ("--config", str(PROBE_IN_RUST / ".cargo" / "config.toml"), "--target-dir", str(target))
    words = ("cargo", "build", "--quiet", "--release", "--locked", "--offline", "--bin", name, *flags)
    manifest = str(SHARED_SOURCES / "rust" / "Cargo.toml")
    build("The bare Rust program", (*words, "--manifest-path", manifest), "Install Rust (https://rustup.rs).")
    return target / "release" / name


def compile_java(source: Path, folder: Path, runtimes: Sequence[Runtime], class_path: Sequence[Path] = ()) -> Path:
    """Compile a Java program with the first compiler next to these virtual machines; return the folder of classes."""
    compilers = (Path(runtime.command[0]).with_name("javac") for runtime in runtimes)
    compiler = next((str(path) for path in compilers if path.exists()), shutil.which("javac") or "javac")
    classes = folder / "classes"
    words = (compiler, "--release", "11", "-cp", os.pathsep.join(map(str, class_path)), "-d", str(classes))
    sources = (*(str(SHARED_SOURCES / f"{name}.java") for name in ("Program", "Memory", "Steps")), str(source))
    build(
        "The bare Java program", (*words, *sources), "Install a JDK (Debian: apt-get install openjdk-17-jdk-headless)."
    )
    return classes


def contenders(
    runtime: str, program: Sequence[str], mechanisms: Sequence[str], settings: Sequence[object], remedy: str
) -> list[Contender]:
    """One for each mechanism that the program knows, started with its name and the settings."""
    words = tuple(map(str, settings))
    return [printed(Subject(BARE, runtime, one, 1), (*program, one, *words), FIGURE, remedy) for one in mechanisms]
