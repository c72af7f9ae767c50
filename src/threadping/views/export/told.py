"""What every format is given."""

from collections.abc import Sequence

from msgspec import Struct

from threadping.model import Run, State
from threadping.views.export.flat import Flat
from threadping.views.export.timed import Timed


class Told(Struct, frozen=True):
    """A run, and its lines.

    Attributes:
        run: which.
        states: those that it was in.
        what: what the lines are: `rows`, `trials`.
        lines: one for each.
        names: every name that a line of any experiment can have.
        timed: what was timed one by one, line by line.
    """

    run: Run
    states: Sequence[State]
    what: str
    lines: Sequence[Flat]
    names: Sequence[str]
    timed: Sequence[Timed]
