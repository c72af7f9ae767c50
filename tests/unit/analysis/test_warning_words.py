"""Findings in words: one case in sentences, many in a few words, none by the names of its facts."""

from typing import Any

import pytest

from threadping.analysis.checks import Check, Fact, Finding, Wording, brief, explained, message


def wording(brief: str = "", means: str = "", remedy: str = "") -> Check[Any]:
    return Check("odd", "note", lambda _: None, words=Wording(means, brief, remedy))


def odd(**facts: Fact) -> Finding:
    return Finding("odd", "note", facts)


@pytest.mark.parametrize(
    ("form", "fact", "words"),
    [
        ("{fact:fold}", 3.11, "3.1x"),
        ("{fact:share}", 0.042, "4.2%"),
        ("{fact:time}", 2_007_600.0, "2.01 ms"),
        ("{fact}", 1_234_567, "1,234,567"),
        ("{fact}", 0.5, "0.5"),
        ("{fact}", 999.96, "1,000"),
        ("{fact}", 12_345.6, "12,346"),
        ("{fact}", "hung", "hung"),
    ],
)
def test_a_brief_writes_a_fact_as_it_is_declared(form: str, fact: Fact, words: str) -> None:
    assert brief(wording(brief=form), odd(fact=fact)) == words


def test_a_message_is_what_it_means_and_what_to_do_and_no_more() -> None:
    check = wording(brief="never", means="{a} of {b} differ.", remedy="Give {c:time}.")
    assert message(check, odd(a=1, b=6, c=90.2)) == "1 of 6 differ. Give 90.2 ns."
    assert message(wording(means="{a}."), odd(a=1)) == "1."


def test_words_that_a_probe_wrote_are_no_form_to_be_filled() -> None:
    assert message(wording(means="It said: {said}"), odd(said="{a} {0!r:x} {")) == "It said: {a} {0!r:x} {"


def test_a_check_is_explained_with_dots_for_its_facts() -> None:
    check = wording(means="{half:share} of {trials} hours.", remedy="Wait {some:time}.")
    assert explained(check) == "{0} of {0} hours. Wait {0}.".format("\N{HORIZONTAL ELLIPSIS}")
