"""The newcomer's questions and the order in which cases answer them soonest; figures over something that is varied."""

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heapreplace
from itertools import chain, combinations, pairwise
from math import log

from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Curve, Declaration, Figure, Question, Row, Tradeoff
from threadping.analysis.percentiles import Estimate
from threadping.analysis.validity import effect_of, is_usable
from threadping.model import quantities
from threadping.model.base import gathered
from threadping.model.cases import DIMENSIONS, GROUPS, Case, read_all, with_params
from threadping.probes.placements import CPUS_APART

UNPINNED = "unpinned"


class QuestionLine(Struct, frozen=True):
    """A question with its answers."""

    experiment: str  # whose question it is
    operation: str  # the heading of its lines, with the number of threads
    label: str  # the mechanism, its parameters, and the conditions that decide its figures
    figure: Figure  # what answers it
    timed: str  # the distribution of the same operation, whose percentiles are its tail; empty for a rate
    counts: tuple[int, ...]  # for how many threads, or pairs, it is answered: one number, or the fewest and the most
    # by the runtime's label those that were measured, of one mechanism under one condition: of each of these numbers of
    # threads one
    rows: Mapping[str, tuple[Row, ...]]
    # how many times the first line of the experiment it is; None where they are not of one kind
    ratio: float | None = None
    rank: int = 0  # where not all lines fit, those of the highest go first; 0 stays
    with_regime: Figure | None = None  # a figure that is printed with the row's regime; None if there is none


def question_lines(answer: Answer) -> list[QuestionLine]:
    """The questions that a run answers, in the order in which the experiments declare them."""
    return [line for name in answer.declared for line in _of_experiment(answer, name)]


def _of_experiment(answer: Answer, name: str) -> Iterator[QuestionLine]:
    declared = answer.declared[name]
    column = {one.label: place for place, one in enumerate(answer.run.runtimes)}
    mine = [row for row in answer.rows if row.case.experiment == name and row.leads]
    # without those whose figure measures something else than other rows do; a disturbed one has a mark instead
    leading = [
        row
        for row in sorted(mine, key=lambda row: column.get(row.case.runtime, 0))
        if not any(one.level == "note" and effect_of(one.code, "note", "rank") == "unusable" for one in row.findings)
    ]
    first: QuestionLine | None = None
    asked: list[tuple[str, Mapping[str, tuple[Row, ...]]]] = []
    for question in declared.questions:
        asked_for = [row for row in leading if _is_asked(question, row.case)]
        # What was measured unpinned answers where nothing was to be measured pinned.
        answering = [row for row in asked_for if row.case.placement.name != UNPINNED] or asked_for
        if not answering:
            continue
        figure = declared.figure(question.figure or declared.headline_of(answering[0].case))
        counts, rows = _answers(answering, question, figure.name)
        if not rows or (figure.name, rows) in asked:
            continue
        asked.append((figure.name, rows))
        operation = question.operation.format(
            number=f" {quantities.BECAME} ".join(map(str, counts)),
            groups=quantities.counted_as(counts, GROUPS[answering[0].case.group]),
            workers=quantities.counted_as([count - 1 for count in counts], "worker"),
        )
        regime = declared.figure(question.with_regime) if question.with_regime else None
        label, timed = _label(question, rows), _timed(declared, figure)
        line = QuestionLine(name, operation, label, figure, timed, counts, rows, None, question.rank, regime)
        first = first or (line if figure.unit == "ns" else None)
        yield replace(line, ratio=_ratio(line, first))


def _label(question: Question, rows: Mapping[str, tuple[Row, ...]]) -> str:
    """Name the mechanism with its parameters, then what distinguishes its cases: `condition, unpinned, mean`."""
    cases = [row.case for of_runtime in rows.values() for row in of_runtime]
    several = [case.placement.name for case in cases if case.threads > 1]
    parts = [with_params(question.mechanism, {**question.params}, question.params), question.what]
    if several and not set(several) & set(CPUS_APART):
        parts.append(UNPINNED if UNPINNED in several else "on one CPU")
    parts += dict.fromkeys(row.called for of_it in rows.values() for row in of_it if row.called and not question.figure)
    return ", ".join(filter(None, parts))


def _timed(declared: Declaration, figure: Figure) -> str:
    """Return the distribution that a figure is the middle of; of one way, half a round trip, that of round trips."""
    if figure.unit != "ns":
        return ""
    names = [one.name for one in declared.timed]
    group = figure.name.partition(".")[0]
    return (group if group in names else names[0]) if names else ""


def _is_asked(question: Question, case: Case) -> bool:
    given = {name: str(case.params[name]) for name in case.varied}
    pinned_or_not = case.placement.name == UNPINNED or not question.unpinned
    return case.mechanism == question.mechanism and given == question.params and pinned_or_not


