"""What is shown of an advice: its sentences and what to configure, and every way of waiting that was measured."""

from collections.abc import Iterator, Sequence
from operator import attrgetter

from msgspec.structs import replace
from rich.text import Text

from threadping import quantities
from threadping.analysis.answer import Answer
from threadping.analysis.estimate import Estimate
from threadping.characters import plain
from threadping.model.bounds import Record
from threadping.model.cases import Case, with_params
from threadping.model.studies import Requirement
from threadping.proposals import proposed
from threadping.rows.findings import of_load, unusable
from threadping.rows.heading import next_commands, to_resume, where, with_room
from threadping.rows.lists import announced
from threadping.sheets import cells, names
from threadping.sheets.entries import RunEntry, case_fields
from threadping.sheets.fields import Field, Sheet
from threadping.sheets.grid import Block, Flow, grid_of
from threadping.studies.advise.advice import Advice
from threadping.studies.advise.floor import Floor
from threadping.studies.advise.judging import JudgedWay, Miss, WayVerdict
from threadping.studies.advise.lateness import REQUIRED_PERCENTILE
from threadping.studies.advise.systems import configure, systems
from threadping.studies.advise.words import named_params, say_advice

WAY_STYLES: dict[WayVerdict, str] = {"meets": "green", "misses": "dim", "open": "yellow"}

DUE = "From when a message is due to when it is received; null where the rate is not held."
OF_A_CORE = "CPU time of the waiting thread, in per cent of a core."

MOST_MISSING = 8
"""Of the ways that miss the requirement so many are shown: those that miss it least."""


class AdviceEntry(Record, frozen=True):
    """What JSON says of an advice beside its ways.

    `clock_ns` is what reading the clock costs, where the requirement is below it; `floor` how late the sender itself
    was, where no way could meet the requirement for that; `configuration` what to write where `--for` names a system.
    """

    run: RunEntry
    required: Requirement
    sure: bool
    sentence: str
    clock_ns: float | None
    floor: Floor | None
    configuration: str | None


def facts_of(advice: Advice) -> dict[str, object]:
    """What JSON says of an advice, without its run and its ways."""
    return {
        "required": advice.required,
        "sure": advice.is_sure,
        "sentence": say_advice(advice),
        "clock_ns": advice.clock_ns,
        "floor": advice.floor,
        "configuration": configure(advice) if advice.required.system else None,
    }


def ways_sheet(answer: Answer, advice: Advice) -> Sheet[JudgedWay]:
    """A line for each way of waiting, the chosen one first."""

    def style(one: JudgedWay) -> str:
        return "bold green" if one is advice.chosen else WAY_STYLES[one.verdict]

    def p99(one: JudgedWay) -> Text:
        return cells.figure("ns", one.p99)

    def cpu(one: JudgedWay) -> Text:
        return cells.figure("percent", one.cpu)

    fields: tuple[Field[JudgedWay], ...] = (
        Field(head="way of waiting", of=lambda one: _title(one.case), style=style, names=True),
        Field(head="runtime", of=lambda one: names.plain(one.case.runtime), names=True),
        *case_fields(attrgetter("case"), lambda one: answer.declared[one.case.experiment]),
        Field(key="chosen", type=bool, of=lambda one: one is advice.chosen, means="Whether it is what is advised."),
        Field(head=REQUIRED_PERCENTILE, key="p99_ns", type=Estimate, of=attrgetter("p99"), write=p99, means=DUE),
        Field(head="99% interval", of=attrgetter("p99"), write=lambda one: _ends(one.p99), style="dim", rank=1),
        Field(head="CPU", key="cpu_percent", type=Estimate, of=attrgetter("cpu"), write=cpu, means=OF_A_CORE),
        Field(key="held", type=Estimate, of=attrgetter("held"), means="The share of the rate that was received."),
        Field(key="late", unit="share", of=attrgetter("late"), means="Of messages that were late, or never came."),
        Field(key="late_at_most", unit="share", of=attrgetter("at_most"), means="The upper 99% bound of that."),
        Field(head="trials", key="trials", type=int, of=attrgetter("trials"), rank=2),
        Field(key="verdict", type=WayVerdict, of=attrgetter("verdict"), write=_said_of, style=style, names=True),
        Field(key="misses", type=tuple[Miss, ...], of=attrgetter("misses"), means="What it surely does not meet."),
    )
    return Sheet("ways", fields, advice.ways)


def _title(case: Case) -> str:
    return plain(with_params(case.mechanism, case.params, named_params(case)))


def _said_of(one: JudgedWay) -> str:
    return f"misses: {', '.join(one.misses)}" if one.misses else one.verdict


def _ends(bounds: Estimate | None) -> str:
    return quantities.interval(bounds.value, *bounds.ends) if bounds else quantities.ABSENT


def announce_search(required: Requirement, cases: Sequence[Case], seconds: float) -> Block:
    """Say what will be done, before it begins."""
    what = f"Searching among {quantities.counted(len(cases), 'way')} of waiting"
    return announced(what, f" for {required.text}, at most ", seconds)


def show_advice(answer: Answer, advice: Advice) -> Iterator[Block]:
    """The advice, with all ways that may meet the requirement and those that come nearest."""
    run, every = answer.run, advice.ways
    yield from unusable(answer)
    yield where(run)
    parts = [quantities.counted(len(every), "way") + " of waiting", quantities.counted(len(answer.trials), "trial")]
    parts += dict.fromkeys(names.standing(one.case) for one in every[:1])
    yield Flow([Text(one, "dim") for one in parts])
    yield Text()
    yield from say(advice)
    yield Text()
    missing = sorted((one for one in every if one.verdict == "misses"), key=lambda one: one.cost[::-1])
    shown = [one for one in every if one.verdict != "misses" or one in missing[:MOST_MISSING]]
    if shown:
        sheet = ways_sheet(answer, advice)
        yield grid_of(replace(sheet, lines=sorted(shown, key=lambda one: one.cost)))
    if hidden := len(every) - len(shown):
        yield Text(f"and {hidden} slower ones: {proposed('show', str(run.id))}", "dim")
    yield from of_load(answer, "way")
    yield from next_commands({**to_resume(run), **with_room(run)})


def say(advice: Advice) -> Iterator[Text]:
    """The advice, and what to configure where that was asked for."""
    yield Text(say_advice(advice), "bold green" if advice.is_sure else "bold yellow" if advice.chosen else "bold red")
    if advice.required.system:
        yield Text()
        yield Text(systems()[advice.required.system].title, "dim")
        yield Text(_configuration(advice))


def _configuration(advice: Advice) -> str:
    if line := configure(advice):
        return line.strip()
    if advice.chosen:
        return "How long a spin takes here was not measured: too few ways slept for each message."
    if advice.floor:
        return "Nothing to configure: no way could meet it here now."
    is_open = any(one.verdict == "open" for one in advice.others)
    return f"Nothing to configure: {'undecided' if is_open else 'no way meets it'}."
