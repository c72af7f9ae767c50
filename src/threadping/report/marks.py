"""Verdicts: their marks, and which of them speak of the same thing."""

import re
from collections.abc import Sequence

from msgspec import Struct
from rich.text import Text

from threadping.model import Row, Severity, Verdict

MARKS: dict[Severity, str] = {"error": "\N{BALLOT X}", "warning": "!", "info": "i"}
STYLES: dict[Severity, str] = {"error": "bold red", "warning": "bold yellow", "info": "bold blue"}
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")

FIGURE = re.compile(r"(?<![\w.,-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w.]*\d)")
"""A number by itself: not that of p99.9 or of java-17."""

QUOTING = ("trial-failed", "pin-lost")
"""Verdicts in which a number may be a name (signal 11, CPU 9)."""

Kind = tuple[Severity, str, str]


class Said(Struct, frozen=True):
    """A verdict, and the rows of which it is said, by their position."""

    verdict: Verdict
    of: tuple[int, ...]


def mark(severity: Severity) -> Text:
    """The sign that stands for a severity, coloured where there are colours."""
    return Text(MARKS[severity], STYLES[severity])


def said(rows: Sequence[Row]) -> list[Said]:
    """Every kind of verdict with the rows of which it is said: the gravest first, then what is said of most.

    Verdicts of one kind differ in their figures only; they are told as one that says how far each figure reaches.
    """
    merged = [
        Said(_merged([verdict for _, verdict in one]), tuple(dict.fromkeys(position for position, _ in one)))
        for one in _by_kind(rows).values()
    ]
    return sorted(merged, key=lambda one: (SEVERITIES.index(one.verdict.severity), -len(one.of), one.verdict.code))


def worst_of_their_own(rows: Sequence[Row]) -> list[Severity | None]:
    """For each row the gravest severity from warning up that is said of it, and not of all."""
    own: list[set[Severity]] = [set() for _ in rows]
    for (severity, _, _), one in _by_kind(rows).items():
        positions = {position for position, _ in one}
        if not len(positions) == len(rows) > 1:
            for position in positions:
                own[position].add(severity)
    return [next((severity for severity in SEVERITIES[:2] if severity in found), None) for found in own]


def _by_kind(rows: Sequence[Row]) -> dict[Kind, list[tuple[int, Verdict]]]:
    found: dict[Kind, list[tuple[int, Verdict]]] = {}
    for position, row in enumerate(rows):
        for verdict in row.verdicts:
            found.setdefault(_kind(verdict), []).append((position, verdict))
    return found


def _kind(verdict: Verdict) -> Kind:
    sentence = verdict.message if verdict.code in QUOTING else FIGURE.sub("0", verdict.message)
    return (verdict.severity, verdict.code, sentence)


def _merged(verdicts: Sequence[Verdict]) -> Verdict:
    """One verdict for all of a kind, each of its figures the span of theirs."""
    first = verdicts[0]
    figures = zip(*(FIGURE.findall(verdict.message) for verdict in verdicts), strict=True)
    spans = iter([_span(values) for values in figures])
    return Verdict(first.code, first.severity, FIGURE.sub(lambda _match: next(spans), first.message))


def _span(figures: Sequence[str]) -> str:
    low, high = min(figures, key=_value), max(figures, key=_value)
    return low if _value(low) == _value(high) else f"{low}\N{EN DASH}{high}"


def _value(figure: str) -> float:
    return float(figure.replace(",", ""))
