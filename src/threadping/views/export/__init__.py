"""An answer for programs, in formats that only runs have: one module for each family of them, and their registry."""

from collections.abc import Callable, Mapping

from threadping.analysis.answer import Answer
from threadping.views.carried import carry_run, embed_runs
from threadping.views.export import as_hdr


def _run(answer: Answer, trials: bool) -> str:
    """The run as a page carries it, whole: what `threadping import` stores elsewhere."""
    return embed_runs([carry_run(answer.stored)]) + "\n"


FORMATS: Mapping[str, Callable[[Answer, bool], str]] = {"hgrm": as_hdr.hgrm, "hlog": as_hdr.hlog, "run": _run}
"""What writes the rows of an answer, or its trials one by one."""
