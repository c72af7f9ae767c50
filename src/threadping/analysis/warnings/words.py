"""Findings in words: the only place where their facts become text."""

import re
import string
from collections.abc import Callable, Sequence
from typing import Any

from threadping import quantities
from threadping.analysis.answer import Finding
from threadping.analysis.declaration import Check, Fact
from threadping.analysis.sentences import Wording, sentences

WRITERS: dict[str, Callable[[float], str]] = {
    "": lambda number: f"{number:,.4g}" if number % 1 and number < 1000 else f"{number:,.0f}",
    "time": quantities.time,
    "share": quantities.percent,
    "fold": lambda fold: f"{fold:.1f}x",
}
"""How a number is written, by what follows the colon in `{fact:spec}`."""

MOST_NAMES = 3


def wording(check: Check[Any]) -> Wording:
    """The words of a check."""
    return check.words or sentences().findings[check.code]


def brief(check: Check[Any], findings: Sequence[Finding]) -> str:
    """The facts of a check's findings on several cases in a few words: how far each figure reaches."""
    return _written(wording(check).brief, findings)


def message(check: Check[Any], finding: Finding) -> str:
    """A finding in whole sentences: what it means, and what to do."""
    return _written(_sentences(check), [finding])


def explained(check: Check[Any]) -> str:
    """The same without a case: dots stand for its facts."""
    return re.sub("{.*?}", "\N{HORIZONTAL ELLIPSIS}", _sentences(check))


def _sentences(check: Check[Any]) -> str:
    return f"{wording(check).means} {wording(check).remedy}".strip()


def _written(text: str, findings: Sequence[Finding]) -> str:
    names = dict.fromkeys(name for finding in findings for name in finding.facts)
    return _Spans().vformat(text, (), {name: [v.facts[name] for v in findings if name in v.facts] for name in names})


class _Spans(string.Formatter):
    """Writes the values that several findings give one fact as one, or as from the least to the most."""

    def format_field(self, value: Any, spec: str) -> str:
        values: Sequence[Fact] = value
        if words := [one for one in values if isinstance(one, str)]:
            distinct = list(dict.fromkeys(words))
            return " / ".join(
                [*distinct[:MOST_NAMES], *(["\N{HORIZONTAL ELLIPSIS}"] if len(distinct) > MOST_NAMES else [])]
            )
        numbers = [float(one) for one in values]
        low, high = WRITERS[spec](min(numbers)), WRITERS[spec](max(numbers))
        return low if low == high else f"{low} to {high}"
