"""An answer for programs: one module for each family of formats, and their registry."""

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from threadping.analysis.answer import Answer
from threadping.views.anonymous import anonymous
from threadping.views.carried import carry, embedded, of_carried
from threadping.views.export import as_csv, as_hdr, as_json


def _run(answer: Answer, _trials: bool) -> str:
    """The run as a page carries it: what `threadping import` stores elsewhere."""
    return embedded([carry(answer.stored)]) + "\n"


def _shared(write: Callable[[Answer, bool], str]) -> Callable[[Answer, bool], str]:
    """A writer of what may be given away: it names the host, by which files are told apart, and no folder."""

    def shared(answer: Answer, trials: bool) -> str:
        run = answer.run
        kept = anonymous(answer.stored, {run.owner.hostname})
        named = replace(kept.run, machine=replace(kept.run.machine, hostname=run.machine.hostname))
        return write(of_carried(answer, replace(kept, run=named)), trials)

    return shared


FORMATS: Mapping[str, Callable[[Answer, bool], str]] = {
    "json": _shared(as_json.write),
    "csv": _shared(as_csv.write),
    "hgrm": _shared(as_hdr.hgrm),
    "hlog": _shared(as_hdr.hlog),
    "run": _run,
}
"""Each writes the rows of an answer, or its trials one by one."""
