"""Regimes and usages of queues, the cases of `queue` for these, and how a queue is judged.

Each is compared with the one whose median trial is the fastest. That one is chosen by chance too, so the intervals are
as wide as if each queue had been compared with every other: what is said of a queue is wrong in at most 5%.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import count
from math import comb
from statistics import median
from typing import Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis.declaration import Unit
from threadping.analysis.percentiles import CONFIDENCE, FEWEST_FOR_AN_INTERVAL, Estimate, at_least
from threadping.experiments.queues import PRODUCE_STEPS
from threadping.model.base import Record, gathered
from threadping.model.cases import Case, Skipped
from threadping.model.errors import NothingToMeasure
from threadping.model.quantities import counted
from threadping.model.quantities import named as numbered
from threadping.planning.cases import Cases, expand
from threadping.planning.plan import Layer
from threadping.planning.selection import Inventory, Selection, closest
from threadping.probes.placements import CPUS_APART, SAME_CPU, UNPINNED, usable
from threadping.probes.runtimes import LANGUAGES

COLLAPSED = 10.0  # times as slow as the best, significantly

Called = TypeVar("Called", bound=Hashable)

QueueVerdict = Literal["best", "behind", "collapses", "open"]


class QueueFigure(Record, frozen=True):
    """A figure of a queue among others."""

    value: Estimate
    trials: int  # the number that carry it
    fold: float  # times as slow as the best, by the medians of trials
    # `best` where it does not differ from the best; `open` with too few trials, or where these leave open whether it is
    # as fast as the best or collapses; None of one alone
    verdict: QueueVerdict | None
    # times as slow as the best at least; None where that is not known, or it is the best
    slower: float | None = None
    # the number of its trials that took COLLAPSED times the best's median
    apart: int = 0
    why: str = ""  # why its trials decide nothing, as a clause; empty where they may

    @property
    def at_times(self) -> bool:
        """It collapses in some of its trials, and not significantly as a whole."""
        return bool(self.apart) and self.verdict != "collapses" and not self.why


class Measured(Record, frozen=True):
    """A queue's figure, and the time of a message in each trial, above 0.

    `why` says why its trials decide nothing; empty where they may.
    """

    value: Estimate
    times: Sequence[float]
    why: str = ""


def judge(measured: Mapping[Called, Measured]) -> dict[Called, QueueFigure]:
    """Compare each queue with the one whose median trial is the fastest; one alone is not judged."""
    valid = [one for one in measured.values() if not one.why] or [*measured.values()]
    fastest = min((median(one.times) for one in valid), default=0.0)
    enough = [name for name, one in measured.items() if len(one.times) >= FEWEST_FOR_AN_INTERVAL and not one.why]
    best = min(enough, key=lambda name: median(measured[name].times), default=None)
    slower = {
        name: at_least(measured[name].times, measured[best].times, _error(len(measured)))
        for name in enough
        if best is not None and name != best
    }
    folds = {name: median(one.times) / fastest for name, one in measured.items()}
    verdicts: dict[Called, QueueVerdict | None] = {name: _verdict(slower.get(name), folds[name]) for name in measured}
    if len(measured) == 1:
        verdicts = {name: "open" if one.why else None for name, one in measured.items()}
    elif best is not None and {*verdicts.values()} != {"open"}:
        verdicts[best] = "best"
    return {
        name: QueueFigure(
            value=one.value,
            trials=len(one.times),
            fold=folds[name],
            verdict=verdicts[name],
            slower=slower.get(name),
            apart=sum(took >= COLLAPSED * fastest for took in one.times),
            why=one.why,
        )
        for name, one in measured.items()
    }


def _verdict(slower: float | None, fold: float) -> QueueVerdict:
    """Judge by the lower end of an interval; `open` where the figure says the opposite."""
    if slower is None or (slower <= 1 and fold >= COLLAPSED):
        return "open"
    return "collapses" if slower >= COLLAPSED else "behind" if slower > 1 else "best"


def fewest_trials(queues: int) -> int:
    """Return the trials of each with which one of the queues can be distinguished: six for up to 47 queues.

    Four would suffice for three queues that scatter alike. Where one scatters by 2% and the others by 40%, four of each
    leave it out wrongly in 11%, six in 5 (of 30 queues in 9).
    """
    return next(n for n in count(FEWEST_FOR_AN_INTERVAL) if _error(queues) * comb(2 * n, n) >= 1)


def _error(queues: int) -> float:
    """Return the error of one comparison with which all comparisons of a queue hold together in 95%."""
    return (1 - CONFIDENCE) / max(1, queues - 1)


QUEUE, PRODUCERS = "queue", "producers"

MOST_PRODUCERS = 4  # where there are CPUs for them and the consumer; two where there are none


class Regime(Struct, frozen=True):
    """The placements of the threads, and whether as many busy threads as CPUs compete for these."""

    name: str
    title: str
    placements: Sequence[str]
    busy: bool = False

    @property
    def apart(self) -> bool:
        return self.placements == CPUS_APART


class Usage(Struct, frozen=True):
    """A use of a queue, with one parameter that differs from its default; `noun` names it for a person.

    The time from one message to the next is judged, since every trial knows it: a queue that collapses times hardly
    any single message. `unit` is the printed unit.
    """

    name: str
    noun: str
    param: str
    value: str
    unit: Unit = "per_s"


REGIMES = (  # the fastest to measure first, and what most are asked for
    Regime("apart", "On CPUs of their own", CPUS_APART),
    Regime("one-cpu", "On one CPU", (SAME_CPU,)),
    Regime("unpinned", "Unpinned", (UNPINNED,)),
    Regime("busy", "With busy threads", (UNPINNED,), busy=True),
)

USAGES = (
    Usage("depth_1", "queue depth 1", "depth", "1", "ns"),
    Usage("unbatched", "unbatched", "producer-work", PRODUCE_STEPS),
    Usage("batches_of_100", "batches of 100", "batch", "100"),
)

DEPTH_1, UNBATCHED = USAGES[:2]


class Situation(Struct, frozen=True, order=True):
    """Queues are compared within a situation: a regime, by its place, with a number of producers."""

    regime: int
    producers: int

    @property
    def title(self) -> str:
        return REGIMES[self.regime].title + (f", {self.producers} producers" if self.producers > 1 else "")


def situation_of(case: Case) -> Situation | None:
    """Return the situation of a case; None where it is in none."""
    busy, producers = bool(case.busy.threads), case.params.get(PRODUCERS, 1)
    of = (at for at, one in enumerate(REGIMES) if case.placement.name in one.placements and one.busy is busy)
    regime = next(of, None)
    if case.experiment != QUEUE or regime is None or not isinstance(producers, int):
        return None
    return Situation(regime, producers)


def usage_of(case: Case) -> Usage | None:
    """Return the usage of a case's queue; None where it is none of these."""
    varied = [(name, str(case.params.get(name))) for name in case.varied if name != PRODUCERS]
    return next((one for one in USAGES if varied == [(one.param, one.value)]), None)


