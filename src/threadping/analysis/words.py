"""Verdicts in words: the only place where their facts become text."""

import re
import string
from collections.abc import Callable, Sequence
from typing import Any

from threadping import quantities
from threadping.analysis.declaration import Check, Fact
from threadping.model import Verdict

WRITERS: dict[str, Callable[[float], str]] = {
    "": lambda number: f"{number:,.4g}" if number % 1 and number < 1000 else f"{number:,.0f}",
    "time": quantities.time,
    "share": quantities.percent,
    "fold": lambda fold: f"{fold:.1f}x",
}
"""How a number is written, by what follows the colon in `{fact:spec}`. `budget` names the largest only."""

MOST_NAMES = 3


def brief(check: Check, verdicts: Sequence[Verdict]) -> str:
    """The facts of a check's verdicts on several cases in a few words: how far each figure reaches."""
    return _written(check.brief, verdicts)


def message(check: Check, verdict: Verdict) -> str:
    """A verdict in whole sentences: what it means, and what to do."""
    return " ".join(part for part in (_written(check.means, [verdict]), _written(check.remedy, [verdict])) if part)


def explained(text: str) -> str:
    """A check's words without a case: dots stand for its facts."""
    return re.sub("{.*?}", "\N{HORIZONTAL ELLIPSIS}", text)


def _written(text: str, verdicts: Sequence[Verdict]) -> str:
    names = dict.fromkeys(name for verdict in verdicts for name in verdict.facts)
    return _Spans().vformat(text, (), {name: [v.facts[name] for v in verdicts if name in v.facts] for name in names})


class _Spans(string.Formatter):
    """Writes the values that several verdicts give one fact as one, or as from the least to the most."""

    def format_field(self, value: Any, spec: str) -> str:
        values: Sequence[Fact] = value
        if words := [one for one in values if isinstance(one, str)]:
            told = list(dict.fromkeys(words))
            return " / ".join([*told[:MOST_NAMES], *(["\N{HORIZONTAL ELLIPSIS}"] if len(told) > MOST_NAMES else [])])
        numbers = [float(one) for one in values]
        if spec == "budget":
            return quantities.budget(max(numbers))
        low, high = WRITERS[spec](min(numbers)), WRITERS[spec](max(numbers))
        return low if low == high else f"{low} to {high}"
