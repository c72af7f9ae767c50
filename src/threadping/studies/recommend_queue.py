"""The choice of a queue: regimes and usages, the cases of `queue` for these, and a sentence and a table for each.

Each queue is compared with the one whose median trial is the fastest. That one is chosen by chance too, so the
intervals are as wide as if each queue had been compared with every other: what is said of a queue is wrong in at most
5%.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from math import comb, log
from statistics import fmean, median
from typing import Any, Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Row, RowState, Unit
from threadping.analysis.percentiles import CONFIDENCE, FEWEST_FOR_AN_INTERVAL, Estimate, at_least
from threadping.analysis.validity import validity_of
from threadping.conduct.environment import PACES, Environment, headline, prepare_rounds
from threadping.conduct.study import PreparedRun, Study, StudyRequest
from threadping.experiments.queues import PRODUCE_STEPS
from threadping.model.base import Record, gathered
from threadping.model.cases import Case, Skipped
from threadping.model.errors import NothingToMeasure
from threadping.model.quantities import counted, time
from threadping.model.quantities import named as numbered
from threadping.model.run import Observation, Premises, QueueChoice, Run
from threadping.model.text import plain, proposed
from threadping.output import findings, heading, layout, listings
from threadping.output.layout import Block, Field, Flow, Section, Sheet, attribute, grid_of
from threadping.output.names import placement_label
from threadping.planning.cases import Cases, expand
from threadping.planning.plan import Layer, Plan, plan_of
from threadping.planning.schedule import Batch, Ended, Levels, Rounds, Schedule, Turn
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
    judged: dict[Called, QueueFigure] = {}
    for name, one in measured.items():
        slower, fold = None, median(one.times) / fastest
        if best is not None and name in enough and name != best:
            slower = at_least(one.times, measured[best].times, _error(len(measured)))
        verdict = _verdict(slower, fold) if len(measured) > 1 or one.why else None
        apart = sum(took >= COLLAPSED * fastest for took in one.times)
        judged[name] = QueueFigure(one.value, len(one.times), fold, verdict, slower, apart, one.why)
    if best is not None and {one.verdict for one in judged.values()} - {"open", None}:
        judged[best] = replace(judged[best], verdict="best")
    return judged


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


class Usage(Struct, frozen=True):
    """A use of a queue, with one parameter that differs from its default; `noun` names it for a person.

    `unit` is that of its headline: a latency at queue depth 1, else a rate, judged as the time of a message.
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
    first, which shows what collapses, and the other usages after that. Raises UsageError for an unknown name,
    NothingToMeasure where no queue is left.
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
        is_apart = REGIMES[situation.regime].placements == CPUS_APART
        if is_apart and elsewhere and situation.producers >= len(usable(here.topology)):
            skipped.append(
                Skipped(situation.title, f"{counted(situation.producers + 1, 'thread')} have no CPU each: {only}")
            )
    return Cases(tuple(layers), tuple(skipped))


def _depth_1_first(named: Mapping[str, tuple[Case, ...]]) -> dict[str, tuple[Case, ...]]:
    """Split the cases of each situation: queue depth 1 of all of them first, the rest after that."""
    split: dict[str, tuple[Case, ...]] = {}
    for uses, is_first in ((DEPTH_1.noun, True), ("other uses", False)):
        for what, cases in named.items():
            split[f"{what}, {uses}"] = tuple(case for case in cases if (usage_of(case) == DEPTH_1) is is_first)
    return {what: cases for what, cases in split.items() if cases}


def _cases(one: Situation, asked: Selection, here: Inventory) -> Iterator[Case]:
    """Yield every queue in every usage, with a CPU of its own for each thread in the regime `apart`."""
    regime, producers = REGIMES[one.regime], one.producers
    busy = len(usable(here.topology)) if regime.busy else 0
    for usage in USAGES:
        params = {usage.param: (usage.value,)} | ({PRODUCERS: (str(producers),)} if producers > 1 else {})
        able = {one.name for one in here.mechanisms(QUEUE) if {*params} <= {param.name for param in one.params}}
        mechanisms = tuple(name for name in asked.mechanisms if name in able)
        if not mechanisms:
            continue
        selection = replace(asked, mechanisms=mechanisms, params=params, placements=regime.placements, busy=(busy,))
        try:
            found = expand(selection, here).every
        except NothingToMeasure:  # no two CPUs have this placement, or no runtime has it all
            continue
        if regime.placements == CPUS_APART:
            found = [case for case in found if len(case.placement.used) == case.threads]
        yield from closest(found, lambda case: (case.mechanism, case.runtime))


