"""An answer for programs: one module for each family of formats; `views/formats.py` lists them."""

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Protocol

from msgspec.structs import replace

from threadping.analysis.answer import Answer
from threadping.sheets.anonymous import anonymous
from threadping.views.carried import analyse_carried, carry_run, embed_runs
from threadping.views.formats import EXPORTS

Select = Callable[[Answer], Answer]
"""What takes a part of an answer."""


class Write(Protocol):
    """Writes the rows of an answer, or its trials one by one; of those that `select` takes."""

    def __call__(self, answer: Answer, trials: bool, *, select: Select = ...) -> str:
        """Write an answer, or its trials one by one, in a format."""


def _whole(answer: Answer) -> Answer:
    return answer


def _run(answer: Answer, trials: bool, *, select: Select = _whole) -> str:
    """The run as a page carries it, whole: what `threadping import` stores elsewhere."""
    return embed_runs([carry_run(answer.stored)]) + "\n"


def shared(answer: Answer, select: Select = _whole) -> Answer:
    """A part of what may be given away: it names the host, by which files are told apart, and no folder."""
    run = answer.run
    kept = anonymous(answer.stored, {run.owner.hostname})
    named = replace(kept.run, machine=replace(kept.run.machine, hostname=run.machine.hostname))
    return select(analyse_carried(answer, replace(kept, run=named)))


def _write(writer: str, answer: Answer, trials: bool, *, select: Select = _whole) -> str:
    module, _, name = writer.partition(".")
    written: str = getattr(import_module(f"{__name__}.{module}"), name)(shared(answer, select), trials)
    return written


FORMATS: Mapping[str, Write] = {
    name: partial(_write, one.writer) if one.writer else _run for name, one in EXPORTS.items()
}
