"""Health of a machine: effects that a check-up measures, their limits, and the checks of both.

An effect beyond its limit is a finding: an error where the machine is unfit by it, a warning where that is in doubt. A
note is of an effect that was not measured here, so nothing is claimed of it. Their words are in `words.toml`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import comb, inf, sqrt
from statistics import fmean
from typing import Any, Literal

from msgspec import Struct

from threadping.analysis.answer import Answer
from threadping.analysis.causes import DELAYED, FAULT, INTERRUPTED, MIGRATED, PREEMPTED, STOLEN, TIMER, Z
from threadping.analysis.checks import Facts, Finding, Level, finding, limits
from threadping.analysis.declaration import Declaration, Unit
from threadping.analysis.percentiles import FEWEST_FOR_AN_INTERVAL, Estimate, estimate, interval_of_rate, is_beyond
from threadping.analysis.validity import SLOW_GOVERNOR, USUAL_GOVERNORS, codes_of, cpus_used, small_quota
from threadping.model import quantities
from threadping.model.base import Record
from threadping.model.cases import Case
from threadping.model.contract import SECOND
from threadping.model.run import Caused, Checkup, Machine, Observation, Purpose

STALLS_OF, WAKES_OF = "jitter", "wakeup"  # The experiments of a check-up
PAUSES_US = {"10us": 10, "1ms": 1_000, "30ms": 30_000}
"""The time that a thread sleeps before it is woken (µs), by the name of the effect behind `wake.`."""


class Effect(Record, frozen=True):
    """The trials of one effect."""

    name: str  # of it
    # what every trial says; of a count over the whole check-up its low end, itself, its high end
    values: tuple[float, ...]
    # what every trial says that was measured without the condition; none where that cannot be
    without: tuple[float, ...] = ()

    @property
    def now(self) -> Estimate:
        return estimate(self.values)

    @property
    def bare(self) -> Estimate | None:
        return estimate(self.without) if self.without else None


class Measure(Struct, frozen=True):
    """The reading and the name of an effect."""

    says: str  # what it is, in a few words
    unit: Unit  # of its values
    read: Callable[[Answer], Iterable[float]]  # each trial's value
    without: Callable[[Answer], Iterable[float]] = lambda _: ()  # each trial's value without the condition
    condition: str = ""  # how that was measured, in words that follow the value
    counted: bool = False  # whether it was counted over the whole check-up, and not in each trial


def trials_of(answer: Answer, wanted: Callable[[Case], bool]) -> list[Observation]:
    return [one for one in answer.observations if one.figures and wanted(one.case)]


Which = Callable[[Answer], Callable[[Case], bool]]  # the cases of a check-up in which an effect is read


def at_once(answer: Answer) -> Callable[[Case], bool]:
    """Return whether a case reads the clock on all CPUs at once: on as many as any does."""
    most = max((case.threads for case in answer.run.cases if case.experiment == STALLS_OF), default=0)
    return lambda case: case.experiment == STALLS_OF and case.threads == most


def alone(case: Case) -> bool:
    """Return whether a case reads the clock on one CPU."""
    return case.experiment == STALLS_OF and case.threads == 1


def _each(figure: str, which: Which) -> Callable[[Answer], Iterable[float]]:
    return lambda answer: [one.figures[figure] for one in trials_of(answer, which(answer)) if figure in one.figures]


def _rate_of_stalls(figure: str, least: str) -> Measure:
    def read(answer: Answer) -> Iterable[float]:
        trials = [one.figures for one in trials_of(answer, at_once(answer)) if figure in one.figures]
        rates = [(one[figure], one["jitter.watched_ns"] / SECOND) for one in trials]
        return interval_of_rate(rates) if rates else ()

    return Measure(f"stalls of {least} and more, per second and CPU", "per_s", read, counted=True)


def _stolen_shares(answer: Answer) -> Iterable[float]:
    for one in trials_of(answer, at_once(answer)):
        watched = one.figures.get("counters.measured_ns", 0.0) * one.case.threads
        if watched and "counters.steal_ns" in one.figures:
            yield one.figures["counters.steal_ns"] / watched


def _throttled_shares(answer: Answer) -> Iterable[float]:
    for one in trials_of(answer, at_once(answer)):
        lasted = one.wall_ns * one.case.threads
        if one.throttled_ns is not None and lasted:
            yield min(1.0, one.throttled_ns / lasted)


KERNEL_TICK_NS = 10e6  # The kernel counts the time in which a CPU was busy in ticks of 10 ms (USER_HZ, proc(5))


def _shares_of_others(answer: Answer) -> Iterable[float]:
    """The share of the CPU time during all trials and at rest before them, between the ends that ticks leave open.

    Each count of a CPU is off by a tick or less, and what runs between two ticks is counted by chance: two standard
    deviations, if that is a tick for each count.
    """
    known = (one for one in answer.observations if one.others is not None)
    counts = [(one.others or 0.0, one.wall_ns, cpus_used(answer, one)) for one in known]
    signs = answer.run.study.signs if isinstance(answer.run.study, Checkup) else {}
    at_rest, seconds = signs.get("others_at_rest"), signs.get("at_rest_s")
    if isinstance(at_rest, float) and isinstance(seconds, float):
        counts.append((at_rest, round(seconds * 1e9), max(len(case.placement.used) for case in answer.run.cases)))
    if watched := sum(ns * cpus for _, ns, cpus in counts):
        share = sum(others * ns * cpus for others, ns, cpus in counts) / watched
        off = 2 * KERNEL_TICK_NS * sqrt(sum(cpus for *_, cpus in counts)) / watched
        yield from (max(0.0, end) for end in (share - off, share, share + off))


def _moves(answer: Answer) -> Iterable[float]:
    """Yield how many times as far as nearest each pair of CPUs was, by states that held; 1 of a pair that stayed."""
    for pair in dict.fromkeys(one.cpus for one in answer.states.pings):
        held = [state.core_to_core_ns for state in answer.states.of_pair(pair) if state.lasted]
        yield max(held) / min(held) if held else 1.0


CORE_TO_CORE = "core_to_core"


def _of_stalls(says: str, unit: Unit, figure: str) -> Measure:
    apart = _each(figure, lambda answer: lambda case: alone(case) and not at_once(answer)(case))
    return Measure(says, unit, _each(figure, at_once), apart, "on one CPU alone")


def _of_wakes(pause: str, says: str) -> Measure:
    def read(*, kept: bool) -> Callable[[Answer], Iterable[float]]:
        asked = (WAKES_OF, PAUSES_US[pause], kept)
        return _each(
            "wake_ns.typical",
            lambda _: lambda one: (one.experiment, one.params.get("pause"), bool(one.busy.threads)) == asked,
        )

    return Measure(f"woken after {says}", "ns", read(kept=False), read(kept=True), "with the CPU kept awake")


EFFECT_MEASURES: Mapping[str, Measure] = {
    "late": _of_stalls("late at a random moment (p99.99), all CPUs at once", "ns", "jitter.late_ns"),
    "stalls.100us": _rate_of_stalls("jitter.per_s_100us", "100 µs"),
    "stalls.10ms": _rate_of_stalls("jitter.per_s_10ms", "10 ms"),
    "lost": _of_stalls("time lost in stalls", "share", "jitter.lost"),
    **{f"wake.{pause}": _of_wakes(pause, pause.replace("us", " µs").replace("ms", " ms")) for pause in PAUSES_US},
    "clock": Measure("a reading of the clock", "ns", _each("clock_cost_ns", at_once)),
    "stolen": Measure("CPU time that the hypervisor took", "share", _stolen_shares),
    "throttled": Measure("CPU time that a quota took", "share", _throttled_shares),
    "others": Measure("CPU time that other programs took", "share", _shares_of_others, counted=True),
    CORE_TO_CORE: Measure("core-to-core latency of a pair, slowest over fastest", "index", _moves),
}
"""Every effect by its name, in the order in which they are shown."""


def effects_of(answer: Answer) -> dict[str, Effect]:
    read = ((name, one, tuple(one.read(answer))) for name, one in EFFECT_MEASURES.items())
    return {name: Effect(name, values, tuple(one.without(answer))) for name, one, values in read if values}


class CauseOfLateness(Record, frozen=True):
    """The part that one cause has in the lateness of a thread that always runs."""

    name: str  # as outliers have it
    late_ns: float  # how late it is
    without_ns: float  # how late it would be without the stalls of that cause

    @property
    def share(self) -> float:
        return 1 - self.without_ns / self.late_ns if self.late_ns else 0.0


def causes_of_lateness(
    answer: Answer, lateness: Callable[[Observation, Sequence[Caused]], float | None]
) -> tuple[CauseOfLateness, ...]:
    """Return what each cause makes of the lateness on all CPUs at once; what makes most comes first.

    They are means of trials: a cause that makes one of them late explains a lateness that is in doubt. `lateness` is
    that of a trial without stalls of these lengths.
    """
    trials = trials_of(answer, at_once(answer))
    names = dict.fromkeys(name for one in trials for name in one.caused.get("stall_ns", {}))
    found = []
    for name in names:
        each = [(lateness(one, ()), lateness(one, one.caused.get("stall_ns", {}).get(name, ()))) for one in trials]
        known = [(late, bare) for late, bare in each if late is not None and bare is not None]
        if known:
            found.append(CauseOfLateness(name, fmean(late for late, _ in known), fmean(bare for _, bare in known)))
    return tuple(sorted(found, key=lambda one: -one.share))


PURPOSES: Sequence[Purpose] = ("latency", "benchmark", "realtime")


OF_LIMIT = ("late", "wake.10us", "wake.1ms", "wake.30ms")
"""Effects that `--latency` bounds in place of the purpose: the lateness of a thread that spins, and of one that
sleeps."""

FEWEST_TO_TELL = FEWEST_FOR_AN_INTERVAL  # minimum number of trials to be sure
HealthVerdict = Literal["fit", "doubt", "unfit"]
HEALTH_VERDICTS: Sequence[HealthVerdict] = ("fit", "doubt", "unfit")  # the mildest first


def judged(effect: Effect, limit: float) -> HealthVerdict:
    """Return whether an effect keeps within its limit: a doubt if its interval straddles that.

    Of trials that is the sign test at 95%, which fewer than six never pass: nothing is between a trial with a rare
    stall and one without. CPUs that a hypervisor moved once may stay for all of the next check-up: a doubt.
    """
    counted = EFFECT_MEASURES[effect.name].counted
    if effect.name == CORE_TO_CORE or counted:
        found = is_beyond(effect.now.ends, limit)
        return "fit" if found is False else "unfit" if found and counted else "doubt"
    beyond, trials = sum(value > limit for value in effect.values), len(effect.values)
    if sum(comb(trials, k) for k in range(min(beyond, trials - beyond) + 1)) / 2**trials > OUTSIDE:
        return "doubt"
    return "unfit" if 2 * beyond > trials else "fit"


# beyond either end of a 95% interval; normal quantile of a chance of 80% that it is clear of its limit
OUTSIDE, POWER = 0.025, 0.84


def _times_longer(effect: Effect, limit: float) -> float:
    """Return how many times as long a check-up decides about an effect that goes on as it did; inf if none may."""
    if EFFECT_MEASURES[effect.name].counted:
        off, towards = limit - effect.now.value, effect.now.ends[effect.now.value <= limit] - effect.now.value
        return (towards / off * (Z + POWER) / Z) ** 2 if off else inf
    off = fmean(value > limit for value in effect.values) - 0.5
    return ((Z + POWER) / (2 * off)) ** 2 / len(effect.values) if off and effect.name != CORE_TO_CORE else inf


class Health(Record, frozen=True):
    """A machine, what its files say, and what was measured."""

    machine: Machine  # as its run describes it
    purpose: str  # for which it is judged
    limit_ns: float | None  # how late a thread may be; None where the purpose says it
    signs: Mapping[str, float | str]  # what files say, by name
    effects: Mapping[str, Effect]  # what was measured, by name
    causes: tuple[CauseOfLateness, ...] = ()  # of lateness on all CPUs at once, that first which makes most of it

    @property
    def limits(self) -> Mapping[str, float]:
        """The maximum of each effect; an effect that is not named has none."""
        found = limits()[self.purpose]
        return found if self.limit_ns is None else {**found, **dict.fromkeys(OF_LIMIT, self.limit_ns)}

    def verdict(self, name: str) -> HealthVerdict | None:
        """Return whether an effect keeps within its limit; None where it was not measured, or has no limit."""
        effect, limit = self.effects.get(name), self.limits.get(name)
        return None if effect is None or limit is None else judged(effect, limit)

    @property
    def whole(self) -> HealthVerdict:
        """The worst of all; a doubt where lateness, the least that is asked, was not measured."""
        found = [one for name in self.limits if (one := self.verdict(name))]
        unknown: list[HealthVerdict] = [] if "late" in self.effects else ["doubt"]
        return max([*found, *unknown], key=HEALTH_VERDICTS.index)

    @property
    def times_longer(self) -> float:
        """The time of a check-up that decides all doubts, in times of this one; inf if none may, 0 without a doubt."""
        doubts = [name for name in self.limits if self.verdict(name) == "doubt"]
        return max((_times_longer(self.effects[name], self.limits[name]) for name in doubts), default=0.0)

    def number(self, sign: str) -> float | None:
        """Return a sign that is a number; None if it is unknown."""
        value = self.signs.get(sign)
        return value if isinstance(value, int | float) else None

    def numbers(self, group: str) -> Mapping[int, float]:
        """The signs of a group by CPU: of `interrupts_per_s` those of `interrupts_per_s.0` and its like."""
        named = ((name.removeprefix(f"{group}."), self.number(name)) for name in self.signs)
        return {int(cpu): value for cpu, value in named if cpu.isdecimal() and value is not None}


HealthCheck = Callable[[Health], Facts | None]  # The facts, with the level if it is another than usual; None: not true
HealthLayer = Literal["hardware", "firmware", "hypervisor", "kernel", "cgroup", "neighbours"]
LEVEL_OF: Mapping[HealthVerdict, Level] = {"unfit": "error", "doubt": "warning"}
MAKES_MOST = 0.25  # A cause without whose stalls the lateness would be less by this share is named
HELPS = 0.75
"""A wake-up is slow because CPUs sleep if it takes at most this share of its time when its CPU is kept awake."""

OF_LATENESS = ("late", "stalls.100us", "stalls.10ms", "lost")
TYPICAL = 0.2
"""Maximum share of the CPU time that a quota or a hypervisor may take where a sleeping CPU is blamed: all of three
trials fall into that time in 1% of check-ups."""


def _beyond(health: Health, *names: str) -> Facts | None:
    """Return the effect among these that is furthest beyond its limit, or may be; None if all keep within theirs."""
    found = [(name, one, health.effects[name].now) for name in names if (one := health.verdict(name)) and one != "fit"]
    found = [each for each in found if each[2].value or not EFFECT_MEASURES[each[0]].counted]
    found = [each for each in found if each[2].ends[1] > health.limits[each[0]]]
    if not found:
        return None
    name, verdict, now = max(found, key=lambda each: each[1] == "unfit")
    return {
        "value": now.value,
        "low": now.ends[0],
        "high": now.ends[1],
        **({"without": bare.value} if (bare := health.effects[name].bare) else {}),
        "effect": name,
        "what": EFFECT_MEASURES[name].says,
        "limit": health.limits[name],
        "level": LEVEL_OF[verdict],
    }


def _disturbed(health: Health, least: float = 0.0) -> bool:
    taken = (name for name in ("throttled", "stolen") if _beyond(health, name))
    return _beyond(health, "others") is not None or any(health.effects[name].now.value > least for name in taken)


def _undisturbed(find: HealthCheck) -> HealthCheck:
    """Return a check that finds nothing next to other programs: these may be the cause."""
    return lambda health: None if _beyond(health, "others") else find(health)


def _late(health: Health, causes: Sequence[str]) -> Facts | None:
    found, cause = _beyond(health, *OF_LATENESS), main_cause(health)
    if found is None or cause is None or cause.name not in causes:
        return None
    times = f"{quantities.time(cause.late_ns)} late (p99.99), {quantities.time(cause.without_ns)} but for that"
    return {**found, "late": cause.late_ns, "bare": cause.without_ns, "cause": f"a thread is {times}"}


def main_cause(health: Health) -> CauseOfLateness | None:
    """Return the main cause of the lateness; None where nothing that was seen makes enough of it."""
    known = (one for one in health.causes if one.name in (*OF_HYPERVISOR, *OF_KERNEL, *OF_NEIGHBOURS))
    return next((one for one in known if one.share >= MAKES_MOST), None)


OF_HYPERVISOR, OF_KERNEL, OF_NEIGHBOURS = (STOLEN,), (INTERRUPTED, FAULT, TIMER), (PREEMPTED, DELAYED, MIGRATED)


def _stolen(health: Health) -> Facts | None:
    if found := _beyond(health, "stolen"):
        return {**found, "cause": _share_text(health, "stolen")}
    return None if _beyond(health, "others") else _late(health, OF_HYPERVISOR)


def _neighbours(health: Health) -> Facts | None:
    if found := _beyond(health, "others"):
        return {**found, "cause": _share_text(health, "others")}
    if _beyond(health, "throttled"):
        return None  # that stops threads as neighbours do, and is known
    facts = _late(health, OF_NEIGHBOURS)
    if facts is None or "others" not in health.effects:
        return facts
    by_count = f"by the kernel's count other programs used {_share_text(health, 'others')}"
    return {**facts, "cause": f"{facts['cause']}; {by_count}"}


def _share_text(health: Health, name: str) -> str:
    return f"{quantities.shares(*health.effects[name].now.ends)} of the CPU time"


WAKE_EFFECTS = tuple(f"wake.{pause}" for pause in PAUSES_US)  # Wake-ups, after the shortest idle time first
SLEEP_CODES = "a sleeping CPU takes the time"
NOT_KNOWN = "whether a sleeping CPU takes the time is not known"
SOONER = "a CPU that has idled for longer is faster, so no sleeping CPU takes the time"
TAKES_THE_TIME = "the scheduler, the kernel or a tracer takes the time, and no sleeping CPU"
"""Reasons for a slow wake-up."""


def _why_slow(health: Health, name: str) -> str:
    """Return what makes a wake-up slow: a sleeping CPU makes one after a longer idle time no faster."""
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
    if not asleep and found["level"] == "warning" and _neighbours(health):
        return None
    kept = f"{quantities.time(float(found['without']))} with" if "without" in found else "not measured with"
    return {**found, "compared": f"{kept} the CPU kept awake", "why": why[str(found["effect"])]}


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


def _sign(name: str, holds: Callable[[float], bool] | str, purposes: Sequence[str] = PURPOSES) -> HealthCheck:
    """Return a check that is true where a sign is this text, or where this holds of its number, for these purposes."""

    def find(health: Health) -> Facts | None:
        value = health.signs.get(name) if isinstance(holds, str) else health.number(name)
        is_true = value == holds if isinstance(holds, str) else value is not None and holds(float(value))
        return {"value": value} if value is not None and is_true and health.purpose in purposes else None

    return find


SLOWED = 0.9  # minimum share of its highest frequency that a busy CPU reaches, unless something holds it down


def _slowed(health: Health) -> Facts | None:
    loaded, most = health.number("frequency_loaded_mhz"), health.number("frequency_most_mhz")
    return {"loaded": loaded, "most": most} if loaded and most and loaded < SLOWED * most else None


MANY_INTERRUPTS = 200.0  # A second, of devices, on one CPU


def _device_interrupts(health: Health) -> Facts | None:
    of_cpus = health.numbers("device_interrupts_per_s")
    ends = {cpu: interval_of_rate([(rate, health.number("at_rest_s") or 0.25)]) for cpu, rate in of_cpus.items()}
    most = max((cpu for cpu in ends if ends[cpu][0] > MANY_INTERRUPTS), key=of_cpus.__getitem__, default=None)
    return None if most is None else {"cpu": f"CPU {most}", "rate": of_cpus[most]}


FEW_LOCKED_BYTES = 64 * 1024 * 1024
REALTIME = ("realtime",)

BY_LAYER: Mapping[HealthLayer, Mapping[str, HealthCheck]] = {
    "hardware": {"siblings-share-cores": _sign("smt_siblings", lambda number: number > 0)},
    "firmware": {
        "unexplained-stalls": lambda one: None if main_cause(one) or _disturbed(one) else _beyond(one, *OF_LATENESS),
        "frequency-held-down": _undisturbed(_slowed),
        "boost-off": _sign("boost", lambda on: on == 0),
    },
    "hypervisor": {
        "stolen-time": _stolen,
        "idle-halt": _idle_halt,
        "cpus-moved": _undisturbed(lambda one: _beyond(one, CORE_TO_CORE)),
    },
    "kernel": {
        "costly-clock": lambda one: _beyond(one, "clock"),
        "idle-states": lambda one: None if one.machine.hypervisor else _slow_wake(one, asleep=True),
        "slow-wake-up": partial(_slow_wake, asleep=False),
        "interrupts-late": _undisturbed(lambda one: _late(one, OF_KERNEL)),
        SLOW_GOVERNOR: lambda one: (
            None if (governor := one.machine.governor) in USUAL_GOVERNORS else {"governor": str(governor)}
        ),
        "device-interrupts": _device_interrupts,
        "not-isolated": _sign("isolated", "none", REALTIME),
        "ticks-everywhere": _sign("nohz_full", "none", REALTIME),
        "rt-throttling": _sign("rt_runtime_us", lambda us: us >= 0, REALTIME),
        "huge-pages-always": _sign("huge_pages", "always"),
        "numa-balancing": _sign("numa_balancing", lambda on: on > 0),
        "nmi-watchdog": _sign("nmi_watchdog", lambda on: on > 0),
        "swapping": _sign("swap_used_share", lambda share: share > 0.01),
    },
    "cgroup": {
        "throttled": lambda one: _beyond(one, "throttled"),
        "cpu-quota": lambda one: small_quota(one.machine, len(one.machine.topology.allowed)) or None,
        "memory-limit-near": _sign("memory_limit_used", lambda share: share > 0.9),
        "few-locked-bytes": _sign("may_lock_bytes", lambda size: size < FEW_LOCKED_BYTES, REALTIME),
        "no-realtime-priority": _sign("rt_priority", lambda most: most < 1, REALTIME),
    },
    "neighbours": {
        "busy-neighbours": _neighbours,
        "cpu-pressure": _sign("cpu_pressure", lambda share: share > 0.1),
    },
}
"""Checks by layer as they are shown: what lies deeper comes first."""


def every_code(declared: Mapping[str, Declaration]) -> list[str]:
    """Return every code that threadping has, those of a check-up too."""
    return [*dict.fromkeys((*(code for checks in BY_LAYER.values() for code in checks), *codes_of(declared)))]


def findings_of(health: Health) -> Iterator[tuple[HealthLayer, Finding]]:
    for layer, checks in BY_LAYER.items():
        for code, find in checks.items():
            if (found := find(health)) is not None:
                level: Any = found.get("level")
                yield layer, finding(code, level, **{name: fact for name, fact in found.items() if name != "level"})
