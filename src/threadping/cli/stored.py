"""A stored run, shown again; and the definition of any word that an output has."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from msgspec.structs import replace

from threadping.cli.app import PROGRAM
from threadping.conduct.presenting import Output, pop_fields
from threadping.conduct.stored import answered, beside_like_runs
from threadping.conduct.study import formats_of, study_of
from threadping.conduct.study import show as show_answer
from threadping.experiments import declared
from threadping.model.errors import ProbeUnusable
from threadping.model.run import Checkup
from threadping.output.explanation import explanation, glossary
from threadping.output.formats import form_of
from threadping.output.printing import stdout
from threadping.output.screen import RowView, TableOptions
from threadping.probes.language import words
from threadping.store.store import open_store
from threadping.studies.doctor.output import read_checkup
from threadping.studies.survey import STUDY as SURVEY


def show(which: str, **options: Any) -> int:
    """Print one run again: what its study answered, and every row."""
    output = pop_fields(Output, options)
    shown = RowView(trials=options.pop("trials"), detail=TableOptions(**options))
    with open_store(output.location, create=False) as store:
        answer = beside_like_runs(store, answered(store, which))
    study = study_of(answer.run)
    forms = {output.form, *([form_of(output.file)] if output.file else [])}
    if not study.shows_rows and shown == RowView(detail=TableOptions()) and forms <= {"table", *formats_of(study)}:
        return show_answer(study, answer, None, output)
    return show_answer(SURVEY, answer, shown, output, above=study.lead(answer))


def explain(term: Sequence[str], location: str | None) -> None:
    """Print what a word of any output means, with the figures of the run whose number follows it; or all words."""
    term, which = _word_and_run(term)
    answer = None
    if which is not None:
        with open_store(location, create=False) as store:
            answer = answered(store, which)
        if isinstance(answer.run.study, Checkup):
            answer = replace(answer, findings=(*answer.findings, *(one for _, one in read_checkup(answer).findings)))
    said = None
    with suppress(ProbeUnusable):  # without a probe nobody knows mechanisms, but all else has its words
        said = words()
    commands = {
        name: f"{sentence} `threadping {name} --help`"
        for sentences in PROGRAM.groups.values()
        for name, sentence in sentences.items()
    }
    stdout().print(
        explanation(term, declared(), answer, said, commands) if term else glossary(declared(), said, commands)
    )


def _word_and_run(term: Sequence[str]) -> tuple[str, str | None]:
    """Split the words of `explain` into the term and the run; a row is of the newest run unless one is named."""
    *words, last = term or ("",)
    if words and (last == "last" or last.isdecimal()):
        return " ".join(words), last
    word = " ".join(term)
    return word, "last" if word.startswith("#") and word != "#" else None
