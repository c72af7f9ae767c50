"""What a word of any output means, in a sentence; with a run, what it is there."""

import re
from collections.abc import Iterator, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Declaration, Declared, Unit
from threadping.analysis.estimate import Summary
from threadping.analysis.outliers import CAUSES
from threadping.analysis.percentiles import NAMES
from threadping.analysis.sentences import sentences
from threadping.analysis.warnings import checks_of
from threadping.analysis.warnings.words import brief, explained, message
from threadping.contract import Words
from threadping.errors import UnknownName
from threadping.grouping import gathered
from threadping.views.terminal import cells, findings
from threadping.views.terminal.lists import reasons
from threadping.views.terminal.names import plain
from threadping.views.terminal.screen import core_to_core
from threadping.views.terminal.table import labelled
from threadping.views.terminal.tables import numbered

NOT_MEASURED, STATE, CORE_TO_CORE = "not-measured", "state", "core to core"

SUMMARIES: dict[Summary, str] = {
    "median": "the median",
    "mean": "the mean",
    "total": "the sum",
    "least": "the least",
    "most": "the most",
}

MOST_ROWS = 12

Meaning = tuple[str, str, str, Unit]
"""A figure's name, what it means, how trials become one, and its unit."""


def explanation(
    term: str, declared: Declared, answer: Answer | None = None, said: Words | None = None
) -> RenderableType:
    """Explain a code, a figure by its name or head, a cause, a mechanism, a parameter, or any other word.

    Args:
        term: the word, in letters of any case.
        declared: what each experiment declares.
        answer: a run whose figures are shown too.
        said: what is said of mechanisms and parameters.

    Raises:
        UnknownName: no output prints it.
    """
    known = {one.casefold(): one for one in reversed(terms(declared, answer, said))}
    if term.casefold() not in known:
        raise UnknownName("word", term, list(known.values()))
    return Group(*_parts(known[term.casefold()], declared, answer, said))


def terms(declared: Declared, answer: Answer | None = None, said: Words | None = None) -> list[str]:
    """All that can be explained."""
    mechanisms = [name for one in said.experiments.values() for name in (*one.mechanisms, *one.params)] if said else []
    runtimes = [one.label for one in answer.run.runtimes] if answer else []
    every = [
        *checks_of(declared),
        *_figures(declared),
        *CAUSES,
        *declared,
        *sentences().words,
        *mechanisms,
        *runtimes,
        NOT_MEASURED,
    ]
    return list(dict.fromkeys(every))


def _parts(term: str, declared: Declared, answer: Answer | None, said: Words | None) -> Iterator[RenderableType]:
    """Each meaning of the word, the most particular first."""
    if term == NOT_MEASURED:
        yield from _not_measured(answer)
    yield from of_check(term, declared, answer)
    figures = _figures(declared).get(term, {}).items()
    alike = gathered(((one[1] or one[0], *experiments), one) for one, experiments in figures)
    for (_, *experiments), meanings in alike.items():
        yield from _figure(meanings, experiments, answer)
    for kind, sentence in _sentences(term, declared, said):
        yield Text.assemble((term, "bold"), (kind and f"  {kind}", "dim"), f"\n{plain(sentence)}")
    for runtime in answer.run.runtimes if answer else ():
        if runtime.label == term:
            yield Text.assemble((plain(term), "bold"), ("  runtime", "dim"), f"\n{plain(runtime.version)}")
            yield Text(plain(" ".join(runtime.command)), "dim")
    if term in (STATE, CORE_TO_CORE) and answer and answer.states.found:
        yield core_to_core(answer)


def _sentences(term: str, declared: Declared, said: Words | None) -> Iterator[tuple[str, str]]:
    """What a word is, and a sentence; experiments of which the same is said together."""
    phrases = {
        "cause of outliers": sentences().causes.get(term),
        "experiment": declared[term].title if term in declared else None,
    }
    yield from ((kind, f"{phrase[0].upper()}{phrase[1:]}.") for kind, phrase in phrases.items() if phrase)
    found: dict[tuple[str, str], list[str]] = {}
    for name, one in said.experiments.items() if said else ():
        if said and (mechanism := said.of(name, term)):
            found.setdefault(("mechanism", f"{mechanism.summary} {mechanism.costs}"), []).append(name)
        if term in one.params:
            found.setdefault(("parameter", one.params[term]), []).append(name)
    yield from ((f"{kind}, {', '.join(where)}", sentence) for (kind, sentence), where in found.items())
    if term in sentences().words:
        yield "", sentences().words[term]


