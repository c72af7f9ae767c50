"""The output of advice: a sentence, a table, a chart, and the configuration of a system."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from importlib.resources import files
from math import ceil
from operator import attrgetter

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.percentiles import Estimate
from threadping.model import cases, quantities, text
from threadping.model.errors import UsageError
from threadping.model.quantities import counted, interval, percent, time
from threadping.model.run import Requirement, Run
from threadping.output import charts, findings, heading, layout, names, run_records
from threadping.output.layout import Block, Chart, Field, Flow, Json, Sheet, attribute, grid_of, with_interval, written
from threadping.studies.recommend_wait import judging

SPINS = "spins"
GGML_POLLS = 1024 * 128
"""Polls of a waiting thread, with a PAUSE each, per level of ggml's polling (ggml-cpu.c, n_rounds)."""

SLEEPS = 0.9  # a waiter that slept so often for each message spun in vain before: its CPU time tells how long that took


class System(Struct, frozen=True):
    """A system that has ways to wait."""

    title: str  # what is configured
    mechanisms: tuple[str, ...]  # our equivalents of its wait strategies
    param: str  # the parameter by which those differ
    lines: Mapping[str, str]  # what to write, by its value; `*` for every number
    barrier: tuple[str, ...] = ()  # its barriers; empty if it has none
    runtime: str = ""  # in which the system is written, if several runtimes have the mechanism; empty for any


@cache
def systems() -> Mapping[str, System]:
    return msgspec.toml.decode((files(__package__) / "systems.toml").read_bytes(), type=dict[str, System])


def mechanisms_of(required: Requirement) -> tuple[str, ...]:
    """Return our equivalents of the named system's mechanisms; raise UsageError if there is none."""
    system = systems()[required.system]
    found = system.barrier if required.workers else system.mechanisms
    if not found:
        asked, others = ("--threads", "messages") if required.workers else ("--rate", "barriers")
        raise UsageError(f"--for {required.system} cannot be combined with {asked}: it configures waits for {others}.")
    return found


def configure(advice: judging.Advice) -> str | None:
    """Return the lines for the configuration of the named system; None if nothing is recommended."""
    system, chosen = systems()[advice.required.system], advice.chosen
    if chosen is None:
        return None
    params = chosen.case.params
    value = params[system.param if system.param in params else "policy"]
    if line := system.lines.get(str(value)):
        return line
    spin_ns = spin_time(advice.ways, chosen.case.runtime) if value else 0.0
    if spin_ns is None:
        return None
    ns = spin_ns * int(value)
    polls = ceil(int(value) / GGML_POLLS)
    times = {"polls": polls, "ns": round(ns), "us": ceil(ns / 1e3), "ms": ceil(ns / 1e6), "s": f"{ns / 1e9:.2g}"}
    return system.lines["*"].format(value=value, **times)


def spin_time(ways: Sequence[judging.JudgedWay], runtime: str) -> float | None:
    """Return the duration of a spin (ns), a load and a PAUSE, by the CPU time of those that slept for each message.

    Each further spin before sleeping adds its duration to the CPU time per message. None if fewer than two wait
    strategies of the runtime slept.
    """
    slept = sorted(
        (int(one.case.params[SPINS]), one.cpu_ns / max(1, one.case.threads - 1))
        for one in ways
        if SPINS in one.case.params and one.case.runtime == runtime and one.sleeps >= SLEEPS and one.cpu_ns
    )
    if len(slept) < 2:
        return None
    (fewest, least_ns), (most, most_ns) = slept[0], slept[-1]
    return (most_ns - least_ns) / (most - fewest) if most > fewest and most_ns > least_ns else None


# ---- what is shown ----

SCHEDULE = ("rate", "arrivals", "burst", "pause", "jobs")
"""Parameters that all wait strategies of a recommendation share."""

AMONG = ("wait", "spins", "policy")
"""Parameters whose values a recommendation chooses: they are always named, even at their defaults."""

FEW_TRIALS = 10  # fewer late messages are given as a number, more as a share

BOUND = f"by a {judging.BOUND_CONFIDENCE:.0%} bound over trials"


