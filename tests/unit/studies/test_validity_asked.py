"""Every study asks the one rule: what is planted, check by check, takes its verdicts away where the rule says so."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from tests.golden.fixture import DECLARED
from tests.unit.studies.compare import test_blocks_of_runs as blocks
from tests.unit.studies.examples import ANSWERS
from threadping.analysis.analyse import analyse
from threadping.analysis.answer import Answer
from threadping.analysis.checks import Check, Use, finding, sentences
from threadping.analysis.declaration import Row
from threadping.analysis.questions import question_lines as lines
from threadping.analysis.validity import codes_of, effect_of
from threadping.conduct.presenting import Output
from threadping.conduct.study import study_named
from threadping.model.cases import Case
from threadping.output.run_records import comparable_points

FACTS: Mapping[str, Any] = {"share": 0.6, "failed": 3, "trials": 3, "empty": 3, "first": "hung", "said": "It hung."}
"""Facts that the words of the planted checks need."""


def _of_tests(result: Any) -> bool:
    found = getattr(result, "found", (result,))  # of `recommend cpus` a single one
    return any(one.test.answer != "cannot-tell" or one.test.slower is not None for one in found)


def _of_published(result: Any) -> bool:
    return any(one.ratio for one in result.figures) or any(one.verdict != "cannot tell" for one in result.claims)


def _of_queues(result: Any) -> bool:
    figures = [one for of in result for queue in of.queues for one in queue.figures.values()]
    return any(one.verdict not in ("open", None) for one in figures)


DECIDES: Mapping[str, tuple[Use, Callable[[Any], bool]]] = {
    "compare": ("compare", _of_tests),
    "recommend-cpus": ("compare", _of_tests),
    "reproduce-articles": ("compare", _of_published),
    "reproduce-tool": ("compare", lambda result: any(one.ours and not one.reason for one in result)),
    "recommend-queue": ("recommend", _of_queues),
}
"""Use of rows by each study, and whether it bases a decision on them."""

TEN_BLOCKS = tuple(blocks.trials(10))
RUNS = {**ANSWERS, "compare": analyse(blocks.COMPARING, TEN_BLOCKS, blocks.pings([25.0] * 41), DECLARED)}
"""The comparison with as many blocks as a look takes."""

CODES = codes_of(ANSWERS["survey"].declared)


def planted(answer: Answer, code: str, of: Callable[[Case], bool]) -> Answer:
    """Analyse a run again, with nothing found of these cases but what is planted."""
    check = Check[Row](lambda row: [finding(code, **FACTS)] * of(row.case), (code,))
    declared = {name: replace(one, checks=(check,)) for name, one in answer.declared.items()}
    stored = answer.stored
    return analyse(stored.run, stored.observations, stored.pings, declared)


def read(name: str, answer: Answer) -> Any:
    return study_named(name).read(answer, None)


@pytest.mark.parametrize("name", DECIDES)
def test_a_study_decides_by_what_is_usable_and_by_nothing_else(name: str) -> None:
    use, decides = DECIDES[name]
    assert decides(read(name, planted(RUNS[name], "one-burst", lambda _: True)))
    effects = {code: effect_of(code, sentences().findings[code].level, use) for code in CODES}
    barring = [code for code, effect in effects.items() if effect == "unusable"]
    assert "other-load" in barring and "pin-lost" in barring
    for code in barring:
        assert not decides(read(name, planted(RUNS[name], code, lambda _: True))), code


@pytest.mark.parametrize("name", ["compare", "recommend-cpus"])
def test_a_comparison_is_of_sides_that_do_the_same_work(name: str) -> None:
    answer = RUNS[name]
    first = answer.observations[0].case
    for code in ("coarsened", "lost-updates", "backlogged"):
        assert not _of_tests(read(name, planted(answer, code, lambda case: case == first))), code
        assert _of_tests(read(name, planted(answer, code, lambda _: True))), code


@pytest.mark.parametrize("name", [*DECIDES, "recommend-wait"])
def test_no_study_answers_no_on_a_busy_machine(name: str) -> None:
    stored = RUNS[name].stored
    busy = [replace(one, others=0.6) for one in stored.observations]
    answer = analyse(stored.run, busy, stored.pings, RUNS[name].declared)
    result = read(name, answer)
    assert name == "recommend-wait" or not DECIDES[name][1](result)
    codes = [study_named(name).exit_code(result, Output(strict=strict)) for strict in (False, True)]
    assert codes[0] == 0 and codes[1] in (0, 4)


def test_exports_ratios_and_ranks_of_a_run_ask_it_too() -> None:
    calm, busy = (planted(ANSWERS["survey"], code, lambda _: True) for code in ("one-burst", "other-load"))
    assert comparable_points(calm) and not comparable_points(busy)
    assert any(one.ratio for one in lines(calm)) and not any(one.ratio for one in lines(busy))
