"""The reading and the output of a check-up: effects by their limits, findings with their remedies, what has changed."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from operator import itemgetter
from statistics import median
from typing import Any, Literal

from rich.text import Text

from threadping.analysis import checks, declaration, percentiles
from threadping.analysis.answer import Answer
from threadping.analysis.health import (
    CORE_TO_CORE,
    EFFECT_MEASURES,
    FEWEST_TO_TELL,
    Effect,
    Health,
    HealthLayer,
    HealthVerdict,
    alone,
    causes_of_lateness,
    effects_of,
    findings_of,
    trials_of,
)
from threadping.conduct.study import question_of
from threadping.experiments.jitter import lateness_without
from threadping.model.base import Record, gathered
from threadping.model.quantities import budget, fold, percent
from threadping.model.run import Checkup
from threadping.model.text import made_literal, proposed
from threadping.output import heading, layout, listings
from threadping.output.findings import LEVEL_MARKS, LEVEL_STYLES, mark
from threadping.output.names import plain

CHANGE_MATTERS = 0.1  # what has changed by less is called the same
GUESTS_SEE_NONE = ("frequencies", "boost")  # subjects that the hypervisor keeps to itself

ChangeVerdict = Literal["better", "worse", "same", "cannot tell"]


class Change(Record, frozen=True):
    """The former value of an effect; `better` or `worse` where the intervals lie apart, and far enough to matter."""

    before: percentiles.Estimate
    verdict: ChangeVerdict


def changes(now: Mapping[str, Effect], before: Mapping[str, tuple[float, ...]]) -> dict[str, Change]:
    """Return the change of each effect that was measured both times. Of all of them less is better."""
    return {name: _change(effect, before[name]) for name, effect in now.items() if before.get(name)}


def _change(effect: Effect, values: tuple[float, ...]) -> Change:
    was, now = percentiles.estimate(values), effect.now
    if min(len(values), len(effect.values)) < FEWEST_TO_TELL and not EFFECT_MEASURES[effect.name].counted:
        return Change(was, "same" if was.value == now.value else "cannot tell")
    (low, high), (low_before, high_before) = now.ends, was.ends
    matters = CHANGE_MATTERS * max(now.value, was.value)
    if abs(now.value - was.value) <= matters:
        return Change(was, "same" if max(high, high_before) - min(low, low_before) <= matters else "cannot tell")
    return Change(was, "better" if high < low_before else "worse" if low > high_before else "cannot tell")


class DoctorResult(Record, frozen=True):
    """The result of a check-up."""

    health: Health  # what was measured, and what files say
    findings: tuple[tuple[HealthLayer, checks.Finding], ...]  # by layer, what lies deeper first; advisories among them
    changes: Mapping[str, Change]  # by effect, where it is held against another check-up
    unseen: tuple[str, ...]  # what could not be inspected
    rounds: tuple[int, int]  # the number of rounds that were measured, and that were planned
    deciding_s: float | None = None  # the budget that probably decides a doubt; None: no doubt, or ten minutes do not

    @property
    def grave(self) -> list[tuple[HealthLayer, checks.Finding]]:
        """The findings beyond a limit, or perhaps beyond it; what makes the machine unfit first."""
        found = [one for one in self.findings if one[1].level != "note"]
        return sorted(found, key=lambda one: one[1].level != "error")

    @property
    def advisories(self) -> list[tuple[HealthLayer, checks.Finding]]:
        """The findings that files show, without a measured effect."""
        return [one for one in self.findings if one[1].level == "note"]


def read_checkup(answer: Answer) -> DoctorResult:
    asked = question_of(answer.run, Checkup)
    health = Health(
        answer.run.machine,
        asked.purpose,
        asked.limit_ns,
        asked.signs,
        effects_of(answer),
        causes_of_lateness(answer, lateness_without),
    )
    seconds = SPENT_S + health.times_longer * answer.run.budget_s
    tried = Counter(one.case for one in answer.observations)
    measured = {one.case for one in answer.observations if one.figures}
    hidden = [one for one in asked.unseen if one in GUESTS_SEE_NONE and answer.run.machine.hypervisor]
    unseen = [one for one in asked.unseen if one not in hidden]
    unseen += [f"{' and '.join(hidden)} (a virtual machine shows none)"] if hidden else []
    missing = (f"{case.title} (not measured)" for case in answer.run.cases if case not in measured)
    return DoctorResult(
        health,
        tuple(findings_of(health)),
        changes(health.effects, asked.effects_before),
        (*unseen, *missing),
        (min((tried[case] for case in measured), default=0), answer.run.rounds),
        seconds if health.whole == "doubt" and SPENT_S < seconds <= MOST_S else None,
    )


# ---- what is shown ----


HEALTH_MARKS: Mapping[HealthVerdict | None, tuple[str, str]] = {
    "fit": ("\N{CHECK MARK}", "green"),
    "doubt": ("?", "yellow"),
    "unfit": (LEVEL_MARKS["error"], LEVEL_STYLES["error"]),
    None: (" ", ""),
}
SAYS: Mapping[HealthVerdict, str] = {"fit": "Fit", "doubt": "In doubt", "unfit": "Unfit"}
CHANGE_STYLES = {"better": "green", "worse": "bold red", "same": "dim", "cannot tell": "yellow"}

FindingLevel = Literal["unfit", "doubt", "advisory"]
LEVEL_WORDS: Mapping[str, FindingLevel] = {"error": "unfit", "warning": "doubt", "note": "advisory"}

SPENT_S, MOST_S = 2.0, 600.0  # before the first trial and after the last one; maximum that is proposed
LEAST_SHARE = 0.01  # causes of a smaller share of the lateness are not named


def sentence(found: DoctorResult) -> str:
    """Say the verdict, and what decides it."""
    whole, purpose, (rounds, planned) = found.health.whole, found.health.purpose, found.rounds
    decisive = [one.code for _, one in found.grave if LEVEL_WORDS[one.level] == whole]
    why = list(dict.fromkeys(decisive or [one.code for _, one in found.grave]))
    if whole == "doubt" and rounds < FEWEST_TO_TELL:
        why.insert(0, f"only {rounds} of {max(planned, FEWEST_TO_TELL)} rounds measured")
    elif whole == "doubt" and not why:
        why = ["too little could be measured"]
    return f"{SAYS[whole]} for {purpose}{': ' if why else ''}{', '.join(why)}."


# ---- sheets ----


def effects_sheet(found: DoctorResult) -> layout.Sheet[Effect]:
    """Return a line for each effect: its limit, its value without the condition, and its former value."""
    measures, changes, health = EFFECT_MEASURES, found.changes, found.health
    counted = "Null if the kernel counted over the whole check-up."
    now = "In the unit of the line: ns, share, or index (a factor)."
    judged = "Unfit if the whole interval lies beyond the limit; null without a limit."
    changed = "Better or worse if the intervals do not overlap; both runs were measured apart."

    def change(of: str) -> Callable[[Effect], Any]:
        return lambda one: getattr(changes.get(one.name), of, None)

    def trials(one: Effect) -> int | None:
        return None if measures[one.name].counted else len(one.values)

    table: tuple[layout.Field[Effect], ...] = (
        layout.attribute("name", key="effect", type=str),
        layout.Field(key="what", of=lambda one: measures[one.name].says),
        layout.Field(key="unit", of=lambda one: measures[one.name].unit, type=str),
        layout.attribute("now", key="value", type=float, means=now),
        layout.Field(key="limit", of=lambda one: health.limits.get(one.name), type=float | None),
        layout.Field(key="verdict", of=lambda one: health.verdict(one.name), type=HealthVerdict | None, means=judged),
        layout.attribute("bare", key="without", type=float | None),
        layout.Field(
            key="condition", of=lambda one: measures[one.name].condition if one.bare else None, type=str | None
        ),
        layout.Field(key="trials", of=trials, type=int | None, means=counted),
        layout.Field(key="before", of=change("before"), type=float | None),
        layout.Field(key="change", of=change("verdict"), type=str | None, means=changed),
    )
    return layout.Sheet("effects", table, [*health.effects.values()])


def effects_grid(found: DoctorResult) -> layout.Grid:
    """Return a row for each effect; below it one for what was measured without the condition."""
    rows: list[tuple[Text, ...]] = []
    for name, effect in found.health.effects.items():
        if name == CORE_TO_CORE and len(effect.values) == 1 == effect.now.value:
            continue  # the only pair stayed in one state
        how, limit, change = EFFECT_MEASURES[name], found.health.limits.get(name), found.changes.get(name)
        rows.append(
            (
                Text(how.says),
                _written(how.unit, effect.now, "bold"),
                Text(fold(limit) if how.unit == "index" else layout.written(how.unit, limit))
                if limit is not None
                else Text("\N{EN DASH}", "dim"),
                Text(*HEALTH_MARKS[found.health.verdict(name)]),
                _written(how.unit, change.before, "") if change else Text(),
                Text(change.verdict, CHANGE_STYLES[change.verdict]) if change else Text(),
            )
        )
        if effect.bare:
            condition = Text(f"- {how.condition}", "dim")
            rows.append((condition, _written(how.unit, effect.bare, ""), *(Text() for _ in range(4))))
    heads = ("here", "limit", " ", "before", "change")
    shown = (layout.column(head, itemgetter(place), if_known=True) for place, head in enumerate(heads, start=1))
    return layout.grid(rows, layout.named("measured", itemgetter(0), least=20), *shown)


def _written(unit: declaration.Unit, value: percentiles.Estimate, style: str) -> Text:
    if unit == "index":
        return Text(fold(value.value), style)
    return (layout.with_interval if len({*value.ends}) > 1 else layout.figure)(unit, value, style)


def findings_sheet(found: DoctorResult) -> layout.Sheet[tuple[HealthLayer, checks.Finding]]:
    """Return a line for each finding and each advisory, with its remedy and what that costs."""

    def words(key: str) -> layout.Field[tuple[HealthLayer, checks.Finding]]:
        return layout.Field(key=key, of=lambda line: line[1].text(key))

    table: tuple[layout.Field[tuple[HealthLayer, checks.Finding]], ...] = (
        layout.Field(key="layer", of=lambda line: line[0]),
        layout.Field(key="code", of=lambda line: line[1].code),
        layout.Field(key="level", of=lambda line: LEVEL_WORDS[line[1].level], type=FindingLevel),
        *map(words, ("brief", "means", "remedy", "costs")),
        layout.Field(key="effect", of=lambda line: line[1].facts.get("effect"), type=str | None),
    )
    return layout.Sheet("findings", table, found.findings)


OF_CPU = ("late_ns", "longest_ns", "per_s_1us", "per_s_10us", "per_s_100us")  # figures of jitter


def cpus_sheet(answer: Answer, found: DoctorResult) -> layout.Sheet[Mapping[str, float | None]]:
    """Return a line for each CPU that was examined alone: its longest stall, else the medians of its trials."""
    at_rest, interrupts = "At rest, before anything was measured.", found.health.numbers("interrupts_per_s")
    lines: list[Mapping[str, float | None]] = []
    for (cpu,), trials in gathered((one.case.placement.used, one.figures) for one in trials_of(answer, alone)).items():
        of = {name: [of_it[f"jitter.{name}"] for of_it in trials if f"jitter.{name}" in of_it] for name in OF_CPU}
        if all(of.values()):
            figures = {name: max(values) if name == "longest_ns" else median(values) for name, values in of.items()}
            lines.append({"cpu": cpu, **figures, "interrupts_per_s": interrupts.get(cpu)})

    def field(name: str, means: str = "", **how: Any) -> layout.Field[Mapping[str, float | None]]:
        return layout.Field(key=name, of=itemgetter(name), means=means, **how)

    table = (
        field("cpu", type=int, head="CPU", names=True),
        field("late_ns", head="late p99.99", unit="ns"),
        field("longest_ns", head="longest stall", unit="ns"),
        field("per_s_1us", "Stalls of 1 µs and more, a second.", unit="per_s"),
        field("per_s_10us", head="jitter of 10 µs+ /s", unit="per_s"),
        field("per_s_100us", unit="per_s"),
        field("interrupts_per_s", at_rest, head="interrupts/s", unit="per_s", if_known=True),
    )
    return layout.Sheet("cpus", table, lines)


CAUSE_FIELDS = (  # a cause of stalls on all CPUs at once: how late a thread is, and would be without it
    layout.attribute("name", key="cause"),
    layout.attribute("late_ns", unit="ns"),
    layout.attribute("without_ns", unit="ns"),
)


# ---- blocks ----


def lead_of(found: DoctorResult) -> layout.Lead:
    sign, style = HEALTH_MARKS[found.health.whole]
    return layout.Lead(f"{sign} {sentence(found)}", f"bold {style}" if "bold" not in style else style)


def show_checkup(answer: Answer, found: DoctorResult) -> Iterator[layout.Block]:
    """Show the verdict, the effects, findings with their remedies, a line for each advisory, and what was not seen."""
    run = answer.run
    yield from (lead_of(found), Text(), heading.where(run))
    if run.note:
        yield Text(plain(run.note), heading.STATUS_STYLES[run.status])
    yield Text()
    yield effects_grid(found)
    for layer, one in found.grave:
        yield Text()
        yield Text.assemble(mark(one.level), " ", (one.code, "bold"), (f"  {layer}", "dim"))
        yield layout.Indented(Text(plain(one.text("means"))))
        yield layout.Indented(Text(made_literal(one.text("remedy")), "cyan"))
        if costs := one.text("costs"):
            yield layout.Indented(Text(f"It costs: {costs}", "dim"))
    if found.advisories:
        yield Text()
        said = [(one, Text(plain(one.text("brief")), "dim")) for _, one in found.advisories]
        yield layout.Labelled([(mark(one.level), f"{one.code} ", words) for one, words in said], style="", between=1)
    if (alone_ := cpus_sheet(answer, found)).lines:
        yield Text()
        yield layout.grid_of(alone_)
    if causes := [f"{percent(one.share)} {one.name}" for one in found.health.causes if one.share >= LEAST_SHARE]:
        yield Text(f"\nLateness on all CPUs at once, by what it would be less without: {', '.join(causes)}.", "dim")
    if found.unseen:
        yield Text(f"\nNot inspected: {', '.join(map(plain, found.unseen))}.", "dim")
    yield from listings.reasons("\nNot measured", run.skipped)
    commands = dict(heading.to_resume(run))
    if run.arguments and found.deciding_s:
        commands[heading.with_budget(run, budget(found.deciding_s))] = "probably decides what is in doubt"
    if found.advisories or found.grave:
        code = (found.grave or found.advisories)[0][1].code
        commands[proposed("explain", code, *([str(run.id)] if run.id else []))] = "what a word means, and what to do"
    if run.id:
        commands[proposed("doctor", "--since", str(run.id))] = "after a change: did it help?"
    yield from heading.next_commands(commands)
