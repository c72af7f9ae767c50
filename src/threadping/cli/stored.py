"""What was measured before: the list of runs, one of them again, what its words mean, and the machine's states."""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from threadping.cli.app import PROGRAM
from threadping.conduct.conduct import formats_of
from threadping.conduct.conduct import show as show_answer
from threadping.conduct.output import Output, pop_fields
from threadping.conduct.present import present_sheets
from threadping.conduct.registry import study_of
from threadping.conduct.stored import answered, beside_like_runs
from threadping.errors import ProbeUnusable
from threadping.experiments import declared
from threadping.probes.words import words
from threadping.rows.explanation import explanation, glossary
from threadping.rows.lists import runs_table
from threadping.rows.tables import Detail, Shown
from threadping.sheets.console import stderr, stdout
from threadping.sheets.entries import run_sheets
from threadping.store.database import open_store
from threadping.studies.survey.study import STUDY as SURVEY


def list_runs(limit: int, **given: Any) -> None:
    """Print the newest runs."""
    output = pop_fields(Output, given)
    with open_store(output.location, create=False) as store:
        runs, damaged = store.listed(limit)
    present_sheets(output, partial(runs_table, runs, damaged), *run_sheets(runs, damaged))


def show(which: str, **options: Any) -> int:
    """Print one run again: what its study answered, and every row."""
    output = pop_fields(Output, options)
    shown = Shown(trials=options.pop("trials"), detail=Detail(**options))
    with open_store(output.location, create=False) as store:
        answer = beside_like_runs(store, answered(store, which))
    study = study_of(answer.run)
    forms = {output.form, *([output.file.suffix.lower()[1:]] if output.file else [])}
    if not study.shows_rows and shown == Shown(detail=Detail()) and forms <= {"table", *formats_of(study)}:
        show_answer(study, answer, None, output)
        return 0
    if output.form == "table":
        for block in study.lead(answer):
            stdout().print(block)
    show_answer(SURVEY, answer, shown, output)
    return 0


def explain(term: Sequence[str], location: str | None) -> None:
    """Print what a word of any output means, with the figures of the run whose number follows it; or all words."""
    term, which = _word_and_run(term)
    answer = None
    if which is not None:
        with open_store(location, create=False) as store:
            answer = answered(store, which)
    said = None
    with suppress(ProbeUnusable):  # without a probe nobody knows mechanisms, but all else has its words
        said = words()
    commands = {
        name: f"{one.get_short_help_str()} `threadping {name} --help`" for name, one in PROGRAM.commands.items()
    }
    stdout().print(
        explanation(term, declared(), answer, said, commands) if term else glossary(declared(), said, commands)
    )


def _word_and_run(term: Sequence[str]) -> tuple[str, str | None]:
    """A word, which may be several, and the run behind it; a row is of the newest run where none is named."""
    *words, last = term or ("",)
    if words and (last == "last" or last.isdecimal()):
        return " ".join(words), last
    word = " ".join(term)
    return word, "last" if word.startswith("#") and word != "#" else None


def remove(which: Sequence[str], *, force: bool, location: str | None) -> None:
    """Remove runs, all of which must be there, and say so."""
    with open_store(location, create=False) as store:
        for number in [store.number(one) for one in which]:
            store.remove(number, force=force)
            stderr().print(f"Run {number} is removed.")