def _answers(
    rows: Sequence[Row], question: Question, figure: str
) -> tuple[tuple[int, ...], dict[str, tuple[Row, ...]]]:
    """Return the numbers of threads answered for, and a row of each runtime for each, of one condition."""
    if question.scales:
        rows = [row for row in rows if row.case.threads <= len(set(row.case.placement.cpus) - {None})]
    known = [row for row in rows if row.value(figure) is not None] or rows
    if not known:
        return (), {}
    if question.scales:
        numbers = sorted({row.case.groups for row in known})
        counts = tuple(dict.fromkeys((numbers[0], numbers[-1])))
    else:
        counts = (min(known, key=lambda row: (_distance(row.case, question), row.case.groups)).case.groups,)
    found: dict[str, list[Row]] = {row.case.runtime: [] for row in rows}
    for count in counts:
        nearest = min(
            (row.case for row in known if row.case.groups == count), key=lambda case: _distance(case, question)
        )
        for runtime, of_it in found.items():
            alike = [
                row for row in rows if (row.case.runtime, *_condition(row.case)) == (runtime, *_condition(nearest))
            ]
            of_it += sorted(alike, key=lambda row: row.value(figure) is None)[:1]
    return counts, {runtime: tuple(of_it) for runtime, of_it in found.items() if of_it}


def _condition(case: Case) -> tuple[Hashable, ...]:
    return case.placement.name, *read_all(case, "mechanism", "runtime", "placement")


def _distance(case: Case, question: Question) -> tuple[float, ...]:
    name = case.placement.name
    place = CPUS_APART.index(name) if name in CPUS_APART else len(CPUS_APART) + (name == UNPINNED)
    unusual = sum(one.is_unusual(case) for one in DIMENSIONS if one.name != "threads")
    return (place, unusual, case.busy.threads, abs(log(case.groups / question.groups)) if question.groups else 0.0)


def _ratio(line: QuestionLine, first: QuestionLine | None) -> float | None:
    if first is None:
        return None
    one, other = (next(iter(of.rows.values()))[0] for of in (line, first))
    if line.figure.name != first.figure.name and (line.figure, first.figure) != (one.leading, other.leading):
        return None
    both = [(line.rows[runtime][-1], first.rows[runtime][-1]) for runtime in line.rows if runtime in first.rows]
    known = (
        (one.value(line.figure.name), other.value(first.figure.name))
        for one, other in both
        if one.regime == other.regime and is_usable((one, other), "rank")
    )
    return next((one / other for one, other in known if one and other), None)


class CurveLine(Struct, frozen=True):
    """The line of one case in a curve."""

    row: Row  # one of its rows, for its name
    points: Mapping[float, Mapping[str, Estimate]]  # at each place, in order, the figures that are known there
    doubled: float | None = None  # the place at which the declared figure is twice what it is at 0; None if it never is
    concluded: tuple[str, ...] = ()  # what follows from it, in sentences


def curve_lines(curve: Curve, rows: Sequence[Row]) -> list[CurveLine]:
    """A line for each row, or for all rows that differ in the curve's parameter only; none of a single place."""
    together: dict[Case | int, dict[float, Row]] = {}
    for number, row in enumerate(rows):
        if curve.groups:
            places = [place for place in curve.groups if _figures(curve, place, row)]
            is_one_of_several = len(places) == 1 and curve.param in row.case.params
            line = together.setdefault(_without(curve.param, row.case) if is_one_of_several else number, {})
            for place in places:
                line.setdefault(place, row)
        elif curve.param in row.case.params:
            line = together.setdefault(_without(curve.param, row.case), {})
            line.setdefault(float(row.case.params[curve.param]), row)
    found = []
    for at in together.values():
        points = {place: _figures(curve, place, row) for place, row in sorted(at.items())}
        known = {place: figures for place, figures in points.items() if figures}
        if len(known) > 1:
            usable = {place: row for place, row in at.items() if is_usable(row, "rank")}
            concluded = curve.concludes({place: row.over_trials(curve.figures[0]) for place, row in usable.items()})
            found.append(CurveLine(at[min(known)], known, _doubled(curve, at), tuple(concluded)))
    return found


def _without(param: str, case: Case) -> Case:
    params = {name: value for name, value in case.params.items() if name != param}
    return replace(case, params=params, varied=tuple(name for name in case.varied if name != param))


def _figures(curve: Curve, place: float, row: Row) -> dict[str, Estimate]:
    group = f"{curve.groups[place]}." if curve.groups else ""
    return {name: one for name in curve.figures if (one := row.figures.get(group + name))}


def _doubled(curve: Curve, rows: Mapping[float, Row]) -> float | None:
    """Interpolate between two places as if the figure grew evenly."""
    if not curve.doubles:
        return None
    values = [(place, value) for place, row in sorted(rows.items()) if (value := row.value(curve.doubles[0]))]
    for (place, value), (further, more) in pairwise(values):
        twice = 2 * values[0][1]
        if values[0][0] == 0 and value < twice <= more:
            return place + (further - place) * (twice - value) / (more - value)
    return None


class Frontier(Struct, frozen=True):
    """The rows at one place of a dimension, such as a rate, that no other beats, the fastest first; and all others."""

    place: int
    leading: tuple[Row, ...]
    beaten: tuple[Row, ...]


