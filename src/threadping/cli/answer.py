"""Print a run: for a person as the ladder, for a program in an export format. The answer alone goes to stdout."""

from collections.abc import Sequence
from pathlib import Path

from threadping.cli.options import Format
from threadping.experiments import rows_of
from threadping.model import Run, Trial


def print_answer(run: Run, trials: Sequence[Trial], output: Format, chart: Path | None) -> None:
    """Write the run's rows to stdout, and the chart into its file where one was asked for."""
    rows = rows_of(run, trials)
    if output == "table":
        from threadping.report.console import stdout
        from threadping.report.ladder import ladder

        stdout().print(ladder(run, rows))
    else:
        from threadping.export import export

        print(export(output, run, rows), end="")
    if chart is not None:
        from threadping.report.chart import write_scaling_chart

        write_scaling_chart(run, rows, chart)
