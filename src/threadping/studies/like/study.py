"""What the numbers of another tool mean here: ours by its rules, ours by ours, and the tool itself where it is run."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis.analyse import observe
from threadping.analysis.answer import Answer
from threadping.conduct.conduct import conduct
from threadping.conduct.environment import Environment, describe_each, headline, inventory_of, paces, prepare_rounds
from threadping.conduct.showing import present_sheets
from threadping.conduct.study import Output, PreparedRun, Study, pop_fields
from threadping.experiments import EXPERIMENTS
from threadping.model.characters import visible
from threadping.model.errors import ThreadpingError, UnknownName, UsageError
from threadping.model.run import Observation, Premises, Run, Trial
from threadping.model.studies import LikeTool
from threadping.output.cells import Sheet
from threadping.output.grid import Block, grid_of
from threadping.planning.budget import plan_of
from threadping.planning.defaults import Paces, in_blocks_of
from threadping.planning.schedule import Rounds, Schedule
from threadping.planning.selection import Selection
from threadping.probes.description import Described, read_topology
from threadping.probes.language import program_of
from threadping.studies.like.itself import runtime_of
from threadping.studies.like.reading import LikeFigure, cases_of, figures_like, runtimes_of
from threadping.studies.like.sheets import lead_of, numbers_sheet, show_like, tools_sheet
from threadping.studies.like.tools import Tool, kept_of, tools


class Likeness(Struct, frozen=True):
    """Which tool is repeated, where it is where it is run too, and with what."""

    tool: Tool
    path: Path | None
    selection: Selection


class LikeStudy(Study[Likeness, Sequence[LikeFigure]]):
    """The cases that repeat the numbers of a tool, and the tool, in rounds."""

    def ask(self, **options: Any) -> Likeness:
        """Which tool; raises UnknownName, and UsageError where nothing that can be run is at its path."""
        tool, path = tool_named(options.pop("tool")), options.pop("path")
        if path is None:
            return Likeness(tool, None, Selection(**options))
        if not tool.runs:
            able = ", ".join(one.name for one in tools().values() if one.runs)
            raise UsageError(f"threadping does not run {tool.name}: leave out --run. It runs {able}.")
        at = Path(path).expanduser().absolute()
        try:
            program_of("probe")(at)
        except UsageError as error:
            raise UsageError(f"No {tool.name} at '{visible(str(at))}': it is not a program that can be run.") from error
        return Likeness(tool, at, Selection(**options))

    def prepare(self, asked: Likeness, environment: Environment) -> PreparedRun:
        """Plan as many of its cases as the budget allows."""
        theirs = _described(asked.tool, asked.path) if asked.path else None
        offered = runtimes_of(asked.tool, environment.found, theirs)
        described = {one.runtime.label: one for one in offered.values() if isinstance(one, Described)}
        here = inventory_of(read_topology(environment.cpp), [*described.values()])
        cases = cases_of(asked.tool, offered, here)
        return prepare_rounds(
            cases, here.only(cases.every), asked.selection, LikeTool(asked.tool.name, bool(asked.path))
        )

    def schedule(self, run: Run, premises: Premises) -> Schedule:
        """Rounds, as of a survey; in blocks of as many round trips as the tool's samples have."""
        return Rounds(plan_of(run, premises, _paces(run)), headline)

    def observe(self, trial: Trial) -> Observation:
        """What is kept of every trial, and what only tools ask of one."""
        seen = observe(trial, EXPERIMENTS[trial.case.experiment].figures)
        if not seen.figures or trial.result is None:
            return seen
        return replace(seen, figures=seen.figures | kept_of(trial.result))

    def read(self, answer: Answer, asked: Any) -> Sequence[LikeFigure]:
        """The numbers of the run's tool, ours and theirs."""
        question = answer.run.study
        assert isinstance(question, LikeTool)
        return figures_like(tool_named(question.tool), answer, itself=question.itself)

    def blocks(self, answer: Answer, result: Sequence[LikeFigure]) -> Iterable[Block]:
        """A table of its numbers, and what is in each."""
        return show_like(_tool_of(answer), answer, result)

    def lead(self, answer: Answer) -> Iterable[Block]:
        """What each of its numbers is here, in a line."""
        return lead_of(self.read(answer, None))

    def sheets(self, answer: Answer, result: Sequence[LikeFigure]) -> Sequence[Sheet[Any]]:
        """The numbers."""
        return [numbers_sheet(result)]

    def facts(self, answer: Answer, result: Sequence[LikeFigure]) -> dict[str, Any]:
        """The tool, and what was read of it."""
        tool = _tool_of(answer)
        return {"tool": tool.name, "url": tool.url, "source": tool.source}


STUDY = LikeStudy()


def like(tool: str | None, anyway: bool, **options: Any) -> int:
    """Print a tool's numbers by its rules and by ours; without one, which tools are known."""
    output = pop_fields(Output, options)
    if tool is not None:
        return conduct(STUDY, STUDY.ask(tool=tool, **options, anyway=anyway), output, anyway=anyway)
    if options["path"] is not None:
        raise UsageError("--run is the program of a tool: name that, as in `threadping like c2clat --run ./c2clat`.")
    sheet = tools_sheet([*tools().values()])
    return present_sheets(output, lambda: grid_of(sheet), sheet)


def tool_named(name: str) -> Tool:
    """The tool of this name; raises UnknownName."""
    if name not in tools():
        raise UnknownName("tool", name, [*tools()], lists="threadping like")
    return tools()[name]


def _tool_of(answer: Answer) -> Tool:
    question = answer.run.study
    assert isinstance(question, LikeTool)
    return tool_named(question.tool)


def _paces(run: Run) -> Paces:
    question = run.study
    block = tool_named(question.tool).block if isinstance(question, LikeTool) else None
    if block is None:
        return paces()
    usual = paces()
    return {**usual, "signal": replace(usual["signal"], policy=in_blocks_of(block))}


def _described(tool: Tool, path: Path) -> Described:
    """The tool as a probe, whose trials take as long as the tool does."""
    described, errors = describe_each([runtime_of(tool, path)])
    if not described:
        raise ThreadpingError(" ".join(map(str, errors.values())))
    (one,) = described
    longest = max(number.run.seconds for number in tool.runs if number.run)
    return Described(one.runtime, one.description, one.seconds + longest)
