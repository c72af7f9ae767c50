"""What is shown of an advice: its sentences and what to configure, and every wait strategy that was measured."""

from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter

from msgspec.structs import replace
from rich.text import Text

from threadping import quantities
from threadping.analysis.answer import Answer
from threadping.analysis.estimate import Estimate
from threadping.characters import plain
from threadping.model.bounds import Record
from threadping.model.cases import Case, with_params
from threadping.model.run import Run
from threadping.model.studies import Requirement
from threadping.proposals import proposed
from threadping.rows.findings import of_load, unusable
from threadping.rows.heading import next_commands, to_resume, where, with_budget, with_room
from threadping.rows.lists import announced
from threadping.sheets import cells, names
from threadping.sheets.entries import RunEntry, case_fields
from threadping.sheets.fields import Field, Sheet
from threadping.sheets.grid import Block, Flow, grid_of
from threadping.studies.advise.advice import Advice, AdviceOutcome, Floor
from threadping.studies.advise.judging import JudgedWay, Miss, WayVerdict
from threadping.studies.advise.lateness import REQUIRED_PERCENTILE
from threadping.studies.advise.systems import configure, systems
from threadping.studies.advise.words import named_params, say_advice, strategies

WAY_STYLES: dict[WayVerdict, str] = {"meets": "green", "misses": "dim", "open": "yellow"}

DUE = "From when a message is due to when it is received; null where the rate is not held."
SENDER_LATE = "Of messages that the sender alone sent later than the limit; of rounds that did not begin in their turn."
OF_A_CORE = "CPU time of the waiting thread, in per cent of a core."

MOST_MISSING = 8
"""Of those that miss the requirement so many are shown: those that miss it least."""

BUDGETS, LONGEST_S = 2.5, 3600.0
"""A budget that is proposed has room for so many times what seems to be missing, and is twice as large at least: a
further search measures others too. What a longer one would decide is too close to call."""


class AdviceEntry(Record, frozen=True):
    """What JSON says of an advice beside its ways.

    `outcome` is what is known. `clock_ns` is what reading the clock costs, where the requirement is below it; `busy`
    the share of the CPU time that other programs used, where nothing can be told for that; `floor` likewise how late
    the sender itself was; `configuration` what to write where `--for` names a system.
    """

    run: RunEntry
    required: Requirement
    outcome: AdviceOutcome
    sure: bool
    sentence: str
    clock_ns: float | None
    busy: float | None
    floor: Floor | None
    configuration: str | None


def facts_of(advice: Advice) -> dict[str, object]:
    """What JSON says of an advice, without its run and its ways."""
    return {
        "required": advice.required,
        "outcome": advice.outcome,
        "sure": advice.is_sure,
        "sentence": say_advice(advice),
        "clock_ns": advice.clock_ns,
        "busy": advice.busy,
        "floor": advice.floor,
        "configuration": configure(advice) if advice.required.system else None,
    }


def ways_sheet(answer: Answer, advice: Advice) -> Sheet[JudgedWay]:
    """A line for each wait strategy, the chosen one first."""

    def style(one: JudgedWay) -> str:
        return "bold green" if one is advice.chosen else WAY_STYLES[one.verdict]

    def p99(one: JudgedWay) -> Text:
        return cells.figure("ns", one.p99)

    def cpu(one: JudgedWay) -> Text:
        return cells.figure("percent", one.cpu)

    fields: tuple[Field[JudgedWay], ...] = (
        Field(head="wait strategy", of=lambda one: _title(one.case), style=style, names=True),
        Field(head="runtime", of=lambda one: names.plain(one.case.runtime), names=True),
        *case_fields(attrgetter("case"), lambda one: answer.declared[one.case.experiment]),
        Field(key="chosen", type=bool, of=lambda one: one is advice.chosen, means="Whether it is what is advised."),
        Field(head=REQUIRED_PERCENTILE, key="p99_ns", type=Estimate, of=attrgetter("p99"), write=p99, means=DUE),
        Field(head="99% interval", of=attrgetter("p99"), write=_ends, style="dim", rank=1),
        Field(head="CPU", key="cpu_percent", type=Estimate, of=attrgetter("cpu"), write=cpu, means=OF_A_CORE),
        Field(key="held", type=Estimate, of=attrgetter("held"), means="The share of the rate that was received."),
        Field(key="late", unit="share", of=attrgetter("late"), means="Of messages that were late, or never came."),
        Field(key="late_at_most", unit="share", of=attrgetter("at_most"), means="The upper 99% bound of that."),
        Field(key="sender_late", unit="share", of=attrgetter("sender_late"), means=SENDER_LATE),
        Field(key="sender_p99_ns", unit="ns", of=attrgetter("sender_p99"), means="p99 of the sender's own lateness."),
        Field(head="trials", key="trials", type=int, of=attrgetter("trials"), rank=2),
        Field(key="left_out", type=int, of=attrgetter("left_out"), means="Trials next to other programs."),
        Field(key="verdict", type=WayVerdict, of=attrgetter("verdict"), write=_said_of, style=style, names=True),
        Field(key="misses", type=tuple[Miss, ...], of=attrgetter("misses"), means="What it surely does not meet."),
    )
    return Sheet("ways", fields, advice.ways)


