"""The JMH benchmarks, in `jmh/`: a fork of JMH's for each turn."""

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from benchmarks.command import build, written_by
from benchmarks.lock.bare import BUILD
from benchmarks.lock.questions import JMH
from benchmarks.records import Contender, Figures, Subject, Unmeasured
from threadping.model import Runtime

PROJECT = Path(__file__).parent / "jmh"
VERSION = "1.37"

BENCHMARKS = {
    "reentrant-lock": "threadping.benchmark.OneThread.reentrantLock",
    "get-and-add": "threadping.benchmark.OneThread.getAndAdd",
}
"""Its benchmarks by the mechanism that they measure."""

ANSWER = "answer.json"
START_SECONDS = 60.0
"""What its two virtual machines may take beyond the iterations."""


class Effort(Struct, frozen=True):
    """A fork warms up in so many iterations and measures in as many more."""

    iterations: int
    iteration_ms: int

    @property
    def seconds(self) -> float:
        """How long the iterations of a fork take."""
        return 2 * self.iterations * self.iteration_ms / 1000


class Metric(Struct, frozen=True):
    """A benchmark's figure: the mean over its iterations."""

    score: float
    unit: str = msgspec.field(name="scoreUnit")


class Measured(Struct, frozen=True):
    """What we need of a benchmark in JMH's answer."""

    benchmark: str
    metric: Metric = msgspec.field(name="primaryMetric")


def package() -> Path:
    """Build the jar below build/; Unavailable if that cannot be done."""
    words = ("mvn", "-q", "-B", "-Dstyle.color=never", "-f", str(PROJECT / "pom.xml"), "package")
    remedy = "Install a JDK and Maven, and see that its repository can be reached."
    build("The JMH benchmarks", words, remedy)
    return BUILD / "jmh" / "threadping-jmh.jar"


def contenders(jar: Path, runtime: Runtime, effort: Effort) -> list[Contender]:
    """One for each benchmark, with the launcher and the flags of `runtime`, which JMH hands on to its fork."""
    launcher = runtime.command[: runtime.command.index("-jar")]

    def contender(mechanism: str, benchmark: str) -> Contender:
        words = (*launcher, "-jar", str(jar), *_options(benchmark, effort))
        subject = Subject(JMH, runtime.label, mechanism, 1)
        seconds = START_SECONDS + effort.seconds
        remedy = "Give fewer --iterations."
        return Contender(
            subject, lambda _seed: Figures(operation_ns(benchmark, written_by(words, ANSWER, seconds, remedy)))
        )

    return [contender(mechanism, benchmark) for mechanism, benchmark in BENCHMARKS.items()]


def _options(benchmark: str, effort: Effort) -> Sequence[str]:
    iterations, length = str(effort.iterations), f"{effort.iteration_ms}ms"
    return (
        *("-f", "1", "-t", "1", "-foe", "true"),  # a benchmark that throws ends the process with a status
        *("-wi", iterations, "-w", length, "-i", iterations, "-r", length),
        *("-rf", "json", "-rff", ANSWER),
        f"^{re.escape(benchmark)}$",
    )


def operation_ns(benchmark: str, answer: bytes) -> float:
    """Read the mean operation from JMH's answer; Unmeasured unless it is about this benchmark alone."""
    try:
        measured = msgspec.json.decode(answer, type=list[Measured])
    except msgspec.DecodeError as error:
        raise Unmeasured(f"JMH's answer cannot be read: {error}.") from error
    if [(one.benchmark, one.metric.unit) for one in measured] != [(benchmark, "ns/op")]:
        raise Unmeasured(f"JMH's answer is not the ns/op of '{benchmark}' alone: {answer[:200]!r}")
    return measured[0].metric.score
