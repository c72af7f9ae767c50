"""What was measured before: the list of runs, and one of them again."""

from pathlib import Path

from threadping.cli.answer import print_answer
from threadping.cli.options import Format
from threadping.store import open_store


def list_runs(location: str | None, limit: int) -> None:
    """Print the newest runs."""
    from threadping.report.console import stdout
    from threadping.report.runs import runs_table

    with open_store(location, create=False) as store:
        stdout().print(runs_table(store.runs(limit)))


def show(location: str | None, which: str, output: Format, chart: Path | None, *, trials: bool) -> None:
    """Print one run again, or its trials one by one."""
    if chart is not None:
        from threadping.report.chart import check_chart

        check_chart(chart)
    with open_store(location, create=False) as store:
        run = store.run(which)
        ended = store.trials(run.id)
    if trials and output == "table":
        from threadping.report.console import stdout
        from threadping.report.runs import trials_table

        stdout().print(trials_table(run, ended))
    else:
        print_answer(run, ended, output, chart)
