"""What a verdict or a figure means, and why something was not measured: told on demand."""

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from threadping.analysis import words
from threadping.analysis.declaration import Check, Declaration, Declared, Summary
from threadping.analysis.percentiles import NAMES
from threadping.errors import UnknownName
from threadping.model import Row, Run
from threadping.views.terminal.console import Trimmed
from threadping.views.terminal.lists import reasons
from threadping.views.terminal.names import plain
from threadping.views.terminal.rungs import checks, rungs, said
from threadping.views.terminal.verdicts import mark

NOT_MEASURED = "not-measured"

SUMMARIES: dict[Summary, str] = {
    "typical": "the median",
    "mean": "the mean",
    "total": "the sum",
    "least": "the least",
    "most": "the most",
}

Meaning = tuple[str, str, str]
"""A figure's name, what it means, and how it is told."""


def explanation(term: str, declared: Declared, run: Run | None, rows: Sequence[Row]) -> RenderableType:
    """Explain a verdict's code, with the numbers of a run where one is given; a figure's name or head; `not-measured`.

    Raises:
        UnknownName: there is no such verdict or figure.
    """
    if term == NOT_MEASURED:
        return Group(*_not_measured(run))
    if term not in terms(declared):
        raise UnknownName("verdict or figure", term, terms(declared))
    check, figures = checks(declared).get(term), _figures(declared).get(term, {})
    verdict = _check(check, declared, run, rows) if check else ()
    return Trimmed(Group(*verdict, *(part for one in figures.items() for part in _figure(*one))))


def terms(declared: Declared) -> list[str]:
    """All that can be explained."""
    return list(dict.fromkeys([*checks(declared), *_figures(declared), NOT_MEASURED]))


def _not_measured(run: Run | None) -> Iterator[RenderableType]:
    if run is None:
        yield Text("`threadping explain not-measured RUN` tells what a run did not measure, and why.")
    elif run.skipped:
        yield from reasons(f"Not measured in run {run.id}", run.skipped)
    else:
        yield Text(f"Run {run.id} left nothing out.")


def _check(check: Check, declared: Declared, run: Run | None, rows: Sequence[Row]) -> Iterator[RenderableType]:
    """What it means, and of a run the cases of which it is said, those of which the same is said together."""
    yield Text.assemble(mark(check.severity), " ", (check.code, "bold"), (f"  {check.severity}", "dim"))
    yield Text(" ".join(words.explained(part) for part in (check.means, check.remedy) if part))
    cases = rungs(rows, declared)
    same: dict[str, list[str]] = {}
    for one in said(cases, declared):
        for rung in cases:
            if one.check is check and (verdict := one.verdicts.get(rung.number)):
                same.setdefault(plain(words.message(check, verdict)), []).append(f"{rung.number} {rung.row.case.title}")
    if run and not same:
        yield Text(f"It is said of no case of run {run.id}.", "dim")
    for message, of in same.items():
        yield Text("\nall cases" if len(of) == len(cases) else f"\n{plain('; '.join(of))}", "bold")
        yield Text(message)


def _figure(meaning: Meaning, experiments: Sequence[str]) -> Iterator[RenderableType]:
    name, means, how = meaning
    yield Text.assemble((name, "bold"), (f"  {', '.join(experiments)}", "dim"))
    if means:
        yield Text(means)
    yield Text(how, "dim")


def _figures(declared: Declared) -> Mapping[str, Mapping[Meaning, Sequence[str]]]:
    """By each name and head what it can mean, and in which experiments."""
    found: dict[str, dict[Meaning, list[str]]] = {}
    for experiment, declaration in declared.items():
        for names, meaning in _meanings(declaration):
            for name in dict.fromkeys(names):
                found.setdefault(name, {}).setdefault(meaning, []).append(experiment)
    return found


def _meanings(declared: Declaration) -> Iterator[tuple[Sequence[str], Meaning]]:
    for one in declared.figures:
        unit = one.unit.replace("_", " ")
        how = f"{unit}{f', the {one.better} the better' if one.better else ''}; over trials {SUMMARIES[one.over]}"
        yield [one.name, *([one.column.head] if one.column else [])], (one.name, one.means, how)
    for of in declared.distributions:
        for name in NAMES:
            full = f"{of.name}.{name}"
            yield [full, name, f"{of.head} {name}".strip()], (full, of.means, f"{of.unit}, of {of.noun}")
