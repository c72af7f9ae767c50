"""The advice that a run's trials give: which way of waiting, at what cost, how sure; what it means to other systems."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from math import ceil

import msgspec
from msgspec import Struct

from threadping.advising.floor import Floor, floor_of
from threadping.advising.judging import Judged, judge, quickest
from threadping.advising.lateness import ALLOWED, PERCENTILE, SURE
from threadping.analysis.estimate import Estimate
from threadping.model.bounds import Record
from threadping.model.cases import Case, with_params
from threadping.model.run import Run
from threadping.model.studies import Requirement
from threadping.model.trials import Observation
from threadping.quantities import counted, interval, percent, time

SCHEDULE = ("rate", "arrivals", "burst")
"""Parameters that all ways of an advice have in common."""

AMONG = ("wait", "spins")
"""Parameters among whose values an advice chooses: they are always named, the default too."""

NOT_ASKED = "advice asks one JVM unless --runtime names more"
"""Why a runtime that is here is in no way of an advice."""


class Advice(Record, frozen=True):
    """What meets a requirement.

    Attributes:
        required: what was asked for.
        chosen: the cheapest way that meets it; where none surely does, the cheapest that would if its figures were
            exact; None where nothing does.
        others: all others that were measured, the cheapest first.
        clock_ns: what reading the clock costs, where the requirement is below it; else None.
        floor: where the sender by itself is later than is allowed: no way of waiting could meet it then; else None.
        unasked: further JVMs that are here and were not asked.
    """

    required: Requirement
    chosen: Judged | None
    others: tuple[Judged, ...]
    clock_ns: float | None = None
    floor: Floor | None = None
    unasked: tuple[str, ...] = ()

    @property
    def alike(self) -> tuple[Judged, ...]:
        """The ways that do not differ from the chosen one, or else from the quickest, by intervals of p99 and CPU."""
        found = self.chosen or quickest(self.others)
        return tuple(one for one in self.others if found and one is not found and _is_alike(one, found))

    @property
    def is_sure(self) -> bool:
        """Whether the trials decide it."""
        return self.chosen is not None and self.chosen.verdict == "meets"

    @property
    def sentence(self) -> str:
        """The advice in a few sentences."""
        return " ".join(_sentences(self))


def advise(run: Run, observations: Sequence[Observation]) -> Advice:
    """Find the cheapest way that meets the requirement of a run, by all of its trials."""
    required = run.requirement
    assert required is not None
    if (clock_ns := below_the_clock(observations, required)) is not None:
        return Advice(required, None, (), clock_ns)
    by_case: dict[Case, list[Observation]] = {case: [] for case in run.cases}
    for one in observations:
        by_case[one.case].append(one)
    ways = sorted(
        (judge(case, trials, required) for case, trials in by_case.items() if trials), key=lambda one: one.cost
    )
    sure = [one for one in ways if one.verdict == "meets"]
    within = [one for one in ways if one.is_within(required)]
    chosen = next(iter([*sure, *within]), None)
    return Advice(
        required,
        chosen,
        tuple(one for one in ways if one is not chosen),
        floor=None if chosen else floor_of(run.cases, observations, required),
        unasked=tuple(one.what for one in run.skipped if one.reason == NOT_ASKED),
    )


def below_the_clock(observations: Sequence[Observation], required: Requirement) -> float | None:
    """What reading the clock costs (ns), where a latency is asked for that no such clock can tell; else None."""
    costs = [one.figures["clock_cost_ns"] for one in observations if "clock_cost_ns" in one.figures]
    return min(costs) if costs and required.p99_ns < min(costs) else None


def named_params(case: Case) -> list[str]:
    """By which parameters to name a way of waiting: those among which is chosen, and what differs from its default."""
    named = dict.fromkeys([*(name for name in AMONG if name in case.params), *case.varied])
    return [name for name in named if name not in SCHEDULE]


def name_of(case: Case) -> str:
    """Name a way of waiting: `spin-then-park spins=100 in C++`."""
    way = with_params(case.mechanism, case.params, named_params(case))
    return f"{way} in {runtime_name(case.runtime)}"


def runtime_name(label: str) -> str:
    """Name a runtime in a sentence: `Java 17`, `C++`."""
    return re.sub("^java-", "Java ", re.sub("^cpp", "C++", label))


def _sentences(advice: Advice) -> Iterator[str]:
    required, chosen = advice.required, advice.chosen
    asked = required.text
    if beside := next((one.case.busy.text for one in (chosen, *advice.others) if one), ""):
        asked += f" {beside}"
    if advice.clock_ns is not None:
        yield f"No clock here can tell {asked}: reading it costs {time(advice.clock_ns)}."
        return
    yield from _answer(advice, asked)
    for label in advice.unasked:
        yield f"{runtime_name(label)} is here too and was not asked: --runtime {label} asks it."


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
    yield f"For {asked}: {name_of(chosen.case)}, {_figures(chosen)}."
    yield from _said_alike(advice)
    yield from _cheaper(advice, chosen)
    yield from _how_sure(chosen)


def _of_the_floor(floor: Floor, asked: str) -> Iterator[str]:
    yield (
        f"No way of waiting could meet {asked} here now: the sender itself, which only reads the clock until a message "
        f"is due, was later than that with {percent(floor.late)} of its messages, by a {SURE:.0%} bound with at least "
        f"{percent(floor.at_least)}, and {PERCENTILE} of its lateness was {time(floor.p99_ns)} "
        f"({counted(floor.trials, 'trial')}). Something takes its CPU away."
    )


def _how_sure(chosen: Judged) -> Iterator[str]:
    """What was counted, and what follows from it, of these trials."""
    assert chosen.late is not None
    assert chosen.at_most is not None
    of = f"of {round(chosen.messages):,} messages in {counted(chosen.trials, 'trial')}"
    seen = f"{percent(chosen.late)} {of} were late" if chosen.late else f"none {of} was late"
    bound = f"by a {SURE:.0%} bound over trials"
    if chosen.verdict == "meets":
        yield f"{seen[0].upper()}{seen[1:]}, {bound} at most {percent(min(chosen.at_most, ALLOWED))} are."
    else:
        beyond = f", {bound} up to {percent(chosen.at_most)} are" if chosen.at_most > ALLOWED else ""
        yield f"That is not sure: {seen}{beyond}. A larger --budget tells."


def _what_would(advice: Advice) -> Iterator[str]:
    """The quickest, and where it is the CPU time that nothing keeps to, the cheapest that is quick enough."""
    found = quickest(advice.others)
    if found is None:
        yield "Nothing holds the rate: ask for fewer messages a second."
        return
    yield f"The quickest here is {name_of(found.case)}: {_figures(found)}."
    yield from _said_alike(advice)
    required = advice.required
    enough = [one for one in advice.others if one.p99 and one.p99.value <= required.p99_ns and "rate" not in one.misses]
    if required.cpu_percent and enough and enough[0] is not found:
        yield f"The cheapest that is quick enough is {name_of(enough[0].case)}: {_figures(enough[0])}."


def _said_alike(advice: Advice) -> Iterator[str]:
    if alike := advice.alike:
        first, more = name_of(alike[0].case), len(alike) - 1
        others = f"{first} and {counted(more, 'other')} do" if more else f"{first} does"
        yield f"By these trials {others} not differ from it."


def _is_alike(one: Judged, other: Judged) -> bool:
    """Whether intervals overlap, of the latency and of the CPU time."""
    pairs = ((one.p99, other.p99), (one.cpu, other.cpu))
    return all(left is not None and right is not None and _overlap(left, right) for left, right in pairs)


def _overlap(one: Estimate, other: Estimate) -> bool:
    return one.ends[0] <= other.ends[1] and other.ends[0] <= one.ends[1]


def _cheaper(advice: Advice, chosen: Judged) -> Iterator[str]:
    """The next cheaper way: how late it is, or that it may do as well."""
    cheaper = [one for one in advice.others if one.cost[0] < chosen.cost[0] and one.p99]
    differs = [one for one in cheaper if not _is_alike(one, chosen)]
    if not differs:
        yield "Nothing here is surely cheaper." if cheaper else "Nothing here is cheaper."
        return
    found = min(differs, key=lambda one: one.cost[1])
    what = "misses it" if found.verdict == "misses" else "may meet it too"
    yield f"What is cheaper {what}: at best {name_of(found.case)}, {_figures(found)}."


def _figures(one: Judged) -> str:
    p99, cpu = one.p99, one.cpu
    parts = []
    if p99:
        parts.append(f"{PERCENTILE} {time(p99.value)} ({interval(p99.value, *p99.ends)})")
    if cpu:
        parts.append(f"{cpu.value:.3g}% of a core")
    if one.held and "rate" in one.misses:
        parts.append(f"{one.held.value:.0%} of the rate held")
    return ", ".join(parts)


SPINS = "spins"
SLEEPS = 0.9
"""A waiter that slept so often for each message spun in vain before: its CPU time tells how long that took."""


class System(Struct, frozen=True):
    """A system that has ways to wait.

    Attributes:
        title: what is configured.
        mechanisms: those of ours that stand for its ways.
        param: the parameter by which those differ.
        lines: what to write, by its value; `*` for every number.
        runtime: in which the system is written, where several of ours have the mechanism; empty for any.
    """

    title: str
    mechanisms: tuple[str, ...]
    param: str
    lines: Mapping[str, str]
    runtime: str = ""


@cache
def systems() -> Mapping[str, System]:
    """All of them by their names."""
    return msgspec.toml.decode((files(__package__) / "systems.toml").read_bytes(), type=dict[str, System])


def configuration(advice: Advice) -> str | None:
    """What to write into the configuration of the system that was asked for; None where nothing is advised."""
    system, chosen = systems()[advice.required.system], advice.chosen
    if chosen is None:
        return None
    value = chosen.case.params[system.param]
    line = system.lines.get(str(value)) or system.lines["*"]
    if system.param != SPINS:
        return line
    spin_ns = spin_time([chosen, *advice.others], chosen.case.runtime) if value else 0.0
    if spin_ns is None:
        return None
    ns = spin_ns * int(value)
    times = {"ns": round(ns), "us": ceil(ns / 1e3), "ms": ceil(ns / 1e6), "s": f"{ns / 1e9:.2g}"}
    return line.format(value=value, **times)


def spin_time(ways: Sequence[Judged], runtime: str) -> float | None:
    """How long a spin takes (ns), a load and a PAUSE, by what ways that slept for each message took of the CPU.

    The more they spin before they sleep, the more CPU time each message takes: what a further spin adds. None where
    fewer than two ways of the runtime slept.
    """
    slept = sorted(
        (int(one.case.params[SPINS]), one.cpu_ns)
        for one in ways
        if SPINS in one.case.params and one.case.runtime == runtime and one.sleeps >= SLEEPS and one.cpu_ns
    )
    if len(slept) < 2:
        return None
    (fewest, least_ns), (most, most_ns) = slept[0], slept[-1]
    return (most_ns - least_ns) / (most - fewest) if most > fewest and most_ns > least_ns else None
