"""An answer for programs: one module for each family of formats, and their registry."""

from collections.abc import Callable, Mapping
from typing import Protocol

from msgspec.structs import replace

from threadping.analysis.answer import Answer
from threadping.rows.sheets import facts_of, sheets_of
from threadping.sheets import records
from threadping.sheets.anonymous import anonymous
from threadping.sheets.entries import described
from threadping.views.carried import analyse_carried, carry_run, embed_runs
from threadping.views.export import as_hdr

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


def _shared(write: Callable[[Answer, bool], str]) -> Write:
    """A writer of what may be given away: it names the host, by which files are told apart, and no folder."""

    def shared(answer: Answer, trials: bool, *, select: Select = _whole) -> str:
        run = answer.run
        kept = anonymous(answer.stored, {run.owner.hostname})
        named = replace(kept.run, machine=replace(kept.run.machine, hostname=run.machine.hostname))
        return write(select(analyse_carried(answer, replace(kept, run=named))), trials)

    return shared


def _json(answer: Answer, trials: bool) -> str:
    return records.as_json(*sheets_of(answer, trials=trials), run=described(answer.run), **facts_of(answer))


def _csv(answer: Answer, trials: bool) -> str:
    return records.as_csv(*sheets_of(answer, trials=trials), run=answer.run.id, hostname=answer.run.machine.hostname)


FORMATS: Mapping[str, Write] = {
    "json": _shared(_json),
    "csv": _shared(_csv),
    "hgrm": _shared(as_hdr.hgrm),
    "hlog": _shared(as_hdr.hlog),
    "run": _run,
}
