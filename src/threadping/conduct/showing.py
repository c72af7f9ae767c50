"""Show what a run says: on stdout, and in the files that are wanted; and what is no run."""

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from threadping.analysis.answer import Answer
from threadping.conduct.streams import deliver, say_written, write_export
from threadping.conduct.study import Output, Reading, Study
from threadping.model import files
from threadping.model.errors import ThreadpingError, UsageError
from threadping.model.text import LEGIBLE
from threadping.output.charts import style, write_picture
from threadping.output.formats import form_of
from threadping.output.layout import Block, Sheet
from threadping.output.markdown import as_markdown
from threadping.output.printing import stdout
from threadping.output.records import as_csv, as_json, joined
from threadping.output.run_records import run_entry

Specification = dict[str, Any]  # a chart, in Vega-Lite


def present_sheets(
    output: Output,
    as_block: Callable[[], Block],
    *sheets: Sheet[Any],
    chart: Callable[[], Specification] | None = None,
    code: int = 0,
    **facts: Any,
) -> int:
    """Present something as a block, or as its sheets: JSON has all of them and the facts, CSV those of the first name.

    Raises UsageError where the output wants another format.
    """
    formats = {
        "json": lambda: as_json(*sheets, **facts),
        "csv": lambda: as_csv(*sheets),
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
    """Draw something where that is wanted, and print it in a format or as a table; the exit code.

    Raises UsageError where it has no such format.
    """
    if output.form != "table" and output.form not in formats:
        raise UsageError(f"--format {output.form} is not possible here. Choose table or {' or '.join(formats)}.")
    if output.form in formats:
        printing = partial(write_export, formats[output.form]())
    else:
        printing = partial(stdout().print, as_block())
    return deliver(printing, [partial(draw, chart, output.chart)] if chart and output.chart else []) or code


def draw(chart: Callable[[], Specification], path: Path) -> None:
    """Draw a chart into a file and name it on stderr; raises ChartRefused if there is nothing to draw."""
    write_picture(chart(), path)
    say_written(path)


def show(
    study: Study[Any, Reading],
    answer: Answer,
    asked: Any,
    output: Output,
    problem: ThreadpingError | None = None,
    above: Iterable[Block] = (),
) -> int:
    """Write what a run says to a question, with `asked` None to its own, into files and then to stdout; the exit code.

    A table is printed below the blocks that are `above`.

    Raises:
        UsageError: the study does not write that format.
        ThreadpingError: the run's `problem`, or what the study objects to where the output is strict; all is written.
    """
    check_format(study, output)
    result = study.read(answer, asked)
    code, fault = study.exit_code(result, output), study.fault(answer, result) if output.strict else None

    def say_left_out(form: str) -> None:
        if said := study.left_out(answer, result, form):
            print(f"threadping: {said}", file=sys.stderr)

    def write_file(path: Path) -> None:
        form = form_of(path)
        contents = study.files(answer, result, path) or {path: written(study, answer, result, form, output)}
        for file, content in contents.items():
            files.write(file, content.encode("utf-8", LEGIBLE), "the output")
        say_written(path, *contents)
        say_left_out(form)

    writers: list[Callable[[], object]] = []
    if output.file:
        writers.append(partial(write_file, output.file))
    if output.chart:
        writers.append(partial(draw, lambda: style.page_of(answer.run, study.charts(answer, result)), output.chart))
    if output.page:
        from threadping.conduct.pages import write_page

        writers.append(partial(write_page, [answer], output.page))
    if output.form == "table":
        printing = partial(stdout().print, *above, *study.blocks(answer, result))
    else:
        printing = partial(write_export, written(study, answer, result, output.form, output))
        say_left_out(output.form)
    unwritten = deliver(printing, writers)
    if problem := problem or fault:
        raise problem
    return unwritten or code


def formats_of(study: Study[Any, Any]) -> list[str]:
    return list({**GENERAL, **study.formats})


def check_format(study: Study[Any, Any], output: Output) -> None:
    """Raise UsageError where a study does not write the format that is asked for."""
    formats = formats_of(study)
    if output.form not in ("table", *formats):
        raise UsageError(f"--format {output.form} is not possible here. Choose table or {' or '.join(formats)}.")
    if output.form == "run" and sys.stdout.isatty():
        raise UsageError("The format run is for `threadping import`, not for a terminal: write it with -o FILE.run.")


def written(study: Study[Any, Reading], answer: Answer, result: Reading, form: str, output: Output) -> str:
    if form in study.formats:
        return study.formats[form](answer, result, output)
    return GENERAL[form](study, answer, result)


def _csv(study: Study[Any, Any], answer: Answer, result: Any) -> str:
    facts = study.facts(answer, result).items()
    alike = {name: fact for name, fact in facts if name != "verdict" and isinstance(fact, str | int | float)}
    leading = joined({"run": answer.run.id, "hostname": answer.run.machine.hostname}, alike)
    return as_csv(*study.sheets(answer, result), **leading)


# The formats of every study, made of its sheets and blocks
GENERAL: Mapping[str, Callable[[Study[Any, Any], Answer, Any], str]] = {
    "json": lambda study, answer, result: as_json(
        *study.sheets(answer, result), **study.facts(answer, result), run=run_entry(answer.run)
    ),
    "csv": _csv,
    "markdown": lambda study, answer, result: as_markdown(study.blocks(answer, result)),
}