def name_way(case: cases.Case) -> str:
    """Name a wait strategy: `spin-then-park spins=100 in C++`."""
    return f"{_title(case)} in {name_runtime(case.runtime)}"


def _title(case: cases.Case) -> str:
    """Name it by its mechanism, by AMONG, and by the parameters that are not at their default."""
    named = dict.fromkeys([*(name for name in AMONG if name in case.params), *case.varied])
    return cases.with_params(case.mechanism, case.params, [name for name in named if name not in SCHEDULE])


def name_runtime(label: str) -> str:
    """Name a runtime in a sentence: `Java 17`, `C++`."""
    return re.sub("^java-", "Java ", re.sub("^cpp", "C++", label))


def strategies(number: int) -> str:
    """Write `1 wait strategy`, `3 wait strategies`."""
    return f"{number} wait strateg{'y' if number == 1 else 'ies'}"


def say_advice(advice: judging.Advice) -> str:
    return " ".join(_sentences(advice))


def _sentences(advice: judging.Advice) -> Iterator[str]:
    asked = advice.required.text
    if load := next((str(one.case.busy) for one in advice.ways), ""):
        asked += f" {load}"
    yield from _answer(advice, asked)
    if (left_out := sum(one.left_out for one in advice.ways)) and advice.busy is None:
        yield f"{counted(left_out, 'trial')} did not count: other programs ran."
    for label in advice.unasked:
        yield f"{name_runtime(label)} was not measured; --runtime {label} measures it."


def _answer(advice: judging.Advice, asked: str) -> Iterator[str]:
    chosen, sender = advice.chosen, "coordinator" if advice.required.workers else "sender"
    if chosen:
        yield f"For {asked}: {name_way(chosen.case)}, {_figures(chosen)}."
        yield from _said_alike(advice)
        yield from _cheaper(advice, chosen)
        yield from _how_sure(advice, chosen)
    elif advice.clock_ns is not None:
        yield f"Cannot tell: no clock here can measure {asked}. A clock read costs {time(advice.clock_ns)}."
    elif advice.busy is not None:
        used = f"other programs used {percent(advice.busy)} of the CPU time"
        yield f"Cannot tell: {used}. Repeat when they have ended."
    elif (floor := advice.floor) is not None:
        bound = f"{BOUND} for at least {percent(floor.at_least)} ({counted(floor.trials, 'trial')})"
        late = f"was later than {time(advice.required.p99_ns)} for {percent(floor.late)} of its messages"
        if advice.required.workers:
            late = f"skipped {percent(floor.late)} of the rounds"
        yield f"Cannot tell: this machine could not keep the schedule. The {sender} alone {late}, {bound}."
        yield "Something takes its CPU away."
    elif advice.outcome == "none":
        number = len(advice.others)
        yield f"Nothing here meets {asked}: {strategies(number)} miss{'es' if number == 1 else ''} it."
        yield from _what_would(advice)
    else:
        open_ones = [one for one in advice.others if one.verdict == "open"]
        those = f"{len(open_ones)} of {strategies(len(advice.others))} may, none significantly"
        yield f"Cannot tell whether anything meets {asked}: {those}."
        if late_senders := sum(one.has_late_sender for one in open_ones):
            yield f"With {late_senders} of them the {sender} alone was late more often than allowed."
        yield from _what_would(advice)


