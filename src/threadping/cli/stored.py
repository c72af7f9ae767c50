"""A stored run, shown again."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from threadping.conduct.presenting import Output, pop_fields
from threadping.conduct.stored import answered, beside_like_runs
from threadping.conduct.study import formats_of, study_of, write_answer
from threadping.conduct.study import show as show_answer
from threadping.model.errors import import_by_path
from threadping.output.formats import PICTURES, form_of
from threadping.output.screen import RowView
from threadping.store.store import open_store
from threadping.studies.survey import STUDY as SURVEY


def export(which: str, files: Sequence[Path], location: str | None) -> None:
    """Write a run into files, and print nothing."""
    with open_store(location, create=False) as store:
        answer = answered(store, which)
    study = study_of(answer.run)
    for path in files:
        of = study if form_of(path) in (*formats_of(study), *PICTURES) else SURVEY
        write_answer(of, answer, of.read(answer, None), path)


def show(which: str, *, states: bool, **options: Any) -> int:
    """Print one run again: what its study answered, and every row, or the states of the machine."""
    output = pop_fields(Output, options)
    if states:
        return int(import_by_path("studies.states.show_states")(which, output))
    shown = RowView(**options)
    with open_store(output.location, create=False) as store:
        answer = beside_like_runs(store, answered(store, which))
    study = study_of(answer.run)
    forms = {output.form, *(form_of(path) for path in output.files)} - {*PICTURES}
    if not study.shows_rows and shown == RowView() and forms <= {"table", *formats_of(study)}:
        return show_answer(study, answer, None, output)
    return show_answer(SURVEY, answer, shown, output, above=() if shown.stands_alone else study.lead(answer))
