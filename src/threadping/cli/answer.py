"""Print a run: for a person as the ladder, for a program in an export format. The answer alone goes to stdout."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from threadping import files
from threadping.analysis.rows import rows_of
from threadping.analysis.states import States
from threadping.cli.options import Format
from threadping.experiments import declared
from threadping.extras import require
from threadping.model import Observation, Run

WHAT = "the output"


class Output(Struct, frozen=True):
    """How an answer is given: what goes to stdout, and which files are written beside it."""

    format: Format
    file: Path | None = None
    chart: Path | None = None

    def check(self) -> None:
        """Refuse what cannot be written, before anything is measured for it."""
        if self.file is not None:
            from threadping.views.export import FORMATS

            files.check(self.file, [f".{name}" for name in FORMATS], WHAT)
        if {self.format, self.file.suffix.lower()[1:] if self.file else ""} & {"hgrm", "hlog"}:
            require("hdrhistogram", "HdrHistogram's formats")
        if self.chart is not None:
            from threadping.views.charts import check_chart

            check_chart(self.chart)


def print_answer(
    run: Run, observations: Sequence[Observation], states: States, output: Output, *, trials: bool = False
) -> None:
    """Write the run's rows, or its trials one by one, to stdout and into the files that were asked for."""
    from threadping.views import export

    figures = declared()
    rows = rows_of(run, observations, figures, states)

    def exported(name: str) -> str:
        if trials:
            return export.trials(name, run, observations, figures, states)
        return export.export(name, run, rows, observations, figures, states)

    if output.format != "table":
        print(exported(output.format), end="")
    else:
        from threadping.views.terminal.console import stdout
        from threadping.views.terminal.ladder import ladder
        from threadping.views.terminal.trials import trials_table

        stdout().print(
            trials_table(run, observations, figures, states)
            if trials
            else ladder(run, rows, figures, states, observations)
        )
    if output.file is not None:
        files.write(output.file, exported(output.file.suffix.lower()[1:]).encode(), WHAT)
    if output.chart is not None:
        from threadping.views.charts import write_chart

        write_chart(run, rows, observations, figures, output.chart)
