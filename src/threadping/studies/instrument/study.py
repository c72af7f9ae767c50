"""Check the instrument: blocks of known delays in random order, and stalls that are counted."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.conduct.begun import Begun
from threadping.conduct.output import Output
from threadping.conduct.scene import Scene, paces, starts_of
from threadping.conduct.study import Study
from threadping.contract import Params, Topology
from threadping.errors import BudgetTooSmall, ProbeUnusable, UsageError
from threadping.machine.placements import one_core_each, placement_for_cpus
from threadping.model.bounds import Record
from threadping.model.cases import Case, Placement
from threadping.model.events import RunEnded
from threadping.model.run import Premises, Run
from threadping.model.studies import Instrument
from threadping.plan.again import plan_of
from threadping.plan.budget import Budget, budget_for
from threadping.plan.length import Length
from threadping.plan.plan import Plan, random_seed
from threadping.plan.schedule import Rounds, Schedule
from threadping.quantities import budget as written_budget
from threadping.quantities import counted
from threadping.relation import usable
from threadping.rows.heading import next_commands, to_resume, where
from threadping.sheets import cells
from threadping.sheets.entries import RunEntry
from threadping.sheets.fields import Field, Sheet
from threadping.sheets.grid import Block, Lead, grid_of
from threadping.studies.instrument.judging import (
    INSTRUMENT_VERDICTS,
    InstrumentVerdict,
    JudgedPart,
    judge_slope,
    judge_stalls,
)
from threadping.views.page.sections import Section

OF_CALIBRATION = "calibration"
SPINNER, SLEEPER = "release-two-lines", "condition"

DELAYS_NS: Mapping[str, Sequence[int]] = {
    SPINNER: (0, 200, 400, 800, 1_600),
    SLEEPER: (0, 100_000, 200_000, 400_000, 800_000),
}
PARTS = {"spinners": SPINNER, "sleepers": SLEEPER}

TOLERANCES = {"spinners": 0.01, "sleepers": 0.1}
"""By how much a slope may differ from 1. What it takes to wake a thread depends on how long it slept, which the delay
of the other thread changes too."""

STALL_NS, STALL_EVERY = 300_000, 500
"""A stall longer than what usually happens, and shorter than a slice of the scheduler."""

MEASURED_S: Mapping[str, float] = {SPINNER: 0.05, SLEEPER: 0.15}
STALLED_S = 0.1
WARMED_S: Mapping[str, float] = {SPINNER: 0.02, SLEEPER: 0.12}

BLOCKS_PLANNED = 8


class InstrumentAsked(Struct, frozen=True, kw_only=True):
    """Where, for how long, and in which order the instrument is checked."""

    cpus: tuple[int, ...] | None = None
    budget_s: float = 30.0
    seed: int | None = None


class InstrumentEntry(Record, frozen=True):
    """What JSON says beside the parts: `verdict` is a sentence, `instrument` what the exit code says."""

    verdict: str
    instrument: InstrumentVerdict
    run: RunEntry


class InstrumentStudy(Study[InstrumentAsked, Sequence[JudgedPart]]):
    """Every delay once in each round, in random order."""

    def ask(self, **options: Any) -> InstrumentAsked:
        """As the command says; `--anyway` is of the turn."""
        del options["anyway"]
        return InstrumentAsked(**options)

    def begin(self, asked: InstrumentAsked, scene: Scene) -> Begun:
        """Plan as many blocks as there is time for, eight at most."""
        here = scene.inventory([scene.cpp], cpus=asked.cpus)
        known = {one.name for of in here.described for one in of.description.experiments}
        if OF_CALIBRATION not in known:
            raise ProbeUnusable("This build of the C++ probe plants no delays. Run `make setup`, or reinstall.")
        cases = [*calibrations(here.runtimes[0].label, _pair(here.topology, asked.cpus))]
        seed = random_seed() if asked.seed is None else asked.seed
        budget = Budget(asked.budget_s, starts_of(here.described), paces(), seed, outliers=None)
        costs = {case: budget.cost(case) for case, _ in cases}
        lengths = tuple(length for _, length in cases)
        block_s = sum(one.start_s for one in costs.values()) + sum(one.seconds for one in lengths)
        blocks = min(BLOCKS_PLANNED, int(budget.planned_s / block_s))
        if blocks < 1:
            needed = written_budget(budget_for(BLOCKS_PLANNED * block_s))
            raise BudgetTooSmall(
                f"A budget of {asked.budget_s:g} s is too small: a block of delays takes more. Give at least "
                f"--budget {needed}, which has room for {BLOCKS_PLANNED}."
            )
        starts, warmups = tuple(one.start_s for one in costs.values()), tuple(one.warmup_s for one in lengths)
        plan = Plan(tuple(costs), starts, lengths, warmups, blocks, seed, budget.paces, None)
        return Begun(
            study=Instrument(),
            plan=plan,
            budget_s=asked.budget_s,
            starts=budget.starts,
            topology=here.topology,
            runtimes=here.runtimes,
            skipped=(),
            said=Text(f"Checking the instrument: {blocks} blocks of {len(cases)} trials in {plan.seconds:.0f} s."),
        )

    def schedule(self, run: Run, premises: Premises) -> Schedule:
        """Every case once in each round, in random order."""
        return Rounds(plan_of(run, premises, paces()))

    def settle(self, ended: RunEnded) -> RunEnded:
        """The run; what was not measured leaves open what it was to tell."""
        measured = any(one.figures for one in ended.observations)
        complete = ended.run.status == "complete"
        return RunEnded(ended.run, ended.observations, ended.pings, None) if measured and complete else ended

    def read(self, answer: Answer, asked: Any) -> Sequence[JudgedPart]:
        """Judge the slopes of both kinds of threads, and the stalls."""
        trials = [one for one in answer.trials if one.observation.figures]
        delayed = [one for one in trials if not one.observation.case.params.get("stall-every")]
        stalled = [one.observation for one in trials if one.observation.case.params.get("stall-every")]
        moves = sum(answer.states.changes.values())
        parts = [
            judge_slope(name, [one for one in delayed if one.observation.case.mechanism == by], TOLERANCES[name], moves)
            for name, by in PARTS.items()
        ]
        return [*parts, judge_stalls(stalled)]

    def blocks(self, answer: Answer, result: Sequence[JudgedPart]) -> Iterable[Block]:
        """The verdict, then every part."""
        yield where(answer.run)
        yield Text()
        yield lead_of(result)
        yield Text()
        yield grid_of(parts_sheet(result))
        yield Text(MEANS, "dim")
        yield from next_commands({**to_resume(answer.run)})

    def lead(self, answer: Answer) -> Iterable[Block]:
        """The verdict."""
        return [lead_of(self.read(answer, None)), Text()]

    def sheets(self, answer: Answer, result: Sequence[JudgedPart]) -> Sequence[Sheet[Any]]:
        """A line for each part."""
        return [parts_sheet(result)]

    def facts(self, answer: Answer, result: Sequence[JudgedPart]) -> Mapping[str, Any]:
        """The verdict of the whole."""
        return {"verdict": sentence_of(result), "instrument": whole_verdict(result)}

    def sections(self, answer: Answer) -> Iterable[Section]:
        """Every part, of a run that checked the instrument."""
        if isinstance(answer.run.study, Instrument):
            blocks: list[Block] = [grid_of(parts_sheet(self.read(answer, None))), Text(MEANS, "dim")]
            yield Section(
                "instrument", "Does threadping measure what was planted?", blocks=blocks, place=0, digest=True
            )

    def exit_code(self, result: Sequence[JudgedPart], output: Output) -> int:
        """0 where all is true, 3 where something is off; 4 where that is open and the output is strict."""
        return {"true": 0, "off": 3, "cannot tell": 4 if output.strict else 0}[whole_verdict(result)]


STUDY = InstrumentStudy()

MEANS = (
    "A slope is by how much a round trip grew for each nanosecond that was planted; stalls are those seen over those "
    "planted."
)
SAID: Mapping[InstrumentVerdict, tuple[str, str]] = {
    "true": ("\N{CHECK MARK} The instrument is true: what is measured grows by what was planted.", "bold green"),
    "cannot tell": ("? The instrument: cannot tell", "bold yellow"),
    "off": ("\N{BALLOT X} The instrument is off: do not trust its figures", "bold red"),
}


def whole_verdict(parts: Sequence[JudgedPart]) -> InstrumentVerdict:
    """The worst of all."""
    return max((one.verdict for one in parts), key=INSTRUMENT_VERDICTS.index)


def sentence_of(parts: Sequence[JudgedPart]) -> str:
    """The verdict, and which parts decide it."""
    whole = whole_verdict(parts)
    deciding = [one for one in parts if one.verdict == whole]
    which = ", ".join(one.name for one in deciding)
    moves = max(one.moves for one in deciding) if whole == "cannot tell" else 0
    meanwhile = f"; the machine moved {counted(moves, 'time')} meanwhile" if moves else ""
    return SAID[whole][0] + ("" if whole == "true" else f" ({which}){meanwhile}.")


def lead_of(parts: Sequence[JudgedPart]) -> Lead:
    """The verdict as a title."""
    return Lead(sentence_of(parts), SAID[whole_verdict(parts)][1])


def parts_sheet(parts: Sequence[JudgedPart]) -> Sheet[JudgedPart]:
    """A line for each part."""

    def written(one: JudgedPart) -> Text:
        if one.value is None:
            return cells.figure("index", None)
        low, high = one.value.ends
        interval = f" ({low:.3f}\N{EN DASH}{high:.3f})" if one.value.kind else ""
        return Text(f"{one.value.value:.3f}{interval}", "bold")

    fields: tuple[Field[JudgedPart], ...] = (
        Field(head="planted in", key="part", of=lambda one: one.name, names=True),
        Field(head="measured over planted", key="value", type=float | None, of=lambda one: one.value, write=written),
        Field(head="blocks, or stalls", key="planted", type=int, of=lambda one: one.planted),
        Field(head="moves", key="moves", type=int, of=lambda one: one.moves),
        Field(head="verdict", key="verdict", type=InstrumentVerdict, of=lambda one: one.verdict),
    )
    return Sheet("parts", fields, parts)


def _pair(topology: Topology, cpus: Sequence[int] | None) -> Placement:
    if cpus:
        return placement_for_cpus(topology, cpus[:2])
    if len(usable(topology)) < 2:
        raise UsageError("The instrument is checked between two CPUs, and only one may be used here.")
    return one_core_each(topology, 2)


def calibrations(runtime: str, place: Placement) -> Iterator[tuple[Case, Length]]:
    """Each delay of both kinds of threads, and stalls of spinners."""

    def case(mechanism: str, delay: int, every: int = 0, stall: int = 0) -> Case:
        params: Params = {"delay": delay, "stall-every": every, "stall": stall}
        varied = tuple(name for name, value in params.items() if value)
        lines, blocking = (64, False) if mechanism == SPINNER else (1, True)
        return Case(OF_CALIBRATION, mechanism, params, runtime, place, blocking, lines, varied)

    for mechanism, delays in DELAYS_NS.items():
        length = Length(WARMED_S[mechanism], MEASURED_S[mechanism])
        yield from ((case(mechanism, delay), length) for delay in delays)
    yield case(SPINNER, 0, STALL_EVERY, STALL_NS), Length(WARMED_S[SPINNER], STALLED_S)
