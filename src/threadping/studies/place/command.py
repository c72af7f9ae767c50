"""The command `place`: a matrix that was given is read, then CPUs are chosen, and what that gains is measured."""

from typing import Any

from threadping.conduct.conduct import conduct
from threadping.conduct.study import Output, pop_fields
from threadping.model.errors import UsageError
from threadping.planning.selection import Selection
from threadping.studies.place.search import read_given
from threadping.studies.place.shapes import THREAD_SHAPES
from threadping.studies.place.study import STUDY

OF_QUESTION = ("siblings", "avoid_interrupts", "margin")


def place(threads: int, shape: str, matrix: str | None, **options: Any) -> int:
    """Choose CPUs for threads of a shape, measure what that gains, and print both; the exit code."""
    output = pop_fields(Output, options)
    if threads < 2:
        raise UsageError("A thread alone exchanges nothing with another: -n takes 2 threads or more.")
    how = {name: options.pop(name) for name in OF_QUESTION}
    selection = Selection(**options)
    given = read_given(matrix, output.location) if matrix else None
    asked = STUDY.ask(selection=selection, shape=THREAD_SHAPES[shape], threads=threads, given=given, **how)
    return conduct(STUDY, asked, output, anyway=selection.anyway)
