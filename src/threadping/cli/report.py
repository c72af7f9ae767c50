"""A run as a page, its charts as files, and a page as a run again."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from threadping.analysis.answer import Answer
from threadping.conduct.pages import ENDING, WHAT, digest, write_page
from threadping.conduct.presenting import Output, pop_fields
from threadping.conduct.streams import deliver, write_export
from threadping.conduct.study import study_of, write_answer
from threadping.model import files
from threadping.model.errors import UsageError, require_extra
from threadping.model.run import Run, Stored
from threadping.model.text import plain, proposed
from threadping.output.bundle import carry_run
from threadping.output.formats import form_of

if TYPE_CHECKING:
    from threadping.store.store import Store


def report(which: Sequence[str], *, identify: bool = False, **given: Any) -> int:
    """Write a page of runs, named by numbers, `last` or pages; of one run also charts or markdown; the exit code."""
    require_extra("charts", "Pages")
    output, which = pop_fields(Output, given), which or ("last",)
    if not output.files and output.form == "table":
        of = "-".join(dict.fromkeys(one for one in which if not one.lower().endswith(ENDING))) or "pages"
        output = replace(output, files=(Path(f"threadping-{of}.html"),))
        files.check(output.files[0], ENDING, WHAT)
    pages = [path for path in output.files if form_of(path) == "html"]
    if pages:
        from threadping.output.page import page as pictures

        pictures.begin()
    of_one = output.form != "table" or len(pages) < len(output.files)
    answers = [] if of_one and len(which) > 1 else list(_answers(output.location, which))
    if of_one and len(answers) != 1:
        raise UsageError("Several runs go into one .html file only: name one run.")
    charts = [partial(_write_chart, answers[0], path) for path in output.files if path not in pages]
    writing = [*(partial(write_page, answers, path, identify=identify) for path in pages), *charts]
    return deliver(partial(write_export, digest(answers[0]) if output.form == "markdown" else ""), writing)


def import_files(paths: Sequence[Path], **given: Any) -> int:
    """Store the runs that pages carry, and show the matrices of other tools: each file as what is in it."""
    output, code, runs = pop_fields(Output, given), 0, list[tuple[str, Stored]]()
    if any(_may_carry(file) for file in paths):
        _refuse_formats(output)
    for file in paths:
        content, name = files.read(file), files.named(file)
        if files.recognise(content, name) == "page" or _may_carry(file):
            from threadping.conduct.pages import load_bundle

            _refuse_formats(output)
            runs.extend((name, one.stored) for one in load_bundle(content, name))
        else:
            from threadping.studies.matrix.pasted import show_pasted

            code = max(code, show_pasted(files.decode(content, name), name, output))
    if runs:
        store_all(output.location, runs)
    return code


def _may_carry(file: Path) -> bool:
    return file.suffix.lower() in (*ENDING, ".run")


def _refuse_formats(output: Output) -> None:
    if output != Output(location=output.location):
        raise UsageError("--format and -o are for a matrix. Runs from a page are stored: see `threadping show`.")


def store_all(location: str | None, runs: Sequence[tuple[str, Stored]]) -> None:
    """Store runs, each with the name of its file for a person: all of them, or none."""
    from threadping.conduct.stored import keep_series
    from threadping.store.store import open_store

    with open_store(location) as store:
        known = [_stored(store, one) for _, one in runs]
        new = iter(store.take_all([one for (_, one), before in zip(runs, known, strict=True) if not before]))
        for (name, _), before in zip(runs, known, strict=True):
            run, said = (before, "is stored already, the same as in") if before else (next(new), "is from")
            print(f"Run {run.id} {said} {plain(name)}: `{proposed('show', str(run.id))}`.", file=sys.stderr)
        keep_series(store)


def _stored(store: "Store", one: Stored) -> Run | None:
    """Find the stored run with the same content, apart from host, users, and the store's own end time."""
    for run in store.begun(one.run.started):
        if carry_run(
            Stored(replace(run, ended=one.run.ended), tuple(store.observations(run)), tuple(store.pings(run)))
        ) == carry_run(one):
            return run
    return None


def _answers(location: str | None, which: Sequence[str]) -> Iterator[Answer]:
    from threadping.conduct.pages import load_bundle
    from threadping.conduct.stored import answered
    from threadping.store.store import open_store

    with ExitStack() as stack:
        store = None
        for one in which:
            if one.lower().endswith(ENDING):
                yield from load_bundle(files.read(Path(one)), one)
                continue
            store = store or stack.enter_context(open_store(location, create=False))
            yield answered(store, one)


def _write_chart(answer: Answer, path: Path) -> None:
    study = study_of(answer.run)
    write_answer(study, answer, study.read(answer, None), path)
