"""What every experiment brings along to be shown: its tables, and the words that are its own."""

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from rich.console import RenderableType
from rich.text import Text

from threadping.contract import MechanismDescription, Result
from threadping.model import Row
from threadping.report.columns import Column
from threadping.report.rungs import Rung


class TrialColumns(Struct, frozen=True):
    """The columns that an experiment's trials have of their own, the cells for a result, and what they mean."""

    columns: tuple[Column, ...]
    cells: Callable[[Result], tuple[Text, ...]]
    about: str


class View(Struct, frozen=True):
    """How one experiment is shown.

    Attributes:
        order: the key by which its rows are sorted into rungs.
        meaning: what its figures are, a paragraph each with its label.
        tables: its tables, from its rungs.
        samples: what is timed one by one, in the plural.
        waiting: what a thread does while it waits, in a word.
        tells_threads: whether the number of threads is part of a case's name, because it differs.
        trials: what stands in the list of its trials.
    """

    order: Callable[[Row], tuple[float, ...]]
    meaning: Callable[[Sequence[Row]], Iterator[tuple[str, str]]]
    tables: Callable[[Sequence[Rung]], Iterator[RenderableType]]
    samples: str
    waiting: Callable[[MechanismDescription], str]
    tells_threads: bool
    trials: TrialColumns


def sleeps_or_spins(mechanism: MechanismDescription) -> str:
    """What a thread does that has to wait."""
    return "sleeps" if mechanism.blocking else "spins"
