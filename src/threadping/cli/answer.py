"""Print an answer: for a person on the terminal, for a program in an export format. It alone goes to stdout."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple

from msgspec import Struct

from threadping import files
from threadping.analysis.answer import Answer
from threadping.characters import LEGIBLE
from threadping.cli.streams import write_export
from threadping.errors import UsageError

if TYPE_CHECKING:  # it would import rich
    from rich.console import RenderableType

    from threadping.views.terminal.tables import Detail

Ts = TypeVarTuple("Ts")
Specification = dict[str, Any]
"""A chart, in Vega-Lite."""


class Output(Struct, frozen=True, kw_only=True):
    """How an answer is given.

    Attributes:
        form: how to write it to stdout.
        file: where to write it too.
        chart: where to draw it.
        page: where to write the page of a run.
        detail: how much of a run's rows is shown; None for the first screen.
        trials: whether trials are shown one by one.
        location: of the store; None for the user's own.
    """

    form: str = "table"
    file: Path | None = None
    chart: Path | None = None
    page: Path | None = None
    detail: "Detail | None" = None
    trials: bool = False
    location: str | None = None


Kind = TypeVar("Kind", bound=Struct)


def taken(kind: type[Kind], given: dict[str, Any]) -> Kind:
    """Take the fields of a record out of the parameters of a command."""
    return kind(**{name: given.pop(name) for name in kind.__struct_fields__ if name in given})


def give(
    output: Output,
    formats: Mapping[str, Callable[[*Ts], str]],
    as_table: Callable[[*Ts], "RenderableType"],
    *of: *Ts,
    chart: Callable[[*Ts], Specification] | None = None,
) -> None:
    """Print something in one of its formats, or as a table, and draw it where that is wanted.

    Raises:
        UsageError: it has no such format.
        ChartRefused: there is nothing to draw.
    """
    if output.form != "table" and output.form not in formats:
        raise UsageError(f"--format {output.form} is not possible here. Choose table or {' or '.join(formats)}.")
    if output.form in formats:
        write_export(formats[output.form](*of))
    else:
        from threadping.views.terminal.console import stdout

        stdout().print(as_table(*of))
    if chart and output.chart:
        from threadping.views.charts import write_picture

        write_picture(chart(*of), output.chart)


def print_answer(answer: Answer, output: Output) -> None:
    """Write what was asked for to stdout and into files: the first screen, all rows, or the trials one by one."""
    if answer.run.matrix is not None:
        from threadping.cli.matrix import given_matrix

        in_part = output.trials or (output.detail is not None and output.detail != type(output.detail)())
        if output.form not in ("table", "json", "csv") or output.file or in_part:
            what = "it is written to stdout as a whole, as a table, as json or as csv"
            raise UsageError(f"Run {answer.run.id} is a matrix: {what}.")
        given_matrix(answer, output)
    else:
        from threadping.views.export import FORMATS

        formats: Mapping[str, Callable[[Answer, bool], str]] = FORMATS
        if output.detail:
            from threadping.views.terminal.tables import only

            ending = output.file.suffix.lower() if output.file else ""
            if output.detail.is_part and (output.form == "run" or ending == ".run"):
                raise UsageError("The format run carries a whole run: leave --experiment and --state out.")
            select = partial(only, detail=output.detail)
            formats = {name: partial(write, select=select) for name, write in FORMATS.items()}
        give(output, formats, partial(_printed, output.detail), answer, output.trials, chart=partial(_drawn, output))
        if output.file is not None:
            content = formats[output.file.suffix.lower()[1:]](answer, output.trials)
            files.write(output.file, content.encode("utf-8", LEGIBLE), "the output")
    if output.page is not None:
        from threadping.cli.report import write_page

        write_page([answer], output.page)


def _printed(detail: "Detail | None", answer: Answer, trials: bool) -> "RenderableType":
    from rich.console import Group

    from threadping.views.terminal.screen import screen
    from threadping.views.terminal.tables import only, tables, trials_table

    if trials:
        shown = trials_table(only(answer, detail) if detail else answer)
    else:
        shown = tables(answer, detail) if detail else screen(answer)
    if answer.run.requirement is None:
        return shown
    from threadping.advising.advice import advise
    from threadping.views.advice import repeated

    return Group(repeated(advise(answer.run, answer.observations)), shown)


def _drawn(output: Output, answer: Answer, _trials: bool) -> Specification:
    """The charts of the rows that the tables have."""
    from threadping.views.charts.answer import specification
    from threadping.views.terminal.tables import only

    return specification(only(answer, output.detail) if output.detail else answer)
