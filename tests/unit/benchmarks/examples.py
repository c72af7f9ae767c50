"""Subjects, processes and sessions with exact figures, and runtimes that nobody starts."""

from collections.abc import Sequence

from benchmarks.records import Figures, Measurement, Session, Subject
from threadping.model.cases import Runtime

PEER = Subject("core-to-core-latency", "rust", "cas-one-line", 1)
BARE = Subject("bare", "cpp", "add-one-line", 256)
BARE_JAVA = Subject("bare", "java-17", "add-one-line", 256)
BARE_CONDITION = Subject("bare", "java-17", "condition", 1)
BARE_MUTEX = Subject("bare", "cpp", "mutex", 1)
BY_JMH = Subject("JMH", "java-17", "reentrant-lock", 1)

CPP = Runtime("cpp", "cpp", ("/nowhere/probe",), "")
JAVA = Runtime("java-17", "java", ("/jdk/bin/java", "-XX:+UseSerialGC", "-jar", "probe.jar"), "")


def probe(mechanism: str, runtime: str = "cpp", lines: int = 1) -> Subject:
    return Subject("probe", runtime, mechanism, lines)


def processes(subject: Subject, figures: Sequence[Figures | float]) -> list[Measurement]:
    wrapped = (Figures(one) if isinstance(one, float) else one for one in figures)
    return [Measurement(number, subject, one, None) for number, one in enumerate(wrapped)]


def session(*measurements: Measurement, left_out: tuple[str, ...] = ()) -> Session:
    programs = {"cpp": "g++ 1 -O3"}
    return Session("2026-01-02T03:04:05+00:00", "a CPU", (0, 1), "same-l3", programs, 7, left_out, measurements)
