"""The HTML report of runs, its lead as Markdown, and the one door for runs from elsewhere.

Pages, `.run` files and hosts of a fleet bring runs. What is stored is believed, so whatever reads a stored run reads
one from elsewhere here, once, before it is stored: a run that a reader cannot take is refused in a sentence.
"""

import io
import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from importlib.metadata import PackageNotFoundError, metadata
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy
from msgspec.structs import replace

from threadping.analysis.analyse import FORM, analyse
from threadping.analysis.answer import Answer
from threadping.analysis.checks import sentences
from threadping.analysis.runs import beside_each_other
from threadping.conduct.stored import changes_between, compiled_between
from threadping.conduct.streams import say_written
from threadping.conduct.study import READERS, STUDIES, Study, formats_of, study_named, study_of, written
from threadping.experiments import declared
from threadping.model import files, quantities
from threadping.model.base import MOST_PAIRED_CASES
from threadping.model.errors import PageUnreadable, ProbeUnusable, ThreadpingError, cause_of, import_by_path
from threadping.model.run import NOBODY, Run, Stored
from threadping.model.text import LEGIBLE, plain
from threadping.output import findings, listings, records
from threadping.output.bundle import analyse_carried, carry_run, unpack_runs
from threadping.output.heading import about, cpus, heading, of_machine
from threadping.output.layout import Article, Block, Blocks, Chart, Flow, Lead, Section, grid, grid_of, named
from threadping.output.printing import Definitions, TrimmingConsole, as_markdown, escaped
from threadping.output.run_records import run_sheets, side_by_side_sheet, state_table
from threadping.output.screen import RowView, asks, core_to_core, leading_sentences, questions
from threadping.probes.language import words


def article_of(answer: Answer, letter: str = "") -> Article:
    run = answer.run
    found = (each for name in STUDIES for each in study_named(name).sections(answer))
    sections = sorted([_machine(answer), *found], key=lambda one: one.place)
    said = [*study_of(run).lead(answer), *leading_sentences(answer)]
    seen = list(dict.fromkeys(row.case.experiment for row in answer.rows))
    declared, cases = answer.declared, [row.case for row in answer.rows]
    subject = f"{seen[0]}: {declared[seen[0]].title_of(cases)}" if len(seen) == 1 else f"Overview: {', '.join(seen)}"
    outcome = next((one for one in said if isinstance(one, Lead)), Lead(subject))
    lead = [*_lead(answer, [one for one in said if one is not outcome])]
    return Article(letter, cpus(run.machine), outcome, _minute(run), lead, sections, repeats(run))


def _machine(answer: Answer) -> Section:
    """Show what was recorded of the machine, and its states; unless the study shows what it found of each pair."""
    known = [(label, text.plain) for label, text in of_machine(answer)]
    blocks: list[Block] = [grid(known, *(named("", itemgetter(place)) for place in (0, 1)))]
    charts: Sequence[Chart] = ()
    if answer.states.found and study_of(answer.run).shows_rows:
        from threadping.output.charts import of_answer

        charts, blocks = of_answer(answer), [state_table(answer.states.found, with_cpus=True), *blocks]
    return Section("machine", "The machine", charts, blocks, place=3)


def _minute(run: Run) -> str:
    return f"{run.started[:16].replace('T', ' ')} UTC"


def _lead(answer: Answer, said: Sequence[Block]) -> Iterator[Block]:
    where, *more = heading(answer)
    yield from findings.unusable(answer)
    yield from said
    address, run = _project_address(), answer.run
    yield plain(
        f"This report shows what it costs threads to signal, wake and wait for each other on {cpus(run.machine)}, "
        f"measured by threadping {run.version} at {_minute(run)}. Lower is better, except for rates (/s); "
        f"threadping measures the same on your machine{address and f': {address}'}."
    )
    yield Flow(where.parts[2:] if isinstance(where, Flow) else ())  # number and CPU are above
    yield from more
    if answer.states.found and study_of(answer.run).shows_rows:
        yield from core_to_core(answer, most=None)
    if asked := asks(answer):
        yield questions(asked, [one.label for one in answer.run.runtimes])
        yield ROWS_LEGEND


