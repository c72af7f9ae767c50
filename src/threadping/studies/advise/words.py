"""An advice in words: how wait strategies are named, what is advised, and how sure that is."""

import re
from collections.abc import Iterator

from threadping.model.cases import Case, with_params
from threadping.quantities import counted, interval, percent, time
from threadping.studies.advise.advice import Advice, Floor, are_alike
from threadping.studies.advise.judging import JudgedWay, quickest
from threadping.studies.advise.lateness import ALLOWED, BOUND_CONFIDENCE, FEW, REQUIRED_PERCENTILE

SCHEDULE = ("rate", "arrivals", "burst", "pause", "jobs")
"""Parameters that all wait strategies of an advice have in common."""

AMONG = ("wait", "spins", "policy")
"""Parameters among whose values an advice chooses: they are always named, the default too."""

FEW_TRIALS = 10
"""Fewer late messages are counted, and more are a share."""

BOUND = f"by a {BOUND_CONFIDENCE:.0%} bound over trials"


def named_params(case: Case) -> list[str]:
    """By which parameters to name a wait strategy: those among which is chosen, and what differs from its default."""
    named = dict.fromkeys([*(name for name in AMONG if name in case.params), *case.varied])
    return [name for name in named if name not in SCHEDULE]


def name_way(case: Case) -> str:
    """Name a wait strategy: `spin-then-park spins=100 in C++`."""
    way = with_params(case.mechanism, case.params, named_params(case))
    return f"{way} in {name_runtime(case.runtime)}"


def name_runtime(label: str) -> str:
    """Name a runtime in a sentence: `Java 17`, `C++`."""
    return re.sub("^java-", "Java ", re.sub("^cpp", "C++", label))


def strategies(number: int) -> str:
    """Write `1 wait strategy`, `3 wait strategies`."""
    return f"{number} wait strateg{'y' if number == 1 else 'ies'}"


def say_advice(advice: Advice) -> str:
    """The advice in a few sentences."""
    return " ".join(_sentences(advice))


def _sentences(advice: Advice) -> Iterator[str]:
    asked = advice.required.text
    if beside := next((one.case.busy.text for one in advice.ways), ""):
        asked += f" {beside}"
    yield from _answer(advice, asked)
    if (left_out := sum(one.left_out for one in advice.ways)) and advice.busy is None:
        yield f"{counted(left_out, 'trial')} decided nothing: other programs ran."
    for label in advice.unasked:
        yield f"{name_runtime(label)} is here too and was not asked: --runtime {label} asks it."


def _answer(advice: Advice, asked: str) -> Iterator[str]:
    chosen = advice.chosen
    if chosen:
        yield f"For {asked}: {name_way(chosen.case)}, {_figures(chosen)}."
        yield from _said_alike(advice)
        yield from _cheaper(advice, chosen)
        yield from _how_sure(chosen, advice.required.noun)
    elif advice.clock_ns is not None:
        yield f"Cannot tell: no clock here can measure {asked}. Reading it costs {time(advice.clock_ns)}."
    elif advice.busy is not None:
        used = f"other programs used {percent(advice.busy)} of the CPU time"
        yield f"Cannot tell: {used}; ask again when they have ended."
    elif advice.floor is not None:
        yield from _of_the_floor(advice, advice.floor)
    elif advice.outcome == "none":
        number = len(advice.others)
        yield f"Nothing here meets {asked}: {strategies(number)} miss{'es' if number == 1 else ''} it."
        yield from _what_would(advice)
    else:
        yield from _undecided(advice, asked)


def _undecided(advice: Advice, asked: str) -> Iterator[str]:
    open_ones = [one for one in advice.others if one.verdict == "open"]
    yield (
        f"Cannot tell whether anything meets {asked}: nothing surely does, and {len(open_ones)} of "
        f"{strategies(len(advice.others))} may."
    )
    if late := sum(one.has_late_sender for one in open_ones):
        yield f"Of {late} of them the {_sender(advice)} alone was late for more than it may."
    yield from _what_would(advice)