# ---- the judgement of a run ----

SPENT = ("producer_cpu_ns_per_op", "consumer_cpu_ns_per_op")

QueueName = tuple[str, str]  # its mechanism and runtime


class JudgedQueue(Record, frozen=True):
    """A queue in a situation."""

    of: Situation
    case: Case  # of it, in one usage
    figures: Mapping[str, QueueFigure]  # by usage; without those that were not measured, or carry no figure
    # the CPU time of a message one by one, of its producer (ns), its work included; None where not known
    sent: Estimate | None
    taken: Estimate | None  # the same of the consumer

    @property
    def behind(self) -> float:
        """The sort key: how many times as slow as the best it is, the mean over its usages (log)."""
        return fmean(log(one.fold) for one in self.figures.values())


class JudgedSituation(Record, frozen=True):
    """The judged queues of a situation, the best first."""

    of: Situation
    state: RowState | None  # of the machine, by which the figures are; None where there is none
    queues: tuple[JudgedQueue, ...]  # those that have a figure


def _judged(situation: Situation, rows: Sequence[Row]) -> JudgedSituation:
    trials = gathered((row.state, len(row.trials)) for row in rows)
    state = max(trials, key=lambda state: sum(trials[state]))  # queues are compared within one
    here: dict[QueueName, dict[str, Row]] = {}  # the rows of each queue, by usage
    for row in rows:
        if row.state == state and (usage := usage_of(row.case)):
            here.setdefault((row.case.mechanism, row.case.runtime), {})[usage.name] = row
    judged: dict[str, Mapping[QueueName, QueueFigure]] = {}
    for usage in USAGES:
        measured = ((name, of_it[usage.name]) for name, of_it in here.items() if usage.name in of_it)
        judged[usage.name] = judge({name: found for name, one in measured if (found := _measured(one, usage))})
    queues: list[JudgedQueue] = []
    for name, of_it in here.items():
        case = next(of_it[usage.name].case for usage in USAGES if usage.name in of_it)
        spent = of_it[UNBATCHED.name].figures if UNBATCHED.name in of_it else {}
        if figures := {usage: found[name] for usage, found in judged.items() if name in found}:
            queues.append(JudgedQueue(situation, case, figures, *map(spent.get, SPENT)))
    return JudgedSituation(situation, state, tuple(sorted(queues, key=lambda one: one.behind)))


def _measured(row: Row, usage: Usage) -> Measured | None:
    value, values = row.headline, row.over_trials(row.leading.name)
    if value is None or not values or min(values) <= 0:
        return None
    times = values if usage.unit == "ns" else [1e9 / each for each in values]
    return Measured(value, times, validity_of(row, "recommend").why)


MOST_BEST, MOST_FALLEN = 4, 6  # named in a sentence; the table has all


def say_situation(one: JudgedSituation) -> str:
    """Say of a situation which queues are best in it, which collapse, and what is open."""
    return f"{one.of.title}. {' '.join(_sentences(one))}"


