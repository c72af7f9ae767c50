"""States as a table: how far CPUs stood apart, for how much of the time, and for how long each time."""

from collections.abc import Sequence
from statistics import median

from rich.text import Text

from threadping import quantities
from threadping.model import State
from threadping.views.terminal import cells
from threadping.views.terminal.table import Column, FittingTable


def state_table(states: Sequence[State], *, with_cpus: bool = False) -> FittingTable:
    """A line for each state, at least one; `with_cpus` where they are of several pairs."""
    dwells = [state.dwell_s or (0.0,) for state in states]
    cpus = Column("CPUs", [Text(",".join(map(str, state.cpus))) for state in states], names=True)
    return FittingTable(
        [
            *([cpus] if with_cpus else []),
            Column("one way", [cells.figure("ns", state.core_to_core_ns, "bold") for state in states]),
            Column("range", [Text(quantities.span(state.range)) for state in states], 2),
            Column("of the time", [Text(quantities.percent(state.share)) for state in states]),
            Column("pings", [Text(f"{state.pings:,}") for state in states], 1),
            Column("times held", [Text(f"{len(state.dwell_s):,}") for state in states], 3),
            Column("dwell median", [_dwell(median(dwell)) for dwell in dwells], 3),
            Column("longest", [_dwell(max(dwell)) for dwell in dwells], 3),
        ]
    )


def _dwell(seconds: float) -> Text:
    """How long a state held; nothing is known of one that was seen once."""
    return Text(quantities.duration(seconds)) if seconds else Text(quantities.ABSENT, "dim")
