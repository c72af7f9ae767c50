"""The C++ loops with nothing around them, in `bare/`."""

from pathlib import Path

from benchmarks import command
from benchmarks.command import said_by, the_only_figure
from benchmarks.records import BARE, Contender, Figures, Subject

SOURCES = Path(__file__).parent / "bare"
BUILD = command.BUILD / "bench-lock"

MECHANISMS = ("mutex", "fetch-add")
REMEDY = "Give fewer --operations."


def compile_cpp() -> Path:
    """Compile the C++ program."""
    return command.compile_cpp(SOURCES / "one_thread.cpp", BUILD)


def contenders(program: Path, cpu: int, operations: int) -> list[Contender]:
    """One for each mechanism that the program knows."""

    def contender(mechanism: str) -> Contender:
        words = (str(program), mechanism, str(cpu), str(operations))
        subject = Subject(BARE, "cpp", mechanism, 1)
        return Contender(subject, lambda _seed: Figures(operation_ns(said_by(words, REMEDY))))

    return [contender(mechanism) for mechanism in MECHANISMS]


def operation_ns(output: str) -> float:
    """Read the figure."""
    return the_only_figure(r"^operation ns: (\d+(?:\.\d+)?)$", output)
