"""The charts of an answer: the machine's states, if there were several, and one experiment after the other."""

from collections.abc import Iterator
from itertools import chain

from threadping.analysis.answer import Answer
from threadping.views.charts import style
from threadping.views.charts.ladder import ladder
from threadping.views.charts.lines import curves, over, scalings, tradeoffs
from threadping.views.charts.states import of_answer


def charts(answer: Answer) -> dict[str, list[style.Chart]]:
    """The charts of each experiment of which a row has a headline: the same for the same answer."""
    return {name: of_it for name in answer.declared if (of_it := list(_of_experiment(name, answer)))}


def _of_experiment(name: str, answer: Answer) -> Iterator[style.Chart]:
    declared = answer.declared[name]
    rows = [row for row in answer.rows if row.case.experiment == name and row.number(row.leading.name) > 0]
    if not rows:
        return
    leading = [row for row in rows if row.leads]
    yield from tradeoffs(name, leading, declared)
    yield from over(name, leading, declared)
    scaled = list(scalings(name, answer, rows, declared))
    if not (scaled and declared.along):
        yield ladder(name, rows, declared)
        yield from curves(name, rows, declared)
    yield from scaled


def every(answer: Answer) -> list[style.Chart]:
    """All of them; ChartRefused if no row has a headline."""
    experiments = style.some([*charts(answer).values()], "no case of this run has a figure")
    return [*of_answer(answer), *chain.from_iterable(experiments)]


def specification(answer: Answer) -> style.Json:
    """Lay all of them out."""
    return style.page_of(answer.run, every(answer))
