"""A run by itself, as a page carries it: what `threadping import` stores elsewhere."""

from threadping.analysis.answer import Answer
from threadping.views.page.carried import carry, embedded


def write(answer: Answer, trials: bool) -> str:
    """Write the run with its trials, whether or not `trials` are wanted one by one; its host is named."""
    return embedded([carry(answer.run, answer.observations, answer.pings, identify=True)]) + "\n"
