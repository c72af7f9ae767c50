"""The published ping-pongs with nothing around them, in `bare/`."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from benchmarks import command
from benchmarks.command import build, said_by, the_only_figure
from benchmarks.records import BARE, Contender, Figures, Subject
from threadping.model import Runtime

SOURCES = Path(__file__).parent / "bare"
BUILD = command.BUILD / "agreement"

REMEDY = "Give fewer --iterations."
"""For a program that does not end in time."""

CPP_MECHANISMS = (
    "add-one-line",
    "add-one-line-remembered",
    "seqcst-one-line",
    "release-one-line",
    "relaxed-one-line",
    "seqcst-two-lines",
    "release-two-lines",
)
REMEMBERED = "-remembered"
"""Ends the name of a variant of the listing: ping does not read its own counter again after it has added to it."""

JAVA_MECHANISMS = ("seqcst-one-line", "add-one-line", "release-one-line")

JAVA_FLAGS = ("-XX:ObjectAlignmentInBytes=128",)
"""Two fields of an object that stands anywhere may lie in two lines; so aligned, they share one, and have it alone."""


def compile_cpp() -> Path:
    """Compile the C++ program."""
    return command.compile_cpp(SOURCES / "ping_pong.cpp", BUILD)


def compile_java(runtimes: Sequence[Runtime]) -> Path:
    """Compile the Java program once for all virtual machines, with the first compiler found."""
    beside = (Path(runtime.command[0]).with_name("javac") for runtime in runtimes)
    compiler = next((str(path) for path in beside if path.exists()), shutil.which("javac") or "javac")
    classes = BUILD / "classes"
    words = (compiler, "--release", "11", "-d", str(classes), str(SOURCES / "PingPong.java"))
    build("The bare Java program", words, "Install a JDK (Debian: apt-get install openjdk-17-jdk-headless).")
    return classes


def cpp_contenders(program: Path, ping: int, pong: int, iterations: int) -> list[Contender]:
    """One for each mechanism that the C++ program knows."""
    return [_contender("cpp", (str(program),), mechanism, ping, pong, iterations) for mechanism in CPP_MECHANISMS]


def java_contenders(classes: Path, runtime: Runtime, ping: int, pong: int, iterations: int) -> list[Contender]:
    """One for each mechanism that the Java program knows, with the launcher and the flags of `runtime`."""
    launcher = runtime.command[: runtime.command.index("-jar")]
    program = (*launcher, *JAVA_FLAGS, "-cp", str(classes), "PingPong")
    return [_contender(runtime.label, program, mechanism, ping, pong, iterations) for mechanism in JAVA_MECHANISMS]


def _contender(
    runtime: str, program: Sequence[str], mechanism: str, ping: int, pong: int, iterations: int
) -> Contender:
    words = (*program, mechanism, str(ping), str(pong), str(iterations))
    return Contender(Subject(BARE, runtime, mechanism, 1), lambda _seed: Figures(one_way_ns(said_by(words, REMEDY))))


def one_way_ns(output: str) -> float:
    """Read the figure; a virtual machine may print what it likes around it."""
    return the_only_figure(r"^one-way ns: (\d+(?:\.\d+)?)$", output)
