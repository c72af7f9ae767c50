"""How much a run measured of the cases that were asked for, in words, and what it left out."""

from collections.abc import Hashable, Iterator, Sequence
from math import prod

from msgspec import Struct
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.covering import axes_of
from threadping.grouping import gathered
from threadping.model.bounds import Record
from threadping.model.cases import GROUPS, Case, as_given
from threadping.quantities import counted
from threadping.sheets.grid import Block, Labelled
from threadping.sheets.names import plain

MAX_COUNTED, MAX_NAMED, MAX_GROUPS = 2, 4, 6
"""Maximum number of names before a sentence counts them, of names in a list, and of groups of cases that are listed."""


class Coverage(Struct, frozen=True):
    """How much was measured of the cases that were asked for.

    Attributes:
        measured: the cases that have a trial.
        left_out: the cases for which the budget had no room.
    """

    measured: Sequence[Case]
    left_out: Sequence[Case]

    @property
    def asked(self) -> int:
        """The number of cases that were asked for."""
        return len(self.measured) + len(self.left_out)

    @property
    def clause(self) -> str:
        """How much was measured: `measured 3 of 16: 1 and 4 threads of java-17`; empty if all was."""
        if not self.left_out:
            return ""
        axes = self._axes()
        points = {tuple(axes_of(case).get(axis) for axis in axes) for case in self.measured}
        is_whole = prod(len({*values}) for values in zip(*points, strict=True)) == len(points)
        what = _written(axes, self.measured, "and" if is_whole else "or", " of ", counts=True)
        return f"measured {len(self.measured)} of {self.asked}{': ' * bool(what)}{what}"

    @property
    def groups(self) -> list[str]:
        """What was left out, like cases together: `2 and 3 threads: java-17 and java-25 (4 cases)`."""
        axes, found = self._axes(), []
        for cases in _together(self.left_out, axes):
            what = _written(axes, cases, "and", ": ") or cases[0].title
            found.append(f"{what} ({counted(len(cases), 'case')})")
        return found

    def _axes(self) -> list[str]:
        """The axes in which the cases differ, threads first, without those whose values follow from others."""
        points = [axes_of(case) for case in (*self.measured, *self.left_out)]
        axes: list[str] = []
        known = 1
        for axis in dict.fromkeys(axis for point in points for axis in point):
            found = len({tuple(map(point.get, (*axes, axis))) for point in points}) if known < len(points) else known
            if found > known:
                axes, known = [*axes, axis], found
        return sorted(axes, key=lambda axis: axis != "threads")


def coverage_of(answer: Answer) -> Coverage:
    """Return how much a run measured of what was asked for; a comparison's cases are those of A."""
    run, tried = answer.run, {one.observation.case for one in answer.trials}
    if of := run.study.compared:
        is_measured = {run.cases[a]: not tried.isdisjoint((run.cases[a], run.cases[b])) for a, b in sorted(of.pairs)}
    else:
        is_measured = {case: case in tried for case in (*run.cases, *run.left_out)}
    missing = [case for case, measured in is_measured.items() if not measured] if of or run.left_out else ()
    return Coverage([case for case, measured in is_measured.items() if measured], missing)


def coverage_sentence(answer: Answer) -> str:
    """Return how much was measured, as a clause to begin an answer with; empty if nothing was left out."""
    return plain(coverage_of(answer).clause)


def with_coverage(answer: Answer, sentence: str) -> str:
    """Begin a sentence with how much was measured, if something was left out."""
    clause = coverage_sentence(answer)
    return f"M{clause[1:]}; {sentence}" if clause else sentence


def left_out(answer: Answer) -> Iterator[Block]:
    """List the cases that were asked for and not measured; nothing if there are none."""
    if groups := coverage_of(answer).groups:
        more = [f"and {len(groups) - MAX_GROUPS} more"] if len(groups) > MAX_GROUPS else []
        yield Text("\nLeft out", "bold")
        yield Labelled([("-", Text(plain(text))) for text in (*groups[:MAX_GROUPS], *more)])


class CoverageEntry(Record, frozen=True):
    """How many cases were asked for and measured, and the titles of those for which the budget had no room."""

    asked: int
    measured: int
    left_out: list[str]


def coverage_entry(answer: Answer) -> CoverageEntry:
    """Return what JSON has of how much was measured."""
    found = coverage_of(answer)
    return CoverageEntry(found.asked, len(found.measured), [plain(case.title) for case in found.left_out])


def _together(cases: Sequence[Case], axes: Sequence[str]) -> list[list[Case]]:
    """Gather cases that are all combinations of some values: along each axis those that are alike on all others."""
    boxes: dict[tuple[tuple[Hashable, ...], ...], list[Case]]
    boxes = gathered((tuple((axes_of(case).get(axis),) for axis in axes), case) for case in cases)
    for place in range(len(axes)):
        alike = gathered(((box[:place], box[place + 1 :]), (box[place], of)) for box, of in boxes.items())
        boxes = {
            (*before, tuple(value for values, _ in several for value in values), *after): [
                case for _, of in several for case in of
            ]
            for (before, after), several in alike.items()
        }
    return list(boxes.values())


def _written(axes: Sequence[str], cases: Sequence[Case], last: str, behind: str, *, counts: bool = False) -> str:
    """Write the values of cases on each axis; `behind` their number of threads stands another sign than a comma."""
    first, *others = [_on_axis(axis, cases, last, counts=counts) for axis in axes] if axes and cases else [""]
    return (behind if axes[:1] == ["threads"] else ", ").join(filter(None, (first, ", ".join(filter(None, others)))))


def _on_axis(axis: str, cases: Sequence[Case], last: str, *, counts: bool = False) -> str:
    """Write the values on one axis, a word before the last: `1 and 4 threads`, `4 runtimes`, `rate=1k and 10k`.

    Numbers ascend, and of many the ends are named; of many names the first, or with `counts` how many they are.
    """
    found = list(dict.fromkeys(value for case in cases if (value := axes_of(case).get(axis)) is not None))
    numbers = sorted(value for value in found if isinstance(value, int))
    texts = [*map(as_given, numbers)] if len(numbers) == len(found) else [*map(str, found)]
    if numbers and len(texts) > MAX_NAMED:
        texts, last = [texts[0], texts[-1]], "to"
    elif counts and not numbers and len(texts) > MAX_COUNTED:
        texts = [counted(len(texts), axis.removesuffix("="))]
    elif len(texts) > MAX_NAMED:
        texts = [*texts[: MAX_NAMED - 1], f"{len(texts) - MAX_NAMED + 1} more"]
    *but, end = texts or [""]
    joined = f"{', '.join(but)} {last} {end}" if but else end
    if axis == "threads":
        return joined + f" {GROUPS[cases[0].group]}" + "s" * (texts != ["1"])
    return f"beside {joined} busy threads" if axis == "busy" else axis * axis.endswith("=") + joined