ROWS_LEGEND = (
    "Each row is a mechanism with its parameters, below its operation; each column is a runtime. "
    "\N{PLUS-MINUS SIGN}, or two ends in brackets, is the 95% interval, or the range of 3-5 trials. "
    "! and \N{BALLOT X} refer to Warnings and notes. Words with a dotted line have a definition."
)


def _project_address() -> str:
    """Return the address of the program's repository; empty if its package does not have one."""
    with suppress(PackageNotFoundError):
        urls = metadata("threadping").get_all("Project-URL") or ()
        return next((url.partition(", ")[2] for url in urls if url.startswith("Repository, ")), "")
    return ""


def definitions(answers: Sequence[Answer]) -> Definitions:
    """Return what `explain` says about the columns and mechanisms of these runs."""
    heads: dict[str, str] = {**sentences().words, **sentences().first}
    names: dict[str, str] = {}
    declared = {name: of for answer in answers for name, of in answer.declared.items()}
    columns = [(one.head, one.means) for of in declared.values() for one in of.figures if one.column]
    columns += [(one.head, one.means) for of in declared.values() for one in of.distributions]
    means = set(columns)
    times = Counter(head for head, text in means if text)
    heads |= {head: text for head, text in means if text and times[head] == 1}
    with suppress(ProbeUnusable):  # a page can do without
        for case in (case for answer in answers for case in answer.run.cases):
            if known := words().of(case.experiment, case.mechanism):
                names[case.mechanism] = f"{known.summary} {known.costs}"
    address = _project_address()
    return Definitions(heads, names, f"{address}/blob/v{answers[0].run.version}" if address else "")


def repeats(run: Run) -> str:
    """Return the command that repeats a run, in the same random order; empty if unknown."""
    if not run.arguments:
        return ""
    seed = [] if "--seed" in run.arguments else ["--seed", str(run.seed)]
    return plain(shlex.join(["threadping", *run.arguments, *seed]))


def digest(answer: Answer) -> str:
    """Write what leads the page as markdown, for a pull request."""
    made = article_of(analyse_carried(answer, carry_run(answer.stored)))
    parts = [f"### {escaped(made.title)}\n", as_markdown(made.lead)]
    for section in made.sections:
        marked = [f"- {one.mark} {escaped(one.summary)}\n" for one in section.details if one.mark in findings.GRAVE]
        said = list(filter(None, ["".join(marked), as_markdown(section.blocks)]))
        if section.digest and said:
            parts += [f"#### {escaped(section.title)}\n", *said]
    return "\n".join([*parts, f"    {made.command}\n" if made.command else ""])


def side_by_side(answers: Sequence[Answer], letters: Sequence[str]) -> Iterator[Section]:
    """Give the sections of several runs in one report, each called by its letter; none of one run."""
    lines = beside_each_other(*answers) if len(answers) > 1 else []
    for name, figures in answers[0].declared.items():
        if mine := [line for line in lines if line.key.case.experiment == name]:
            yield Section(name, f"{name}: {figures.title}", blocks=[grid_of(side_by_side_sheet(mine, letters))])
    if len(answers) > 1 and (changes := changes_between(answers)):
        yield Section("changed", "Not compared", blocks=changes)
    if len(answers) > 1 and (differences := compiled_between(answers)):
        yield Section("compiled", "Compiled differently", blocks=differences)


ENDING, WHAT = (".html",), "the page"


