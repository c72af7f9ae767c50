"""What is said of queues in a sentence: which are best, which fall apart, and of which too few trials tell."""

from collections.abc import Iterator, Sequence
from functools import partial

from threadping.analysis.declaration import RowState
from threadping.characters import plain
from threadping.quantities import counted, time
from threadping.studies.which.cases import USAGES
from threadping.studies.which.judging import QueueFigure
from threadping.studies.which.reading import JudgedQueue, JudgedSituation

MOST_BEST, MOST_FALLEN = 4, 6
"""So many are named in a sentence; the table has all."""


def say_situation(one: JudgedSituation) -> str:
    """Say of a situation which queues are best in it, which fall apart, and what is open."""
    return f"{plain(one.title)}. {' '.join(_sentences(one))}"


def say_state(state: RowState | None) -> str:
    """How far its CPUs are apart; empty where they have no state."""
    return f"{time(state.core_to_core_ns)} core to core" if state else ""


def _sentences(one: JudgedSituation) -> Iterator[str]:
    figures = [figure for queue in one.queues for figure in queue.figures.values()]
    if all(figure.why for figure in figures):
        yield f"Cannot tell: {figures[0].why}."
        return
    yield f"Best {'; '.join(_best(one))}."
    fallen, at_times, untold, barred = (
        [f"{name_queue(queue, one)} ({', '.join(said)})" for queue in one.queues if (said := [*of(queue)])]
        for of in (_fallen, _at_times, partial(_untold, one), _barred)
    )
    if fallen:
        yield f"Fall apart: {_listed(fallen, MOST_FALLEN)}."
    if at_times:
        yield f"In some trials: {_listed(at_times, MOST_FALLEN)}."
    if untold:
        yield f"Too few trials to tell: {_listed(untold, MOST_BEST)}."
    if barred:
        yield f"Not judged: {_listed(barred, MOST_BEST)}."
    if not fallen and not at_times and not any(_is_open(queue) for queue in one.queues):
        yield "None falls apart."


def _best(one: JudgedSituation) -> Iterator[str]:
    for usage in USAGES:
        asked = [queue for queue in one.queues if usage.name in queue.figures]
        best = [name_queue(queue, one) for queue in asked if queue.figures[usage.name].verdict in ("best", None)]
        if asked:
            alone = " alone" if len(asked) == 1 else ""
            yield f"{usage.noun}: {_listed(best, MOST_BEST) + alone if best else 'cannot tell, too few trials'}"


def name_queue(queue: JudgedQueue, among: JudgedSituation) -> str:
    """Name a queue by its mechanism, and by its runtime where the others are of other ones."""
    several = len({one.case.runtime for one in among.queues}) > 1
    return plain(f"{queue.case.mechanism} {queue.case.runtime}" if several else queue.case.mechanism)


def _fallen(queue: JudgedQueue) -> Iterator[str]:
    """In what it falls apart, with how many times at least: `one in flight at least 210x`."""
    for noun, figure in _figures(queue):
        if figure.verdict == "falls apart":
            yield f"{noun} at least {figure.slower:,.0f}x"


def _at_times(queue: JudgedQueue) -> Iterator[str]:
    """In what it falls apart in some trials only: `one in flight 3 of 6`."""
    yield from (f"{noun} {one.apart} of {one.trials}" for noun, one in _figures(queue) if one.at_times)


def _is_open(queue: JudgedQueue) -> bool:
    return any(figure.verdict == "open" for _, figure in _figures(queue))


def _untold(one: JudgedSituation, queue: JudgedQueue) -> Iterator[str]:
    """In what it has too few trials, where the others have enough."""
    told = {noun for other in one.queues for noun, figure in _figures(other) if figure.verdict != "open"}
    open_ones = (noun for noun, figure in _figures(queue) if figure.verdict == "open" and not figure.why)
    yield from (noun for noun in open_ones if noun in told)


def _barred(queue: JudgedQueue) -> Iterator[str]:
    yield from dict.fromkeys(figure.why for _, figure in _figures(queue) if figure.why)


def _figures(queue: JudgedQueue) -> list[tuple[str, QueueFigure]]:
    return [(usage.noun, figure) for usage in USAGES if (figure := queue.figures.get(usage.name))]


def _listed(names: Sequence[str], most: int) -> str:
    """Name some: `a`, `a and b`, `a, b, c and 4 more`."""
    shown = list(names) if len(names) <= most else [*names[: most - 1], counted(len(names) - most + 1, "other")]
    *but, last = shown
    return f"{', '.join(but)} and {last}" if but else last
