"""The ladder's rungs: the rows in their order, each with its number and what is gravest of it."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from threadping.analysis.declaration import Check, Declaration, Declared
from threadping.model import Row, Severity, Verdict

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""The gravest first."""


class Rung(Struct, frozen=True):
    """A row, its number in the output, and the gravest that is said of it from a warning up, and not of all."""

    number: int
    row: Row
    severity: Severity | None


class Said(Struct, frozen=True):
    """A check's verdicts of one severity, and the rungs of which they are said, by number."""

    check: Check
    severity: Severity
    verdicts: Mapping[int, Verdict]


def rungs(rows: Sequence[Row], declared: Declared) -> list[Rung]:
    """Number the rows, experiment by experiment and state by state, the nearest first; within the best first.

    Where threads are set side by side rows are ordered by these before.
    """
    ordered = [
        row
        for name, declaration in declared.items()
        for row in sorted(
            (row for row in rows if row.case.experiment == name),
            key=lambda row: (state(row), row.case.crews if declaration.along else 0, merit(row, declaration)),
        )
    ]
    numbered = [Rung(number, row, None) for number, row in enumerate(ordered, start=1)]
    own = [one for one in said(numbered, declared) if one.severity != "info" and len(one.verdicts) < len(ordered)]
    gravest = {number: one.severity for one in reversed(own) for number in one.verdicts}
    return [Rung(rung.number, rung.row, gravest.get(rung.number)) for rung in numbered]


def state(row: Row) -> tuple[bool, float]:
    """A row's state for sorting, where its CPUs were in several; those in none, or in whichever, are last."""
    return (False, row.apart_ns or 0.0) if row.one_of_several else (True, 0.0)


def merit(row: Row | None, declared: Declaration) -> tuple[float, ...]:
    """A row's headline for sorting: the less, the better, and what has none is last."""
    headline = declared.figure(declared.headline)
    value = row.figures.get(headline.name) if row else None
    return (1, 0) if value is None else (0, -value if headline.better == "more" else value)


def checks(declared: Declared) -> dict[str, Check]:
    """Every check by its code."""
    return {check.code: check for declaration in declared.values() for check in declaration.checks}


def said(rungs: Sequence[Rung], declared: Declared) -> list[Said]:
    """What is said of which rungs: the gravest first, then what is said of most."""
    known = checks(declared)
    found: dict[tuple[Severity, str], dict[int, Verdict]] = {}
    for rung in rungs:
        for verdict in rung.row.verdicts:
            found.setdefault((verdict.severity, verdict.code), {})[rung.number] = verdict
    all_said = [Said(known[code], severity, verdicts) for (severity, code), verdicts in found.items()]
    return sorted(all_said, key=lambda one: (SEVERITIES.index(one.severity), -len(one.verdicts), one.check.code))
