"""The JMH benchmarks, in `jmh/`: a fork of JMH's for each turn."""

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from benchmarks.command import build, launcher, written_by
from benchmarks.lock.bare import BUILD
from benchmarks.records import Contender, Figures, Subject, Unmeasured
from threadping.model.cases import Runtime

PROJECT = Path(__file__).parent / "jmh"
NAME, VERSION = "JMH", "1.37"

CLASS = "threadping.benchmark.OneThread"
BENCHMARKS = {"reentrant-lock": f"{CLASS}.reentrantLock", "get-and-add": f"{CLASS}.getAndAdd"}
"""Its benchmarks by the mechanism that they measure."""

ANSWER = "answer.json"
START_SECONDS = 60.0
"""Time limit of its two virtual machines beyond the iterations."""


class Effort(Struct, frozen=True):
    """Iterations of a fork's warm-up, and of its measurement, and the length of one."""

    iterations: int
    iteration_ms: int


class Metric(Struct, frozen=True):
    """A benchmark's figure: the mean over its iterations."""

    score: float
    unit: str = msgspec.field(name="scoreUnit")


class Measured(Struct, frozen=True):
    """The part of a benchmark in JMH's answer that we read."""

    benchmark: str
    metric: Metric = msgspec.field(name="primaryMetric")


def package() -> Path:
    """Build the jar below build/; Unavailable if that cannot be done."""
    words = ("mvn", "-q", "-B", "-Dstyle.color=never", "-f", str(PROJECT / "pom.xml"), "package")
    build("The JMH benchmarks", words, "Install a JDK and Maven, and see that its repository can be reached.")
    return BUILD / "jmh" / "threadping-jmh.jar"


def contenders(runtimes: Sequence[Runtime], effort: Effort) -> list[Contender]:
    """Build the jar; one for each benchmark, with the launcher and flags of each, which JMH hands on to its fork."""
    jar = str(package())
    return [
        _contender(runtime.label, (*launcher(runtime), "-jar", jar), mechanism, benchmark, effort)
        for runtime in runtimes
        for mechanism, benchmark in BENCHMARKS.items()
    ]


def _contender(runtime: str, program: Sequence[str], mechanism: str, benchmark: str, effort: Effort) -> Contender:
    iterations, length = str(effort.iterations), f"{effort.iteration_ms}ms"
    words = (
        *(*program, "-f", "1", "-t", "1", "-foe", "true"),  # a benchmark that throws ends the process with a status
        *("-wi", iterations, "-w", length, "-i", iterations, "-r", length),
        *("-rf", "json", "-rff", ANSWER, f"^{re.escape(benchmark)}$"),
    )
    seconds = START_SECONDS + 2 * effort.iterations * effort.iteration_ms / 1000

    def measure(_seed: int) -> Figures:
        return Figures(operation_ns(benchmark, written_by(words, ANSWER, seconds, "Give fewer --iterations.")))

    return Contender(Subject(NAME, runtime, mechanism, 1), measure)


def operation_ns(benchmark: str, answer: bytes) -> float:
    """Read the mean operation from JMH's answer; Unmeasured unless it is about this benchmark alone."""
    try:
        measured = msgspec.json.decode(answer, type=list[Measured])
    except msgspec.DecodeError as error:
        raise Unmeasured(f"JMH's answer cannot be read: {error}.") from error
    if [(one.benchmark, one.metric.unit) for one in measured] != [(benchmark, "ns/op")]:
        raise Unmeasured(f"JMH's answer is not the ns/op of '{benchmark}' alone: {answer[:200]!r}")
    return measured[0].metric.score
