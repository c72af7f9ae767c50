"""The report to the letter: what docs/ will show."""

import msgspec

from benchmarks.agreement.benchmark import AGREEMENT
from benchmarks.agreement.questions import Group
from benchmarks.records import Figures, Measurement, Session
from benchmarks.report import answers_of, as_json, as_markdown
from tests.unit.benchmarks.examples import PEER, probe, processes, session

OURS = probe("cas-one-line")
SESSION = session(
    *processes(OURS, [Figures(63.0, 62.4)] * 8),
    *processes(PEER, [60.0] * 7),
    Measurement(7, PEER, None, "It failed."),
    left_out=("The bare Java program: 'javac' cannot be started.",),
)


def test_markdown_holds_every_answer_and_what_is_missing() -> None:
    lines = as_markdown(AGREEMENT, SESSION, answers_of(AGREEMENT, SESSION, [*Group])).splitlines()
    assert lines[0] == "2026-01-02T03:04:05+00:00, a CPU, CPUs 0 and 1 (same-l3). cpp: g++ 1 -O3."
    assert (
        "| cpp cas-one-line / core-to-core-latency bench 1 | 60.0 (60.0 to 60.0) | 63.0 (63.0 to 63.0) | 7 and 8 "
        "| 1.050 [1.050, 1.050] | 1.040 [1.040, 1.040] | within 5% | yes |" in lines
    )
    assert lines[-2:] == [
        "- The bare Java program: 'javac' cannot be started.",
        "- core-to-core-latency rust cas-one-line: 1 of 8 processes failed. The first: It failed.",
    ]


def test_json_holds_the_whole_session() -> None:
    whole = msgspec.json.decode(as_json(SESSION, answers_of(AGREEMENT, SESSION, [*Group])))
    assert msgspec.convert(whole["session"], Session) == SESSION
    assert [one["met"] for one in whole["answers"]] == ["yes"]
