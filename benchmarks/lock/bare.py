"""The C++ loops with nothing around them, in `bare/`."""

from pathlib import Path

from benchmarks import bare, command
from benchmarks.records import Contender

SOURCES = Path(__file__).parent / "bare"
BUILD = command.BUILD / "bench-lock"

MECHANISMS = ("mutex", "fetch-add")
REMEDY = "Give fewer --operations."


def contenders(cpu: int, operations: int) -> list[Contender]:
    """Compile the C++ program; one for each mechanism that it knows."""
    program = bare.compile_cpp(SOURCES / "one_thread.cpp", BUILD)
    return bare.contenders("cpp", (str(program),), MECHANISMS, (cpu, operations), REMEDY)