def _title(case: Case) -> str:
    return plain(with_params(case.mechanism, case.params, named_params(case)))


def _said_of(one: JudgedWay) -> str:
    if not one.has_late_sender:
        return f"misses: {', '.join(one.misses)}" if one.misses else one.verdict
    late = f"p99 {quantities.time(one.sender_p99)}" if one.sender_p99 else quantities.percent(one.sender_late or 0.0)
    return f"open; {'sender' if one.sender_p99 else 'coordinator'} late: {late}"


def _ends(one: JudgedWay) -> str:
    """The 99% interval, the range of fewer trials than that takes, or how few they are."""
    if one.p99 is None:
        return quantities.ABSENT
    if one.p99.kind is None:
        return quantities.counted(one.trials, "trial")
    ends = quantities.interval(one.p99.value, *one.p99.ends)
    return ends if one.p99.kind == "ci99" else f"range {ends}"


def announce_search(required: Requirement, cases: Sequence[Case], seconds: float) -> Block:
    """Say what will be done, before it begins."""
    return announced(f"Searching among {strategies(len(cases))}", f" for {required.text}, at most ", seconds)


def show_advice(answer: Answer, advice: Advice) -> Iterator[Block]:
    """The advice, with all that may meet the requirement and those that come nearest."""
    run, every = answer.run, advice.ways
    yield from unusable(answer)
    yield where(run)
    parts = [strategies(len(every)), quantities.counted(len(answer.trials), "trial")]
    parts += dict.fromkeys(names.standing(one.case) for one in every[:1])
    yield Flow([Text(one, "dim") for one in parts])
    yield Text()
    yield from say(advice)
    yield Text()
    missing = sorted((one for one in every if one.verdict == "misses"), key=lambda one: one.cost[::-1])
    shown = [one for one in every if one.verdict != "misses" or one in missing[:MOST_MISSING]]
    if advice.busy:
        every, shown = (), []
    if shown:
        sheet = ways_sheet(answer, advice)
        yield grid_of(replace(sheet, lines=sorted(shown, key=lambda one: one.cost)))
    if hidden := len(every) - len(shown):
        yield Text(f"and {hidden} slower ones: {proposed('show', str(run.id))}", "dim")
    yield from of_load(answer, "way")
    yield from next_commands({**to_resume(run), **(_to_decide(run, advice) or with_room(run))})


def _to_decide(run: Run, advice: Advice) -> Mapping[str, str]:
    """The command that would decide what is open, and what that is; empty where none would."""
    if not run.arguments or run.imported or run.status != "complete":
        return {}
    if advice.outcome == "busy":
        return {plain(proposed(*run.arguments)): "ask again when they have ended"}
    if advice.outcome in ("late-sender", "clock"):
        return {proposed("doctor"): "what takes the CPUs away"} if advice.floor else {}
    room_s = max(2 * run.budget_s, run.budget_s + BUDGETS * (advice.decides_s or 0.0))
    if advice.outcome == "none" or (advice.is_sure and advice.decides_s is None) or room_s > LONGEST_S:
        return {}
    what = "whether a cheaper one meets it" if advice.is_sure else "to be sure"
    return {with_budget(run, quantities.budget(room_s)): what}


def say(advice: Advice) -> Iterator[Text]:
    """The advice, and what to configure where that was asked for."""
    style = {"sure": "bold green", "none": "bold red"}.get(advice.outcome, "bold yellow")
    yield Text(say_advice(advice), style)
    if advice.required.system:
        yield Text()
        yield Text(systems()[advice.required.system].title, "dim")
        yield Text(_configuration(advice))


def _configuration(advice: Advice) -> str:
    if line := configure(advice):
        return line.strip()
    if advice.chosen:
        return "How long a spin takes here was not measured: too few wait strategies slept for each message."
    return f"Nothing to configure: {'nothing meets it' if advice.outcome == 'none' else 'undecided'}."