def _sentences(one: JudgedSituation) -> Iterator[str]:
    known = [
        (name_queue(queue, one), usage.noun, figure)
        for queue in one.queues
        for usage in USAGES
        if (figure := queue.figures.get(usage.name))
    ]
    if all(figure.why for *_, figure in known):
        yield f"Cannot tell: {known[0][2].why}."
        return
    best: list[str] = []
    for usage in USAGES:
        measured = [queue for queue in one.queues if usage.name in queue.figures]
        names = [name_queue(queue, one) for queue in measured if queue.figures[usage.name].verdict in ("best", None)]
        if measured:
            alone = " alone" if len(measured) == 1 else ""
            which = _listed(names, MOST_BEST) + alone if names else "cannot tell, too few trials"
            best.append(f"{usage.noun}: {which}")
    yield f"Best {'; '.join(best)}."
    decided = {noun for _, noun, figure in known if figure.verdict != "open"}
    fallen = [(queue, f"{noun} at least {of.slower:,.0f}x") for queue, noun, of in known if of.verdict == "collapses"]
    at_times = [(queue, f"{noun} {of.apart} of {of.trials}") for queue, noun, of in known if of.at_times]
    untold = [(queue, noun) for queue, noun, of in known if of.verdict == "open" and not of.why and noun in decided]
    barred = [(queue, of.why) for queue, _, of in known if of.why]
    for begin, pairs, most in (
        ("Collapse", fallen, MOST_FALLEN),
        ("In some trials", at_times, MOST_FALLEN),
        ("Too few trials to tell", untold, MOST_BEST),
        ("Not judged", barred, MOST_BEST),
    ):
        if pairs:
            said = [f"{queue} ({', '.join(dict.fromkeys(what))})" for queue, what in gathered(pairs).items()]
            yield f"{begin}: {_listed(said, most)}."
    if not (fallen or at_times or any(figure.verdict == "open" for *_, figure in known)):
        yield "None collapses."


def name_queue(queue: JudgedQueue, among: JudgedSituation) -> str:
    """Name a queue by its mechanism, and by its runtime where others have another one."""
    several = len({one.case.runtime for one in among.queues}) > 1
    return plain(f"{queue.case.mechanism} {queue.case.runtime}" if several else queue.case.mechanism)


def _listed(names: Sequence[str], most: int) -> str:
    """Name some: `a`, `a and b`, `a, b, c and 4 more`."""
    shown = list(names) if len(names) <= most else [*names[: most - 1], counted(len(names) - most + 1, "other")]
    *but, last = shown
    return f"{', '.join(but)} and {last}" if but else last


VERDICT_MARKS: Mapping[QueueVerdict | None, tuple[str, str]] = {
    "best": ("\N{CHECK MARK}", "bold green"),
    "behind": (" ", ""),
    "collapses": ("\N{MULTIPLICATION SIGN}", "bold red"),
    "open": ("?", "yellow"),
    None: (" ", ""),
}
AT_TIMES = ("~", "red")
LEGEND = (
    "\N{CHECK MARK} does not differ from the best; \N{MULTIPLICATION SIGN} collapses: significantly 10 times slower "
    "or more; ~ collapses in some trials; ? too few trials. Queue depth 1: a message with its acknowledgement. CPU: "
    "per unbatched message."
)


def queues_sheet(judged: Sequence[JudgedSituation]) -> Sheet[JudgedQueue]:
    """Return a line for each queue in each situation, the best first."""
    spent = "CPU time of an unbatched message, including its sixteen steps of work."
    ns = partial(layout.figure, "ns")
    fields: tuple[Field[JudgedQueue], ...] = (
        Field(key="regime", of=lambda one: REGIMES[one.of.regime].name),
        attribute("of.producers", type=int),
        Field(head="queue", key="mechanism", of=lambda one: plain(one.case.mechanism), style="bold", names=True),
        Field(head="runtime", key="runtime", of=lambda one: plain(one.case.runtime), names=True),
        attribute("case.placement.name", key="placement"),
        attribute("case.placement.cpus", type=tuple[int | None, ...]),
        attribute("case.busy.threads", type=int, key="busy"),
        *(field for usage in USAGES for field in _of_usage(usage)),
        attribute("sent", spent, Estimate, show=ns, head="send CPU", key="producer_cpu_ns", rank=2),
        attribute("taken", spent, Estimate, show=ns, head="take CPU", key="consumer_cpu_ns", rank=1),
    )
    return Sheet("queues", fields, [queue for situation in judged for queue in situation.queues])


