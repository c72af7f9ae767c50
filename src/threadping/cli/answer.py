"""Print an answer: for a person on the terminal, for a program in an export format. It alone goes to stdout."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVarTuple

from msgspec import Struct
from msgspec.structs import replace

from threadping import files
from threadping.analysis.answer import Answer
from threadping.cli.options import Format
from threadping.errors import UsageError

if TYPE_CHECKING:  # it would import rich
    from rich.console import RenderableType

    from threadping.views.terminal.tables import Detail

WHAT = "the output"
Ts = TypeVarTuple("Ts")


class Output(Struct, frozen=True):
    """How an answer is given: what goes to stdout, and which files are written beside it.

    With `detail` all rows are shown, or so much of them; with `trials` the trials one by one.
    """

    format: Format
    file: Path | None = None
    chart: Path | None = None
    page: Path | None = None
    detail: "Detail | None" = None
    trials: bool = False


class Asked(Struct, frozen=True, kw_only=True):
    """How something is given that is no run's rows.

    Attributes:
        form: how to write it to stdout.
        chart: where to draw it.
        store: where runs are kept; None for the user's own.
    """

    form: str = "table"
    chart: Path | None = None
    store: str | None = None


def give(
    form: str,
    as_json: Callable[[*Ts], str],
    as_table: Callable[[*Ts], "RenderableType"],
    *of: *Ts,
    as_csv: Callable[[*Ts], str] | None = None,
) -> None:
    """Print something as JSON or CSV where that is the form, else as a table."""
    if written := {"json": as_json, "csv": as_csv}.get(form):
        print(written(*of), end="")
    else:
        from threadping.views.terminal.console import stdout

        stdout().print(as_table(*of))


def print_answer(answer: Answer, output: Output) -> None:
    """Write what was asked for to stdout and into files: the first screen, all rows, or the trials one by one."""
    if answer.run.matrix is not None:
        _print_matrix(answer, output)
        return
    from threadping.views.export import export

    if output.format != "table":
        print(export(output.format, answer, trials=output.trials), end="")
    else:
        from threadping.views.terminal.console import stdout
        from threadping.views.terminal.screen import screen
        from threadping.views.terminal.tables import tables, trials_table

        if answer.run.requirement is not None:
            from threadping.advising.advice import advise
            from threadping.views.terminal.advice import repeated

            stdout().print(repeated(advise(answer.run, [one.observation for one in answer.trials])))
        if output.trials:
            stdout().print(trials_table(answer, output.detail))
        else:
            stdout().print(tables(answer, output.detail) if output.detail else screen(answer))
    if output.file is not None:
        files.write(output.file, export(output.file.suffix.lower()[1:], answer, trials=output.trials).encode(), WHAT)
    if output.chart is not None:
        from threadping.views.charts import write_picture
        from threadping.views.charts.answer import specification

        write_picture(specification(_shown(answer, output.detail)), output.chart)
    if output.page is not None:
        from threadping.cli.report import write_page

        write_page([answer], output.page)


def _shown(answer: Answer, detail: "Detail | None") -> Answer:
    """With the rows alone that the tables have."""
    from threadping.views.terminal.tables import is_wanted

    return (
        replace(answer, rows=tuple(row for row in answer.rows if is_wanted(answer, row, detail))) if detail else answer
    )


def _print_matrix(answer: Answer, output: Output) -> None:
    from threadping.cli.matrix import given

    if output.format in ("hgrm", "hlog") or output.file or output.trials:
        raise UsageError(f"Run {answer.run.id} is a matrix: it is written to stdout, as a table, as json or as csv.")
    given(answer, Asked(form=output.format, chart=output.chart))
    if output.page is not None:
        from threadping.cli.report import write_page

        write_page([answer], output.page)
