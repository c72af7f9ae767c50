"""What may be wrong with a machine, layer by layer: an effect beyond its limit is a finding, all else a remark.

A finding is an error where the machine is unfit by it, and a warning where that is in doubt. A remark is a note: its
effect was not measured here, so nothing is claimed of it. Their words stand in `words.toml`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from threadping import quantities
from threadping.analysis.checks import Check, Facts, Finding, Level
from threadping.analysis.health.effects import EFFECT_MEASURES, CauseOfLateness
from threadping.analysis.health.health import Health
from threadping.analysis.health.limits import HealthVerdict
from threadping.analysis.outliers import DELAYED, FAULT, INTERRUPTED, MIGRATED, PREEMPTED, STOLEN

HealthLayer = Literal["hardware", "firmware", "hypervisor", "kernel", "cgroup", "neighbours"]

LEVEL_OF: Mapping[HealthVerdict, Level] = {"unfit": "error", "doubt": "warning"}

MAKES_MOST = 0.25
"""A cause without whose gaps the lateness would be less by this share is named."""

HELPS = 0.75
"""A wake-up that takes at most this share of its time beside a CPU that is kept awake is slow because CPUs sleep."""

OF_LATENESS = ("late", "longest", "lost")


def _beyond(health: Health, *names: str) -> tuple[str, HealthVerdict] | None:
    """The effect among these that is furthest beyond its limit; None where all keep within theirs."""
    found = [(name, verdict) for name in names if (verdict := health.verdict(name)) and verdict != "fit"]
    return max(found, key=lambda one: one[1] == "unfit") if found else None


def _facts(health: Health, name: str, verdict: HealthVerdict, **more: float | str) -> Facts:
    """An effect as facts: its value and interval, what it is without the condition, and its limit."""
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
    """Lateness beyond its limit of which one of these causes makes most."""

    def find(health: Health) -> Facts | None:
        found, cause = _beyond(health, *OF_LATENESS), main_cause(health)
        if found is None or cause is None or cause.name not in causes:
            return None
        return _late_facts(health, found, cause)

    return find


def _late_facts(health: Health, found: tuple[str, HealthVerdict], cause: CauseOfLateness) -> Facts:
    return _facts(health, *found, late=cause.late_ns, bare=cause.without_ns)


def main_cause(health: Health) -> CauseOfLateness | None:
    """What makes most of the lateness; None where nothing that was seen makes enough of it."""
    known = (one for one in health.causes if one.name in SEEN_CAUSES)
    return next((one for one in known if one.share >= MAKES_MOST), None)


OF_HYPERVISOR, OF_KERNEL, OF_NEIGHBOURS = (STOLEN,), (INTERRUPTED, FAULT), (PREEMPTED, DELAYED, MIGRATED)
SEEN_CAUSES = (*OF_HYPERVISOR, *OF_KERNEL, *OF_NEIGHBOURS)


def _stolen(health: Health) -> Facts | None:
    if found := _beyond(health, "stolen"):
        return _facts(health, *found, cause=_share_text(health, "stolen"))
    facts = _late(OF_HYPERVISOR)(health)
    return facts and {**facts, "cause": _lateness_text(facts)}


def _neighbours(health: Health) -> Facts | None:
    if _beyond(health, "throttled"):
        return None  # that stops threads as neighbours do, and is known
    if found := _beyond(health, "others"):
        return _facts(health, *found, cause=_share_text(health, "others"))
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
    """Lateness that nothing explains which is found elsewhere."""
    found = _beyond(health, *OF_LATENESS)
    explained = main_cause(health) or any(_beyond(health, name) for name in ("stolen", "throttled", "others"))
    return _facts(health, *found) if found and not explained else None


def _woken(health: Health) -> tuple[str, HealthVerdict, bool] | None:
    """The wake-up that is furthest beyond its limit, and whether it is quicker beside a CPU that is kept awake."""
    found = _beyond(health, "wake.30ms", "wake.1ms", "wake.10us")
    if found is None:
        return None
    effect = health.effects[found[0]]
    helps = effect.bare is not None and effect.bare.ends[1] < HELPS * effect.now.ends[0]
    return (*found, helps)


TAKES_THE_TIME = "the scheduler, the kernel or a tracer takes the time, and no sleeping CPU"
NOT_KNOWN = "whether a sleeping CPU takes the time is not known"
"""Where a wake-up is slow: as slow with the CPU kept awake, or nothing was measured so."""


def _wake(*, virtual: bool | None, helps: bool) -> Callable[[Health], Facts | None]:
    """Slow wake-ups in a virtual machine, or on one's own (None: wherever), which sleeping CPUs explain, or do not."""

    def find(health: Health) -> Facts | None:
        found = _woken(health)
        if found is None or found[2] is not helps or virtual not in (None, health.machine.hypervisor is not None):
            return None
        facts = _facts(health, *found[:2])
        kept = f"{quantities.time(float(facts['without']))} with" if "without" in facts else "not measured with"
        why = TAKES_THE_TIME if "without" in facts else NOT_KNOWN
        return {**facts, "beside": f"{kept} the CPU kept awake", "why": why}

    return find


def _sign(name: str, holds: Callable[[float], bool], purposes: Sequence[str] = ()) -> Callable[[Health], Facts | None]:
    """A remark on a number that files say; of these purposes alone, where any are named."""

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


SLOWED = 0.9
"""Of its highest frequency a CPU that works reaches this share at least, unless something holds it down."""


def _slowed(health: Health) -> Facts | None:
    loaded, most = health.number("frequency_loaded_mhz"), health.number("frequency_most_mhz")
    return {"loaded": loaded, "most": most} if loaded and most and loaded < SLOWED * most else None


MANY_INTERRUPTS = 200.0
"""A second, of devices, on one CPU."""


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
        Check("frequency-held-down", "note", _slowed),
        Check("boost-off", "note", _sign("boost", lambda on: on == 0)),
    ),
    "hypervisor": (
        Check("stolen-time", "error", _stolen),
        Check("idle-halt", "error", _wake(virtual=True, helps=True)),
        Check("cpus-moved", "error", _of_effect("core_to_core")),
    ),
    "kernel": (
        Check("costly-clock", "error", _of_effect("clock")),
        Check("idle-states", "error", _wake(virtual=False, helps=True)),
        Check("slow-wake-up", "error", _wake(virtual=None, helps=False)),
        Check("interrupts-late", "error", _late(OF_KERNEL)),
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
"""In the order in which they are shown: what lies deeper comes first."""

CHECKS_OF_HEALTH: Sequence[Check[Health]] = tuple(check for of_layer in BY_LAYER.values() for check in of_layer)


def findings_of(health: Health) -> Iterator[tuple[HealthLayer, Finding]]:
    """What is found, layer by layer."""
    for layer, checks in BY_LAYER.items():
        for check in checks:
            if (facts := check.find(health)) is not None:
                given = dict(facts)
                level: Any = given.pop("level", check.level)
                yield layer, Finding(check.code, level, given)
