"""Run the same turns with nothing around them, in `bare/`."""

from collections.abc import Sequence
from pathlib import Path

from benchmarks import bare, command
from benchmarks.command import launcher, printed
from benchmarks.records import BARE, Contender, Subject
from benchmarks.steady.questions import LENGTHS, MECHANISM, Group
from threadping.model.cases import Runtime

SOURCES = Path(__file__).parent / "bare"
BUILD = command.BUILD / "bench-steady"
FIGURE = r"^fold: (\d+\.\d+)$"
REMEDY = "Stop other programs."


def cpp_contenders(ping: int, pong: int) -> list[Contender]:
    """Compile the C++ program; one for each length of a trial."""
    program = bare.compile_cpp(SOURCES / "turns.cpp", BUILD)
    return _contenders("cpp", (str(program),), ping, pong, compiles=False)


def java_contenders(runtimes: Sequence[Runtime], ping: int, pong: int) -> list[Contender]:
    """Return the Java baselines, one for each virtual machine."""
    classes = bare.compile_java(SOURCES / "Turns.java", BUILD, runtimes)
    return [
        one
        for runtime in runtimes
        for one in _contenders(
            runtime.label, (*launcher(runtime), "-cp", str(classes), "Turns"), ping, pong, compiles=True
        )
    ]


def _contenders(label: str, program: Sequence[str], ping: int, pong: int, *, compiles: bool) -> list[Contender]:
    made = []
    for group in Group:
        length = LENGTHS[group, compiles]
        words = (*program, *map(str, (ping, pong, length.warmup_s, length.measure_s)))
        made.append(printed(Subject(BARE, label, f"{group}: {MECHANISM}", 1), words, FIGURE, REMEDY))
    return made