def _how_sure(advice: judging.Advice, chosen: judging.JudgedWay) -> Iterator[str]:
    """Say how many messages were late in these trials, and what follows."""
    assert chosen.late is not None
    assert chosen.at_most is not None
    noun = advice.required.noun
    number = round(chosen.late * chosen.messages)
    seen = percent(chosen.late) if number >= FEW_TRIALS else f"{number}" if number else "none"
    trials, was = counted(chosen.trials, "trial"), "was" if number < 2 else "were"
    seen += f" of {round(chosen.messages):,} {noun} in {trials} {was} late"
    if chosen.verdict == "meets":
        yield f"{seen[0].upper()}{seen[1:]}, {BOUND} at most {percent(min(chosen.at_most, judging.ALLOWED))} are."
        rare = judging.rarest_seen(chosen.trials)
        yield f"These {chosen.trials} trials cannot rule out what happens in fewer than one trial in {rare}."
    else:
        beyond = f", {BOUND} up to {percent(chosen.at_most)} are" if chosen.at_most > judging.ALLOWED else ""
        yield f"That is not sure: {seen}{beyond}."
        late, worst = judging.worst_trial(advice.ways)
        expected = judging.WORST * chosen.messages / chosen.trials  # in an unseen trial
        if worst and worst is not chosen and late > max(expected, *(of.late for of in chosen.counts)):
            yield f"A trial of {name_way(worst.case)} had {round(late):,} late {noun}; that can happen to any of them."


def _what_would(advice: judging.Advice) -> Iterator[str]:
    """Name the fastest, and if only the CPU limit is missed, the cheapest that is fast enough."""
    known = [one for one in advice.others if one.trials >= judging.FEW]
    found = judging.fastest(known) or (judging.fastest(advice.others) if advice.outcome == "none" else None)
    if found is None:
        if advice.outcome == "none" and all("rate" in one.misses for one in advice.others):
            yield f"Nothing sustains the rate. Ask for fewer {advice.required.noun} per second."
        return
    yield f"The fastest here is {name_way(found.case)}: {_figures(found)}."
    yield from _said_alike(advice)
    required = advice.required
    enough = [one for one in known if one.p99 and one.p99.value <= required.p99_ns and "rate" not in one.misses]
    if required.cpu_percent and enough and enough[0] is not found:
        yield f"The cheapest that is fast enough is {name_way(enough[0].case)}: {_figures(enough[0])}."


def _said_alike(advice: judging.Advice) -> Iterator[str]:
    if alike := advice.alike:
        first, more = name_way(alike[0].case), len(alike) - 1
        others = f"{first} and {counted(more, 'other')} do" if more else f"{first} does"
        yield f"In these trials {others} not differ from it."


def _cheaper(advice: judging.Advice, chosen: judging.JudgedWay) -> Iterator[str]:
    """Name the best cheaper one: how late it is, or that it may meet the requirement too."""
    cheaper = [one for one in advice.others if one.cost[0] < chosen.cost[0] and one.p99]
    differs = [one for one in cheaper if not judging.are_alike(one, chosen)]
    if not differs:
        yield "Nothing here is significantly cheaper." if cheaper else "Nothing here is cheaper."
        return
    found = min(differs, key=lambda one: one.cost[1])
    what = "miss it" if found.verdict == "misses" else "may meet it too"
    yield f"Cheaper ones {what}: the best is {name_way(found.case)}, {_figures(found)}."


def _figures(one: judging.JudgedWay) -> str:
    p99, cpu = one.p99, one.cpu
    parts = []
    if p99:
        how = interval(p99.value, *p99.ends) if p99.kind else counted(one.trials, "trial")
        parts.append(f"{judging.REQUIRED_PERCENTILE} {time(p99.value)} ({how})")
    if cpu:
        parts.append(f"{cpu.value:.3g}% of a core")
    if one.held and "rate" in one.misses:
        parts.append(f"{one.held.value:.0%} of the rate sustained")
    return ", ".join(parts)


WAYS_SAID = "Bars are 99% intervals. Dashed lines are the limits: whatever meets them lies below and to the left."

VERDICTS_OF_WAYS = ("advised", "meets", "open", "misses")


