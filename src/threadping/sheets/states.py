"""The states of pairs of CPUs as a sheet: of a run, of a machine, of a ping."""

from collections.abc import Callable, Sequence
from statistics import median

from rich.text import Text

from threadping.analysis.estimate import Estimate
from threadping.model.cases import Pair
from threadping.model.trials import State
from threadping.quantities import ABSENT, duration, span
from threadping.sheets.cells import figure
from threadping.sheets.fields import Field, Sheet
from threadping.sheets.grid import Grid, grid_of


def _dwell(of: Callable[[Sequence[float]], float]) -> Callable[[State], Text]:
    """How long a state held; nothing is known of one that was seen once."""

    def written(state: State) -> Text:
        seconds = of(state.dwell_s or (0.0,))
        return Text(duration(seconds)) if seconds else Text(ABSENT, "dim")

    return written


STATE_FIELDS: Sequence[Field[State]] = (
    Field(
        of=lambda state: state.cpus,
        head="CPUs",
        key="cpus",
        type=Pair,
        write=lambda state: ",".join(map(str, state.cpus)),
        names=True,
    ),
    Field(
        of=lambda state: Estimate(state.core_to_core_ns, *state.range, "range"),
        head="one way",
        key="core_to_core_ns",
        type=Estimate,
        means="The name of a state: the median of its pings, in ns. The range is from the least to the most of them.",
        write=lambda state: figure("ns", state.core_to_core_ns, "bold"),
    ),
    Field(of=lambda state: state.range, head="range", write=lambda state: span(state.range), rank=2),
    Field(
        of=lambda state: state.share,
        head="of the time",
        key="share",
        unit="share",
        type=float,
        means="Of the time in which the pair was watched.",
    ),
    Field(of=lambda state: state.pings, head="pings", key="pings", unit="count", type=int, rank=1),
    Field(of=lambda state: len(state.dwell_s), head="times held", unit="count", rank=3),
    Field(of=lambda state: state.dwell_s, head="dwell median", write=_dwell(median), rank=3),
    Field(of=lambda state: state.dwell_s, head="longest", write=_dwell(max), rank=3),
    Field(
        of=lambda state: state.dwell_s,
        key="dwell_s",
        type=tuple[float, ...],
        means="How long it held each time, in order; the first and the last time it may have held for longer.",
    ),
)


def state_sheet(states: Sequence[State]) -> Sheet[State]:
    """A line for each state."""
    return Sheet("states", STATE_FIELDS, states)


def state_table(states: Sequence[State], *, with_cpus: bool = False) -> Grid:
    """A line for each state, at least one; `with_cpus` where they are of several pairs."""
    return grid_of(Sheet("states", STATE_FIELDS if with_cpus else STATE_FIELDS[1:], states))
