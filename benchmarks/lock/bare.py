"""The loops with nothing around them: those of C++, in `bare/`, and those of Rust."""

from pathlib import Path

from benchmarks import bare, command
from benchmarks.command import printed
from benchmarks.records import BARE, Contender, Subject

SOURCES = Path(__file__).parent / "bare"
BUILD = command.BUILD / "bench-lock"

MECHANISMS = ("mutex", "fetch-add")

TWO_THREADS = "two threads: "
EVERY = {"mutex": 64, "test-and-test-and-set": 64, "fetch-add": 128}
"""Operations per timed one: about as many as our probe fits to 2% timer overhead."""

WAIT = r"^wait ns: (\d+(?:\.\d+)?)$"
REMEDY = "Give fewer --operations."


def cpp_contenders(cpu: int, operations: int) -> list[Contender]:
    """Compile the C++ program; one for each mechanism that it knows."""
    program = bare.compile_cpp(SOURCES / "one_thread.cpp", BUILD)
    return bare.contenders("cpp", (str(program),), MECHANISMS, (cpu, operations), REMEDY)


def rust_contenders(cpu: int, operations: int) -> list[Contender]:
    """Compile the Rust program; the same with it."""
    program = bare.compile_rust("contended")
    return bare.contenders("rust", (str(program),), MECHANISMS, (cpu, "-", operations), REMEDY)


def waits(cpu: int, other: int, milliseconds: int = 500) -> list[Contender]:
    """Compile the C++ program with two threads; one for each mechanism, which tells its mean wait."""
    program = bare.compile_cpp(SOURCES / "waits.cpp", BUILD)
    return [
        printed(
            Subject(BARE, "cpp", TWO_THREADS + name, 1),
            (str(program), name, str(cpu), str(other), str(every), str(milliseconds)),
            WAIT,
            "",
        )
        for name, every in EVERY.items()
    ]
