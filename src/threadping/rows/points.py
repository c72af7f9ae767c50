"""A row as a point of a series: its headline under a name that is the same from run to run.

What is kept of every run, for those who look for changes: services, dashboards, the view of a store.
"""

from collections import Counter
from collections.abc import Iterator

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Row
from threadping.analysis.estimate import Estimate
from threadping.analysis.figures import Unit
from threadping.analysis.validity import is_usable, validity_of
from threadping.characters import plain
from threadping.contract import FIRST_VERSION
from threadping.grouping import gathered
from threadping.model.bounds import Record
from threadping.model.cases import Case
from threadping.quantities import counted

TWO = ("near", "far")
"""Two states of a case, the nearer first."""


class Point(Record, frozen=True):
    """A row that has a headline.

    Attributes:
        case: experiment, mechanism with parameters, runtime, placement: all that is not usual.
        cpus: of the case, where another differs in nothing else; else empty.
        state: of several in which the case was measured: near, far, or which of how many; else empty.
        row: the row.
        value: its headline.
    """

    case: str
    cpus: str
    state: str
    row: Row
    value: Estimate

    @property
    def name(self) -> str:
        """The case, its CPUs where they tell it apart, and its state."""
        return " ".join(filter(None, (self.case, self.cpus and f"on {self.cpus}", self.state)))

    @property
    def unit(self) -> Unit:
        """Of the headline."""
        return self.row.leading.unit

    @property
    def higher_is_better(self) -> bool:
        """Whether more of it is faster."""
        return self.row.leading.better == "more"


def points_of(answer: Answer) -> Iterator[Point]:
    """The rows that have a headline, each as a point."""
    names = {row.case: plain(f"{row.case.experiment} {row.case.title}{_major(answer, row)}") for row in answer.rows}
    times = Counter(names.values())
    for case, rows in gathered((row.case, row) for row in answer.rows).items():
        cpus = _cpus(case) if times[names[case]] > 1 else ""
        for place, row in enumerate(rows):
            if row.headline:
                yield Point(names[case], cpus, _state(place, len(rows)), row, row.headline)


def _major(answer: Answer, row: Row) -> str:
    """From the second on the first number of its mechanism's version: its figures mean something else than before."""
    number = answer.run.version_of(row.case).partition(".")[0]
    return "" if number == FIRST_VERSION.partition(".")[0] else f" v{number}"


def _state(place: int, of: int) -> str:
    return "" if of == 1 else TWO[place] if of == 2 else f"state {place + 1} of {of}"


def _cpus(case: Case) -> str:
    return ",".join("any" if cpu is None else str(cpu) for cpu in case.placement.cpus)


def comparable_points(answer: Answer) -> list[Point]:
    """The points that may be compared with those of another run."""
    return [one for one in points_of(answer) if is_usable(one.row, "export")]


def left_out(answer: Answer, form: str) -> str:
    """What of an answer is no point to be compared, as a format leaves it out; empty where all is."""
    without = len({row.case for row in answer.rows if not row.headline})
    disturbed = [of for row in answer.rows if row.headline and not (of := validity_of(row, "export")).is_usable]
    codes = dict.fromkeys(code for one in disturbed for code in one.codes)
    parts = [f"{counted(without, 'case')} without a figure"] * bool(without)
    parts += [f"{counted(len(disturbed), 'row')} that must not be compared ({', '.join(codes)})"] * bool(disturbed)
    return f"The format {form} leaves out {', and '.join(parts)}." if parts else ""
