"""How what an experiment measured is laid out: a newcomer's questions, curves over what is varied, trade-offs."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from threadping.analysis.figures import Unit
from threadping.model.run import Machine


class Question(Struct, frozen=True, kw_only=True):
    """What a newcomer asks, and what answers it: a line of the first screen.

    Attributes:
        ask: the question, which names the mechanism or goes on from one that does; `{groups}` stands for `16 pairs`,
            `{number}` for 16.
        mechanism: that answers it, in every runtime that has it: a line compares one mechanism over its columns.
        whole: the question where the one that it goes on from was not measured; empty where it goes on from none.
        params: theirs that differ from the defaults, as text.
        figure: its name; empty for the headline.
        groups: how many threads, or pairs, are meant where several numbers were measured.
        scales: whether it is answered for the fewest threads and for the most that have a CPU each.
        unpinned: whether it is about threads that are not pinned; else of the closest CPUs.
        rank: where the screen has no room for all, lines of the highest go first; 0 stays, and no line goes on from
            one that may go.
        beside: a figure that stands beside the answer, with the regime of its row, in place of how sure that is; by its
            name.
    """

    ask: str
    mechanism: str
    whole: str = ""
    params: Mapping[str, str] = {}
    figure: str = ""
    groups: int | None = None
    scales: bool = False
    unpinned: bool = False
    rank: int = 0
    beside: str = ""


class Tradeoff(Struct, frozen=True):
    """Two figures, of which less of one is often more of the other, by name."""

    quick: str
    cheap: str


class Curve(Struct, frozen=True, kw_only=True):
    """Figures over something that is varied, as lines of numbers and as a chart.

    Attributes:
        name: of the chart's file, and over the column of what is varied.
        title: what it shows.
        along: what is varied, as it stands below the axis.
        unit: of that.
        figures: what is shown of each place; of `groups` the name inside the group.
        param: the parameter by which rows of one line differ; empty where each row is a line.
        groups: the group of figures at each place, of which a row has several, and is a line, or one.
        beneath: what must be known of the machine to read it, in a sentence; empty where nothing.
        doubles: the figure whose double of what it is at the least place is marked, and what that means.
        concludes: what follows from the first figure of each trial at each place of a line, in sentences.
    """

    name: str
    title: str
    along: str
    unit: Unit
    figures: tuple[str, ...]
    param: str = ""
    groups: Mapping[float, str] = {}
    beneath: Callable[[Machine], str] = lambda _: ""
    doubles: tuple[str, str] | None = None
    concludes: Callable[[Mapping[float, Sequence[float]]], Iterable[str]] = lambda _: ()

    def whole(self, figure: str) -> str:
        """A figure's whole name, of groups that of the first place: what it is called and its unit are alike in all."""
        return f"{next(iter(self.groups.values()))}.{figure}" if self.groups else figure
