"""Which rows answer a question: those whose condition is nearest to what is asked."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from tests.unit.analysis.examples import DECLARED, LOCK, RUN, Given
from threadping.analysis.answer import Answer, Row
from threadping.analysis.declaration import Question
from threadping.analysis.questions import Line, lines
from threadping.model import Busy, Home, Placement, Runtime, WarmupPolicy


def row(*, of: Mapping[str, float] | None = None, trials: int = 6, **changes: Any) -> Row:
    """Of a lock, by default one of two threads that was measured as is usual."""
    return Given(of or {}, replace(LOCK, **changes), trials).row


def answered(rows: Sequence[Row], *mechanisms: str, **asked: Any) -> list[Line]:
    question = Question(ask="take it, {groups}", mechanisms=mechanisms or ("ticket-lock",), **asked)
    declared = replace(DECLARED["lock"], questions=(question, question))  # what shows the same twice is shown once
    return lines(Answer(RUN, (), tuple(rows), {"lock": declared}))


def on(name: str, *cpus: int | None) -> dict[str, Any]:
    return {"placement": Placement(name, cpus or (0, 1))}


def threads(number: int) -> dict[str, Any]:
    return on("same-l3", *range(number))


@pytest.mark.parametrize(
    ("nearer", "further"),
    [
        ({}, {"placement": Placement("same-l3", (0, 1), "process")}),
        ({}, {"home": Home("worker", (1,))}),
        ({}, {"warmup": WarmupPolicy(1, 5)}),
        ({}, {"busy": Busy(1)}),
        ({"busy": Busy(1)}, {"busy": Busy(1), "home": Home("worker", (1,))}),
        (on("smt"), on("cross-node")),
        ({**on("smt"), "busy": Busy(9)}, {}),  # the closest CPUs first
        (on("cross-node"), on("same-cpu", 0, 0)),
        (on("same-cpu", 0, 0), on("unpinned", None, None)),
        (threads(8), threads(1)),  # of four
        (threads(3), threads(6)),
        (threads(1), {**threads(4), "trials": 0}),  # of which nothing is known
        ({"busy": Busy(1)}, {"trials": 0}),
    ],
)
def test_the_row_whose_condition_is_nearest_answers(nearer: dict[str, Any], further: dict[str, Any]) -> None:
    wanted, other = row(**nearer), row(**further)
    for rows in ((wanted, other), (other, wanted)):
        (found,) = answered(rows, groups=4)
        assert found.rows == {"cpp": (wanted,)}


def test_where_it_scales_the_fewest_threads_and_the_most_that_have_a_cpu_each_answer() -> None:
    alone, two, three = (row(**threads(number)) for number in (1, 2, 3))
    crowded = row(**on("same-l3", 0, 1, 0, 1))
    (found,) = answered([two, crowded, three, alone], scales=True)
    assert (found.ask, found.rows) == ("take it, 1 \N{RIGHTWARDS ARROW} 3 threads", {"cpp": (alone, three)})
    assert answered([crowded], scales=True) == []


def test_of_several_mechanisms_the_first_that_has_all_answers_else_that_which_has_most() -> None:
    few = [row(mechanism="mutex", **threads(1))]
    all_of_them = [row(**threads(number)) for number in (1, 2)]
    java = [row(runtime="java-17", mechanism="mutex", **threads(2))]
    (found,) = answered([*few, *all_of_them, *java], "mutex", "ticket-lock", scales=True)
    assert found.rows == {"cpp": tuple(all_of_them), "java-17": tuple(java)}
    (found,) = answered([*few, *all_of_them[:1]], "mutex", "ticket-lock", scales=True)
    assert (found.ask, found.rows) == ("take it, 1 thread", {"cpp": tuple(few)})


def test_unpinned_threads_answer_only_where_they_are_asked_for_and_elsewhere_are_named() -> None:
    pinned, anywhere = row(), row(**on("unpinned", None, None))
    assert [one.rows["cpp"] for one in answered([pinned, anywhere], unpinned=True)] == [(anywhere,)]
    (found,) = answered([anywhere])
    assert (found.ask, found.rows["cpp"]) == ("take it, 2 threads, unpinned", (anywhere,))


def test_mechanisms_are_named_in_the_order_of_the_columns() -> None:
    java, cpp = row(runtime="java-17", mechanism="monitor"), row(mechanism="mutex")
    run = replace(RUN, runtimes=tuple(Runtime(one, one, (), "") for one in ("cpp", "java-17")))
    question = Question(ask="({mechanisms})", mechanisms=("monitor", "mutex"))
    declared = replace(DECLARED["lock"], questions=(question,))
    (found,) = lines(Answer(run, (), (java, cpp), {"lock": declared}))
    assert (found.ask, [*found.rows]) == ("(mutex, monitor)", ["cpp", "java-17"])
