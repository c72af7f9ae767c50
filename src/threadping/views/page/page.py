"""The page: what it says of each answer, in order. What a run lacks has no heading."""

import base64
import hashlib
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader
from markupsafe import Markup
from msgspec import Struct

from threadping import quantities
from threadping.analysis.answer import Answer
from threadping.analysis.checks import LEVELS
from threadping.analysis.declaration import Row
from threadping.comparing.apart import beside_each_other
from threadping.comparing.words import fold
from threadping.matrix.matrix import matrix, surveyed
from threadping.model.run import Run
from threadping.sheets.grid import Flow, column, figures, grid, named
from threadping.views import apart
from threadping.views import matrix as of_matrix
from threadping.views.carried import carry, embedded, of_carried
from threadping.views.charts import answer as drawn
from threadping.views.charts import style
from threadping.views.page import pictures
from threadping.views.page.blocks import Block, blocks, escaped, markdown, table
from threadping.views.page.sections import Section as OfStudy
from threadping.views.states import of_answer, state_table
from threadping.views.terminal import findings, heading, names, tables
from threadping.views.terminal.distributions import outliers_tables, percentiles_tables
from threadping.views.terminal.explanation import of_check
from threadping.views.terminal.lists import reasons
from threadping.views.terminal.top import alone, asks, questions

APART = "Measured apart: machines, and days on one machine, differ in more than what is compared here."


class Details(Struct, frozen=True):
    """What is one click away."""

    summary: str
    blocks: Sequence[Block]
    mark: str = ""


class Section(Struct, frozen=True):
    """A heading with what stands below it."""

    name: str
    title: str
    figures: Sequence[pictures.Drawn] = ()
    blocks: Sequence[Block] = ()
    details: Sequence[Details] = ()


class Article(Struct, frozen=True):
    """An answer as the page shows it."""

    letter: str
    title: str
    started: str
    facts: Sequence[Block]
    states: Sequence[tuple[str, str, float, str]]
    questions: Block | None
    sections: Sequence[Section]
    command: str


def page(
    answers: Sequence[Answer],
    *,
    identify: bool = False,
    sections: Callable[[Answer], Iterable[OfStudy]] = lambda _: (),
) -> str:
    """Write the page of one answer, or of several side by side; the same for the same runs.

    With `identify` it names hosts and users' folders; `sections` are what studies show of any run.
    """
    runs = [carry(one.stored, identify=identify) for one in answers]
    shown = [of_carried(one, kept) for one, kept in zip(answers, runs, strict=True)]
    letters = [chr(ord("A") + place) if len(shown) > 1 else "" for place in range(len(shown))]
    with ThreadPoolExecutor(1) as beside:  # compressing holds no lock of the interpreter
        packed = beside.submit(embedded, runs)
        return rendered(
            "page.html",
            _switches(MOST_SWITCHES),
            title=" | ".join(heading.cpus(one.run.machine) for one in shown),
            articles=[_article(one, letter, sections(one)) for one, letter in zip(shown, letters, strict=True)],
            together=list(side_by_side(shown, letters)),
            apart=APART,
            carried=Markup(packed.result()),
        )


