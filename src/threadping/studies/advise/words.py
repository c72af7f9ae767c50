"""An advice in words: how ways of waiting are named, what is advised, and how sure that is."""

import re
from collections.abc import Iterator

from threadping.model.cases import Case, with_params
from threadping.quantities import counted, interval, percent, time
from threadping.studies.advise.advice import Advice, are_alike
from threadping.studies.advise.floor import Floor
from threadping.studies.advise.judging import JudgedWay, quickest
from threadping.studies.advise.lateness import ALLOWED, BOUND_CONFIDENCE, REQUIRED_PERCENTILE

SCHEDULE = ("rate", "arrivals", "burst", "pause", "jobs")
"""Parameters that all ways of an advice have in common."""

AMONG = ("wait", "spins", "policy")
"""Parameters among whose values an advice chooses: they are always named, the default too."""


def named_params(case: Case) -> list[str]:
    """By which parameters to name a way of waiting: those among which is chosen, and what differs from its default."""
    named = dict.fromkeys([*(name for name in AMONG if name in case.params), *case.varied])
    return [name for name in named if name not in SCHEDULE]


def name_way(case: Case) -> str:
    """Name a way of waiting: `spin-then-park spins=100 in C++`."""
    way = with_params(case.mechanism, case.params, named_params(case))
    return f"{way} in {name_runtime(case.runtime)}"


def name_runtime(label: str) -> str:
    """Name a runtime in a sentence: `Java 17`, `C++`."""
    return re.sub("^java-", "Java ", re.sub("^cpp", "C++", label))


def say_advice(advice: Advice) -> str:
    """The advice in a few sentences."""
    return " ".join(_sentences(advice))


def _sentences(advice: Advice) -> Iterator[str]:
    asked = advice.required.text
    if beside := next((one.case.busy.text for one in advice.ways), ""):
        asked += f" {beside}"
    if advice.clock_ns is not None:
        yield f"No clock here can tell {asked}: reading it costs {time(advice.clock_ns)}."
        return
    yield from _answer(advice, asked)
    for label in advice.unasked:
        yield f"{name_runtime(label)} is here too and was not asked: --runtime {label} asks it."


def _answer(advice: Advice, asked: str) -> Iterator[str]:
    chosen = advice.chosen
    if chosen is None:
        open_ones = sum(one.verdict == "open" for one in advice.others)
        if advice.floor is not None:
            yield from _of_the_floor(advice.floor, asked)
        else:
            yield f"Nothing that was measured meets {asked}."
        if open_ones and advice.floor is None:
            yield f"{counted(open_ones, 'way')} of waiting may, by the intervals: a larger --budget tells."
        yield from _what_would(advice)
        return
    yield f"For {asked}: {name_way(chosen.case)}, {_figures(chosen)}."
    yield from _said_alike(advice)
    yield from _cheaper(advice, chosen)
    yield from _how_sure(chosen, advice.required.noun)


def _of_the_floor(floor: Floor, asked: str) -> Iterator[str]:
    yield (
        f"No way of waiting could meet {asked} here now: the sender itself, which only reads the clock until a message "
        f"is due, was later than that with {percent(floor.late)} of its messages, by a {BOUND_CONFIDENCE:.0%} bound "
        f"with at least {percent(floor.at_least)}, and {REQUIRED_PERCENTILE} of its lateness was {time(floor.p99_ns)} "
        f"({counted(floor.trials, 'trial')}). Something takes its CPU away."
    )


def _how_sure(chosen: JudgedWay, noun: str) -> Iterator[str]:
    """What was counted, and what follows from it, of these trials."""
    assert chosen.late is not None
    assert chosen.at_most is not None
    of = f"of {round(chosen.messages):,} {noun} in {counted(chosen.trials, 'trial')}"
    seen = f"{percent(chosen.late)} {of} were late" if chosen.late else f"none {of} was late"
    bound = f"by a {BOUND_CONFIDENCE:.0%} bound over trials"
    if chosen.verdict == "meets":
        yield f"{seen[0].upper()}{seen[1:]}, {bound} at most {percent(min(chosen.at_most, ALLOWED))} are."
    else:
        beyond = f", {bound} up to {percent(chosen.at_most)} are" if chosen.at_most > ALLOWED else ""
        yield f"That is not sure: {seen}{beyond}. A larger --budget tells."


def _what_would(advice: Advice) -> Iterator[str]:
    """The quickest, and where it is the CPU time that nothing keeps to, the cheapest that is quick enough."""
    found = quickest(advice.others)
    if found is None:
        yield f"Nothing holds the rate: ask for fewer {advice.required.noun} a second."
        return
    yield f"The quickest here is {name_way(found.case)}: {_figures(found)}."
    yield from _said_alike(advice)
    required = advice.required
    enough = [one for one in advice.others if one.p99 and one.p99.value <= required.p99_ns and "rate" not in one.misses]
    if required.cpu_percent and enough and enough[0] is not found:
        yield f"The cheapest that is quick enough is {name_way(enough[0].case)}: {_figures(enough[0])}."


def _said_alike(advice: Advice) -> Iterator[str]:
    if alike := advice.alike:
        first, more = name_way(alike[0].case), len(alike) - 1
        others = f"{first} and {counted(more, 'other')} do" if more else f"{first} does"
        yield f"By these trials {others} not differ from it."


def _cheaper(advice: Advice, chosen: JudgedWay) -> Iterator[str]:
    """The next cheaper way: how late it is, or that it may do as well."""
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
        parts.append(f"{REQUIRED_PERCENTILE} {time(p99.value)} ({interval(p99.value, *p99.ends)})")
    if cpu:
        parts.append(f"{cpu.value:.3g}% of a core")
    if one.held and "rate" in one.misses:
        parts.append(f"{one.held.value:.0%} of the rate held")
    return ", ".join(parts)
