"""Check-ups whose outcome is planted: what a quiet machine gives, but for what a test says."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from tests.conftest import make_distribution
from tests.golden.fixture import DECLARED, MACHINE, RUN
from threadping.analysis import analyse, answer, health, states
from threadping.experiments.jitter import lateness
from threadping.model.cases import Busy, Case, Placement, Runtime
from threadping.model.contract import Distribution, Params
from threadping.model.run import Checkup, Failure, Machine, Observation, Purpose, ReferencePing
from threadping.studies.doctor.output import DoctorResult, read_checkup
from threadping.studies.doctor.study import COLD

CPP = Runtime("cpp", "cpp", ("/probes/threadping-probe",), "g++ 12.2.0")
BARE = replace(MACHINE, hypervisor=None, governor="performance")
VIRTUAL = replace(BARE, hypervisor="KVM")
AT_ONCE, ON_0, ON_1 = (
    Placement(name, cpus) for name, cpus in (("same-l3", (0, 1)), ("same-cpu", (0,)), ("same-cpu", (1,)))
)
PINGS = 24
Gaps = Mapping[int, int]  # number of stalls of each length (ns) of each reader in each trial

QUIET_GAPS: Gaps = {2_000: 30, 5_000: 2}
# Wake-up times (ns) with a sleeping CPU, and with one that is kept awake
QUIET_WAKES = {"10us": (6_000.0, 5_500.0), "1ms": (9_000.0, 8_000.0), "30ms": (12_000.0, 9_000.0)}

QUIET_SIGNS: Mapping[str, float | str] = {
    **{"idle_driver": "intel_idle", "idle_governor": "menu", "idle_exit_us": 10.0, "smt_active": 0.0},
    **{"smt_siblings": 0.0, "isolated": "none", "nohz_full": "none", "huge_pages": "madvise", "numa_balancing": 0.0},
    **{"nmi_watchdog": 0.0, "swap_used_share": 0.0, "cpu_pressure": 0.0, "rt_runtime_us": 950_000.0},
    **{"may_lock_bytes": 1e18, "rt_priority": 99.0, "cpus_online": 2.0, "cpus_offline": 0.0, "clock_source": "tsc"},
    **{"interrupts_per_s.0": 120.0, "interrupts_per_s.1": 80.0, "others_at_rest": 0.0, "at_rest_s": 0.25},
}


def gaps_case(place: Placement) -> Case:
    return Case("jitter", "clock-monotonic", {"min-stall": 1_000}, "cpp", place, False, 1, (), COLD, "gap")


def wake_case(pause: str, *, awake: bool) -> Case:
    params: Params = {"message-bytes": 4096, "pause": health.PAUSES_US[pause], "waiter-pause": 10}
    varied = () if pause == "1ms" else ("pause",)
    busy = Busy(2, nice=19, there=True) if awake else Busy()
    return Case("wakeup", "condition", params, "cpp", AT_ONCE, True, 1, varied, COLD, "call", None, 2, busy)


def figures_of(stalls: Gaps, watched_ns: float) -> tuple[dict[str, float], dict[str, Distribution]]:
    """Return what a probe says of so many stalls of each length (ns), and their distribution."""
    lengths = tuple(sorted(stalls))
    found = make_distribution(lengths, tuple(stalls[ns] for ns in lengths))
    figures = {
        "jitter.late_ns": lateness(found, watched_ns),
        "jitter.longest_ns": float(max(lengths, default=0)),
        "jitter.lost": sum(ns * count for ns, count in stalls.items()) / watched_ns,
        "jitter.watched_ns": watched_ns,
    }
    for name, least in (("1us", 1_000), ("10us", 10_000), ("100us", 100_000), ("10ms", 10_000_000)):
        figures[f"jitter.per_s_{name}"] = sum(stalls[ns] for ns in lengths if ns >= least) / watched_ns * 1e9
    return figures, {"stall_ns": found}


class Planted:
    """Trials of a check-up; each differs slightly from the planted values."""

    def __init__(self, seed: int = 1, noise: float = 0.05) -> None:
        self._chance, self._noise = random.Random(seed), noise

    def about(self, value: float) -> float:
        return value * (1 + self._noise * self._chance.uniform(-1, 1))

    def gaps_trial(
        self, case: Case, gaps: Gaps, caused: Mapping[str, Gaps], number: int, **more: float | None
    ) -> Observation:
        """A trial in which some of the gaps have causes that were seen."""
        every = Counter[int]()
        for of in (gaps, *caused.values()):
            for length, count in of.items():
                every[round(self.about(length))] += count * case.threads
        known = {
            cause: tuple((round(length), float(count * case.threads)) for length, count in of.items())
            for cause, of in caused.items()
        }
        clock, stolen = self.about(more.get("clock") or 22.0), (more.get("stolen") or 0.0) * 350e6 * case.threads
        counters = {"counters.measured_ns": 350e6, "clock_cost_ns": clock, "counters.steal_ns": stolen}
        figures, found = figures_of(every, 315e6 * case.threads)
        return Observation(
            *(number, number, case, None, 160_000_000, figures | counters, found),
            caused={"stall_ns": known},
            others=more.get("others", 0.0),
            throttled_ns=round((more.get("throttled") or 0.0) * 160e6 * case.threads),
        )

    def wake_trial(self, case: Case, ns: float, number: int, others: float | None = None) -> Observation:
        figures = {"wake_ns.typical": self.about(ns)}
        return Observation(number, number, case, None, 160_000_000, figures, {}, 1, others=others or 0.0)


def checkup(
    gaps: Gaps = QUIET_GAPS,
    alone: Gaps = QUIET_GAPS,
    caused: Mapping[str, Gaps] | None = None,
    wakes: Mapping[str, tuple[float, float | None]] | None = None,
    signs: Mapping[str, float | str | None] | None = None,
    machine: Machine = BARE,
    purpose: Purpose = "latency",
    limit_ns: float | None = None,
    rounds: int = 6,
    planned: int = 6,
    seed: int = 1,
    noise: float = 0.05,
    apart: Sequence[float] = (25.0,),
    failed: Sequence[str] = (),
    before: DoctorResult | None = None,
    rows: bool = True,
    **more: float | None,
) -> answer.Answer:
    """A run of a machine on which all is quiet but what is named; `failed` experiments have no trial that measured.

    Of `wakes` the second is with the CPU kept awake, None where that was not measured. Without `rows`, which a check-up
    does not read, it takes a twentieth of the time.
    """
    planted = Planted(seed, noise)
    woken = {**QUIET_WAKES, **(wakes or {})}
    settings = {name: value for name, value in {**QUIET_SIGNS, **(signs or {})}.items() if value is not None}
    effects = {name: one.values for name, one in before.health.effects.items()} if before else {}
    cases = [gaps_case(AT_ONCE), gaps_case(ON_0), gaps_case(ON_1)]
    cases += [wake_case(pause, awake=awake) for pause in health.PAUSES_US for awake in (False, True)]
    seen: list[Observation] = []
    for number in range(1, rounds + 1):
        for case in cases:
            if case.experiment in failed:
                seen.append(Observation(number, 0, case, Failure("pin-failed", "CPU 1 cannot be used here."), 1))
            elif case.experiment == "wakeup":
                pause = next(name for name, us in health.PAUSES_US.items() if us == case.params["pause"])
                if (ns := woken[pause][bool(case.busy.threads)]) is not None:
                    seen.append(planted.wake_trial(case, ns, number, more.get("others")))
            else:
                stalls, causes = (gaps, caused or {}) if case.threads > 1 else (alone, {})
                seen.append(planted.gaps_trial(case, stalls, causes, number, **more))
    question = Checkup(purpose, limit_ns, settings, (), 7 if before else 0, effects)
    of_run = replace(RUN, machine=machine, runtimes=(CPP,), cases=tuple(cases), skipped=(), rounds=planned)
    run = replace(of_run, budget_s=10.0, study=question, arguments=("doctor",))
    levels = [planted.about(apart[place * len(apart) // PINGS]) for place in range(PINGS)]
    pings = [ReferencePing((0, 1), 1e9 + at, len(seen) * at // PINGS, ns) for at, ns in enumerate(levels)]
    if rows:
        return analyse.analyse(run, seen, pings, DECLARED)
    return answer.Answer(run, tuple(map(answer.Observed, seen)), (), DECLARED, states.states_of(pings))


def look(**planted: object) -> DoctorResult:
    return read_checkup(checkup(**planted, rows=False))  # type: ignore[arg-type]


def codes(found: DoctorResult, *levels: str) -> list[str]:
    return [one.code for _, one in found.findings if one.level in (levels or ("error", "warning"))]


ANSWER = checkup(
    gaps={2_000: 100, 4_000_000: 1},
    caused={"stolen": {9_000_000: 2}},
    wakes={"1ms": (61_000.0, 24_000.0), "30ms": (72_000.0, 25_000.0)},
    machine=replace(VIRTUAL, governor="powersave"),
    signs={"huge_pages": "always", "isolated": None},
    before=look(wakes={"1ms": (31_000.0, 24_000.0)}),
    stolen=0.06,
)