OF_FIGURE: Sequence[tuple[str, str, Any, str]] = (  # name, attribute, type, meaning
    ("fold", "fold", float | None, "Ratio to the best, by the medians of trials: 2 is half as fast."),
    ("verdict", "verdict", QueueVerdict | None, ""),
    ("slower_at_least", "slower", float | None, "Lower end of the interval of that ratio."),
    ("collapsed", "apart", int, "Number of its trials that were 10 times slower than the best's median, or more."),
    ("trials", "trials", int, ""),
)


def _of_usage(usage: Usage) -> Iterator[Field[JudgedQueue]]:
    """Yield its figure with its mark, and its verdict."""

    def written(one: JudgedQueue) -> Text:
        if (found := one.figures.get(usage.name)) is None:
            return layout.figure("ns", None)
        mark, style = AT_TIMES if found.at_times else VERDICT_MARKS[found.verdict]
        return Text.assemble(layout.figure(usage.unit, found.value, style), " ", (mark, style))

    def part(of: str, otherwise: int | None = None) -> Callable[[JudgedQueue], Any]:
        return lambda one: getattr(one.figures.get(usage.name), of, otherwise)

    yield Field(head=usage.noun, key=f"{usage.name}.{usage.unit}", type=Estimate, of=part("value"), write=written)
    for name, of, type, means in OF_FIGURE:
        yield Field(key=f"{usage.name}.{name}", type=type, of=part(of, 0 if type is int else None), means=means)


SITUATION_FIELDS: tuple[Field[JudgedSituation], ...] = (
    Field(key="regime", of=lambda one: REGIMES[one.of.regime].name),
    attribute("of.producers", type=int),
    attribute("state.core_to_core_ns", unit="ns"),
    Field(key="sentence", of=say_situation),
)


def tables_of(judged: Sequence[JudgedSituation], *, whole: bool = True) -> Iterator[Block]:
    """Show each situation with its sentence (the first only if `whole`), its placement, and its queues."""
    for place, one in enumerate(judged):
        yield Text(say_situation(one) if place or whole else f"{one.of.title}.", "bold")
        apart = [f"{time(one.state.core_to_core_ns)} core to core"] if one.state else []
        yield Flow([Text(part, "dim") for part in (placement_label(one.queues[0].case), *apart) if part])
        yield grid_of(queues_sheet([one]))
    yield Text(LEGEND, "dim")


# ---- the study ----


class InTurn(Rounds):
    """Rounds of parts of a plan, each measured to its end before the next, so that the first is known soon.

    Of time that a part does not take the next ones have more; none takes what those behind it are planned to take.
    """

    def __init__(
        self, plan: Plan, parts: Sequence[Sequence[int]], value: Callable[[Observation], float | None]
    ) -> None:
        self._parts = [*parts]  # the present one, and those behind it
        self._number, self._untried = len(parts), set(range(len(plan.cases)))
        self._cut: list[str] = []  # notes on parts that ended with their time
        super().__init__(plan, value)
        self._whole_s = self.seconds
        self._begin()

    def next(self, waiting: Collection[int], levels: Callable[[int], Levels]) -> Batch:
        while self._parts:
            behind, rounds = (self._number - len(self._parts)) * self.plan.rounds, self._number * self.plan.rounds
            if turns := super().next(waiting, levels):
                return tuple(replace(turn, round=behind + turn.round, rounds=rounds) for turn in turns)
            if not {*waiting}.isdisjoint(self._parts[0]):
                return ()
            del self._parts[0]
            self._begin()
        return ()

    def ended(self, turn: Turn, trial: Ended, left_s: float) -> None:
        self._whole_s = left_s
        super().ended(turn, trial, self._of_present(left_s))
        self._untried.discard(turn.case)
        if self._parts[1:] and self._left_s < trial.wall_s and self._untried.isdisjoint(self._parts[0]):
            self._cut += filter(None, [super().cut_short()])
            del self._parts[0]
            self._begin()

    def give_up(self, case: int) -> None:
        super().give_up(case)
        self._untried.discard(case)

    def left(self) -> tuple[int, float]:
        (trials, seconds), later = super().left(), {*self._later} - self.given_up
        return trials + self.plan.rounds * len(later), seconds + self._whole_s - self._of_present(self._whole_s)

    def cut_short(self) -> str | None:
        return self._cut[0] if self._cut else super().cut_short()

    def unreached(self) -> str | None:
        short = len(self._cut)
        return f"{counted(short, 'regime')} had fewer rounds than planned: trials took longer." if short else None

    @property
    def _later(self) -> list[int]:
        return [case for part in self._parts[1:] for case in part]

    def _of_present(self, left_s: float) -> float:
        """Return the time of the present part, without what is planned for those behind it."""
        later_s = sum(self.plan.start_s[case] + self.plan.lengths[case].seconds for case in self._later)
        return left_s - later_s * (self.plan.rounds + self.plan.spare_s / self.plan.round_s)

    def _begin(self) -> None:
        self._open = sorted({*self._parts[0]} - self.given_up) if self._parts else []
        self._left_s = self._of_present(self._whole_s)