def rendered(template: str, rules: str, **fields: Any) -> str:
    """Fill a template with its fields; `rules` of its style are its own."""
    room = files(__package__)
    style_sheet = (room / "page.css").read_text("utf-8") + rules
    script = (room / "page.js").read_text("utf-8")
    environment = Environment(
        loader=PackageLoader("threadping", "views/page"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    hashes = {"style": _hash(style_sheet), "script": _hash(script)}
    return environment.get_template(template).render(
        css=Markup(style_sheet), js=Markup(script), hashes=hashes, legend=pictures.legend, **fields
    )


def digest(answer: Answer) -> str:
    """Write what leads the page as markdown, for a pull request."""
    answer = of_carried(answer, carry(answer.stored))
    made = _article(answer, "", charts=False)
    parts = [f"### {escaped(made.title)}\n", *map(markdown, made.facts)]
    parts += [f"- core to core {pair}: {ns}, {of_time}".replace(" :", ":") for pair, ns, _, of_time in made.states]
    parts += [""]
    parts += [markdown(made.questions)] if made.questions else []
    for section in made.sections:
        if section.name in (*answer.declared, "matrix") and not made.questions:
            parts += [f"#### {escaped(section.title)}\n", *map(markdown, section.blocks)]
        if section.name == "warnings":
            parts += [
                f"- {one.mark} {escaped(one.summary)}" for one in section.details if one.mark != findings.MARKS["note"]
            ]
            parts += [f"\n{markdown(one)}" for one in section.blocks]
    return "\n".join([*parts, f"\n    {made.command}\n" if made.command else ""])


MOST_SWITCHES = 56
"""So many lines of a chart look different, and can be switched off."""


def _switches(number: int) -> str:
    """A rule for each place of a legend: what is not checked is not drawn. So no script is needed for it."""
    rules = (f'figure:has([value="{n}"]:not(:checked)) .s{n}{{display:none}}' for n in range(number))
    return "\n".join(rules)


def _hash(text: str) -> Markup:
    return Markup(f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'")


def _article(answer: Answer, letter: str, further: Iterable[OfStudy] = (), *, charts: bool = True) -> Article:
    run = answer.run
    started = f"{run.started[:16].replace('T', ' ')} UTC"
    where, *more = heading.heading(answer)
    known = where.parts[2:] if isinstance(where, Flow) else ()  # number and CPU stand above
    facts = [
        *blocks(*findings.unusable(answer)),
        *blocks(Flow(known), *more),
        *blocks(names.plain(f"{started}, threadping {run.version}")),
    ]
    return Article(
        letter,
        heading.cpus(run.machine),
        started,
        facts,
        list(_states(answer)),
        table(questions(answer, asked)) if (asked := asks(answer)) else None,
        list(_sections(answer, further, charts=charts)),
        repeats(run),
    )


def repeats(run: Run) -> str:
    """The command that repeats a run, in the same random order; empty where it is not known."""
    if not run.arguments:
        return ""
    seed = [] if "--seed" in run.arguments else ["--seed", str(run.seed)]
    return names.plain(shlex.join(["threadping", *run.arguments, *seed]))


def _states(answer: Answer) -> Iterator[tuple[str, str, float, str]]:
    """For each state its pair, how far its CPUs are from each other, its share of the time as a number and in words."""
    for pair in [] if answer.run.matrix else answer.states.pairs:  # which shows every pair
        found = sorted(answer.states.of_pair(pair), key=lambda state: -state.share)
        for place, state in enumerate(found):
            between = f"{pair[0]} ⇄ {pair[1]}" if not place else ""
            changed = f"; {quantities.counted(answer.states.changes.get(pair, 0), 'change')}" if place == 1 else ""
            words = quantities.percent(state.share) + ("" if place else " of the time") + changed
            words = words if found[1:] else alone(state)
            yield between, quantities.time(state.core_to_core_ns), state.share, words


def _sections(answer: Answer, further: Iterable[OfStudy], *, charts: bool) -> Iterator[Section]:
    rows = tables.numbered(answer)
    of = surveyed(answer)
    drawings = [*of_answer(answer), *(of_matrix.charts(answer, of, style.WIDTH) if of else ())]
    states = pictures.drawn(drawings) if charts and not answer.run.matrix else ()
    found = {name: pictures.drawn(of_it) for name, of_it in drawn.charts(answer).items()} if charts else {}
    machine = [("machine", ", ".join(names.plain(part) for part in heading.of_machine(answer.run.machine)))]
    machine += [(label, text.plain) for label, text in heading.of_runtimes(answer)]
    known = [state_table(answer.states.found, with_cpus=True)] if answer.states.found and not answer.run.matrix else []
    recorded = grid(*[named("", one) for one in zip(*machine, strict=True)])
    yield Section("machine", "The machine", states, list(blocks(*known, recorded)))
    if answer.run.matrix:
        yield _matrix(answer, charts=charts)
    for name in answer.declared:
        if mine := [row for row in rows if row.case.experiment == name]:
            yield _experiment(answer, mine, name, found.get(name, ()))
    for one in further:
        details = [Details(each.summary, list(blocks(*each.blocks)), each.mark) for each in one.details]
        yield Section(one.name, one.title, pictures.drawn(one.charts), list(blocks(*one.blocks)), details)
    if warned := list(_warnings(answer)):
        yield Section("warnings", "Warnings and notes", blocks=list(blocks(*findings.of_chance(rows))), details=warned)
    if left_out := list(blocks(*reasons("", answer.run.skipped))):
        yield Section("not-measured", "Not measured", details=[Details("What was left out, and why", left_out)])


def _matrix(answer: Answer, *, charts: bool) -> Section:
    of = matrix(answer)
    columns = [
        named("group", (names.plain(one.named) for one in of.clusters)),
        figures("one way", "ns", (one.latency_ns for one in of.clusters)),
        figures("from", "ns", (one.range[0] for one in of.clusters)),
        figures("to", "ns", (one.range[1] for one in of.clusters)),
        figures("pairs", "count", (one.pairs for one in of.clusters)),
    ]
    notes = [*of.misnamed, *of_matrix.sentences(answer, of)]
    drawings = pictures.drawn(list(of_matrix.charts(answer, of, style.WIDTH))) if charts else ()
    return Section("matrix", "Every two CPUs", drawings, list(blocks(grid(*columns), *notes)))


def _experiment(answer: Answer, rows: Sequence[Row], name: str, figures: Sequence[pictures.Drawn]) -> Section:
    declared = answer.declared[name]
    shown = blocks(*tables.leading_tables(answer, rows, declared))
    percentiles = blocks(*percentiles_tables(tables.naming(rows), rows, declared))
    causes = blocks(*outliers_tables(rows, declared))
    meant = {of.column.head: of.means for of in declared.figures if of.column and of.means}
    meant |= {of.head or of.noun: of.means for of in declared.distributions if of.means}
    words = grid(named("", meant), named("", meant.values()))
    details = [
        Details("Every percentile", list(percentiles)),
        Details("Why the slowest were slow", list(causes)),
        Details("How it was measured", [*blocks(*declared.notes), *blocks(words)]),
    ]
    title = f"{name}: {declared.title}"
    return Section(name, title, figures, list(shown), [one for one in details if one.blocks])


def _warnings(answer: Answer) -> Iterator[Details]:
    """For each code that was found its mark, of how many rows, and what it means."""
    of_rows = {one.code: one for one in reversed(findings.found(answer.rows))}
    levels = {**{one.code: one.level for one in answer.findings}, **{code: one.level for code, one in of_rows.items()}}
    for code in sorted(
        levels, key=lambda code: (LEVELS.index(levels[code]), -len(of_rows[code].of) if code in of_rows else 0)
    ):
        of = quantities.counted(len(of_rows[code].of), "row") if code in of_rows else "machine and run"
        said = list(blocks(*of_check(code, answer.declared, answer)))[1:]
        yield Details(f"{code}: {of}", said, findings.MARKS[levels[code]])


def side_by_side(answers: Sequence[Answer], letters: Sequence[str]) -> Iterator[tuple[str, Block]]:
    """The same case of several answers in one line, in the same state of a machine."""
    if len(answers) < 2:
        return
    lines = beside_each_other(*answers)
    for name, declared in answers[0].declared.items():
        mine = [line for line in lines if line.key.case.experiment == name]
        if not mine:
            continue
        columns = apart.keyed([line.key for line in mine])
        for place, letter in enumerate(letters):
            columns += apart.headlines(letter, [line.rows[place] for line in mine])
            if place:
                ratios = (fold(line.ratio(place)) for line in mine)
                columns.append(column(f"{letter} / {letters[0]}", ratios))
        yield f"{name}: {declared.title}", table(grid(*columns))
