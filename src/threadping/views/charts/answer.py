"""The picture of an answer: the machine's states, if there were several, and one experiment below the other."""

from threadping.analysis.answer import Answer
from threadping.errors import ChartRefused
from threadping.views.charts import style
from threadping.views.charts.curves import curves
from threadping.views.charts.ladder import ladder
from threadping.views.charts.scaling import scalings
from threadping.views.charts.states import of_answer


def specification(answer: Answer) -> style.Json:
    """Lay out the charts of an answer: the same for the same answer; ChartRefused if no row has a headline."""
    run, experiments = answer.run, list[style.Json]()
    for name, declared in answer.declared.items():
        rows = [row for row in answer.rows if row.case.experiment == name and (row.value(declared.headline) or 0) > 0]
        scaled = list(scalings(name, rows, declared, run.machine.topology))
        if rows and not (scaled and declared.along):
            experiments += [ladder(name, rows, declared), *curves(rows, declared)]
        experiments += scaled
    if not experiments:
        raise ChartRefused("There is no chart to draw: no case of this run has a figure.")
    charts = [*of_answer(run.id, answer.states), *experiments]
    return style.page(run.machine, style.when(run), charts)
