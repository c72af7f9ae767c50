"""The explanation of a word of any output, and of a row."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.causes import CAUSES
from threadping.analysis.checks import explained, sentences, wording
from threadping.analysis.declaration import Declaration, Declared, Row, Unit
from threadping.analysis.health import every_code
from threadping.analysis.percentiles import PERCENTILE_NAMES, Estimate, Summary
from threadping.analysis.validity import codes_of
from threadping.model import quantities
from threadping.model.base import gathered
from threadping.model.contract import Words
from threadping.model.errors import UnknownName, UsageError, similar
from threadping.model.run import Checkup
from threadping.model.text import made_literal, plain
from threadping.output import findings, layout
from threadping.output.heading import not_measured
from threadping.output.layout import Block, Blocks, Labelled
from threadping.output.listings import reasons
from threadping.output.names import placement_label
from threadping.output.row_tables import numbered
from threadping.output.screen import core_to_core

COUNTED = ("counters.", "outliers.", "wake_outliers.")
"""Prefixes of metrics that only `show --outliers` and JSON have."""


def explain_row(row: Row, answer: Answer, said: Words | None) -> Iterator[Block]:
    """Yield the case of a row and what its mechanism does, then its values and findings."""
    case = row.case
    yield Text.assemble((f"#{row.place} {plain(case.title)}", "bold"), (f"  {plain(case.experiment)}", "dim"))
    if mechanism := said and said.of(case.experiment, case.mechanism):
        yield Text(plain(f"{mechanism.summary} {mechanism.costs}"))
    trials = quantities.counted(len(row.trials), "trial") + (f", {row.failed} failed" if row.failed else "")
    state = f"core to core {quantities.time(row.state.core_to_core_ns)}" if row.state else ""
    yield Text("; ".join(filter(None, (plain(case.runtime), placement_label(case), trials, state))), "dim")
    of_parts = [of.figure(name) for of in row.declared.distributions for name in PERCENTILE_NAMES]
    shown = [one for one in (*row.declared.figures, *of_parts) if one.head and not one.name.startswith(COUNTED)]
    known = ((one, found) for one in shown if (found := row.figures.get(one.name)))
    styles = {row.leading.name: "bold"}
    yield Labelled(
        [(plain(one.head), layout.with_interval(one.unit, of, styles.get(one.name, ""))) for one, of in known]
    )
    for one in row.findings:
        facts = made_literal(plain(one.text("message")), answer.run.id)
        yield Text.assemble(findings.mark(one.level), " ", (one.code, "bold"), f": {facts}")


NOT_MEASURED, STATE, CORE_TO_CORE = "not-measured", "state", "core to core"

SUMMARY_WORDS: dict[Summary, str] = {"harmonic": "harmonic mean", "total": "sum"}  # of others it is their name
MOST_ROWS_SHOWN = 12
MOST_MEANINGS, MOST_NAMED = 4, 3  # of a word in full, and of its metrics in each experiment; others are only counted
Meaning = tuple[str, str, str, Unit]  # A figure's name, what it means, how trials become one, and its unit
Explained = Iterable[Block]


def explanation(
    term: str,
    declared: Declared,
    answer: Answer | None = None,
    said: Words | None = None,
    commands: Mapping[str, str] | None = None,
) -> Block:
    """Explain a code, a metric by its name or head, a cause, a mechanism, a parameter, a row, or any other word.

    Case does not matter; `#7` is a row. The values of an `answer` are shown too. Raise UnknownName for a word without
    an explanation, UsageError if the run has no such row.
    """
    if answer and re.fullmatch(r"#\d+", term):
        rows, place = numbered(answer), int(term[1:])
        if found := next((row for row in rows if row.place == place), None):
            return Blocks.of(*explain_row(found, answer, said))
        has = f"its rows are #1 to #{rows[-1].place}" if rows else "it has no rows"
        raise UsageError(f"Run {answer.run.id} has no row #{place}: {has}.")
    known = gathered(_known(declared, answer, said, commands or {}))
    return Blocks.of(*chain.from_iterable(known[meant(term, known)]))


def meant(term: str, known: Mapping[str, object]) -> str:
    """Return the known word that a term means, in letters of any case; raise UnknownName for none."""
    spelled = {one.casefold(): one for one in reversed([*known])}
    same = {one.casefold(): other.casefold() for one, other in sentences().same.items()}
    asked = " ".join(term.split()).casefold()
    bare = re.split(r"::|\.", re.sub(r"<.*>$", "", asked))[-1].replace("_", " ")  # of std::condition_variable
    ways = (asked, asked.replace(" ", "-"), asked.replace("-", " "), asked.replace("::", "-"), bare)
    found = next((one for way in ways for one in (way, same.get(way, "")) if one in spelled), None)
    if found is None:
        near = _near(asked, spelled, {**same, **{one: one for one in spelled}})
        raise UnknownName("word", term, list(spelled.values()), near, lists="threadping explain")
    return spelled[found]


def terms(declared: Declared, answer: Answer | None = None, said: Words | None = None) -> list[str]:
    return list(gathered(_known(declared, answer, said, {})))


def glossary(declared: Declared, said: Words | None, commands: Mapping[str, str]) -> Block:
    """Return all words with an explanation, by their kinds."""
    known = _meanings_of_names(declared)
    figures = [one for one in terms(declared, None, said) if one in known and "." not in one]
    of_probes = list(dict.fromkeys(word for word, *_ in gathered(_of_probes(said)))) if said else []
    groups = {
        "commands": [*commands],
        "warnings and notes": every_code(declared),
        "figures": figures,
        "causes of outliers": [*CAUSES],
        "mechanisms and parameters": of_probes,
        "other words": sorted(sentences().words, key=str.casefold),
    }
    return Labelled([(name, Text(", ".join(map(plain, group)))) for name, group in groups.items() if group])


def _near(asked: str, spelled: Mapping[str, str], same: Mapping[str, str]) -> list[str]:
    alike = (spelled[same[one]] for one in similar(asked, same) if same[one] in spelled)
    texts = {**sentences().words, **sentences().causes}
    whole = re.compile(rf"\b{re.escape(asked)}", re.IGNORECASE)
    saying = (word for word, text in texts.items() if len(asked) > 2 and whole.search(f"{word} {text}"))
    return list(islice(dict.fromkeys(chain(alike, saying)), 3))


def _known(
    declared: Declared, answer: Answer | None, said: Words | None, commands: Mapping[str, str]
) -> Iterator[tuple[str, Explained]]:
    yield from ((word, _sentence(word, "", sentence)) for word, sentence in sentences().first.items())
    yield NOT_MEASURED, _not_measured(answer)
    yield from ((code, of_code(code, answer)) for code in every_code(declared))
    yield from ((word, _sentence(word, "", sentence)) for word, sentence in sentences().words.items())
    for name, found in _meanings_of_names(declared).items():
        alike = gathered(((one[1] or one[0], *experiments), one) for one, experiments in found.items())
        shown = [(experiments, meanings) for (_, *experiments), meanings in alike.items()]
        if len(shown) > MOST_MEANINGS:
            yield name, _places(name, found)
            shown = [one for one in shown if any(_values(*one, answer))]
        yield from ((name, _figure(meanings, experiments, answer)) for experiments, meanings in shown)
    yield from ((cause, _phrase(cause, "cause of outliers", sentences().causes[cause])) for cause in CAUSES)
    yield from ((name, _phrase(name, "experiment", one.title)) for name, one in declared.items())
    of_probes = gathered(_of_probes(said)) if said else {}
    for (word, kind, sentence), where in of_probes.items():
        yield word, _sentence(word, f"{kind}, {', '.join(where)}", sentence)
    yield from ((name, _sentence(name, "command", says)) for name, says in commands.items())
    for runtime in answer.run.runtimes if answer else ():
        command = Text(plain(" ".join(runtime.command)), "dim")
        yield runtime.label, chain(_sentence(runtime.label, "runtime", runtime.version), [command])
        for own in runtime.own:
            yield (own.name, _sentence(own.name, f"custom mechanism, {runtime.label}", f"{own.source}: {own.made_by}"))
    if answer and answer.states.found:
        yield from ((word, core_to_core(answer)) for word in (STATE, CORE_TO_CORE))


def _of_probes(said: Words) -> Iterator[tuple[tuple[str, str, str], str]]:
    for experiment, one in said.experiments.items():
        for name in one.mechanisms:
            if mechanism := said.of(experiment, name):
                yield (name, "mechanism", f"{mechanism.summary} {mechanism.costs}"), experiment
        yield from (((name, "parameter", sentence), experiment) for name, sentence in one.params.items())


def _sentence(word: str, kind: str, sentence: str) -> Iterator[Block]:
    yield Text.assemble((plain(word), "bold"), (kind and f"  {kind}", "dim"), f"\n{made_literal(plain(sentence))}")


def _phrase(word: str, kind: str, phrase: str) -> Iterator[Block]:
    return _sentence(word, kind, f"{phrase[0].upper()}{phrase[1:]}.")


def _not_measured(answer: Answer | None) -> Iterator[Block]:
    if answer is None:
        yield Text(made_literal("Cases that a run left out; `threadping explain not-measured RUN` lists them."))
    elif missing := [*reasons(f"Not measured in run {answer.run.id}", answer.run.skipped), *not_measured(answer)]:
        yield from missing
    else:
        yield Text(f"Run {answer.run.id} left nothing out.")


def of_code(code: str, answer: Answer | None) -> Iterator[Block]:
    """Yield what a code means; for a run with the facts of the worst case, and of the others in a few words each."""
    level = wording(code).level
    found = [] if answer is None else [one for one in findings.found(numbered(answer)) if one.code == code]
    of_run = [one for one in answer.findings if one.code == code] if answer else []
    yield Text.assemble(findings.mark(level), " ", (code, "bold"), (f"  {level}", "dim"))
    if answer is None or not (found or of_run):
        yield Text(made_literal(explained(code), answer.run.id if answer else 0))
        if answer:
            checked = code in codes_of(answer.declared) or isinstance(answer.run.study, Checkup)
            none = "has none" if checked else "did not check it: `threadping doctor` does"
            yield Text(made_literal(f"Run {answer.run.id} {none}."), "dim")
        return
    if of_run:
        yield Text(made_literal(plain(of_run[0].text("message")), answer.run.id))
        return
    row, worst = found[0].worst
    yield Text.assemble(
        (f"#{row.place} {plain(row.case.title)}: ", "bold"), made_literal(plain(worst.text("message")), answer.run.id)
    )
    others = ((other, one) for of in found for other, one in of.of if other is not row)
    briefs = sorted((other.place, plain(other.case.title), plain(one.text("brief"))) for other, one in others)
    if briefs:
        yield Labelled([(f"#{number}", Text(f"{title}{facts and f': {facts}'}")) for number, title, facts in briefs])


def _figure(meanings: Sequence[Meaning], experiments: Sequence[str], answer: Answer | None) -> Iterator[Block]:
    names, means, how, _ = (list(dict.fromkeys(each)) for each in zip(*meanings, strict=True))
    yield Text.assemble((_ends(names), "bold"), (f"  {', '.join(experiments)}", "dim"))
    if means[0]:
        yield Text(means[0])
    yield Text(_ends(how), "dim")
    known = [
        (f"#{row.place}", Text.assemble(layout.with_interval(unit, found, "bold"), f"  {plain(row.case.title)}", of))
        for name, unit, row, found in _values(experiments, meanings, answer)
        for of in ((f"  {name}" if len(names) > 1 else "", "dim"),)
    ]
    if known:
        more = [("", Text(f"and {len(known) - MOST_ROWS_SHOWN} more", "dim"))] if known[MOST_ROWS_SHOWN:] else []
        yield Labelled([*known[:MOST_ROWS_SHOWN], *more])


def _values(
    experiments: Sequence[str], meanings: Sequence[Meaning], answer: Answer | None
) -> Iterator[tuple[str, Unit, Row, Estimate]]:
    """Yield each value of a metric in a run: its name, its unit, its row and the estimate."""
    for name, _, _, unit in meanings:
        for row in numbered(answer) if answer else ():
            if row.case.experiment in experiments and (found := row.figures.get(name)):
                yield name, unit, row, found


def _places(word: str, found: Mapping[Meaning, Sequence[str]]) -> Iterator[Block]:
    """Yield the metrics with this name or head by experiment, in a paragraph, and the command that explains one."""
    by_experiment = gathered((one, meaning[0]) for meaning, experiments in found.items() for one in experiments)
    parts, example = [], next(iter(found))[0]
    for experiment, names in by_experiment.items():
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        parts.append(f"{experiment} ({', '.join(names[:MOST_NAMED])}{more})")
    if word not in sentences().first and word not in sentences().words:
        yield Text(plain(word), "bold")
    yield Text(f"In {', '.join(parts)}.")
    yield Text(made_literal(f"`threadping explain {example}` explains one of them."), "dim")


def _ends(texts: Sequence[str]) -> str:
    return " \N{HORIZONTAL ELLIPSIS} ".join(dict.fromkeys((texts[0], texts[-1])))


def _meanings_of_names(declared: Declared) -> Mapping[str, Mapping[Meaning, Sequence[str]]]:
    found: dict[str, dict[Meaning, list[str]]] = {}
    for experiment, declaration in declared.items():
        for names, meaning in _meanings(declaration):
            for name in dict.fromkeys(names):
                found.setdefault(name, {}).setdefault(meaning, []).append(experiment)
    return found


def _meanings(declared: Declaration) -> Iterator[tuple[Sequence[str], Meaning]]:
    for one in declared.figures:
        unit = re.sub("per_s", "per second", one.unit)
        better = f", {'lower' if one.better == 'less' else 'higher'} is better" if one.better else ""
        how = f"{unit}{better}; over trials the {SUMMARY_WORDS.get(one.over, one.over)}"
        yield [one.name, one.head], (one.name, one.means, how, one.unit)
    for of in declared.distributions:
        for name in (*PERCENTILE_NAMES, "samples"):
            one = of.figure(name)
            yield [one.name, name, one.head], (one.name, of.means, f"{one.unit}, of {of.noun}", one.unit)
