"""The ladder: every case of a run, the best first, with what must be known to believe it."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from threadping.analysis.declaration import Declared
from threadping.analysis.states import NO_STATES, States
from threadping.model import Observation, Row, Run
from threadping.views.terminal import verdicts
from threadping.views.terminal.console import Trimmed
from threadping.views.terminal.heading import heading
from threadping.views.terminal.histogram import histograms
from threadping.views.terminal.names import plain
from threadping.views.terminal.outliers import outliers_tables
from threadping.views.terminal.pivot import pivots
from threadping.views.terminal.rows import rows_table
from threadping.views.terminal.rungs import rungs, said

MOST_NAMES = 8


def ladder(
    run: Run,
    rows: Sequence[Row],
    declared: Declared,
    states: States = NO_STATES,
    observations: Sequence[Observation] = (),
) -> RenderableType:
    """Show a run's rows as a ladder for each experiment, as wide as the console, between a heading and verdicts."""
    return Trimmed(Group(*_parts(run, rows, declared, states, observations)))


def _parts(
    run: Run, rows: Sequence[Row], declared: Declared, states: States, observations: Sequence[Observation]
) -> Iterator[RenderableType]:
    numbered = rungs(rows, declared)
    all_said = said(numbered, declared)
    yield heading(run, rows, [one for one in all_said if one.check.whole_machine], states)
    for name, declaration in declared.items():
        shown = [rung for rung in numbered if rung.row.case.experiment == name]
        if shown:
            yield Text()
            yield Text(f"{name}: {declaration.title}", "bold")
            yield from pivots([rung.row for rung in shown], declaration)
            yield from rows_table(shown, declaration)
            yield from (Text(note, "dim") for note in declaration.notes)
            if declaration.histograms:
                yield from histograms(shown, observations, declaration)
            yield from outliers_tables(shown, declaration)
    if foreign := {plain(case.experiment): None for case in run.cases if case.experiment not in declared}:
        yield Text(f"\nNot shown: cases of {', '.join(foreign)}, which this threadping does not know.", "yellow")
    if of_cases := [one for one in all_said if not one.check.whole_machine]:
        yield Text()
        yield verdicts.table(of_cases, len(numbered))
        yield Text("`threadping explain CODE` says what a verdict means.", "dim")
    if run.skipped:
        yield Text()
        yield _not_measured(run)


def _not_measured(run: Run) -> Text:
    """Only the first names: why is told on demand, where the run is stored."""
    things = list(dict.fromkeys(plain(one.what) for one in run.skipped))
    more = f" and {len(things) - MOST_NAMES} more" if len(things) > MOST_NAMES else ""
    why = f" `threadping explain not-measured {run.id}` tells why." if run.id else ""
    return Text.assemble(("Not measured: ", "bold"), f"{', '.join(things[:MOST_NAMES])}{more}.", (why, "dim"))
