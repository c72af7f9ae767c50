"""The options of an output, and something that is no run as a table, as a program reads it, and as a chart."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from threadping.conduct.streams import deliver, say_written, write_export
from threadping.model import files
from threadping.model.errors import UsageError
from threadping.model.text import LEGIBLE
from threadping.output.formats import PICTURES, ending_of, form_of
from threadping.output.layout import Block, Sheet
from threadping.output.printing import as_markdown, stdout
from threadping.output.records import as_csv, as_json

Specification = dict[str, Any]  # a chart, in Vega-Lite


class Output(Struct, frozen=True, kw_only=True):
    """The options of an answer: format and destinations."""

    form: str = "table"  # how to write it to stdout: `table`, or one of its formats
    files: tuple[Path, ...] = ()  # where to write it too; the ending of each says in which format
    plan: bool = False  # whether to print what would be measured, and measure nothing
    location: str | None = None  # of the store; None for the user's own
    strict: bool = False  # whether a doubt about the answer is a failure too


Fields = TypeVar("Fields", bound=Struct)


def pop_fields(kind: type[Fields], options: dict[str, Any]) -> Fields:
    return kind(**{name: options.pop(name) for name in kind.__struct_fields__ if name in options})


def present_sheets(
    output: Output,
    as_block: Callable[[], Block],
    as_sheets: Callable[[], Sequence[Sheet[Any]]],
    *,
    chart: Callable[[], Specification] | None = None,
    code: int = 0,
    **facts: Any,
) -> int:
    """Present a block, or its sheets: JSON has all and the facts, CSV those of the first name."""
    formats = {
        "json": lambda: as_json(*as_sheets(), **facts),
        "csv": lambda: as_csv(*as_sheets()),
        "markdown": lambda: as_markdown([as_block()]),
    }
    return present(output, formats, as_block, chart=chart, code=code)


def present(
    output: Output,
    formats: Mapping[str, Callable[[], str]],
    as_block: Callable[[], Block],
    *,
    chart: Callable[[], Specification] | None = None,
    code: int = 0,
) -> int:
    """Write something into files, and print it in a format or as a table; the exit code."""
    check_forms(output, [*formats, *(PICTURES if chart else ())], formats)

    def write_file(path: Path) -> None:
        if (form := form_of(path)) in formats:
            files.write(path, formats[form]().encode("utf-8", LEGIBLE), "the output")
            say_written(path)
        elif chart:
            draw(chart, path)

    if output.form in formats:
        printing = partial(write_export, formats[output.form]())
    else:
        printing = partial(stdout().print, as_block())
    return deliver(printing, [partial(write_file, path) for path in output.files]) or code


def check_forms(output: Output, known: Sequence[str], pictures: Collection[str] = ()) -> None:
    """Raise UsageError where a format is asked for that is not `known`; of pictures only files can be written."""
    printed = [form for form in known if form not in PICTURES or form in pictures]
    if output.form not in ("table", *printed):
        raise UsageError(f"--format {output.form} cannot be written here. Choose table or {' or '.join(printed)}.")
    for path in output.files:
        if form_of(path) not in known:
            endings = ", ".join(ending_of(form) for form in known)
            raise UsageError(f"{path} cannot be written: here -o takes {endings}.")


def draw(chart: Callable[[], Specification], path: Path) -> None:
    """Draw a chart into a file and name it on stderr; raises ChartRefused if there is nothing to draw."""
    from threadping.output.charts import write_picture

    write_picture(chart(), path)
    say_written(path)
