"""Our figures beside those of others: the fields of their case and value, and how a ratio is written."""

from operator import attrgetter
from typing import Any

from msgspec.structs import replace

from threadping.analysis.estimate import Estimate
from threadping.quantities import ABSENT, TO
from threadping.sheets import cells
from threadping.sheets.entries import case_fields
from threadping.sheets.fields import Field
from threadping.studies.repeating.figures import OurFigure

VALUE, ABOUT = attrgetter("value"), "\N{PLUS-MINUS SIGN}"
OUR_CASE: tuple[Field[OurFigure], ...] = case_fields(lambda one: one.row.case, lambda one: one.row.declared)
OUR_FIGURE: tuple[Field[OurFigure], ...] = (
    Field(key="figure", of=attrgetter("figure")),
    Field(head="core to core", key="core_to_core_ns", unit="ns", of=attrgetter("row.core_to_core_ns"), if_known=True),
    Field(head="here", key="value", type=Estimate, of=VALUE, write=lambda one: cells.figure(one.unit, one.value)),
    Field(head=ABOUT, of=VALUE, write=lambda one: cells.sure(one.unit, one.value, len(one.row.trials))),
    Field(key="trials", type=int, of=lambda one: len(one.row.trials)),
    Field(key="lines", type=int, of=attrgetter("row.case.lines")),
)


def if_repeated(field: Field[Any]) -> Field[Any]:
    """A field of ours, of a line that has `ours`: not known where that is None, as nothing repeats it."""
    of, written = field.of, field.write
    write = (lambda one: written(one.ours) if one.ours else "") if written else None
    kind = field.type if field.type is Estimate or field.unit else (field.type or str) | None
    return replace(field, of=lambda one: of(one.ours) if one.ours else None, write=write, type=kind)


def times(ratio: Estimate | None) -> str:
    """Write how many times: `0.0021x`, `0.87x`, `12.34x`; a dash where it is not known."""
    return ABSENT if ratio is None else _fold(ratio.value)


def _fold(of: float) -> str:
    return f"{of:.2g}x" if of < 0.0995 else f"{of:,.2f}x"


def ends(ratio: Estimate | None) -> str:
    """Between what a ratio lies; nothing where fewer than six trials say so."""
    known = ratio.ends if ratio and ratio.kind == "ci95" else ()
    return TO.join(_fold(end).removesuffix("x") for end in known)
