"""The columns that tables of rows and of trials have alike: what a case is called, and figures of any declaration."""

from collections.abc import Sequence

from rich.text import Text

from threadping.analysis.declaration import Unit
from threadping.model import CREWS, Case
from threadping.views.terminal import cells, names
from threadping.views.terminal.table import Column


def naming(cases: Sequence[Case]) -> list[Column]:
    """Name cases, in as many columns as it takes to tell them apart."""
    most = max(case.crews for case in cases)
    crews = [Text(f"{case.crews:{len(str(most))}}") for case in cases]
    return [
        Column("mechanism", [Text(names.mechanism(case), "bold") for case in cases], names=True),
        Column("runtime", [Text(names.plain(case.runtime)) for case in cases], names=True),
        *([Column(f"{CREWS[cases[0].crew]}s", crews, names=True)] if any(case.crews != most for case in cases) else []),
        Column("placement", [Text(names.standing(case)) for case in cases], names=True),
        *warmups([case.warmup.text for case in cases], shown=names.tells_warmups(cases)),
    ]


def warmups(texts: Sequence[str], *, shown: bool) -> list[Column]:
    """One column of warm-ups, where they are to be shown."""
    return [Column("warm-up", [Text(text) for text in texts], names=True)] if shown else []


def figures(head: str, rank: int, unit: Unit, values: Sequence[float | None], style: str = "") -> list[Column]:
    """One column of figures; none where nobody has one, or all have nothing of what they could have a share of."""
    if not any(value is not None and (value or unit != "share") for value in values):
        return []
    return [Column(head, [cells.figure(unit, value, style) for value in values], rank)]
