"""Which queue to take: every one in the regimes that decide, the best of each, and those that fall apart."""

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.conduct.begun import Begun
from threadping.conduct.rounds import headline, rounds_of
from threadping.conduct.scene import Scene, paces
from threadping.conduct.study import Study
from threadping.model.cases import Skipped
from threadping.model.run import Premises, Run
from threadping.model.studies import WhichQueue
from threadping.plan.again import plan_of
from threadping.plan.schedule import Schedule
from threadping.selection.selection import Selection
from threadping.sheets.fields import Sheet
from threadping.sheets.grid import Block
from threadping.studies.which.cases import cases_of, situations_of
from threadping.studies.which.reading import JudgedSituation, situations_judged
from threadping.studies.which.schedule import InTurn
from threadping.studies.which.sheets import queues_sheet, show_queues, situations_sheet, tables_of
from threadping.studies.which.words import say_situation
from threadping.views.page.sections import Section

OTHER_JVM = "one JVM is asked unless --runtime names more"
"""Why a runtime that is here is in no regime."""


class WhichStudy(Study[Selection, Sequence[JudgedSituation]]):
    """Every queue in every regime, one regime after the other."""

    def ask(self, **options: Any) -> Selection:
        """Which queues; so far there is nothing else of which one could be asked."""
        del options["what"]
        return Selection(**options)

    def begin(self, asked: Selection, scene: Scene) -> Begun:
        """Plan as many regimes as the budget allows."""
        wanted, further = scene.one_of_each(asked)
        here = scene.inventory(wanted, scene.missing(asked))
        cases = cases_of(asked, here)
        begun = rounds_of(cases, here.only(cases.every), asked, WhichQueue())
        return replace(begun, skipped=(*begun.skipped, *(Skipped(one.label, OTHER_JVM) for one in further)))

    def schedule(self, run: Run, premises: Premises) -> Schedule:
        """Regime by regime, each in rounds."""
        return InTurn(plan_of(run, premises, paces()), [*situations_of(run.cases).values()], headline)

    def read(self, answer: Answer, asked: Any) -> Sequence[JudgedSituation]:
        """Judge every queue among those in its situation."""
        return situations_judged(answer)

    def blocks(self, answer: Answer, result: Sequence[JudgedSituation]) -> Iterable[Block]:
        """A sentence and a table for each situation."""
        return show_queues(answer, result)

    def lead(self, answer: Answer) -> Iterable[Block]:
        """The sentence of each situation."""
        return [Text(say_situation(one), "bold") for one in self.read(answer, None)]

    def sheets(self, answer: Answer, result: Sequence[JudgedSituation]) -> Sequence[Sheet[Any]]:
        """A line for each queue in each situation, and a line for each situation."""
        return [queues_sheet(answer, result), situations_sheet(result)]

    def sections(self, answer: Answer) -> Iterable[Section]:
        """The tables, of a run that was to tell."""
        if isinstance(answer.run.study, WhichQueue) and (judged := self.read(answer, None)):
            yield Section("which", "Which queue?", blocks=[*tables_of(answer, judged)])


STUDY = WhichStudy()
