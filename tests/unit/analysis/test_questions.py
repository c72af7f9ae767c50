"""Which rows answer a question: those whose condition is nearest to what is asked."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from tests.unit.analysis.examples import DECLARED, LOCK, RUN, SIGNAL, Given
from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Question, Row
from threadping.analysis.questions import QuestionLine
from threadping.analysis.questions import question_lines as lines
from threadping.model.cases import Busy, Home, Placement, WarmupPolicy


def row(*, of: Mapping[str, float] | None = None, trials: int = 6, **changes: Any) -> Row:
    """Of a lock, by default one of two threads that was measured as is usual."""
    return Given(of or {}, replace(LOCK, **changes), trials).row


def answered(rows: Sequence[Row], mechanism: str = "ticket-lock", **asked: Any) -> list[QuestionLine]:
    question = Question(ask="take it, {groups}", mechanism=mechanism, **asked)
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


def test_a_line_holds_rows_of_one_mechanism_though_a_language_lacks_it() -> None:
    cpp, java = row(mechanism="std-barrier"), row(mechanism="cyclic-barrier", runtime="java-17")
    (found,) = answered([java, cpp], "std-barrier")
    assert found.rows == {"cpp": (cpp,)}


@pytest.mark.parametrize("place", [0, 1])
def test_the_rows_of_a_line_are_of_one_condition_and_a_runtime_without_it_has_none(place: int) -> None:
    """Of one runtime what is nearest was not measured: what it has instead would stand below words that deny it."""
    conditions = [({}, on("unpinned", None, None)), (on("smt"), on("same-l3", 0, 1))][place]
    near, far = (row(**of) for of in conditions)
    java = row(runtime="java-17", **conditions[1])
    (found,) = answered([near, far, java])
    assert found.rows == {"cpp": (near,)}
    (both,) = answered([far, java])
    assert both.rows == {"cpp": (far,), "java-17": (java,)}


def test_a_pinned_case_that_was_not_reached_is_not_answered_by_an_unpinned_one() -> None:
    missing, anywhere = row(trials=0), row(**on("unpinned", None, None))
    (found,) = answered([missing, anywhere])
    assert (found.ask, found.rows) == ("take it, 2 threads", {"cpp": (missing,)})


def test_a_line_is_of_one_mechanism() -> None:
    other = row(runtime="java-17", mechanism="mutex")
    (found,) = answered([row(), other])
    assert [*found.rows] == ["cpp"]
    assert answered([other]) == []


def test_where_it_scales_a_runtime_that_has_one_end_only_says_nothing_of_the_other() -> None:
    both = [row(**threads(number)) for number in (1, 2)]
    java = row(runtime="java-17", **threads(2))
    (found,) = answered([*both, java], scales=True)
    assert (found.counts, found.rows) == ((1, 2), {"cpp": tuple(both), "java-17": (java,)})


def test_unpinned_threads_answer_only_where_they_are_asked_for_and_elsewhere_are_named() -> None:
    pinned, anywhere = row(), row(**on("unpinned", None, None))
    assert [one.rows["cpp"] for one in answered([pinned, anywhere], unpinned=True)] == [(anywhere,)]
    (found,) = answered([anywhere])
    assert (found.ask, found.rows["cpp"]) == ("take it, 2 threads, unpinned", (anywhere,))


def test_a_question_that_goes_on_from_one_that_was_not_measured_is_whole() -> None:
    questions = (
        Question(ask="take it (mutex)", mechanism="mutex"),
        Question(ask="\N{HORIZONTAL ELLIPSIS} (ticket-lock)", whole="take it (ticket-lock)", mechanism="ticket-lock"),
    )
    declared = {"lock": replace(DECLARED["lock"], questions=questions)}
    asked = [
        [line.ask for line in lines(Answer(RUN, (), rows, declared))]
        for rows in ((row(),), (row(mechanism="mutex"), row()))
    ]
    assert asked == [["take it (ticket-lock)"], ["take it (mutex)", "\N{HORIZONTAL ELLIPSIS} (ticket-lock)"]]


def test_every_question_of_an_experiment_names_its_mechanism_by_itself_or_goes_on() -> None:
    """So that no line compares one mechanism with another."""
    for declared in DECLARED.values():
        named = ""
        for question in declared.questions:
            begins = not question.ask.startswith("\N{HORIZONTAL ELLIPSIS}")
            named = question.mechanism if begins or question.mechanism in question.ask else named
            assert question.mechanism == named, question.ask
            assert question.mechanism in (question.ask if begins else question.whole), question.ask


def test_rows_of_unlike_regimes_have_no_ratio() -> None:
    questions = tuple(Question(ask=name, mechanism=name) for name in ("mutex", "ticket-lock"))
    declared = {"signal": replace(DECLARED["signal"], questions=questions)}
    base = Given({"latency_ns.typical": 20.0}, replace(SIGNAL, mechanism="mutex")).row
    other = replace(base, case=replace(base.case, mechanism="ticket-lock"))
    for regime, ratio in (("", 1.0), ("close", None)):
        found = lines(Answer(RUN, (), (base, replace(other, regime=regime)), declared))
        assert [line.ratio for line in found] == [1.0, ratio]
