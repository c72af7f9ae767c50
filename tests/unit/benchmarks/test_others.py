"""Those beside us: how they are started, what they answer to the letter, and who cannot come."""

import json
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from benchmarks import bare, command
from benchmarks.agreement import peer
from benchmarks.agreement.gathering import gather as gather_for_agreement
from benchmarks.agreement.questions import Group
from benchmarks.command import the_only_figure
from benchmarks.lock import bare as one_thread
from benchmarks.lock import jmh
from benchmarks.lock.gathering import gather as gather_for_lock
from benchmarks.lock.gathering import one_cpu
from benchmarks.lock.jmh import Effort
from benchmarks.lock.questions import LOCK
from benchmarks.records import Unavailable, Unmeasured
from tests.conftest import CONTRACT
from tests.unit.benchmarks.examples import CPP, JAVA
from threadping.contract import Topology
from threadping.errors import UnknownName

CORE_TO_CORE_LATENCY = """\
CPU: Intel(R) Xeon(R) Processor
Num cores: 2
Num iterations per samples: 1000
Num samples: 30

1) CAS latency on a single shared cache line

           0       1\x20\x20\x20
      0
      1 \x1b[1;37m  65\x1b[0m\x1b[2;37m\N{PLUS-MINUS SIGN}1 \x1b[0m

    Min  latency: \x1b[1;37m65.0\x1b[0mns \x1b[2;37m\N{PLUS-MINUS SIGN}0.6\x1b[0m cores: (1,0)
    Max  latency: \x1b[1;37m65.0\x1b[0mns \x1b[2;37m\N{PLUS-MINUS SIGN}0.6\x1b[0m cores: (1,0)
    Mean latency: \x1b[1;37m65.0\x1b[0mns
,
64.98063333333333,
"""
WARNING = "OpenJDK 64-Bit Server VM warning: 12 things, 3.5 of them bad\n"
GET_AND_ADD = jmh.BENCHMARKS["get-and-add"]


@pytest.mark.parametrize(
    ("pattern", "output", "ns"),
    [
        (peer.FIGURE, CORE_TO_CORE_LATENCY, 64.98063333333333),
        (bare.FIGURE, f"{WARNING}one-way ns: 61.031\n", 61.031),
        (bare.FIGURE, "operation ns: 4.8713\n", 4.8713),
    ],
)
def test_a_figure_is_read_in_full_and_found_in_chatter(pattern: str, output: str, ns: float) -> None:
    assert the_only_figure(pattern, output) == ns


@pytest.mark.parametrize(
    ("pattern", "output"),
    [
        (peer.FIGURE, ""),
        (peer.FIGURE, ",\n,\n"),
        (peer.FIGURE, CORE_TO_CORE_LATENCY + ",\n65.5,\n"),
        (bare.FIGURE, "operation ns: nan\n"),
        (bare.FIGURE, "operation ns: 1.0\noperation ns: 2.0\n"),
    ],
)
def test_no_figure_or_two_are_none(pattern: str, output: str) -> None:
    with pytest.raises(Unmeasured, match=r"holds [02] figures instead of one"):
        the_only_figure(pattern, output)


def says(monkeypatch: pytest.MonkeyPatch, output: str) -> list[str]:
    """Let every program be there and say this; returned is how they are started."""
    started: list[str] = []

    def said_by(words: Sequence[str], _remedy: str) -> str:
        started.append(" ".join(words))
        return output

    monkeypatch.setattr(command, "said_by", said_by)
    monkeypatch.setattr(peer, "install", lambda: Path("core"))
    monkeypatch.setattr(bare, "compile_cpp", lambda *_: Path("bare"))
    return started


def test_the_peer_pings_from_our_pings_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    started = says(monkeypatch, ",\n60.5,\n")
    assert [one.measure(0).mean for one in peer.contenders(2, 5, 50_000)] == [60.5, 60.5]
    assert started == [f"core 1000 50 --bench {bench} --cores 5,2 --csv" for bench in (1, 2)]


