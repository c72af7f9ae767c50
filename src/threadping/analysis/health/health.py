"""Effects that a check-up measures on a machine, with a condition and without it, and their limits."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import sqrt
from statistics import fmean
from typing import Literal

from msgspec import Struct

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Unit
from threadping.analysis.percentiles import Estimate, estimate
from threadping.analysis.ratio import is_beyond
from threadping.model.bounds import Record
from threadping.model.cases import Case
from threadping.model.run import Machine, Observation
from threadping.model.studies import Checkup, Purpose
from threadping.model.topology import usable

GAPS_OF, WAKES_OF = "gaps", "notify"  # The experiments of a check-up
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
        """The value, with its interval."""
        return estimate(self.values)

    @property
    def bare(self) -> Estimate | None:
        """The value without the condition."""
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
    """The trials of these cases that have figures."""
    return [one for one in answer.observations if one.figures and wanted(one.case)]


def at_once(answer: Answer) -> Callable[[Case], bool]:
    """Return whether a case reads the clock on all CPUs at once: on as many as any does."""
    most = max((case.threads for case in answer.run.cases if case.experiment == GAPS_OF), default=0)
    return lambda case: case.experiment == GAPS_OF and case.threads == most


def alone(case: Case) -> bool:
    """Return whether a case reads the clock on one CPU."""
    return case.experiment == GAPS_OF and case.threads == 1


def _of_gaps(figure: str, wanted: Callable[[Answer], Callable[[Case], bool]]) -> Callable[[Answer], list[float]]:
    return lambda answer: [one.figures[figure] for one in trials_of(answer, wanted(answer)) if figure in one.figures]


def _apart(figure: str) -> Callable[[Answer], list[float]]:
    def read(answer: Answer) -> list[float]:
        together = at_once(answer)
        those = trials_of(answer, lambda case: alone(case) and not together(case))
        return [one.figures[figure] for one in those if figure in one.figures]

    return read


def _wakes(pause: str, *, awake: bool) -> Callable[[Answer], list[float]]:
    def wanted(case: Case) -> bool:
        slept = case.params.get("pause") == PAUSES_US[pause]
        return case.experiment == WAKES_OF and slept and bool(case.busy.threads) is awake

    def read(answer: Answer) -> list[float]:
        return [one.figures[WOKEN] for one in trials_of(answer, wanted) if WOKEN in one.figures]

    return read


WOKEN = "wake_ns.typical"


def _stolen(answer: Answer) -> Iterable[float]:
    for one in trials_of(answer, at_once(answer)):
        watched = one.figures.get("counters.measured_ns", 0.0) * one.case.threads
        if watched and "counters.steal_ns" in one.figures:
            yield one.figures["counters.steal_ns"] / watched


def _throttled(answer: Answer) -> Iterable[float]:
    for one in trials_of(answer, at_once(answer)):
        lasted = one.wall_ns * one.case.threads
        if one.throttled_ns is not None and lasted:
            yield min(1.0, one.throttled_ns / lasted)


def cpus_of(answer: Answer, one: Observation) -> int:
    """The number of CPUs on which a trial was measured: all that may be used, where it was not pinned."""
    return len(one.case.placement.used) or len(usable(answer.run.machine.topology))


KERNEL_TICK_NS = 10e6  # The kernel counts the time in which a CPU was busy in ticks of 10 ms (USER_HZ, proc(5))


def _others(answer: Answer) -> Iterable[float]:
    """The share of the CPU time during all trials and at rest before them, between the ends that ticks leave open.

    Each count of a CPU is off by a tick or less, and what runs between two ticks is counted by chance: two standard
    deviations, if that is a tick for each count.
    """
    counts = [(one.others, one.wall_ns, cpus_of(answer, one)) for one in answer.observations if one.others is not None]
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


KEPT_AWAKE, CORE_TO_CORE = "with the CPU kept awake", "core_to_core"

EFFECT_MEASURES: Mapping[str, Measure] = {
    "late": Measure(
        "late at a random moment (p99.99), all CPUs at once",
        "ns",
        _of_gaps("gaps.late_ns", at_once),
        _apart("gaps.late_ns"),
        "on one CPU alone",
    ),
    "longest": Measure(
        "longest gap of a trial",
        "ns",
        _of_gaps("gaps.longest_ns", at_once),
        _apart("gaps.longest_ns"),
        "on one CPU alone",
    ),
    "lost": Measure(
        "time lost in gaps", "share", _of_gaps("gaps.lost", at_once), _apart("gaps.lost"), "on one CPU alone"
    ),
    **{
        f"wake.{pause}": Measure(
            f"woken after {told}", "ns", _wakes(pause, awake=False), _wakes(pause, awake=True), KEPT_AWAKE
        )
        for pause, told in zip(PAUSES_US, ("10 µs", "1 ms", "30 ms"), strict=True)
    },
    "clock": Measure("a reading of the clock", "ns", _of_gaps("clock_cost_ns", at_once)),
    "stolen": Measure("CPU time that the hypervisor took", "share", _stolen),
    "throttled": Measure("CPU time that a quota took", "share", _throttled),
    "others": Measure("CPU time that other programs took", "share", _others, counted=True),
    CORE_TO_CORE: Measure("core-to-core latency of a pair, slowest over fastest", "index", _moves),
}
"""Every effect by its name, in the order in which they are shown."""


def effects_of(answer: Answer) -> dict[str, Effect]:
    """Every effect of which a trial says something."""
    found = {}
    for name, one in EFFECT_MEASURES.items():
        if values := tuple(one.read(answer)):
            found[name] = Effect(name, values, tuple(one.without(answer)))
    return found


class CauseOfLateness(Record, frozen=True):
    """The part that one cause has in the lateness of a thread that always runs."""

    name: str  # as outliers have it
    late_ns: float  # how late it is
    without_ns: float  # how late it would be without the gaps of that cause

    @property
    def share(self) -> float:
        """The share of the lateness."""
        return 1 - self.without_ns / self.late_ns if self.late_ns else 0.0


def causes_of_lateness(
    answer: Answer, lateness: Callable[[Observation, Sequence[int]], float | None]
) -> tuple[CauseOfLateness, ...]:
    """Return what each cause makes of the lateness on all CPUs at once; what makes most comes first.

    They are means of trials: a cause that makes one of them late explains a lateness that is in doubt. `lateness` is
    that of a trial without gaps of these lengths.
    """
    trials = trials_of(answer, at_once(answer))
    names = dict.fromkeys(name for one in trials for name in one.caused.get(GAP_LENGTHS_OF, {}))
    found = []
    for name in names:
        each = [(lateness(one, ()), lateness(one, one.caused.get(GAP_LENGTHS_OF, {}).get(name, ()))) for one in trials]
        known = [(late, bare) for late, bare in each if late is not None and bare is not None]
        if known:
            found.append(CauseOfLateness(name, fmean(late for late, _ in known), fmean(bare for _, bare in known)))
    return tuple(sorted(found, key=lambda one: -one.share))


GAP_LENGTHS_OF = "gap_ns"
PURPOSES: Sequence[Purpose] = ("latency", "benchmark", "realtime")
US, MS = 1_000.0, 1_000_000.0
EVERYWHERE = {"clock": 100.0, "throttled": 0.001, "others": 0.05}

LIMITS: Mapping[str, Mapping[str, float]] = {
    "latency": {
        **EVERYWHERE,
        **{"late": 50 * US, "longest": 10 * MS, "lost": 0.01, "stolen": 0.005},
        **{"wake.10us": 50 * US, "wake.1ms": 50 * US, "wake.30ms": 100 * US},
    },
    "benchmark": {**EVERYWHERE, "late": 500 * US, "lost": 0.02, "stolen": 0.01, CORE_TO_CORE: 1.5},
    "realtime": {
        **EVERYWHERE,
        **{"late": 20 * US, "longest": 100 * US, "lost": 0.005, "stolen": 0.001},
        **{"wake.10us": 50 * US, "wake.1ms": 50 * US, "wake.30ms": 50 * US},
    },
}
"""The maximum of each effect for each purpose; an effect that is not named has none."""

OF_LIMIT = ("late", "wake.10us", "wake.1ms", "wake.30ms")
"""Effects that `--limit` bounds in place of the purpose: the lateness of a thread that spins, and of one that
sleeps."""

FEWEST_TO_TELL = 3  # minimum number of trials to be sure
HealthVerdict = Literal["fit", "doubt", "unfit"]
HEALTH_VERDICTS: Sequence[HealthVerdict] = ("fit", "doubt", "unfit")  # the mildest first


def limits_for(purpose: str, limit_ns: float | None = None) -> dict[str, float]:
    """The limits of a purpose, with that of a person where one was given."""
    found = dict(LIMITS[purpose])
    return found if limit_ns is None else found | dict.fromkeys(OF_LIMIT, limit_ns)


def judged(effect: Effect, limit: float) -> HealthVerdict:
    """Return whether an effect keeps within its limit: a doubt if its interval straddles that, or few trials say so.

    A pair of CPUs whose core-to-core latency stayed within its limit needs no second pair to say so.
    """
    beyond = is_beyond(effect.now.ends, limit)
    stayed = effect.name == CORE_TO_CORE and beyond is False
    if beyond is None or (len(effect.values) < FEWEST_TO_TELL and not stayed):
        return "doubt"
    return "unfit" if beyond else "fit"


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
        return limits_for(self.purpose, self.limit_ns)

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

    def number(self, sign: str) -> float | None:
        """A sign that is a number; None where it is not told."""
        value = self.signs.get(sign)
        return value if isinstance(value, int | float) else None

    def numbers(self, group: str) -> Mapping[int, float]:
        """The signs of a group by CPU: of `interrupts_per_s` those of `interrupts_per_s.0` and its like."""
        named = ((name.rpartition("."), value) for name, value in self.signs.items())
        return {
            int(cpu): value
            for (of, _, cpu), value in named
            if of == group and cpu.isdecimal() and isinstance(value, int | float)
        }
