"""CSV: the lines of the JSON, a column for everything that one of them knows; what a line does not know is empty."""

from threadping.analysis.answer import Answer
from threadping.sheets.records import flat, table
from threadping.views.export.as_json import lines


def write(answer: Answer, trials: bool) -> str:
    """Write a heading and the lines."""
    run = {"run": answer.run.id, "hostname": answer.run.machine.hostname}
    return table([{**run, **dict(flat(line))} for line in lines(answer, trials)] or [run])
