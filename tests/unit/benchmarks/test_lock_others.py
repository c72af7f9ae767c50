"""Those beside us: how they are started, what they answer, and who cannot come."""

import json
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from benchmarks.lock import bare, jmh
from benchmarks.lock.gathering import gather
from benchmarks.lock.jmh import Effort
from benchmarks.lock.questions import Group
from benchmarks.lock.session import one_cpu
from benchmarks.records import Unavailable, Unmeasured
from tests.conftest import CONTRACT
from threadping.contract import Topology
from threadping.errors import UnknownName
from threadping.model import Runtime

JAVA = Runtime("java-17", "java", ("/jdk/bin/java", "-XX:+UseSerialGC", "-jar", "probe.jar"), "")
GET_AND_ADD = jmh.BENCHMARKS["get-and-add"]


def answer(benchmark: str = GET_AND_ADD, unit: str = "ns/op") -> dict[str, object]:
    metric = {"score": 6.25, "scoreError": "NaN", "scoreUnit": unit, "rawData": [[6.0, 6.5]]}
    return {"jmhVersion": "1.37", "benchmark": benchmark, "mode": "avgt", "primaryMetric": metric}


def test_jmhs_mean_is_read() -> None:
    assert jmh.operation_ns(GET_AND_ADD, json.dumps([answer()]).encode()) == 6.25


@pytest.mark.parametrize(
    "answers", [[], [answer(), answer()], [answer("threadping.benchmark.OneThread.other")], [answer(unit="us/op")]]
)
def test_an_answer_to_another_question_is_no_figure(answers: list[dict[str, object]]) -> None:
    with pytest.raises(Unmeasured, match=r"is not the ns/op of 'threadping\.benchmark\.OneThread\.getAndAdd' alone"):
        jmh.operation_ns(GET_AND_ADD, json.dumps(answers).encode())


def test_a_score_that_is_no_number_is_no_figure() -> None:
    with pytest.raises(Unmeasured, match=r"^JMH's answer cannot be read: Expected `float`"):
        jmh.operation_ns(GET_AND_ADD, json.dumps([answer()]).replace("6.25", '"NaN"').encode())


def test_jmh_makes_one_fork_a_turn_in_the_same_virtual_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Sequence[str], str, float]] = []

    def answers(command: Sequence[str], file: str, seconds: float, _remedy: str) -> bytes:
        asked.append((command, file, seconds))
        return json.dumps([answer()]).encode()

    monkeypatch.setattr(jmh, "written_by", answers)
    (contender,) = (
        one for one in jmh.contenders(Path("jmh.jar"), JAVA, Effort(4, 500)) if one.subject.mechanism == "get-and-add"
    )
    assert contender.measure(0).mean == 6.25
    ((command, file, seconds),) = asked
    words = " ".join(command)
    assert words.startswith("/jdk/bin/java -XX:+UseSerialGC -jar jmh.jar -f 1 -t 1 ")
    assert " -wi 4 -w 500ms -i 4 -r 500ms " in words
    assert words.endswith(f"-rff {file} ^threadping\\.benchmark\\.OneThread\\.getAndAdd$")
    assert seconds == 64.0


def test_a_bare_loops_figure_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []

    def says(command: tuple[str, ...], _remedy: str) -> str:
        asked.append(command)
        return "operation ns: 4.8713\n"

    monkeypatch.setattr(bare, "said_by", says)
    assert [one.measure(0).mean for one in bare.contenders(Path("one"), 3, 5000)] == [4.8713, 4.8713]
    assert asked == [("one", "mutex", "3", "5000"), ("one", "fetch-add", "3", "5000")]


@pytest.mark.parametrize("output", ["", "operation ns: nan\n", "operation ns: 1.0\noperation ns: 2.0\n"])
def test_no_figure_or_two_are_none(output: str) -> None:
    with pytest.raises(Unmeasured, match=r"holds [02] figures instead of one"):
        bare.operation_ns(output)


def test_nothing_is_built_that_no_runtime_stands_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    def built() -> Path:
        raise Unavailable("It was built.")

    monkeypatch.setattr(bare, "compile_cpp", built)
    monkeypatch.setattr(jmh, "package", built)
    nobody = Runtime("cpp", "cpp", ("/nowhere/probe",), "")
    found = gather([nobody], 0, 1000, Effort(1, 10), [*Group])
    assert found.missing == ("Runtime cpp cannot be started: '/nowhere/probe': No such file or directory.",)
    assert (found.contenders, found.programs) == ((), {})


def test_cpu_0_is_left_to_the_interrupts_where_there_is_another() -> None:
    topology = msgspec.json.decode((CONTRACT / "examples" / "good" / "topology.json").read_bytes(), type=Topology)
    alone = msgspec.structs.replace(topology, allowed=(0,))
    assert (one_cpu(topology, None), one_cpu(alone, None), one_cpu(topology, 0)) == (topology.allowed[1], 0, 0)
    with pytest.raises(UnknownName, match="Unknown CPU '999'"):
        one_cpu(topology, 999)