def ways_chart(advice: judging.Advice) -> Chart:
    """Draw a dot for each whose latency and CPU are known, coloured by its verdict; ChartRefused if there is none."""
    required, data = advice.required, list[Json]()
    for one in advice.ways:
        if one.p99 and one.cpu and one.p99.value > 0 and one.cpu.value > 0:
            low, high = one.p99.ends
            verdict = "advised" if one is advice.chosen else one.verdict
            about = {"strategy": name_way(one.case)}
            about |= {"p99": with_interval("ns", one.p99).plain, "CPU": written("percent", one.cpu.value)}
            point = {"x": one.cpu.value, "y": one.p99.value, "low": low, "high": high}
            data.append({**point, "verdict": verdict, "about": {**about, "verdict": verdict}})
    shown = charts.some(data, "no wait strategy has both a latency and a CPU time")
    limits = {"y": required.p99_ns, **({"x": required.cpu_percent} if required.cpu_percent else {})}
    ends = [*(one[end] for one in shown for end in ("low", "high")), limits["y"]]
    x = charts.logarithmic("percent", [*(one["x"] for one in shown), *filter(None, [limits.get("x")])])
    x = {**x, "title": "CPU of the waiting thread, % of a core, log scale"}
    up = charts.logarithmic("ns", ends, "p99")
    scales = {"x": x, "y": up}
    rules = [
        {
            **charts.marks("rule", {of: charts.field("at:Q", **scales[of])}, color=charts.FAINT, strokeDash=[4, 3]),
            "data": {"values": [{"at": at}]},
        }
        for of, at in limits.items()
    ]
    looks = charts.coloured("verdict:N", VERDICTS_OF_WAYS)
    _, *marks = charts.intervals(charts.field("x:Q", **x), "y", up, looks, tooltip=charts.TOOLTIP)
    panel = charts.panel({"layer": [*rules, *marks]}, shown, height=charts.HEIGHT)
    title = f"p99 of each wait strategy against its CPU; the limit is {time(required.p99_ns)}"
    return Chart("ways", title, [WAYS_SAID, charts.BEYOND], [panel], VERDICTS_OF_WAYS)


WAY_STYLES: dict[judging.WayVerdict, str] = {"meets": "green", "misses": "dim", "open": "yellow"}

DUE = "From the intended send time to the receipt of a message; null if the rate is not sustained."
SENDER_LATE = "Share of messages that the sender itself sent later than the limit; of rounds that were skipped."
OF_A_CORE = "CPU time of the waiting thread, in percent of a core."

MOST_MISSING = 8  # maximum number shown of those that miss the requirement: the nearest to it

BUDGETS, LONGEST_S = 2.5, 3600.0
"""Factor of the time that seems to be missing by which a proposed budget is longer (at least twice as long: a further
search measures others too), and the maximum proposed: a case that needs longer is too close to call."""


def ways_sheet(answer: Answer, advice: judging.Advice) -> Sheet[judging.JudgedWay]:
    """Return a line for each wait strategy, the chosen one first."""

    def style(one: judging.JudgedWay) -> str:
        return "bold green" if one is advice.chosen else WAY_STYLES[one.verdict]

    ns, percents = (partial(layout.figure, unit) for unit in ("ns", "percent"))
    fields: tuple[Field[judging.JudgedWay], ...] = (
        Field(head="wait strategy", of=lambda one: text.plain(_title(one.case)), style=style, names=True),
        Field(head="runtime", of=lambda one: names.plain(one.case.runtime), names=True),
        *run_records.case_fields(attrgetter("case"), lambda one: answer.declared[one.case.experiment]),
        Field(key="chosen", type=bool, of=lambda one: one is advice.chosen, means="Whether it is the recommended one."),
        attribute("p99", DUE, Estimate, show=ns, head=judging.REQUIRED_PERCENTILE, key="p99_ns"),
        Field(head="99% interval", of=attrgetter("p99"), write=_ends, style="dim", rank=1),
        attribute("cpu", OF_A_CORE, Estimate, show=percents, head="CPU", key="cpu_percent"),
        Field(key="held", type=Estimate, of=attrgetter("held"), means="The share of the rate that was received."),
        attribute("late", "Share of messages that were late, or never arrived.", unit="share"),
        Field(key="late_at_most", unit="share", of=attrgetter("at_most"), means="The upper 99% bound of that."),
        Field(key="sender_late", unit="share", of=attrgetter("sender_late"), means=SENDER_LATE),
        Field(key="sender_p99_ns", unit="ns", of=attrgetter("sender_p99"), means="p99 of the sender's own lateness."),
        Field(head="trials", key="trials", type=int, of=attrgetter("trials"), rank=2),
        attribute("left_out", "Number of trials that do not count because other programs ran.", int),
        Field(
            key="verdict", type=judging.WayVerdict, of=attrgetter("verdict"), write=_said_of, style=style, names=True
        ),
        attribute("misses", "The requirements that it significantly misses.", tuple[judging.Miss, ...]),
    )
    return Sheet("ways", fields, advice.ways)


