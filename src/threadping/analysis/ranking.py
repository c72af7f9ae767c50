"""The sentences that answer a run: rankings with ties, where the best changes along an axis, and what blocking costs.

Rows are ranked within one condition: placement, placement state, threads, load, and the parameters that say what is
measured. A row is behind the best only if its trials show that, by Welch's intervals of logarithms for all pairs of
rows together; else it does not differ. docs/internals/statistics.md has how often a sentence is false.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import groupby
from math import exp, log, sqrt
from statistics import fmean, median, variance

from threadping.analysis.declaration import Row
from threadping.analysis.percentiles import CONFIDENCE, FEWEST_FOR_AN_INTERVAL, student
from threadping.analysis.validity import is_usable, validity_of
from threadping.model import quantities
from threadping.model.base import Record, gathered
from threadping.model.cases import GROUPS, read_all, with_params, with_unit
from threadping.model.quantities import counted
from threadping.model.text import plain

BETWEEN_RUNS = 2.0  # Medians of runs scatter 1.6 to 1.8 times as much as their trials explain
NEAR = 1.25  # Maximum ratio to the best of those that "do not differ": what scatters more is not distinguished
MOST_NAMES, MOST_PLACES = 3, 3  # maximum number of names, and of places along an axis, in a sentence


def rank(times: Sequence[Sequence[float]], error: float = 1 - CONFIDENCE) -> list[float | None]:
    """Return how many times slower than the best each is at least, by its trials; None if it may be as fast.

    The best has the least mean logarithm. Any of them is said to be slower wrongly in a share of `error` of runs. Few
    trials of two modes may all be of one: none counts as steadier than the middle one.
    """
    logs = [[log(value) for value in values] for values in times]
    usual = median(map(variance, logs))
    means = [fmean(of) for of in logs]
    parts = [max(variance(of), usual) / len(of) for of in logs]
    best = means.index(min(means))
    each = error / max(1, len(times) * (len(times) - 1))

    def at_least(at: int) -> float:
        whole, apart = parts[at] + parts[best], means[at] - means[best]
        if not whole:
            return exp(apart)
        degrees = whole**2 / sum(parts[one] ** 2 / (len(logs[one]) - 1) for one in (at, best))
        return exp(apart - BETWEEN_RUNS * student(1 - each, degrees) * sqrt(whole))

    return [low if at != best and (low := at_least(at)) > 1 else None for at in range(len(times))]


class Ranking(Record, frozen=True):
    """Rows of one condition, ranked by their headline."""

    best: Row
    alike: tuple[Row, ...]  # it, and those that do not differ from it, the best first
    behind: tuple[tuple[Row, float], ...]  # the others, the best first, each with how many times slower it is at least
    open: tuple[Row, ...]  # those that too few trials, or their scatter, leave open, the best first


def ranking_of(rows: Sequence[Row], among: int = 1) -> Ranking:
    """Rank rows that have a headline, at least one; `among` is the number of rankings of one answer."""
    took = {id(row): row.as_time(row.number(row.leading.name)) for row in rows}
    ordered = sorted(rows, key=lambda row: took[id(row)])
    times = [(row, row.times) for row in ordered]
    enough = [(row, of) for row, of in times if len(of) >= FEWEST_FOR_AN_INTERVAL and min(of) > 0]
    slower = rank([of for _, of in enough], (1 - CONFIDENCE) / among) if enough else []
    each = [(row, low) for (row, _), low in zip(enough, slower, strict=True)]
    alike = [row for row, low in each if low is None and took[id(row)] <= NEAR * took[id(ordered[0])]]
    behind = tuple((row, low) for row, low in each if low is not None)
    if ordered[0] not in alike:
        return Ranking(ordered[0], (), (), tuple(ordered))
    decided = [*alike, *(row for row, _ in behind)]
    return Ranking(ordered[0], tuple(alike), behind, tuple(row for row in ordered if row not in decided))


def answers_of(rows: Sequence[Row]) -> Iterator[str]:
    """Say what the rows of an experiment answer: what is best, what does not differ, what the others cost."""
    known = [row for row in rows if row.leads and row.number(row.leading.name) > 0]
    usable = [row for row in known if is_usable(row, "rank")]
    if known and not usable:
        yield plain(f"Not ranked: {validity_of(known[0], 'rank').why}.")
    if usable:
        families = gathered((_condition(row), row) for row in usable).values()
        main = max(families, key=lambda of: (len(of), sum(len(row.trials) >= FEWEST_FOR_AN_INTERVAL for row in of)))
        declared = main[0].declared
        at_places = gathered((declared.place(row.case) if declared.along else 0, row) for row in main)
        placed = (gathered((row.case.placement, row) for row in of) for _, of in sorted(at_places.items()))
        # at each place on the declared axis those with the placement of most rows
        rankings = [ranking_of(max(of.values(), key=len), len(at_places)) for of in placed]
        yield from _outcomes(rankings)
        if len(rankings) > 1:
            yield from _crossing(rankings)


def _condition(row: Row) -> tuple[Hashable, ...]:
    """Return what rows share that are ranked, or set side by side along the declared axis."""
    case, declared = row.case, row.declared
    given = (name for name in declared.conditions if name in case.varied and name != declared.param)
    params = tuple((name, case.params[name]) for name in given)  # a mechanism without one has its default
    apart = "placement" if declared.along in ("threads", "pairs") else ""
    others = read_all(case, "mechanism", "runtime", apart, "threads" if apart else "")
    return (row.leading.name, row.regime, case.timed, params, others)


def _outcomes(rankings: Sequence[Ranking]) -> Iterator[str]:
    """Say the outcome at each place; where one mechanism was measured, its figure at each place in one sentence."""
    every = [row for one in rankings for row in (*one.alike, *one.open, *(of for of, _ in one.behind))]
    if len({*map(_title, every)}) == 1 and len(rankings) > 1:
        shown = [f"{figure_of(one.best)} with {_axis(one.best)}" for one in rankings]
        shown[MOST_PLACES - 1 : -1] = []
        metric = metric_of(rankings[0].best)
        yield f"{metric[:1].upper()}{metric[1:]} of {_names(every)}: {', '.join(shown)}."
        return
    runs = [[*of] for _, of in groupby(rankings, lambda one: _names(one.alike) or _axis(one.best))]
    for run in runs if len(runs) <= MOST_PLACES else [*runs[: MOST_PLACES - 1], runs[-1]]:
        axis, several = _axis(run[-1].best), len(run) > 1
        where = f"{_axis(run[0].best).removesuffix(' threads').removesuffix(' thread')} to {axis}" if several else axis
        yield f"{where}{': ' if where else ''}{_outcome(run[-1], f' with {axis}' if several else '')}."
        if len(runs) == 1 and run[-1].behind and (kinds := _other_kind(run[-1])):
            yield kinds


def _outcome(one: Ranking, where: str) -> str:
    top = one.alike or one.open[:1]
    metric, tail, others = f"{metric_of(top[0])}{where}", _tail(top[0]), []
    if one.behind:
        those = f"the other {len(one.behind)} are" if one.behind[1:] else f"{_names([one.behind[0][0]])} is"
        others = [f"{those} {slower_by([low for _, low in one.behind])}"]
    if number := len(one.open) - (not one.alike):
        is_few = all(len(row.trials) < FEWEST_FOR_AN_INTERVAL for row in one.open)
        others += [f"{counted(number, 'other')} not distinguished{' (too few trials)' if is_few else ''}"]
    if len(top) == 1:
        said = f"{_names(top)}{' is fastest' if one.behind else ''}: {figure_of(top[0])} {metric}{tail}"
    else:
        values = [row.number(row.leading.name) for row in top]
        reach = quantities.span(values) if top[0].leading.unit == "ns" else quantities.counts(min(values), max(values))
        said = f"{_names(top)} do not differ: {reach} {metric}{tail and f' (of the first: {tail[2:]})'}"
    return "; ".join([said, *others])


def _other_kind(one: Ranking) -> str:
    """Say what the fastest costs that blocks where the best spin, or the reverse; empty where that is no difference."""
    kinds = {row.case.blocking for row in one.alike}
    other = next(((row, low) for row, low in one.behind if row.case.blocking not in kinds), None)
    if len(kinds) != 1 or other is None:
        return ""
    row, low = other
    who = f"Of those that {'block' if row.case.blocking else 'spin'} {_names([row])}"
    return f"{who} is fastest: {figure_of(row)}{_tail(row)}, {slower_by([low])}."


def _crossing(rankings: Sequence[Ranking]) -> Iterator[str]:
    """Say where along the axis the best change from spinning to blocking, or the reverse, once."""
    runs = [(kind, [one.best for one in of]) for kind, of in groupby(filter(_winner, rankings), _winner)]
    if len(runs) == 2:
        (first, before), (second, after) = runs
        last, begins = before[-1], after[0]
        cpus = [len({*row.case.placement.cpus}) for row in (last, begins)]
        many = last.case.threads <= cpus[0] and begins.case.threads > cpus[1]
        why = " (more threads than CPUs)" if many else ""
        yield f"{first} is faster up to {_axis(last)}, {second.lower()} from {_axis(begins)} on{why}."


def _winner(one: Ranking) -> str:
    """Return the kind of all that do not differ from the best, where the other kind is behind; else empty."""
    kinds = {row.case.blocking for row in one.alike}
    others = {row.case.blocking for row, _ in one.behind} - kinds
    return ("Blocking" if True in kinds else "Spinning") if len(kinds) == 1 and others and not one.open else ""


def _axis(row: Row) -> str:
    """Write the place of a row along the declared axis: `2 threads`, `rate 10k`; empty if it has none."""
    of, param = row.declared, row.declared.param
    if param:
        return f"{param} {with_unit(param, row.case.params[param])}" if param in row.case.params else ""
    return counted(row.case.groups, GROUPS[row.case.group]) if of.along else ""


def metric_of(row: Row) -> str:
    of = row.declared
    return of.other.metric if of.other and of.other.applies(row.case) else of.metric


def figure_of(row: Row) -> str:
    """Write a headline with its interval: `141 ns (140-150)`; of one or two trials with their number."""
    found, of_time = row.figures[row.leading.name], row.leading.unit == "ns"
    value = quantities.time(found.value) if of_time else quantities.count(found.value)
    reach = quantities.interval(found.value, *found.ends, quantities.UNITS if of_time else quantities.MULTIPLES)
    return f"{value} ({reach if found.kind else counted(len(row.trials), 'trial')})"


def _tail(row: Row) -> str:
    """Write the percentiles that the samples carry, and what waiting costs: `, p99 230 ns, CPU 100%`."""
    (group, _, leads), declared = row.leading.name.partition("."), row.declared
    found = [(part, row.value(f"{group}.{part}")) for part in ("p99", "p99.9") if part != leads]
    parts = [f", {part} {quantities.time(value)}" for part, value in found if value is not None]
    cost = row.value(declared.tradeoff.cheap) if declared.tradeoff else None
    return "".join([*parts, *([] if cost is None else [f", CPU {quantities.percent(cost / 100)}"])])


def slower_by(lows: Sequence[float]) -> str:
    """Write how many times slower rows are at least; a bound that rounds to 1.00 is no number to print."""
    low, high = _fold(min(lows)), _fold(max(lows))
    if low != "1.00":
        return f"at least {low if low == high else f'{low} to {high}'} times slower"
    return "slower" + (f", the last at least {high} times" if high != low else "")


def _fold(low: float) -> str:
    return f"{float(f'{low:.2g}'):,.0f}" if low >= 9.95 else f"{low:.2f}" if low < 2 else f"{low:.1f}"


def _title(row: Row) -> tuple[str, str]:
    """Return the mechanism with the parameters that are its own, and the runtime."""
    own = [name for name in row.case.varied if name not in row.declared.conditions]
    return plain(with_params(row.case.mechanism, row.case.params, own)), plain(row.case.runtime)


def _names(rows: Iterable[Row]) -> str:
    """Name mechanisms, each with its runtimes: `futex (cpp, rust), park (java-17) and 2 others`."""
    titles = gathered(dict.fromkeys(map(_title, rows)))
    named = [f"{title} ({', '.join(runtimes)})" for title, runtimes in titles.items()]
    shown = named if len(named) <= MOST_NAMES else [*named[: MOST_NAMES - 1], f"{len(named) - MOST_NAMES + 1} others"]
    *but, last = shown or [""]
    return f"{', '.join(but)} and {last}" if but else last
