"""The sections of an HTML report about the rows of any run: machine, experiments, warnings, what is missing."""

from collections.abc import Iterator, Sequence
from operator import itemgetter

from threadping.analysis.answer import Answer
from threadping.analysis.checks import LEVELS
from threadping.analysis.declaration import Declaration, Row
from threadping.conduct.study import study_of
from threadping.model import quantities
from threadping.output import findings, row_tables, screen
from threadping.output.charts import charts_of, of_answer
from threadping.output.explanation import of_check
from threadping.output.heading import not_measured as left_out
from threadping.output.heading import of_machine, of_runtimes
from threadping.output.layout import Block, Chart, Details, Section, grid, named
from threadping.output.listings import reasons
from threadping.output.names import plain
from threadping.output.row_tables import outliers_tables, percentiles_tables
from threadping.output.run_records import state_table
from threadping.output.screen import asks

MOST_ON_PAGE = 500  # rows of an experiment: more are for programs. Every two of 128 CPUs are 8,128


def sections(answer: Answer) -> Iterator[Section]:
    """Return the sections of a run."""
    rows, drawn = row_tables.numbered(answer), charts_of(answer)
    yield _machine(answer)
    for name, declared in answer.declared.items():
        if mine := [row for row in rows if row.case.experiment == name]:
            yield _experiment(answer, mine, declared, name, drawn.get(name, ()))
    if warned := list(_warnings(answer)):
        blocks = list(findings.of_chance(rows))
        yield Section("warnings", "Warnings and notes", blocks=blocks, details=warned, place=4, digest=True)
    if missing := [*left_out(answer), *reasons("", answer.run.skipped)]:
        details = [Details("What was left out, and why", missing)]
        yield Section("not-measured", "Not measured", details=details, place=4)


def _machine(answer: Answer) -> Section:
    """Show what was recorded of the machine, and its states; unless the study shows what it found of each pair."""
    known = [("machine", ", ".join(map(plain, of_machine(answer.run.machine))))]
    known += [(label, text.plain) for label, text in of_runtimes(answer)]
    blocks: list[Block] = [grid(known, named("", itemgetter(0)), named("", itemgetter(1)))]
    if not (answer.states.found and study_of(answer.run).shows_rows):
        return Section("machine", "The machine", blocks=blocks, place=1)
    blocks.insert(0, state_table(answer.states.found, with_cpus=True))
    return Section("machine", "The machine", of_answer(answer), blocks, place=1)


def _experiment(
    answer: Answer, rows: Sequence[Row], declared: Declaration, name: str, drawn: Sequence[Chart]
) -> Section:
    meant = {of.column.head: of.means for of in declared.figures if of.column and of.means}
    meant |= {of.head or of.noun: of.means for of in declared.distributions if of.means}
    words = grid([*meant.items()], named("", itemgetter(0)), named("", itemgetter(1)))
    leading = rows[:MOST_ON_PAGE]
    details = [
        Details("Every percentile", list(percentiles_tables(leading, declared))),
        Details("Why the slowest were slow", list(outliers_tables(leading, declared))),
        Details("How it was measured", [*declared.notes, words]),
    ]
    title, blocks = f"{name}: {declared.title}", list(screen.leading_tables(answer, leading, declared))
    if len(rows) > MOST_ON_PAGE:
        blocks.append(f"The first {MOST_ON_PAGE} of {len(rows):,} rows: CSV and JSON have all.")
    shown = [one for one in details if one.blocks]
    return Section(name, title, drawn, blocks, shown, place=2, digest=not asks(answer))


def _warnings(answer: Answer) -> Iterator[Details]:
    """Give for each code that was found its mark, of how many rows, and what it means: the gravest first."""
    of_rows = {one.code: one for one in reversed(findings.found(answer.rows))}
    levels = {**{one.code: one.level for one in answer.findings}, **{code: one.level for code, one in of_rows.items()}}
    number = {code: len(of_rows[code].of) if code in of_rows else 0 for code in levels}
    for code in sorted(levels, key=lambda code: (LEVELS.index(levels[code]), -number[code])):
        of = quantities.counted(number[code], "row") if number[code] else "machine and run"
        _, *said = of_check(code, answer.declared, answer)
        yield Details(f"{code}: {of}", said, findings.LEVEL_MARKS[levels[code]])