OTHER_JVM = "one JVM is asked unless --runtime names more"  # why a runtime that is here is in no regime


class RecommendQueueStudy(Study[StudyRequest, Sequence[JudgedSituation]]):
    """Every queue in every regime, one regime after the other."""

    stored, is_of_rows = QueueChoice, True

    def prepare(self, asked: StudyRequest, environment: Environment) -> PreparedRun:
        wanted, further = environment.one_of_each(asked.selection)
        here = environment.inventory(wanted, usual=not asked.selection.runtimes)
        cases = cases_of(asked.selection, here)
        others = (Skipped(one.label, OTHER_JVM) for one in further)
        return prepare_rounds(cases, here.only(cases.every), asked, others)

    def schedule(self, run: Run, premises: Premises) -> Schedule:
        return InTurn(plan_of(run, premises, PACES), [*situations_of(run.cases).values()], headline)

    def read(self, answer: Answer, asked: Any) -> Sequence[JudgedSituation]:
        """Judge every situation of a run that has figures: regime by regime, with one producer and with several."""
        used = (row for row in answer.rows if usage_of(row.case))
        of = gathered((situation, row) for row in used if (situation := situation_of(row.case)))
        return [judged for situation in sorted(of) if (judged := _judged(situation, of[situation])).queues]

    def blocks(self, answer: Answer, result: Sequence[JudgedSituation]) -> Iterable[Block]:
        """Show the situations, each behind an empty line; then what has no figure, and what was skipped."""
        run = answer.run
        yield from findings.unusable(answer)
        yield from [Text(f"{say_situation(one)}\n", "bold") for one in result[:1]]
        yield heading.where(run)
        numbers = counted(run.number_of_cases, "case"), counted(len(answer.trials), "trial")
        yield Flow([Text(number, "dim") for number in numbers])
        for block in tables_of(result, whole=False):
            if isinstance(block, Text):
                yield Text()
            yield block
        yield from findings.of_load(answer, "row")
        known = {row.case for row in answer.rows if row.trials}
        without = [row for row in answer.rows if row.case not in known and row.ended]  # in any state
        failures = ((row, (one.failure.message for one in row.ended if one.failure)) for row in without)
        whys = [Skipped(row.case.title, next(failed, ", ".join(row.warned))) for row, failed in failures]
        yield from listings.reasons("\nWithout figures", whys)
        yield from listings.reasons("\nNot measured", run.skipped)
        shows = {proposed("show", str(run.id), "--trials", "--format", "json"): "every trial"} if run.id else {}
        yield from heading.next_commands({**heading.to_resume(run), **shows, **heading.with_room(run)})

    def lead(self, answer: Answer) -> Iterable[Block]:
        return [Text(say_situation(one), "bold") for one in self.read(answer, None)]

    def sheets(self, answer: Answer, result: Sequence[JudgedSituation]) -> Sequence[Sheet[Any]]:
        return [queues_sheet(result), Sheet("regimes", SITUATION_FIELDS, result)]

    def sections(self, answer: Answer) -> Iterable[Section]:
        if isinstance(answer.run.study, QueueChoice) and (judged := self.read(answer, None)):
            yield Section("recommend-queue", "Which queue?", blocks=[*tables_of(judged)])


STUDY = RecommendQueueStudy()
