"""Findings in words: the only place where their facts become text."""

import re
import string
from collections.abc import Callable, Sequence
from typing import Any

from threadping import quantities
from threadping.analysis.answer import Finding
from threadping.analysis.declaration import Check, Fact

WRITERS: dict[str, Callable[[float], str]] = {
    "": lambda number: f"{number:,.4g}" if number % 1 and number < 1000 else f"{number:,.0f}",
    "time": quantities.time,
    "share": quantities.percent,
    "fold": lambda fold: f"{fold:.1f}x",
}
"""How a number is written, by what follows the colon in `{fact:spec}`."""

MOST_NAMES = 3


def brief(check: Check[Any], findings: Sequence[Finding]) -> str:
    """The facts of a check's findings on several cases in a few words: how far each figure reaches."""
    return _written(check.brief, findings)


def message(check: Check[Any], finding: Finding) -> str:
    """A finding in whole sentences: what it means, and what to do."""
    return " ".join(part for part in (_written(check.means, [finding]), _written(check.remedy, [finding])) if part)


def explained(text: str) -> str:
    """A check's words without a case: dots stand for its facts."""
    return re.sub("{.*?}", "\N{HORIZONTAL ELLIPSIS}", text)


def _written(text: str, findings: Sequence[Finding]) -> str:
    names = dict.fromkeys(name for finding in findings for name in finding.facts)
    return _Spans().vformat(text, (), {name: [v.facts[name] for v in findings if name in v.facts] for name in names})


class _Spans(string.Formatter):
    """Writes the values that several findings give one fact as one, or as from the least to the most."""

    def format_field(self, value: Any, spec: str) -> str:
        values: Sequence[Fact] = value
        if words := [one for one in values if isinstance(one, str)]:
            told = list(dict.fromkeys(words))
            return " / ".join([*told[:MOST_NAMES], *(["\N{HORIZONTAL ELLIPSIS}"] if len(told) > MOST_NAMES else [])])
        numbers = [float(one) for one in values]
        low, high = WRITERS[spec](min(numbers)), WRITERS[spec](max(numbers))
        return low if low == high else f"{low} to {high}"
