"""Checks of a machine, in a check-up and in passing: an effect beyond its limit is a finding.

A finding is an error where the machine is unfit by it, and a warning where that is in doubt. A remark is a note: its
effect was not measured here, so nothing is claimed of it. Their words stand in `words.toml`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean, median
from typing import Any, Literal

from threadping.analysis.answer import Answer
from threadping.analysis.checks import Check, Facts, Finding, Level
from threadping.analysis.health.health import (
    CORE_TO_CORE,
    EFFECT_MEASURES,
    FEWEST_TO_TELL,
    LIMITS,
    PAUSES_US,
    CauseOfLateness,
    Health,
    HealthVerdict,
    cpus_of,
)
from threadping.analysis.outliers import DELAYED, FAULT, INTERRUPTED, MIGRATED, PREEMPTED, STOLEN
from threadping.model import quantities
from threadping.model.grouping import gathered
from threadping.model.run import Observation

OF_BENCHMARKS = LIMITS["benchmark"]
COST = "clock_cost_ns"
LEAST_STOLEN_NS = 50e6  # The kernel counts what a hypervisor took in ticks of 10 ms: fewer than five are no evidence


def _throttled_in_passing(answer: Answer) -> Iterator[str]:
    told = [(one.throttled_ns, one.wall_ns * cpus_of(answer, one)) for one in answer.observations]
    known = [(ns, of) for ns, of in told if ns is not None]
    share = sum(ns for ns, _ in known) / max(1, sum(of for _, of in known))
    if share > OF_BENCHMARKS["throttled"]:
        yield f"a quota took {quantities.percent(min(1.0, share))} of the CPU time"


def _stolen_in_passing(answer: Answer) -> Iterator[str]:
    stolen = of = 0.0
    for one in answer.observations:
        if (ns := one.figures.get("counters.steal_ns")) is not None:
            stolen += ns
            of += one.figures.get("counters.measured_ns", 0.0) * cpus_of(answer, one)
    if stolen >= LEAST_STOLEN_NS and of and stolen / of > OF_BENCHMARKS["stolen"]:
        yield f"the hypervisor took {quantities.percent(stolen / of)} of the CPU time"


def _clock(answer: Answer) -> Iterator[str]:
    """Judge our own probes alone: the clock of a custom one is no fault of the machine (`slow-clock` has it)."""
    custom = {one.label for one in answer.run.runtimes if one.probe == "probe"}
    known = [one for one in answer.observations if COST in one.figures and one.case.runtime not in custom]
    costs = gathered((one.case.runtime, one.figures[COST]) for one in known)
    dear = {runtime: cost for runtime, each in costs.items() if (cost := median(each)) > OF_BENCHMARKS["clock"]}
    if dear:
        yield f"a reading of the clock takes {quantities.span([*dear.values()])} in {', '.join(dear)}"


def share_of_others(trials: Iterable[Observation]) -> float | None:
    """Return the share of the CPU time that other programs took during trials; None if no trial knows.

    Where threads of ours ran elsewhere too, as those of a compiler, a trial has less than nothing: that is none.
    """
    shares = [max(0.0, one.others) for one in trials if one.others is not None]
    return fmean(shares) if shares else None


def _load(answer: Answer) -> Iterator[str]:
    share = share_of_others(answer.observations) or 0.0
    if OF_BENCHMARKS["others"] < share < BUSY_SHARE:
        yield f"other programs used {quantities.percent(share)} of the CPU time"


BUSY_SHARE = 0.4
"""The share of the CPU time of all trials that others used from which figures are not to be used: two of five trials,
or two fifths of each, shared a CPU."""

SEEN: Mapping[str, Callable[[Answer], Iterator[str]]] = {
    "stolen": _stolen_in_passing,
    "clock": _clock,
    "throttled": _throttled_in_passing,
    "others": _load,
}
"""Readers by the effect that a check-up would measure, in the order of its layers."""


def seen_in_passing(answer: Answer) -> Facts | None:
    """All that is beyond the limits for benchmarks, as one fact; None where nothing is."""
    why = [clause for find in SEEN.values() for clause in find(answer)]
    return {"why": "; ".join(why)} if why else None


HealthLayer = Literal["hardware", "firmware", "hypervisor", "kernel", "cgroup", "neighbours"]
LEVEL_OF: Mapping[HealthVerdict, Level] = {"unfit": "error", "doubt": "warning"}
MAKES_MOST = 0.25  # A cause without whose gaps the lateness would be less by this share is named
HELPS = 0.75
"""A wake-up that takes at most this share of its time beside a CPU that is kept awake is slow because CPUs sleep."""

OF_LATENESS = ("late", "longest", "lost")
TYPICAL = 0.2
"""Maximum share of the CPU time that a quota or a hypervisor may take where a sleeping CPU is blamed: all of three
trials fall into that time in 1% of check-ups."""


def _beyond(health: Health, *names: str) -> tuple[str, HealthVerdict] | None:
    """Return the effect among these that is furthest beyond its limit, or may be; None if all keep within theirs."""
    found = [(name, verdict) for name in names if (verdict := health.verdict(name)) and verdict != "fit"]
    found = [one for one in found if health.effects[one[0]].now.ends[1] > health.limits[one[0]]]
    return max(found, key=lambda one: one[1] == "unfit") if found else None


def _disturbed(health: Health, least: float = 0.0) -> bool:
    """Return whether other programs, or a quota or hypervisor that took more than `least`, may explain slow threads."""
    taken = (name for name in ("throttled", "stolen") if _beyond(health, name))
    return _beyond(health, "others") is not None or any(health.effects[name].now.value > least for name in taken)


def _undisturbed(find: Callable[[Health], Facts | None]) -> Callable[[Health], Facts | None]:
    """Return a check that finds nothing next to other programs: these may be the cause."""
    return lambda health: None if _beyond(health, "others") else find(health)


def _facts(health: Health, name: str, verdict: HealthVerdict, **more: float | str) -> Facts:
    effect = health.effects[name]
    low, high = effect.now.ends
    facts: dict[str, float | str] = {"value": effect.now.value, "low": low, "high": high}
    if bare := effect.bare:
        facts["without"] = bare.value
    measured: Facts = {"effect": name, "what": EFFECT_MEASURES[name].says, "limit": health.limits[name]}
    return {**facts, **measured, "level": LEVEL_OF[verdict], **more}


def _of_effect(name: str) -> Callable[[Health], Facts | None]:
    def find(health: Health) -> Facts | None:
        found = _beyond(health, name)
        return _facts(health, *found) if found else None

    return find


def _late(causes: Sequence[str]) -> Callable[[Health], Facts | None]:
    def find(health: Health) -> Facts | None:
        found, cause = _beyond(health, *OF_LATENESS), main_cause(health)
        if found is None or cause is None or cause.name not in causes:
            return None
        return _facts(health, *found, late=cause.late_ns, bare=cause.without_ns)

    return find


def main_cause(health: Health) -> CauseOfLateness | None:
    """Return the main cause of the lateness; None where nothing that was seen makes enough of it."""
    known = (one for one in health.causes if one.name in SEEN_CAUSES)
    return next((one for one in known if one.share >= MAKES_MOST), None)


OF_HYPERVISOR, OF_KERNEL, OF_NEIGHBOURS = (STOLEN,), (INTERRUPTED, FAULT), (PREEMPTED, DELAYED, MIGRATED)
SEEN_CAUSES = (*OF_HYPERVISOR, *OF_KERNEL, *OF_NEIGHBOURS)


def _stolen(health: Health) -> Facts | None:
    if found := _beyond(health, "stolen"):
        return _facts(health, *found, cause=_share_text(health, "stolen"))
    facts = _undisturbed(_late(OF_HYPERVISOR))(health)
    return facts and {**facts, "cause": _lateness_text(facts)}


def _neighbours(health: Health) -> Facts | None:
    if found := _beyond(health, "others"):
        return _facts(health, *found, cause=_share_text(health, "others"))
    if _beyond(health, "throttled"):
        return None  # that stops threads as neighbours do, and is known
    facts = _late(OF_NEIGHBOURS)(health)
    counted = "others" in health.effects
    by_count = f"; by the kernel's count other programs used {_share_text(health, 'others')}" if counted else ""
    return facts and {**facts, "cause": _lateness_text(facts) + by_count}


def _share_text(health: Health, name: str) -> str:
    low, high = health.effects[name].now.ends
    return f"{quantities.shares(low, high)} of the CPU time"


def _lateness_text(facts: Facts) -> str:
    late, bare = (float(facts[name]) for name in ("late", "bare"))
    return f"a thread is {quantities.time(late)} late (p99.99), {quantities.time(bare)} but for that"


def _unexplained(health: Health) -> Facts | None:
    found = _beyond(health, *OF_LATENESS)
    return _facts(health, *found) if found and not main_cause(health) and not _disturbed(health) else None


WAKE_EFFECTS = tuple(f"wake.{pause}" for pause in PAUSES_US)  # Wake-ups, after the shortest idle time first
SLEEP_CODES = "a sleeping CPU takes the time"
NOT_KNOWN = "whether a sleeping CPU takes the time is not known"
SOONER = "a CPU that has idled for longer is quicker, so no sleeping CPU takes the time"
TAKES_THE_TIME = "the scheduler, the kernel or a tracer takes the time, and no sleeping CPU"
"""Reasons for a slow wake-up."""


def _why_slow(health: Health, name: str) -> str:
    """Return what makes a wake-up slow: a sleeping CPU makes one after a longer idle time no quicker."""
    effect = health.effects[name]
    longer = [health.effects.get(one) for one in WAKE_EFFECTS[WAKE_EFFECTS.index(name) + 1 :]]
    known = [one for one in longer if one and len(one.values) >= FEWEST_TO_TELL]
    (low, high), (bare_low, bare_high) = effect.now.ends, effect.bare.ends if effect.bare else (0.0, 0.0)
    if min(len(effect.values), len(effect.without)) < FEWEST_TO_TELL:
        return NOT_KNOWN
    if bare_low >= HELPS * high:
        return TAKES_THE_TIME
    if any(one.now.ends[1] < low for one in known):
        return SOONER
    return SLEEP_CODES if bare_high < HELPS * low and len(known) == len(longer) else NOT_KNOWN


def _slow_wake(health: Health, *, asleep: bool) -> Facts | None:
    """Return the wake-up furthest beyond its limit among those that a sleeping CPU explains, or among the others.

    Some slow trials are no finding where neighbours made threads late; all trials are.
    """
    why = {name: _why_slow(health, name) for name in WAKE_EFFECTS if name in health.effects}
    found = _beyond(health, *(name for name in reversed(why) if (why[name] == SLEEP_CODES) is asleep))
    if found is None or _disturbed(health, TYPICAL if asleep else 0.0):
        return None
    if not asleep and found[1] == "doubt" and _neighbours(health):
        return None
    facts = _facts(health, *found)
    kept = f"{quantities.time(float(facts['without']))} with" if "without" in facts else "not measured with"
    return {**facts, "beside": f"{kept} the CPU kept awake", "why": why[found[0]]}


def _idle_halt(health: Health) -> Facts | None:
    """Return slow wake-ups of a virtual machine whose CPUs sleep, with what makes them poll first and is not so yet."""
    facts = _slow_wake(health, asleep=True) if health.machine.hypervisor else None
    polls_ns = health.number("halt_poll_ns")
    poll = "cpuidle_haltpoll.force=1 on the kernel's command line"
    if "haltpoll" in (health.signs.get("idle_driver"), health.signs.get("idle_governor")) and polls_ns:
        poll = f"they do for {quantities.time(polls_ns)}: raise /sys/module/haltpoll/parameters/guest_halt_poll_ns"
    elif polls_ns == 0:
        poll = "cpuidle_haltpoll.force=1 haltpoll.guest_halt_poll_ns=200000 on the kernel's command line"
    return facts and {**facts, "poll": poll}


def _sign(name: str, holds: Callable[[float], bool], purposes: Sequence[str] = ()) -> Callable[[Health], Facts | None]:
    def find(health: Health) -> Facts | None:
        value = health.number(name)
        asked = not purposes or health.purpose in purposes
        return {"value": value} if asked and value is not None and holds(value) else None

    return find


def _text(name: str, *values: str, purposes: Sequence[str] = ()) -> Callable[[Health], Facts | None]:
    def find(health: Health) -> Facts | None:
        asked = not purposes or health.purpose in purposes
        return {"value": str(health.signs[name])} if asked and health.signs.get(name) in values else None

    return find


def _governor(health: Health) -> Facts | None:
    governor = health.machine.governor
    return None if governor in (None, "performance") else {"governor": governor}


def _quota(health: Health) -> Facts | None:
    """A quota that has stopped nobody yet."""
    quota, cpus = health.machine.cpu_quota, len({*health.machine.topology.allowed})
    return {"quota": quota, "needed": cpus} if quota is not None and quota < cpus else None


SLOWED = 0.9  # minimum share of its highest frequency that a busy CPU reaches, unless something holds it down


def _slowed(health: Health) -> Facts | None:
    loaded, most = health.number("frequency_loaded_mhz"), health.number("frequency_most_mhz")
    return {"loaded": loaded, "most": most} if loaded and most and loaded < SLOWED * most else None


MANY_INTERRUPTS = 200.0  # A second, of devices, on one CPU


def _device_interrupts(health: Health) -> Facts | None:
    of_cpus = health.numbers("device_interrupts_per_s")
    most = max(of_cpus, key=of_cpus.__getitem__, default=None)
    return (
        {"cpu": f"CPU {most}", "rate": of_cpus[most]} if most is not None and of_cpus[most] > MANY_INTERRUPTS else None
    )


FEW_LOCKED_BYTES = 64 * 1024 * 1024
REALTIME = ("realtime",)

BY_LAYER: Mapping[HealthLayer, Sequence[Check[Health]]] = {
    "hardware": (Check("siblings-share-cores", "note", _sign("smt_siblings", lambda number: number > 0)),),
    "firmware": (
        Check("unexplained-gaps", "error", _unexplained),
        Check("frequency-held-down", "note", _undisturbed(_slowed)),
        Check("boost-off", "note", _sign("boost", lambda on: on == 0)),
    ),
    "hypervisor": (
        Check("stolen-time", "error", _stolen),
        Check("idle-halt", "error", _idle_halt),
        Check("cpus-moved", "error", _undisturbed(_of_effect(CORE_TO_CORE))),
    ),
    "kernel": (
        Check("costly-clock", "error", _of_effect("clock")),
        Check("idle-states", "error", lambda one: None if one.machine.hypervisor else _slow_wake(one, asleep=True)),
        Check("slow-wake-up", "error", partial(_slow_wake, asleep=False)),
        Check("interrupts-late", "error", _undisturbed(_late(OF_KERNEL))),
        Check("governor-not-performance", "note", _governor),
        Check("device-interrupts", "note", _device_interrupts),
        Check("not-isolated", "note", _text("isolated", "none", purposes=REALTIME)),
        Check("ticks-everywhere", "note", _text("nohz_full", "none", purposes=REALTIME)),
        Check("rt-throttling", "note", _sign("rt_runtime_us", lambda us: us >= 0, REALTIME)),
        Check("huge-pages-always", "note", _text("huge_pages", "always")),
        Check("numa-balancing", "note", _sign("numa_balancing", lambda on: on > 0)),
        Check("nmi-watchdog", "note", _sign("nmi_watchdog", lambda on: on > 0)),
        Check("swapping", "note", _sign("swap_used_share", lambda share: share > 0.01)),
    ),
    "cgroup": (
        Check("throttled", "error", _of_effect("throttled")),
        Check("cpu-quota", "note", _quota),
        Check("memory-limit-near", "note", _sign("memory_limit_used", lambda share: share > 0.9)),
        Check("few-locked-bytes", "note", _sign("may_lock_bytes", lambda size: size < FEW_LOCKED_BYTES, REALTIME)),
        Check("no-realtime-priority", "note", _sign("rt_priority", lambda most: most < 1, REALTIME)),
    ),
    "neighbours": (
        Check("busy-neighbours", "error", _neighbours),
        Check("cpu-pressure", "note", _sign("cpu_pressure", lambda share: share > 0.1)),
    ),
}
"""Checks by layer as they are shown: what lies deeper comes first."""

CHECKS_OF_HEALTH: Sequence[Check[Health]] = tuple(check for of_layer in BY_LAYER.values() for check in of_layer)


def findings_of(health: Health) -> Iterator[tuple[HealthLayer, Finding]]:
    """Return the findings, layer by layer."""
    for layer, checks in BY_LAYER.items():
        for check in checks:
            if (facts := check.find(health)) is not None:
                given = dict(facts)
                level: Any = given.pop("level", check.level)
                yield layer, Finding(check.code, level, given)
