"""Conduct a study: the order of a measurement, from a question on the command line to the exit code."""

import os
from math import ceil
from typing import Any

from msgspec.structs import replace

from threadping.analysis.analyse import analyse
from threadping.analysis.answer import Answer
from threadping.conduct.environment import Environment
from threadping.conduct.execution import execute_run, interruption, run_of
from threadping.conduct.showing import check_format, show
from threadping.conduct.stored import keep_answer
from threadping.conduct.study import Asked, Output, Reading, Study, pop_fields
from threadping.experiments import declared
from threadping.model.characters import visible
from threadping.model.errors import BudgetTooSmall, Interrupted, ThreadpingError, UsageError
from threadping.model.quantities import budget
from threadping.model.run import RunEnded
from threadping.model.studies import LikeTool, Repeated, Survey, WhichQueue
from threadping.probes.machine_lock import machine_lock
from threadping.probes.runtimes import find_runtimes
from threadping.store.database import open_store


def conduct_asked(study: Study[Any, Any], options: dict[str, Any]) -> int:
    """Conduct a study as the options of its command say; the exit code."""
    output = pop_fields(Output, options)
    return conduct(study, study.ask(**options), output, anyway=options["anyway"])


def conduct(study: Study[Asked, Reading], asked: Asked, output: Output, *, anyway: bool) -> int:
    """Measure what answers a question, store it, print the answer; the exit code.

    What can be refused is refused before anything is measured.
    """
    check_format(study, output)
    found = find_runtimes(os.environ)
    environment = Environment(found, found.cpp())
    with machine_lock(anyway=anyway) as note:  # before any probe is started
        try:
            begun = study.prepare(asked, environment)
        except BudgetTooSmall as error:
            if environment.built:  # 2 is for what is refused before anything is done
                raise ThreadpingError(str(error)) from error
            raise
        run = run_of(begun, note)
        with open_store(output.location) as store:
            ended = execute_run(store, study, run, environment.cpp, begun.said, begun.wanted)
    return show_ended(study, ended, asked, output)


def show_ended(study: Study[Any, Any], ended: RunEnded, asked: Any, output: Output) -> int:
    """Show a run that has just ended, then raise what went wrong in it; the exit code."""
    ended = study.settle(ended)
    # Until now probes were started by the bytes of their paths; from here on commands are printable.
    runtimes = tuple(replace(one, command=tuple(map(visible, one.command))) for one in ended.run.runtimes)
    try:
        answer = analyse(replace(ended.run, runtimes=runtimes), ended.observations, ended.pings, declared())
        try:
            return show(study, answer, asked, output, ended.problem or _without_figures(answer))
        finally:
            keep_answer(output.location, answer)
    except UsageError as error:  # what was asked for was measured: it is not wrong, but cannot be answered
        raise (ended.problem or ThreadpingError(str(error))) from error
    except KeyboardInterrupt as stop:
        raise Interrupted(interruption(ended.run)) from stop


def _without_figures(answer: Answer) -> ThreadpingError | None:
    """Return the error that no row has a figure, if rows are the answer."""
    if not isinstance(answer.run.study, OF_ROWS) or not answer.rows or any(row.figures for row in answer.rows):
        return None
    codes = ", ".join(dict.fromkeys(one.code for row in answer.rows for one in row.findings if one.level == "error"))
    return ThreadpingError(
        f"No case has a figure ({codes}): `threadping explain {codes.partition(',')[0]}` says why. Give it more "
        f"time, such as --budget {budget(ceil(LONGER * answer.run.budget_s))}."
    )


OF_ROWS = (Survey, Repeated, LikeTool, WhichQueue)  # Studies whose answer is their rows

# Times the budget of a run without a figure: a state that nine trials of ten change leaves ten times as many
LONGER = 10