def test_a_bare_program_is_started_with_its_mechanism_and_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    started = says(monkeypatch, "operation ns: 4.8713\n")
    assert [one.measure(0).mean for one in one_thread.contenders(3, 5000)] == [4.8713, 4.8713]
    assert started == ["bare mutex 3 5000", "bare fetch-add 3 5000"]


def answer(benchmark: str = GET_AND_ADD, unit: str = "ns/op", score: float | str = 6.25) -> dict[str, object]:
    metric = {"score": score, "scoreError": "NaN", "scoreUnit": unit, "rawData": [[6.0, 6.5]]}
    return {"jmhVersion": "1.37", "benchmark": benchmark, "mode": "avgt", "primaryMetric": metric}


NOT_ALONE = r"is not the ns/op of 'threadping\.benchmark\.OneThread\.getAndAdd' alone"


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([], NOT_ALONE),
        ([answer(), answer()], NOT_ALONE),
        ([answer("threadping.benchmark.OneThread.other")], NOT_ALONE),
        ([answer(unit="us/op")], NOT_ALONE),
        ([answer(score="NaN")], r"^JMH's answer cannot be read: Expected `float`"),
    ],
)
def test_an_answer_to_another_question_or_without_a_number_is_no_figure(
    answers: list[dict[str, object]], message: str
) -> None:
    with pytest.raises(Unmeasured, match=message):
        jmh.operation_ns(GET_AND_ADD, json.dumps(answers).encode())


def test_jmh_makes_one_fork_a_turn_in_the_same_virtual_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[str, float]] = []

    def written_by(words: Sequence[str], file: str, seconds: float, _remedy: str) -> bytes:
        started.append((" ".join(words).replace(file, "FILE"), seconds))
        return json.dumps([answer()]).encode()

    monkeypatch.setattr(jmh, "written_by", written_by)
    monkeypatch.setattr(jmh, "package", lambda: Path("jmh.jar"))
    found = {one.subject.mechanism: one for one in jmh.contenders([JAVA], Effort(4, 500))}
    assert found["get-and-add"].measure(0).mean == 6.25
    words = (
        "/jdk/bin/java -XX:+UseSerialGC -jar jmh.jar -f 1 -t 1 -foe true -wi 4 -w 500ms -i 4 -r 500ms "
        "-rf json -rff FILE ^threadping\\.benchmark\\.OneThread\\.getAndAdd$"
    )
    assert started == [(words, 64.0)]


def unavailable(*_: object) -> Path:
    raise Unavailable("No registry. Connect.")


@pytest.mark.parametrize(
    ("groups", "missing", "programs"),
    [([Group.PEERS, Group.BARE], ["No registry. Connect."], {"bare"}), ([Group.LANGUAGES], [], set())],
)
def test_a_peer_that_cannot_be_installed_is_missed_where_it_is_asked_for_and_the_bare_programs_come(
    monkeypatch: pytest.MonkeyPatch, groups: list[Group], missing: list[str], programs: set[str]
) -> None:
    says(monkeypatch, "")
    monkeypatch.setattr(peer, "install", unavailable)
    found = gather_for_agreement([], 0, 1, 1000, groups)
    assert ({one.subject.program for one in found.contenders}, found.missing) == (programs, missing)
    assert not found.programs


def test_nothing_is_built_that_no_runtime_stands_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bare, "compile_cpp", unavailable)
    monkeypatch.setattr(jmh, "package", unavailable)
    found = gather_for_lock([CPP], (0,), 1000, Effort(1, 10), LOCK.headings)
    assert found.missing == [
        "Runtime cpp cannot be used. '/nowhere/probe' cannot be started: No such file or directory."
    ]
    assert (found.contenders, found.programs) == ([], {})


def test_cpu_0_is_left_to_the_interrupts_where_there_is_another() -> None:
    topology = msgspec.json.decode((CONTRACT / "examples" / "good" / "topology.json").read_bytes(), type=Topology)
    alone = msgspec.structs.replace(topology, allowed=(0,))
    assert (one_cpu(topology, None), one_cpu(alone, None), one_cpu(topology, 0)) == (topology.allowed[1], 0, 0)
    with pytest.raises(UnknownName, match="Unknown CPU '999'"):
        one_cpu(topology, 999)