def _not_measured(answer: Answer | None) -> Iterator[RenderableType]:
    if answer is None:
        yield Text("What a run left out; `threadping explain not-measured RUN` says what, and why.")
    elif answer.run.skipped:
        yield from reasons(f"Not measured in run {answer.run.id}", answer.run.skipped)
    else:
        yield Text(f"Run {answer.run.id} left nothing out.")


def of_check(code: str, declared: Declared, answer: Answer | None) -> Iterator[RenderableType]:
    """What a warning means, of a run with the figures of the worst case; the others in a few words each."""
    check = checks_of(declared).get(code)
    if check is None:
        return
    found = [] if answer is None else [one for one in findings.found(answer.rows) if one.code == check.code]
    of_run = [one for one in answer.findings if one.code == check.code] if answer else []
    yield Text.assemble(findings.mark(check.level), " ", (check.code, "bold"), (f"  {check.level}", "dim"))
    if answer is None or not (found or of_run):
        yield Text(explained(check))
        if answer:
            yield Text(f"Run {answer.run.id} has none.", "dim")
        return
    if of_run:
        yield Text(plain(message(check, of_run[0])))
        return
    numbers = {id(row): number for number, row in numbered(answer)}
    row, worst = found[0].worst
    yield Text.assemble((f"#{numbers[id(row)]} {plain(row.case.title)}: ", "bold"), plain(message(check, worst)))
    others = [(numbers[id(other)], other, one) for of in found for other, one in of.of if other is not row]
    briefs = sorted((number, plain(other.case.title), plain(brief(check, one))) for number, other, one in others)
    if briefs:
        yield labelled([(f"#{number}", Text(f"{title}{facts and f': {facts}'}")) for number, title, facts in briefs])


def _figure(meanings: Sequence[Meaning], experiments: Sequence[str], answer: Answer | None) -> Iterator[RenderableType]:
    """Figures of which the same is said, such as one of each gap, in their order."""
    names, means, how, _ = (list(dict.fromkeys(each)) for each in zip(*meanings, strict=True))
    yield Text.assemble((_ends(names), "bold"), (f"  {', '.join(experiments)}", "dim"))
    if means[0]:
        yield Text(means[0])
    yield Text(_ends(how), "dim")
    known = [
        (f"#{number}", Text.assemble(cells.figure(unit, found.value, "bold"), f"  {plain(row.case.title)}", of))
        for name, _, _, unit in meanings
        for of in ((f"  {name}" if len(names) > 1 else "", "dim"),)
        for number, row in (numbered(answer) if answer else ())
        if row.case.experiment in experiments and (found := row.figures.get(name))
    ]
    if known:
        more = [("", Text(f"and {len(known) - MOST_ROWS} more", "dim"))] if known[MOST_ROWS:] else []
        yield labelled([*known[:MOST_ROWS], *more])


def _ends(texts: Sequence[str]) -> str:
    """The text; of several the first and the last."""
    return " \N{HORIZONTAL ELLIPSIS} ".join(dict.fromkeys((texts[0], texts[-1])))


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
        unit = re.sub("per_s", "a second", one.unit)
        how = f"{unit}{f', the {one.better} the better' if one.better else ''}; over trials {SUMMARIES[one.over]}"
        yield [one.name, *([one.column.head] if one.column else [])], (one.name, one.means, how, one.unit)
    for by_name in declared.shares:
        full, word = by_name.name, by_name.name.rpartition(".")[2]
        yield [full, word], (full, by_name.means, "percent, by name", "percent")
    for of in declared.distributions:
        for name in (*NAMES, "samples"):
            full, unit = f"{of.name}.{name}", "count" if name == "samples" else of.unit
            yield [full, name, f"{of.head} {name}".strip()], (full, of.means, f"{unit}, of {of.noun}", unit)
