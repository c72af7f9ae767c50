"""The HTML report of runs, whatever their studies; and what leads it, as Markdown."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from threadping.analysis.answer import Answer
from threadping.conduct.streams import say_written
from threadping.conduct.study import page_contributors, study_of
from threadping.model import files, numbers
from threadping.model.characters import LEGIBLE, plain
from threadping.model.run import Run
from threadping.output import findings
from threadping.output.bundle import analyse_carried, carry_run
from threadping.output.heading import cpus, heading
from threadping.output.layout import Block, Flow
from threadping.output.markdown import as_markdown, escaped
from threadping.output.page.sections import Article, Section
from threadping.output.screen import asks, core_to_core, questions


def article_of(answer: Answer, letter: str = "") -> Article:
    """Return a run's section of a report."""
    run = answer.run
    sections = sorted(
        (each for room in page_contributors() for each in room.sections(answer)), key=lambda one: one.place
    )
    return Article(letter, cpus(run.machine), _started(run), [*_lead(answer)], sections, repeats(run))


def _started(run: Run) -> str:
    return f"{run.started[:16].replace('T', ' ')} UTC"


def _lead(answer: Answer) -> Iterator[Block]:
    """Return warnings about the whole run, its answer, the setup, and the core-to-core latencies."""
    where, *more = heading(answer)
    study = study_of(answer.run)
    yield from findings.unusable(answer)
    yield from study.lead(answer)
    yield Flow(where.parts[2:] if isinstance(where, Flow) else ())  # number and CPU stand above
    yield from (*more, plain(f"{_started(answer.run)}, threadping {answer.run.version}"))
    if answer.states.found and study.shows_rows:
        yield from core_to_core(answer, most=None)
    if asked := asks(answer):
        yield questions(answer, asked)


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


def side_by_side(answers: Sequence[Answer], letters: Sequence[str]) -> list[Section]:
    return [each for room in page_contributors() for each in room.beside(answers, letters)] if len(answers) > 1 else []


ENDING, WHAT = (".html",), "the page"


def page_of(answers: Sequence[Answer], *, identify: bool = False) -> str:
    """Return the HTML report of one run, or of several side by side.

    With `identify` it names hosts and users' folders.
    """
    runs = [carry_run(one.stored, identify=identify) for one in answers]
    shown = [analyse_carried(one, kept) for one, kept in zip(answers, runs, strict=True)]
    letters = [numbers.letters(place) if len(shown) > 1 else "" for place in range(len(shown))]
    articles = [article_of(one, letter) for one, letter in zip(shown, letters, strict=True)]
    from threadping.output.page import page  # jinja2

    return page.page(articles, side_by_side(shown, letters), runs)


def write_page(answers: Sequence[Answer], path: Path, *, identify: bool = False) -> None:
    """Write the HTML report of some runs and name it on stderr; raises OutputUnwritable."""
    files.write(path, page_of(answers, identify=identify).encode("utf-8", LEGIBLE), WHAT)
    say_written(path)
