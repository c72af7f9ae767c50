"""All that is known of one row of a run: what it is of, every figure, and each finding in whole sentences."""

from collections.abc import Iterator

from rich.text import Text

from threadping import quantities
from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Row
from threadping.analysis.percentiles import PERCENTILE_NAMES
from threadping.analysis.warnings import checks_of
from threadping.analysis.warnings.words import message
from threadping.contract import Words
from threadping.errors import UsageError
from threadping.proposals import made_literal
from threadping.rows import findings
from threadping.rows.tables import numbered
from threadping.sheets import cells
from threadping.sheets.grid import Block, Labelled
from threadping.sheets.names import plain, standing

COUNTED = ("counters.", "outliers.", "wake_outliers.")
"""What figures are called that `show --outliers` or only a reader of JSON looks for."""


def numbered_row(place: int, answer: Answer) -> Row:
    """The row of this number; raises UsageError where the run has none."""
    rows = numbered(answer)
    found = next((row for row in rows if row.place == place), None)
    if found is None:
        has = f"its rows are #1 to #{rows[-1].place}" if rows else "it has no rows"
        raise UsageError(f"Run {answer.run.id} has no row #{place}: {has}.")
    return found


def explain_row(row: Row, answer: Answer, said: Words | None) -> Iterator[Block]:
    """Say what a row is of, with what its mechanism does, then its figures and findings."""
    case = row.case
    yield Text.assemble((f"#{row.place} {plain(case.title)}", "bold"), (f"  {plain(case.experiment)}", "dim"))
    if mechanism := said and said.of(case.experiment, case.mechanism):
        yield Text(plain(f"{mechanism.summary} {mechanism.costs}"))
    trials = quantities.counted(len(row.trials), "trial") + (f", {row.failed} failed" if row.failed else "")
    state = f"core to core {quantities.time(row.state.core_to_core_ns)}" if row.state else ""
    yield Text("; ".join(filter(None, (plain(case.runtime), standing(case), trials, state))), "dim")
    yield Labelled([(name, text) for name, text in _figures(row)])
    checks = checks_of(answer.declared)
    for one in row.findings:
        facts = made_literal(plain(message(checks[one.code], one)), answer.run.id)
        yield Text.assemble(findings.mark(one.level), " ", (one.code, "bold"), f": {facts}")


def _figures(row: Row) -> Iterator[tuple[str, Text]]:
    """Those that tables show, and the percentiles; what was counted around the trials is in JSON."""
    of_parts = [of.figure(name) for of in row.declared.distributions for name in PERCENTILE_NAMES]
    for one in (*row.declared.figures, *of_parts):
        if one.head and not one.name.startswith(COUNTED) and (found := row.figures.get(one.name)):
            yield plain(one.head), cells.with_interval(one.unit, found, "bold" if one == row.leading else "")
