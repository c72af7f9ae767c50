"""The choice of a queue: every one in the regimes that decide, one situation after the other."""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.conduct.environment import Environment, headline, paces, prepare_rounds
from threadping.conduct.study import PreparedRun, Study
from threadping.model.cases import Skipped
from threadping.model.quantities import counted
from threadping.model.run import Observation, Premises, Run, WhichQueue
from threadping.output.layout import Block, Sheet
from threadping.output.page.sections import Section
from threadping.planning.defaults import Length
from threadping.planning.plan import Plan, plan_of
from threadping.planning.schedule import Batch, Ended, Levels, Rounds, Schedule, Turn
from threadping.planning.selection import Selection
from threadping.studies.which import output as views
from threadping.studies.which.cases import cases_of, situations_of


class InTurn(Schedule):
    """Parts of a plan, each measured to its end before the next, so that the first is known soon.

    Of time that a part does not take the next ones have more; none takes what those behind it are planned to take.
    """

    def __init__(
        self, plan: Plan, parts: Sequence[Sequence[int]], value: Callable[[Observation], float | None]
    ) -> None:
        super().__init__(plan, plan.seconds)
        self._places = parts
        self._parts = [Rounds(_part(plan, places), value) for places in parts]
        self._where = {case: (part, at) for part, places in enumerate(parts) for at, case in enumerate(places)}
        self._untried, self._cut = set(self._where), set[int]()

    def next(self, waiting: Collection[int], levels: Callable[[int], Levels]) -> Batch:
        for part, places in enumerate(self._places):
            if part in self._cut:
                continue
            held = {at for at, case in enumerate(places) if case in waiting}
            turns = self._parts[part].next(held, partial(_levels_of, levels, places))
            if turns or held:
                return tuple(  # the rounds of a part are behind those of the parts before it
                    replace(
                        turn,
                        case=places[turn.case],
                        round=part * turn.rounds + turn.round,
                        rounds=len(self._parts) * turn.rounds,
                    )
                    for turn in turns
                )
        return ()

    def length(self, case: int) -> Length:
        part, at = self._where[case]
        return self._parts[part].length(at)

    def ended(self, turn: Turn, trial: Ended, left_s: float) -> None:
        part, at = self._where[turn.case]
        later = self._parts[part + 1 :]
        left_s -= sum(one.seconds for one in later)
        self._parts[part].ended(replace(turn, case=at), trial, left_s)
        self._untried.discard(turn.case)
        if later and left_s < trial.wall_s and self._untried.isdisjoint(self._places[part]):
            self._cut.add(part)

    def give_up(self, case: int) -> None:
        super().give_up(case)
        self._untried.discard(case)
        part, at = self._where[case]
        self._parts[part].give_up(at)

    def left(self) -> tuple[int, float]:
        each = [one.left() for part, one in enumerate(self._parts) if part not in self._cut]
        return sum(trials for trials, _ in each), sum(seconds for _, seconds in each)

    def cut_short(self) -> str | None:
        return next(filter(None, (one.cut_short() for one in self._parts)), None)

    def unreached(self) -> str | None:
        short = sum(self._parts[part].cut_short() is not None for part in self._cut)
        return f"{counted(short, 'regime')} had fewer rounds than planned: trials took longer." if short else None


def _levels_of(levels: Callable[[int], Levels], places: Sequence[int], at: int) -> Levels:
    return levels(places[at])


def _part(plan: Plan, places: Sequence[int]) -> Plan:
    """Return a plan of some of its cases, with their share of its spare time."""
    of_cases = ("cases", "start_s", "lengths", "longest")
    some = {name: tuple(getattr(plan, name)[place] for place in places) for name in of_cases}
    own = replace(plan, **some)
    return replace(own, spare_s=plan.spare_s * own.round_s / plan.round_s)


OTHER_JVM = "one JVM is asked unless --runtime names more"  # why a runtime that is here is in no regime


class WhichStudy(Study[Selection, Sequence[views.JudgedSituation]]):
    """Every queue in every regime, one regime after the other."""

    def ask(self, **options: Any) -> Selection:
        del options["what"]
        return Selection(**options)

    def prepare(self, asked: Selection, environment: Environment) -> PreparedRun:
        """Plan as many regimes as the budget allows."""
        wanted, further = environment.one_of_each(asked)
        here = environment.inventory(wanted, environment.missing(asked))
        cases = cases_of(asked, here)
        begun = prepare_rounds(cases, here.only(cases.every), asked, WhichQueue())
        return replace(begun, skipped=(*begun.skipped, *(Skipped(one.label, OTHER_JVM) for one in further)))

    def schedule(self, run: Run, premises: Premises) -> Schedule:
        return InTurn(plan_of(run, premises, paces()), [*situations_of(run.cases).values()], headline)

    def read(self, answer: Answer, asked: Any) -> Sequence[views.JudgedSituation]:
        return views.situations_judged(answer)

    def blocks(self, answer: Answer, result: Sequence[views.JudgedSituation]) -> Iterable[Block]:
        return views.show_queues(answer, result)

    def lead(self, answer: Answer) -> Iterable[Block]:
        return [Text(views.say_situation(one), "bold") for one in self.read(answer, None)]

    def sheets(self, answer: Answer, result: Sequence[views.JudgedSituation]) -> Sequence[Sheet[Any]]:
        return [views.queues_sheet(result), views.situations_sheet(result)]

    def sections(self, answer: Answer) -> Iterable[Section]:
        if isinstance(answer.run.study, WhichQueue) and (judged := self.read(answer, None)):
            yield Section("which", "Which queue?", blocks=[*views.tables_of(judged)])


STUDY = WhichStudy()
