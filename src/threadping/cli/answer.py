"""Print a run: for a person as the ladder, for a program in an export format. The answer alone goes to stdout."""

from collections.abc import Sequence

from threadping.cli.options import Format
from threadping.experiments import rows_of
from threadping.model import Run, Trial


def print_answer(run: Run, trials: Sequence[Trial], output: Format) -> None:
    """Write the run's rows to stdout."""
    rows = rows_of(run, trials)
    if output == "table":
        from threadping.report.console import stdout
        from threadping.report.ladder import ladder

        stdout().print(ladder(run, rows))
    else:
        from threadping.export import export

        print(export(output, run, rows), end="")
