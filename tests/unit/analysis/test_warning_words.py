"""Findings in words: one case in sentences, many in a few words, none by the names of its facts."""

from typing import Any

import pytest

from tests.unit.analysis.examples import DECLARED, SIGNAL, row
from threadping.analysis.answer import Finding
from threadping.analysis.declaration import Check, Fact
from threadping.analysis.sentences import Wording
from threadping.analysis.warnings import checks_of
from threadping.analysis.warnings.words import brief, explained, message
from threadping.model import Failure

CHECKS = checks_of(DECLARED)


def wording(brief: str = "", means: str = "", remedy: str = "") -> Check[Any]:
    return Check("odd", "note", lambda _: None, words=Wording(means, brief, remedy))


def odd(**facts: Fact) -> Finding:
    return Finding("odd", "note", facts)


@pytest.mark.parametrize(
    ("told", "facts", "words"),
    [
        ("{fact:fold}", (3.1, 9.0, 4.0), "3.1x to 9.0x"),
        ("{fact:fold}", (3.11, 3.12), "3.1x"),
        ("{fact:share}", (0.25, 0.042), "4.2% to 25%"),
        ("{fact:time}", (2_007_600.0, 59.3), "59.3 ns to 2.01 ms"),
        ("{fact}", (3, 5, 1_234_567), "3 to 1,234,567"),
        ("{fact}", (0.5, 2.0), "0.5 to 2"),
        ("{fact}", (999.96, 12_345.6), "1,000 to 12,346"),
        ("{fact}", ("hung", "hung"), "hung"),
        ("{fact}", ("a", "b", "a", "c"), "a / b / c"),
        ("{fact}", ("a", "b", "c", "d", "e"), "a / b / c / \N{HORIZONTAL ELLIPSIS}"),
    ],
)
def test_a_brief_says_how_far_a_fact_reaches_over_cases(told: str, facts: tuple[Fact, ...], words: str) -> None:
    assert brief(wording(brief=told), [odd(fact=fact) for fact in facts]) == words


def test_a_message_is_what_it_means_and_what_to_do_and_no_more() -> None:
    told = wording(brief="never", means="{a} of {b} differ.", remedy="Give {c:time}.")
    assert message(told, odd(a=1, b=6, c=90.2)) == "1 of 6 differ. Give 90.2 ns."
    assert message(wording(means="{a}."), odd(a=1)) == "1."


def test_words_that_a_probe_wrote_are_no_form_to_be_filled() -> None:
    assert message(wording(means="It said: {said}"), odd(said="{a} {0!r:x} {")) == "It said: {a} {0!r:x} {"


def test_a_check_is_explained_with_dots_for_its_facts() -> None:
    told = wording(means="{half:share} of {trials} hours.", remedy="Wait {some:time}.")
    assert explained(told) == "{0} of {0} hours. Wait {0}.".format("\N{HORIZONTAL ELLIPSIS}")


def test_several_cases_that_failed_in_several_ways_are_one_line() -> None:
    found = [row(SIGNAL, *[Failure(code, "It fell.")] * 3).findings[0] for code in ("crashed", "hung")]
    assert brief(CHECKS["trial-failed"], found) == "3 of 3 trials: crashed / hung"


def test_a_pin_that_fails_has_the_remedy_that_the_probe_cannot_know() -> None:
    (failed,) = row(SIGNAL, *[Failure("pin-failed", "CPU 1 cannot be used here.")] * 3).findings
    assert message(CHECKS["trial-failed"], failed) == (
        "3 of 3 trials failed, the first so (pin-failed): CPU 1 cannot be used here. A mask or a cpuset has changed, "
        "or a CPU has gone offline, since threadping read the topology: undo that, or name CPUs that may be used with "
        "--cpus. `threadping show RUN --trials` shows how each one ended."
    )
