"""Runs that were measured apart, side by side: a line for each case in a state, and the headline of each run."""

from collections.abc import Callable, Iterator, Sequence

from rich.text import Text

from threadping.analysis.declaration import Declaration, Row
from threadping.analysis.estimate import Estimate
from threadping.analysis.runs import Beside, CaseInState
from threadping.characters import plain
from threadping.numbers import letters
from threadping.quantities import ABSENT, fold
from threadping.sheets.cells import headline, sure
from threadping.sheets.entries import case_fields
from threadping.sheets.fields import Field, Line, Sheet


def side_by_side_sheet(lines: Sequence[Beside], heads: Sequence[str]) -> Sheet[Beside]:
    """The rows of several runs that are of one case in one state, and their ratios to the first run.

    Args:
        lines: as `beside_each_other` makes them.
        heads: what each run is called.
    """
    of_runs = (field for place in range(len(heads)) for field in _fields_of_run(place, heads))
    return Sheet("cases", [*fields_of_cases(lines, lambda line: line.key, _declared), *of_runs], lines)


def fields_of_cases(
    lines: Sequence[Line], key: Callable[[Line], CaseInState], declared: Callable[[Line], Declaration]
) -> Iterator[Field[Line]]:
    """What tells lines apart: each is of a case in a state."""
    several = len({key(line).case.experiment for line in lines}) > 1

    def title(line: Line) -> str:
        case = key(line).case
        return plain(f"{case.experiment} {case.title}" if several else case.title)

    def apart(line: Line) -> float | None:
        return key(line).core_to_core_ns

    yield Field(head="case", names=True, of=title)
    yield from case_fields(lambda line: key(line).case, declared)
    means = "How far its CPUs are from each other in its state, over all runs; null where it has none."
    yield Field(head="core to core", key="core_to_core_ns", unit="ns", of=apart, means=means, rank=2, if_known=True)
    yield Field(key="unit", of=lambda line: declared(line).leading.unit, means="Of the headlines.")


def _fields_of_run(place: int, heads: Sequence[str]) -> Iterator[Field[Beside]]:
    """The headline of a run, how sure it is, and its ratio to that of the first run."""
    key, means = letters(place).lower(), f"The headline of run {place + 1}; null where it has no such case."

    def found(line: Beside) -> Estimate | None:
        row = line.rows[place]
        return row.headline if row else None

    def written(line: Beside) -> Text:
        row = line.rows[place]
        return headline(row, row.declared.leading) if row else Text(ABSENT, "dim")

    def reach(line: Beside) -> Text:
        row, one = line.rows[place], found(line)
        return sure(row.leading.unit, one, len(row.trials)) if row and one else Text()

    yield Field(head=heads[place], key=key, type=Estimate, of=found, write=written, means=means)
    yield Field(head="\N{PLUS-MINUS SIGN}", of=found, write=reach, rank=1)
    if place:
        head, means = f"{heads[place]} / {heads[0]}", "The ratio of the headlines; null where they are other figures."
        fold_of, ratio = lambda line: fold(line.ratio(place)), lambda line: line.ratio(place)
        yield Field(head=head, key=f"{key}_to_a", type=float | None, of=ratio, write=fold_of, means=means)


def _declared(line: Beside) -> Declaration:
    row: Row = next(row for row in line.rows if row)
    return row.declared
