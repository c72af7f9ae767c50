"""The one door for runs from elsewhere: pages, `.run` files, hosts of a fleet.

What is stored is believed. So whatever reads a stored run reads one from elsewhere here, once, before it is stored: a
run that one of these readers cannot take is refused in a sentence, and none of them has to judge it again.
"""

import io
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy
from msgspec.structs import replace

from threadping.analysis.analyse import FORM, analyse
from threadping.analysis.answer import Answer
from threadping.conduct.pages import digest, side_by_side
from threadping.conduct.showing import GENERAL, written
from threadping.conduct.study import Output, Study, page_contributors, study_named, study_of
from threadping.experiments import declared
from threadping.model.bounds import MOST_PAIRED_CASES
from threadping.model.errors import PageUnreadable, ThreadpingError, cause_of
from threadping.model.run import NOBODY, Stored
from threadping.output.bundle import unpack_runs
from threadping.output.heading import about
from threadping.output.layout import Block, Blocks
from threadping.output.listings import runs_table
from threadping.output.printing import TrimmingConsole
from threadping.output.records import as_json
from threadping.output.run_records import run_sheets
from threadping.output.screen import RowView, TableOptions

UNSEEN_COLUMNS = 100  # width of the terminal that nobody sees
NOT_READ = ("run", "hgrm")  # what came in, and percentiles: hlog reads everything that hgrm does


def load_bundle(content: bytes, name: Path | str) -> list[Answer]:
    """Load the runs in a file's content, or in what a host sent; every command can read each.

    Raises PageUnreadable, which says why not, of the `name`.
    """
    return [validated_answer(one, name) for one in unpack_runs(content, name)]


def validated_answer(one: Stored, name: Path | str) -> Answer:
    """Analyse a run from elsewhere once all readers accept it; raise PageUnreadable."""
    if any(each.form > FORM for each in one.observations):
        raise PageUnreadable(name, "a newer threadping read its figures")
    try:
        one = replace(one, run=replace(one.run, id=0, owner=NOBODY))
        _check_figures(one)
        unseen = TrimmingConsole(file=io.StringIO(), width=UNSEEN_COLUMNS, markup=False, highlight=False, emoji=False)
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


def _check_figures(one: Stored) -> None:
    """Raise a ValueError where a figure is below what it can be."""
    known = {name: {figure.name for figure in of.figures if figure.better} for name, of in declared().items()}
    for seen in one.observations:
        for name in known.get(seen.case.experiment, set()) & seen.figures.keys():
            if seen.figures[name] < 0:
                raise ValueError(f"{name} is {seen.figures[name]:g}")
    if (cases := one.run.number_of_cases + len(one.run.left_out)) > MOST_PAIRED_CASES:
        raise ValueError(f"a run of {cases:,} cases")


def _readers(answer: Answer) -> Iterator[Callable[[], object]]:
    """Everything that any command, page or format makes of a stored run."""
    run, study = answer.run, study_of(answer.run)
    listed = [(run, len(answer.trials))]
    yield partial(runs_table, listed)
    yield lambda: as_json(*run_sheets(listed))
    yield partial(digest, answer)
    yield from _of_study(study, answer, None)
    for room in page_contributors():
        yield from room.readers(answer)
    survey, whole = study_named("survey"), TableOptions(percentiles=True, outliers=True)
    for shown in (RowView(), RowView(detail=whole), RowView(trials=True)):
        yield from _of_study(survey, answer, shown)
    yield from _of_study(study_named("published"), answer, None)
    yield partial(about, answer)
    yield partial(side_by_side, [answer, answer], "AB")


def _of_study(study: Study[Any, Any], answer: Answer, asked: Any) -> Iterator[Callable[[], object]]:
    """All that a study makes of a run."""
    try:
        result = study.read(answer, asked)
    except ThreadpingError:  # a sentence, whatever is asked of it
        return
    yield lambda: Blocks.of(*study.lead(answer), *study.blocks(answer, result))
    yield lambda: study.charts(answer, result)
    for form in {**GENERAL, **study.formats}:
        if form not in NOT_READ:
            yield partial(written, study, answer, result, form, Output())
