"""Those beside us: how they are started, what they answer to the letter, and who cannot come."""

import json
from pathlib import Path

import msgspec
import pytest

from benchmarks import bare
from benchmarks.agreement import peer
from benchmarks.command import the_only_figure
from benchmarks.lock import jmh
from benchmarks.lock.gathering import gather as gather_for_lock
from benchmarks.lock.gathering import one_cpu
from benchmarks.lock.jmh import Effort
from benchmarks.lock.questions import LOCK
from benchmarks.records import Unavailable, Unmeasured
from tests.conftest import CONTRACT
from tests.unit.benchmarks.examples import CPP
from threadping.model.contract import Topology
from threadping.model.errors import UsageError

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


def unavailable(*_: object) -> Path:
    raise Unavailable("No registry. Connect.")


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
    with pytest.raises(UsageError, match=r"^CPU 999 does not exist here"):
        one_cpu(topology, 999)
