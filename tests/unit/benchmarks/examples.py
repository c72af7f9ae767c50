"""Subjects, processes and sessions with exact figures."""

from collections.abc import Sequence

from benchmarks.records import Figures, Measurement, Session, Subject

PEER = Subject("core-to-core-latency", "rust", "cas-one-line", 1)
BARE = Subject("bare", "cpp", "add-one-line", 1)
BARE_JAVA = Subject("bare", "java-17", "add-one-line", 1)


def probe(mechanism: str, runtime: str = "cpp", lines: int = 1) -> Subject:
    return Subject("probe", runtime, mechanism, lines)


def processes(subject: Subject, figures: Sequence[Figures | float]) -> list[Measurement]:
    return [
        Measurement(number, subject, Figures(one) if isinstance(one, float) else one, None)
        for number, one in enumerate(figures)
    ]


def session(*measurements: Measurement, left_out: tuple[str, ...] = ()) -> Session:
    return Session(
        "2026-01-02T03:04:05+00:00", "a CPU", (0, 1), "same-l3", {"cpp": "g++ 1 -O3"}, 7, left_out, measurements
    )
