"""A run as a page carries it, whole: what `threadping import` stores elsewhere."""

from threadping.analysis.answer import Answer
from threadping.output.carried import carry_run, embed_runs


def whole(answer: Answer, trials: bool) -> str:
    """Write all that is kept of a run, on one line."""
    return embed_runs([carry_run(answer.stored)]) + "\n"
