"""Every row, or every trial, with all that is known of it: JSON, and CSV of the same lines."""

from threadping.analysis.answer import Answer
from threadping.rows.sheets import facts_of, sheets_of
from threadping.sheets import records
from threadping.sheets.entries import described


def json(answer: Answer, trials: bool) -> str:
    """Write the run, its machine, and the lines."""
    return records.as_json(*sheets_of(answer, trials=trials), run=described(answer.run), **facts_of(answer))


def csv(answer: Answer, trials: bool) -> str:
    """Write the lines, each with its run and host."""
    return records.as_csv(*sheets_of(answer, trials=trials), run=answer.run.id, hostname=answer.run.machine.hostname)