def page_of(answers: Sequence[Answer], *, identify: bool = False) -> str:
    """Return the HTML report of runs; with `identify` it names hosts and users' folders."""
    runs = [carry_run(one.stored, identify=identify) for one in answers]
    shown = [analyse_carried(one, kept) for one, kept in zip(answers, runs, strict=True)]
    letters = [quantities.letters(place) if len(shown) > 1 else "" for place in range(len(shown))]
    articles = [article_of(one, letter) for one, letter in zip(shown, letters, strict=True)]
    from threadping.output.page import page  # jinja2

    return page.page(articles, [*side_by_side(shown, letters)], runs, definitions(shown))


def write_page(answers: Sequence[Answer], path: Path, *, identify: bool = False) -> None:
    """Write the HTML report of some runs and name it on stderr; raises OutputUnwritable."""
    files.write(path, page_of(answers, identify=identify).encode("utf-8", LEGIBLE), WHAT)
    say_written(path)


def load_bundle(content: bytes, name: Path | str) -> list[Answer]:
    """Load the runs of a file, or of a host; raise PageUnreadable where a command could not read one."""
    return [validated_answer(one, name) for one in unpack_runs(content, name)]


def validated_answer(one: Stored, name: Path | str) -> Answer:
    """Analyse a run from elsewhere once all readers accept it; raise PageUnreadable."""
    if any(each.form > FORM for each in one.observations):
        raise PageUnreadable(name, "a newer threadping read its figures")
    try:
        one = replace(one, run=replace(one.run, id=0, owner=NOBODY))
        known = {of: {one.name for one in declares.figures if one.better} for of, declares in declared().items()}
        for seen in one.observations:
            for figure in known.get(seen.case.experiment, set()) & seen.figures.keys():
                if seen.figures[figure] < 0:
                    raise ValueError(f"{figure} is {seen.figures[figure]:g}")
        if (cases := one.run.number_of_cases + len(one.run.left_out)) > MOST_PAIRED_CASES:
            raise ValueError(f"a run of {cases:,} cases")
        unseen = TrimmingConsole(file=io.StringIO(), width=100, markup=False, highlight=False, emoji=False)
        with numpy.errstate(divide="raise", over="raise", invalid="raise"):
            answer = analyse(one.run, one.observations, one.pings, declared())
            for read in _readers(replace(answer, run=replace(one.run, id=1))):
                with suppress(ThreadpingError):  # a sentence: there is none, which its own command says too
                    made = read()
                    if isinstance(made, Block) and not isinstance(made, str):  # all else is made already
                        unseen.print(made)
    except Exception as error:  # whatever it is, it would be one at every command that reads the run
        raise PageUnreadable(name, f"the figures in it make no sense ({cause_of(error)})") from error
    return answer


def _readers(answer: Answer) -> Iterator[Callable[[], object]]:
    """Everything that any command, page or format makes of a stored run."""
    study, survey = study_of(answer.run), study_named("survey")
    listed = [(answer.run, len(answer.trials))]
    yield partial(listings.runs_table, listed)
    yield lambda: records.as_json(*run_sheets(listed))
    yield partial(digest, answer)
    if study is not survey:
        yield from _of_study(study, answer, None)
    for path in READERS:
        yield from import_by_path(f"studies.{path}")(answer)
    for shown in (None, RowView(percentiles=True, outliers=True), RowView(trials=True)):
        yield from _of_study(survey, answer, shown, "markdown")  # the digest, whatever is shown
    yield from _of_study(study_named("reproduce-articles"), answer, None)
    yield partial(about, answer)
    yield partial(side_by_side, [answer, answer], "AB")


def _of_study(study: Study[Any, Any], answer: Answer, asked: Any, *read: str) -> Iterator[Callable[[], object]]:
    try:
        result = study.read(answer, asked)
    except ThreadpingError:  # a sentence, whatever is asked of it
        return
    yield lambda: Blocks.of(*study.lead(answer), *study.blocks(answer, result))
    yield lambda: study.charts(answer, result)
    for form in formats_of(study):
        if form not in ("run", *read):  # a run came in
            yield partial(written, study, answer, result, form)