def situations_of(cases: Sequence[Case]) -> dict[Situation, list[int]]:
    """Return the places of cases by their situations, in the order in which these are measured."""
    return gathered((found, place) for place, case in enumerate(cases) if (found := situation_of(case)))


def cases_of(asked: Selection, here: Inventory) -> Cases:
    """Return the cases, a layer for each situation: every regime with one producer, then with several.

    A budget that does not carry all leaves the last out; the first regime is measured language by language, the fastest
    to measure first. A layer has the rounds that distinguish its queues, and one more, for trials that do not count.
    If all is compiled as it runs, and a trial takes 0.5 s or more, every regime is measured at queue depth 1
    first, which shows what collapses, and the other usages after that.

    Raises:
        UsageError: a name is unknown.
        NothingToMeasure: no queue is left.
    """
    every = expand(replace(asked, experiments=(QUEUE,), placements=(UNPINNED,)), here)
    queues = tuple(dict.fromkeys(case.mechanism for case in every.every))
    selection = replace(asked, experiments=(QUEUE,), mechanisms=queues)
    several = min(MOST_PRODUCERS, max(2, len(usable(here.topology)) - 1))
    situations = [Situation(at, producers) for producers in (1, several) for at in range(len(REGIMES))]
    found = {one.title: tuple(_cases(one, selection, here)) for one in situations}
    first = next(title for title, cases in found.items() if cases)
    of_first = gathered((case.runtime, case) for case in found.pop(first))
    ordered = sorted(here.described, key=lambda one: LANGUAGES[one.runtime.probe].compiles)
    named = {f"'{first}' in {one}": tuple(of_first[one]) for each in ordered if (one := each.runtime.label) in of_first}
    named |= {f"'{title}'": cases for title, cases in found.items() if cases}
    if all(LANGUAGES[one.runtime.probe].compiles for one in here.described):
        named = _depth_1_first(named)
    fewest = fewest_trials(len({(case.mechanism, case.runtime) for case in every.every}))
    layers = [Layer(what, cases, rounds=fewest + 1, fewest=fewest) for what, cases in named.items()]
    skipped = list(every.skipped)
    only = f"only {numbered(usable(here.topology))} may be used"
    for situation in situations:
        elsewhere = any(found.get(other.title) for other in situations if other.producers == situation.producers)
        if REGIMES[situation.regime].apart and elsewhere and situation.producers >= len(usable(here.topology)):
            skipped.append(
                Skipped(situation.title, f"{counted(situation.producers + 1, 'thread')} have no CPU each: {only}")
            )
    return Cases(tuple(layers), tuple(skipped))


def _depth_1_first(named: Mapping[str, tuple[Case, ...]]) -> dict[str, tuple[Case, ...]]:
    """Split the cases of each situation: queue depth 1 of all of them first, the rest after that."""
    first: dict[str, tuple[Case, ...]] = {}
    rest: dict[str, tuple[Case, ...]] = {}
    for what, cases in named.items():
        alone = tuple(case for case in cases if usage_of(case) == DEPTH_1)
        others = tuple(case for case in cases if usage_of(case) != DEPTH_1)
        first |= {f"{what}, {DEPTH_1.noun}": alone} if alone else {}
        rest |= {f"{what}, other uses": others} if others else {}
    return first | rest


def _cases(one: Situation, asked: Selection, here: Inventory) -> Iterator[Case]:
    """Yield every queue in every usage, with a CPU of its own for each thread in the regime `apart`."""
    regime, producers = REGIMES[one.regime], one.producers
    busy = len(usable(here.topology)) if regime.busy else 0
    for usage in USAGES:
        params = {usage.param: (usage.value,)} | ({PRODUCERS: (str(producers),)} if producers > 1 else {})
        able = {
            mechanism.name
            for one in here.described
            for experiment in one.description.experiments
            for mechanism in experiment.mechanisms
            if experiment.name == QUEUE and {*params} <= {param.name for param in mechanism.params}
        }
        mechanisms = tuple(name for name in asked.mechanisms if name in able)
        if not mechanisms:
            continue
        selection = replace(asked, mechanisms=mechanisms, params=params, placements=regime.placements, busy=(busy,))
        try:
            found = expand(selection, here).every
        except NothingToMeasure:  # no two CPUs have this placement, or no runtime has it all
            continue
        if regime.apart:
            found = [case for case in found if len(case.placement.used) == case.threads]
        yield from closest(found, lambda case: (case.mechanism, case.runtime))