def _of_the_floor(advice: Advice, floor: Floor) -> Iterator[str]:
    bound = f"{BOUND} for at least {percent(floor.at_least)} ({counted(floor.trials, 'trial')})"
    late = f"was later than {time(advice.required.p99_ns)} for {percent(floor.late)} of its messages"
    if advice.required.workers:
        late = f"did not begin {percent(floor.late)} of the rounds in their turn"
    yield (
        f"Cannot tell: the schedule could not be kept here. The {_sender(advice)} alone {late}, {bound}. Something "
        "takes its CPU away."
    )


def _sender(advice: Advice) -> str:
    return "coordinator" if advice.required.workers else "sender"


def _how_sure(chosen: JudgedWay, noun: str) -> Iterator[str]:
    """What was counted, and what follows from it, of these trials."""
    assert chosen.late is not None
    assert chosen.at_most is not None
    number = round(chosen.late * chosen.messages)
    seen = percent(chosen.late) if number >= FEW_TRIALS else f"{number}" if number else "none"
    seen += f" of {round(chosen.messages):,} {noun} in {counted(chosen.trials, 'trial')} {_was(number)} late"
    if chosen.verdict == "meets":
        yield f"{seen[0].upper()}{seen[1:]}, {BOUND} at most {percent(min(chosen.at_most, ALLOWED))} are."
    else:
        beyond = f", {BOUND} up to {percent(chosen.at_most)} are" if chosen.at_most > ALLOWED else ""
        yield f"That is not sure: {seen}{beyond}."


def _was(number: int) -> str:
    return "was" if number < 2 else "were"


def _what_would(advice: Advice) -> Iterator[str]:
    """The quickest, and where it is the CPU time that nothing keeps to, the cheapest that is quick enough."""
    told = [one for one in advice.others if one.trials >= FEW]
    found = quickest(told) or (quickest(advice.others) if advice.outcome == "none" else None)
    if found is None:
        if advice.outcome == "none" and all("rate" in one.misses for one in advice.others):
            yield f"Nothing holds the rate: ask for fewer {advice.required.noun} a second."
        return
    yield f"The quickest here is {name_way(found.case)}: {_figures(found)}."
    yield from _said_alike(advice)
    required = advice.required
    enough = [one for one in told if one.p99 and one.p99.value <= required.p99_ns and "rate" not in one.misses]
    if required.cpu_percent and enough and enough[0] is not found:
        yield f"The cheapest that is quick enough is {name_way(enough[0].case)}: {_figures(enough[0])}."


def _said_alike(advice: Advice) -> Iterator[str]:
    if alike := advice.alike:
        first, more = name_way(alike[0].case), len(alike) - 1
        others = f"{first} and {counted(more, 'other')} do" if more else f"{first} does"
        yield f"By these trials {others} not differ from it."


def _cheaper(advice: Advice, chosen: JudgedWay) -> Iterator[str]:
    """The next cheaper one: how late it is, or that it may do as well."""
    cheaper = [one for one in advice.others if one.cost[0] < chosen.cost[0] and one.p99]
    differs = [one for one in cheaper if not are_alike(one, chosen)]
    if not differs:
        yield "Nothing here is surely cheaper." if cheaper else "Nothing here is cheaper."
        return
    found = min(differs, key=lambda one: one.cost[1])
    what = "misses it" if found.verdict == "misses" else "may meet it too"
    yield f"What is cheaper {what}: at best {name_way(found.case)}, {_figures(found)}."


def _figures(one: JudgedWay) -> str:
    p99, cpu = one.p99, one.cpu
    parts = []
    if p99:
        how = interval(p99.value, *p99.ends) if p99.kind else counted(one.trials, "trial")
        parts.append(f"{REQUIRED_PERCENTILE} {time(p99.value)} ({how})")
    if cpu:
        parts.append(f"{cpu.value:.3g}% of a core")
    if one.held and "rate" in one.misses:
        parts.append(f"{one.held.value:.0%} of the rate held")
    return ", ".join(parts)