def frontier(rows: Sequence[Row], of: Tradeoff) -> list[Row]:
    """Return the usable rows that no other row beats.

    One that beats another is significantly better in one figure, and not significantly worse in the other.
    """
    known = [row for row in rows if {of.quick, of.cheap} <= row.figures.keys() and is_usable(row, "rank")]
    leading = [row for row in known if not any(_beats(other, row, of) for other in known)]
    return sorted(leading, key=lambda row: row.figures[of.quick].value)


def _beats(one: Row, other: Row, of: Tradeoff) -> bool:
    figures = [(one.figures[name], other.figures[name]) for name in (of.quick, of.cheap)]
    better = any(mine.ends[1] < theirs.ends[0] for mine, theirs in figures)
    return better and not any(theirs.ends[1] < mine.ends[0] for mine, theirs in figures)


def frontiers(rows: Sequence[Row], declared: Declaration) -> list[Frontier]:
    """The frontier at each place where a row that may be ranked has both figures, in the order of the places."""
    of = declared.tradeoff
    if of is None:
        return []
    known = (row for row in rows if {of.quick, of.cheap} <= row.figures.keys() and is_usable(row, "rank"))
    at_places = sorted(gathered((declared.place(row.case), row) for row in known).items())
    fronts = [(place, there, frontier(there, of)) for place, there in at_places]
    return [Frontier(place, tuple(led), tuple(row for row in there if row not in led)) for place, there, led in fronts]


HOW_AXES = ("threads", "placement", "pin", "home", "warmup", "busy")
"""Axes that say how a mechanism is measured. Of all others each value has a group of cases, unless it was named."""


def axes_of(case: Case) -> dict[str, Hashable]:
    """Return the value of a case on each axis; the name of a parameter's axis ends in `=`."""
    return {
        "mechanism": case.mechanism,
        "runtime": case.runtime,
        "experiment": case.experiment,
        **{f"{name}=": value for name, value in case.params.items()},
        "threads": case.groups,
        "placement": case.placement.title,
        "pin": case.placement.pin,
        "home": str(case.home) if case.home else "usual home",
        "warmup": str(case.warmup),
        "busy": case.busy.threads,
    }


def covering_order(cases: Sequence[Case], named: Collection[str]) -> list[int]:
    """Return the indices of cases in the order in which to measure them, the most wanted first.

    Where numbers were named, cases at their least and greatest come first; the range between is halved again and
    again. Of those the next case has the most values that no case before it has, then the most new pairs of values,
    and then is the first as given. What was not named makes groups: each has all of its corners before the next one
    begins.
    """
    points = [axes_of(case) for case in cases]
    named = [axis for axis in named if len({point[axis] for point in points if axis in point}) > 1]
    if not named:
        return list(range(len(cases)))
    values = [[(axis, point[axis]) for axis in named if axis in point] for point in points]
    depths = _depths({*chain.from_iterable(values)})
    groups: dict[Hashable, int] = {}

    def rank(at: int) -> tuple[int, int]:
        group = tuple(item for item in points[at].items() if item[0] not in (*named, *HOW_AXES))
        return sum(depths[value] for value in values[at]), groups.setdefault(group, len(groups))

    ranked = gathered((rank(at), at) for at in range(len(cases)))
    number = {value: at for at, value in enumerate(depths)}
    numbered = [[number[value] for value in of_it] for of_it in values]
    return [at for place in sorted(ranked) for at in _most_new_first(ranked[place], numbered)]


AxisValue = tuple[str, Hashable]


def _depths(values: Collection[AxisValue]) -> dict[AxisValue, int]:
    """Return how often the range of each number is halved until a value is met: 0 for its ends, and for words."""
    depths = dict.fromkeys(values, 0)
    for axis, found in gathered(values).items():
        numbers, depth = sorted(value for value in found if isinstance(value, int)), 0
        gaps = [(0, len(numbers) - 1)] if len(numbers) == len(found) else []
        while gaps := [(low, high) for low, high in gaps if high - low > 1]:
            depth += 1
            middles = [(low + high) // 2 for low, high in gaps]
            depths |= {(axis, numbers[middle]): depth for middle in middles}
            gaps = [half for (low, high), at in zip(gaps, middles, strict=True) for half in ((low, at), (at, high))]
    return depths


def _most_new_first(indices: Sequence[int], values: Sequence[Sequence[int]]) -> Iterator[int]:
    """Yield indices by how many values, and pairs of values, each adds; that only shrinks, so few are counted anew."""
    single = {at: frozenset(values[at]) for at in indices}
    paired = {at: frozenset(combinations(values[at], 2)) for at in indices}
    seen: set[int] = set()
    seen_pairs: set[tuple[int, ...]] = set()

    def added(at: int) -> tuple[int, int, int]:
        return -len(single[at] - seen), -len(paired[at] - seen_pairs), at

    heap = [added(at) for at in indices]
    heapify(heap)
    while heap:
        if (now := added(heap[0][-1])) != heap[0]:
            heapreplace(heap, now)
            continue
        at = heappop(heap)[-1]
        seen |= single[at]
        seen_pairs |= paired[at]
        yield at