def _said_of(one: judging.JudgedWay) -> str:
    if not one.has_late_sender:
        return f"misses: {', '.join(one.misses)}" if one.misses else one.verdict
    late = f"p99 {quantities.time(one.sender_p99)}" if one.sender_p99 else quantities.percent(one.sender_late or 0.0)
    return f"open; {'sender' if one.sender_p99 else 'coordinator'} late: {late}"


def _ends(one: judging.JudgedWay) -> str:
    """Return the 99% interval, the range if there are too few trials for it, or the number of trials."""
    if one.p99 is None:
        return quantities.ABSENT
    if one.p99.kind is None:
        return quantities.counted(one.trials, "trial")
    ends = quantities.interval(one.p99.value, *one.p99.ends)
    return ends if one.p99.kind == "ci99" else f"range {ends}"


def show_advice(answer: Answer, advice: judging.Advice) -> Iterator[Block]:
    """Show the recommendation, all that may meet the requirement, and those that come nearest."""
    run, every = answer.run, advice.ways
    yield from (*findings.unusable(answer), *say(advice), Text())
    parts = [strategies(len(every)), quantities.counted(len(answer.trials), "trial")]
    parts += dict.fromkeys(names.placement_label(one.case) for one in every[:1])
    yield from (heading.where(run), Flow([Text(one, "dim") for one in parts]))
    yield Text()
    missing = sorted((one for one in every if one.verdict == "misses"), key=lambda one: one.cost[::-1])
    shown = [one for one in every if one.verdict != "misses" or one in missing[:MOST_MISSING]]
    if advice.busy:
        every, shown = (), []
    if shown:
        sheet = ways_sheet(answer, advice)
        yield grid_of(replace(sheet, lines=sorted(shown, key=lambda one: one.cost)))
    if hidden := len(every) - len(shown):
        yield Text(f"and {hidden} slower ones: {text.proposed('show', str(run.id))}", "dim")
    yield from findings.of_load(answer, "way")
    yield from heading.next_commands({**heading.to_resume(run), **(_to_decide(run, advice) or heading.with_room(run))})


def _to_decide(run: Run, advice: judging.Advice) -> Mapping[str, str]:
    """Return the command that would decide an open verdict, and what it decides; empty if none would."""
    if not run.arguments or run.imported or run.status != "complete":
        return {}
    if advice.outcome == "busy":
        return {text.plain(text.proposed(*run.arguments)): "repeat when they have ended"}
    if advice.outcome in ("late-sender", "clock"):
        return {text.proposed("doctor"): "what takes the CPUs away"} if advice.floor else {}
    room_s = max(2 * run.budget_s, run.budget_s + BUDGETS * (advice.decides_s or 0.0))
    if advice.outcome == "none" or (advice.is_sure and advice.decides_s is None) or room_s > LONGEST_S:
        return {}
    what = "whether a cheaper one meets it" if advice.is_sure else "to be sure"
    return {heading.with_budget(run, quantities.budget(room_s)): what}


def say(advice: judging.Advice) -> Iterator[Text]:
    """Say the recommendation, and what to configure if that was asked for."""
    style = {"sure": "bold green", "none": "bold red"}.get(advice.outcome, "bold yellow")
    yield Text(say_advice(advice), style)
    if advice.required.system:
        yield Text()
        yield Text(systems()[advice.required.system].title, "dim")
        unknown = "The duration of a spin is unknown here: too few wait strategies slept for each message."
        nothing = f"Nothing to configure: {'nothing meets it' if advice.outcome == 'none' else 'undecided'}."
        yield Text((configure(advice) or (unknown if advice.chosen else nothing)).strip())
