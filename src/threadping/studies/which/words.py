"""What is said of queues in a sentence: which are best, which fall apart, and of which too few trials tell."""

from collections.abc import Iterator, Sequence

from threadping.analysis.declaration import RowState
from threadping.characters import plain
from threadping.quantities import counted, time
from threadping.studies.which.cases import USAGES
from threadping.studies.which.judging import FALLS_APART, QueueVerdict
from threadping.studies.which.reading import JudgedQueue, JudgedSetting

MOST_BEST, MOST_FALLEN = 4, 6
"""So many are named in a sentence; the table has all."""


def say_setting(one: JudgedSetting) -> str:
    """Say of a setting which queues are best in it, which fall apart, and what is open."""
    return f"{plain(one.title)}: {' '.join(_sentences(one))}"


def say_state(state: RowState | None) -> str:
    """How far its CPUs are apart; empty where they have no state."""
    return f"{time(state.core_to_core_ns)} core to core" if state else ""


def _sentences(one: JudgedSetting) -> Iterator[str]:
    yield f"best {'; '.join(_best(one))}."
    fallen = [(name_queue(queue, one), text) for queue in one.queues if (text := _fallen(queue))]
    times = f"{FALLS_APART:.0f} times as slow as the best or slower"
    yield f"Fall apart, {times}: {_listed([*map(' '.join, fallen)], MOST_FALLEN)}." if fallen else "None falls apart."
    untold = [name_queue(queue, one) for queue in one.queues if "open" in _verdicts(queue)]
    if untold:
        yield f"Too few trials to tell of {_listed(untold, MOST_BEST)}."


def _best(one: JudgedSetting) -> Iterator[str]:
    for usage in USAGES:
        asked = [queue for queue in one.queues if usage.name in queue.figures]
        best = [queue for queue in asked if queue.figures[usage.name].verdict == "best"]
        if len(asked) == 1:
            yield f"{usage.noun} {name_queue(asked[0], one)}, the only one"
        elif asked and not best:
            yield f"{usage.noun} is open"
        elif asked:
            yield f"{usage.noun} {_listed([name_queue(queue, one) for queue in best], MOST_BEST)}"


def name_queue(queue: JudgedQueue, among: JudgedSetting) -> str:
    """Name a queue by its mechanism, and by its runtime where the others are of other ones."""
    several = len({one.case.runtime for one in among.queues}) > 1
    return plain(f"{queue.case.mechanism} {queue.case.runtime}" if several else queue.case.mechanism)


def _verdicts(queue: JudgedQueue) -> list[QueueVerdict | None]:
    return [figure.verdict for figure in queue.figures.values()]


def _fallen(queue: JudgedQueue) -> str:
    """In what it falls apart, with how many times at least: `(one in flight 210x)`; empty where in nothing."""
    found = [
        f"{usage.noun} {figure.slower:,.0f}x"
        for usage in USAGES
        if (figure := queue.figures.get(usage.name)) and figure.verdict == "falls apart" and figure.slower
    ]
    return f"({', '.join(found)})" if found else ""


def _listed(names: Sequence[str], most: int) -> str:
    """Name some: `a`, `a and b`, `a, b, c and 4 more`."""
    shown = list(names) if len(names) <= most else [*names[: most - 1], counted(len(names) - most + 1, "other")]
    *but, last = shown
    return f"{', '.join(but)} and {last}" if but else last
