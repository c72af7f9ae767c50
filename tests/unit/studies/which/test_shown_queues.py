"""What is said of queues, and how it is shown: every line exact."""

from msgspec.structs import replace

from tests.golden.fixture import APART, FAR, NEAR, TOGETHER
from tests.unit.output.printing import flat, printed
from tests.unit.studies.which.examples import (
    ANSWER,
    ANYWHERE,
    DEQUE,
    DISRUPTOR,
    ONE,
    RING,
    WORK,
    answer,
    case_of,
)
from threadping.analysis.answer import Answer
from threadping.model.run import ReferencePing
from threadping.model.studies import Survey
from threadping.output.layout import Blocks
from threadping.studies.which.cases import situation_of
from threadping.studies.which.output import say_situation
from threadping.studies.which.study import STUDY


def sentences(of: Answer) -> list[str]:
    return [say_situation(one) for one in STUDY.read(of, None)]


def test_a_sentence_for_each_situation_says_what_is_best_what_falls_apart_and_what_is_open() -> None:
    assert sentences(ANSWER) == [
        "On CPUs of their own. Best one in flight: sequenced-ring cpp and disruptor java-17; one by one: "
        "sequenced-ring cpp; by 100: sequenced-ring cpp. Fall apart: "
        "mutex-deque cpp (one in flight at least 131x).",
        "On one CPU. Best one in flight: mutex-deque. Fall apart: sequenced-ring (one in flight at least 2,239x).",
        "Unpinned. Best one by one: sequenced-ring and mutex-deque. In some trials: "
        "sequenced-ring (one by one 1 of 6).",
        "Unpinned, 2 producers. Best one by one: mutex-deque alone. None falls apart.",
        "Beside busy threads. Best one by one: cannot tell, too few trials. In some trials: "
        "mutex-deque (one by one 1 of 2).",
    ]


def test_one_with_too_few_trials_is_named_where_the_others_have_enough() -> None:
    found = answer({case_of(RING, ONE): 4e6, case_of(DEQUE, ONE): 30e3, case_of(DISRUPTOR, ONE): (4e6, 3e6)})
    assert sentences(found) == [
        "On CPUs of their own. Best one in flight: sequenced-ring. Fall apart: "
        "mutex-deque (one in flight at least 131x). Too few trials to tell: disruptor (one in flight)."
    ]


def test_a_trial_that_passed_nothing_says_nothing() -> None:
    found = answer({case_of(RING, ONE): 4e6, case_of(DEQUE, ONE): (0.0, 30e3, 30e3, 30e3, 30e3, 30e3)})
    assert sentences(found) == ["On CPUs of their own. Best one in flight: sequenced-ring alone. None falls apart."]


def test_where_nothing_falls_apart_that_is_said_once_it_is_known() -> None:
    found = answer({case_of(RING, ONE, TOGETHER): 4e6, case_of(DEQUE, ONE, TOGETHER): 2e6})
    assert sentences(found) == ["On one CPU. Best one in flight: sequenced-ring. None falls apart."]


def test_of_many_the_first_are_named() -> None:
    found = answer({case_of(f"q{number}", ONE): 4e6 + number for number in range(7)})
    assert sentences(found)[0].startswith("On CPUs of their own. Best one in flight: q6, q5, q4 and 4 others.")


def test_queues_are_compared_in_the_state_of_most_trials() -> None:
    near, far = case_of(RING, ONE), case_of(DEQUE, ONE)
    states = [(APART.cpus, NEAR if number < 8 else FAR) for number in range(13)]
    pings = [ReferencePing((0, 1), 1e9 + number, number, ns) for number, (_, ns) in enumerate(states) for _ in range(2)]
    found = answer({near: (4e6, 4e6, 4e6, 4e6, 1e6, 1e6), far: (3e6, 3e6, 3e6, 3e6, 9e6, 9e6)}, pings)
    (judged,) = STUDY.read(found, None)
    assert judged.state is not None and judged.state.core_to_core_ns == NEAR
    best, other = judged.queues
    assert (best.case, best.figures["one_in_flight"].value.value) == (near, 250.0)
    assert (best.figures["one_in_flight"].trials, other.figures["one_in_flight"].trials) == (4, 3)


def test_a_row_has_its_figures_with_a_mark_and_the_cpu_time_of_both_sides() -> None:
    shown = [
        flat(line) for line in printed(Blocks.of(*STUDY.blocks(ANSWER, STUDY.read(ANSWER, None))), 80).splitlines()
    ]
    assert "queue runtime one in flight one by one by 100 CPU sent CPU taken" in shown
    assert (
        "sequenced-ring cpp 251 ns \N{CHECK MARK} 55.9 M \N{CHECK MARK} 535 M \N{CHECK MARK} 20.0 ns 30.0 ns" in shown
    )
    assert "mutex-deque cpp 33.4 µs \N{MULTIPLICATION SIGN} 20.0 M \N{EN DASH} 20.0 ns 30.0 ns" in shown
    assert "sequenced-ring cpp \N{EN DASH} 46.7 M ~ \N{EN DASH} 20.0 ns 30.0 ns" in shown
    assert "mutex-deque cpp \N{EN DASH} 5.50 M ~ \N{EN DASH} 20.0 ns 30.0 ns" in shown
    assert "same-l3 0,1" in shown and "unpinned beside 2 busy threads" in shown
    assert "- 6 cases of 'Beside busy threads': too much for this budget" in shown
    assert any("threadping which queue --budget 4m" in line for line in shown)


def test_cases_of_another_kind_are_in_no_situation() -> None:
    assert sentences(answer({case_of(RING, {"size": 4}): 4e6})) == []
    assert situation_of(replace(case_of(RING, ONE), experiment="paced")) is None
    assert situation_of(replace(case_of(RING, ONE), params={"producers": "many"})) is None


def test_what_has_no_figure_is_named_with_what_was_found() -> None:
    found = answer({case_of(RING, ONE): 4e6}, (), case_of(DEQUE, WORK, ANYWHERE))
    text = flat(printed(Blocks.of(*STUDY.blocks(found, STUDY.read(found, None))), 80))
    assert "Without figures - mutex-deque produce=16 cpp unpinned: It hung." in text


def test_another_study_has_no_section_of_it() -> None:
    of_this = [*STUDY.sections(ANSWER)]
    assert [one.name for one in of_this] == ["which"]
    assert not [*STUDY.sections(replace(ANSWER, run=replace(ANSWER.run, study=Survey())))]
