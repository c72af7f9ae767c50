"""Findings in words: the only place where their facts become text."""

import re
from collections.abc import Callable
from typing import Any

from threadping.analysis.checks import Check, Finding, Wording, sentences
from threadping.model import quantities

WRITERS: dict[str, Callable[[float], str]] = {
    "": lambda number: f"{number:,.4g}" if number % 1 and number < 1000 else f"{number:,.0f}",
    "time": quantities.time,
    "share": quantities.more,
    "fold": lambda fold: f"{fold:.1f}x",
}
"""How a number is written, by what follows the colon in `{fact:spec}`."""


def wording(check: Check[Any]) -> Wording:
    """The words of a check."""
    return check.words or sentences().findings[check.code]


def brief(check: Check[Any], finding: Finding) -> str:
    """The facts of a finding in a few words."""
    return with_facts(wording(check).brief, finding)


def meaning(check: Check[Any], finding: Finding) -> str:
    """What a finding means, in whole sentences."""
    return with_facts(wording(check).means, finding)


def remedy(check: Check[Any], finding: Finding) -> str:
    """Return what to do about a finding."""
    return with_facts(wording(check).remedy, finding)


def message(check: Check[Any], finding: Finding) -> str:
    """A finding in whole sentences: what it means, and what to do."""
    return with_facts(_sentences(check), finding)


def explained(check: Check[Any]) -> str:
    """The same without a case: dots stand for its facts."""
    return re.sub("{.*?}", "\N{HORIZONTAL ELLIPSIS}", _sentences(check))


def _sentences(check: Check[Any]) -> str:
    found = wording(check)
    costs = f"It costs: {found.costs[0].lower()}{found.costs[1:]}" if found.costs else ""
    return " ".join(filter(None, (found.means, found.remedy, costs)))


def with_facts(text: str, finding: Finding) -> str:
    """Write the facts of a finding into a text."""

    def fact(field: re.Match[str]) -> str:
        value = finding.facts[field[1]]
        return value if isinstance(value, str) else WRITERS[field[2]](value)

    return re.sub(r"{(\w+):?(\w*)}", fact, text)
