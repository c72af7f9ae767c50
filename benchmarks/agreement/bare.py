"""The published ping-pongs with nothing around them, in `bare/`."""

from collections.abc import Sequence
from pathlib import Path

from benchmarks import bare, command
from benchmarks.command import launcher
from benchmarks.records import Contender
from threadping.model import Runtime

SOURCES = Path(__file__).parent / "bare"
BUILD = command.BUILD / "agreement"

REMEDY = "Give fewer --iterations."
"""For a program that does not end in time."""

REMEMBERED = "-remembered"
"""Ends the name of a variant of the listing: ping does not read its own counter again after it has added to it."""

ONE_LINE = ("add-one-line", f"add-one-line{REMEMBERED}", "seqcst-one-line", "release-one-line", "relaxed-one-line")
CPP_MECHANISMS = (*ONE_LINE, "seqcst-two-lines", "release-two-lines")
JAVA_MECHANISMS = ("seqcst-one-line", "add-one-line", "release-one-line")

JAVA_FLAGS = ("-XX:ObjectAlignmentInBytes=128",)
"""Two fields of an object that stands anywhere may lie in two lines; so aligned, they share one, and have it alone."""


def cpp_contenders(*settings: int) -> list[Contender]:
    """Compile the C++ program; one for each mechanism that it knows. The settings: ping, pong, iterations."""
    program = bare.compile_cpp(SOURCES / "ping_pong.cpp", BUILD)
    return bare.contenders("cpp", (str(program),), CPP_MECHANISMS, settings, REMEDY)


def java_contenders(runtimes: Sequence[Runtime], *settings: int) -> list[Contender]:
    """Compile the Java program once, with the first compiler found; as above, for each of the virtual machines."""
    classes = bare.compile_java(SOURCES / "PingPong.java", BUILD, runtimes)
    found = []
    for runtime in runtimes:
        program = (*launcher(runtime), *JAVA_FLAGS, "-cp", str(classes), "PingPong")
        found += bare.contenders(runtime.label, program, JAVA_MECHANISMS, settings, REMEDY)
    return found
