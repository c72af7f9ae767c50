"""A simulated machine of two CPUs on which other programs run, and check-ups of it by the real schedule and judge.

Programs want a CPU for bursts, mostly on the CPU that has least to do, and share it with our threads in slices of 3 to
4 ms. The kernel counts in ticks; what a trial needs besides its measuring takes longer next to others, so rounds fall
away. Quiet states of the machine have effects of their own, which a CPU that runs other programs may hide.
"""

import random
from collections import Counter
from collections.abc import Mapping
from itertools import chain
from math import floor
from statistics import median
from typing import Any

from msgspec.structs import replace

from tests.golden.fixture import DECLARED, RUN
from tests.unit.studies.doctor import examples
from threadping.analysis import answer, health
from threadping.model.cases import Case
from threadping.model.contract import Distribution
from threadping.model.run import Caused, Checkup, Machine, Observation
from threadping.planning.defaults import Length
from threadping.planning.plan import Plan
from threadping.planning.schedule import Ended
from threadping.studies.doctor.output import DoctorResult, read_checkup
from threadping.studies.doctor.study import (
    ALONE_S,
    CALIBRATING_S,
    FAR_APART,
    LOOKED_INTO,
    OF_FEW_S,
    WOKEN_S,
    CheckupRounds,
)

PLANNED = 7  # rounds
# Seconds for the trials of a check-up, for a trial's start and end, and our CPU time of the latter
BUDGET_S, START_S, STARTING_S = 13.4, 0.045, 0.01

NUMBER_OF_WAKES = {"10us": 60, "1ms": 40, "30ms": 4}
TICK_NS, KERNEL_TICK_S = 10_000_000, 0.004

CASES = (
    *(examples.gaps_case(one) for one in (examples.AT_ONCE, examples.ON_0, examples.ON_1)),
    *(examples.wake_case(pause, awake=awake) for pause in health.PAUSES_US for awake in (False, True)),
)
LENGTHS = (
    *(Length(CALIBRATING_S, seconds) for seconds in (OF_FEW_S / 2, ALONE_S / 2, ALONE_S / 2)),
    *(Length(CALIBRATING_S, WOKEN_S[pause]) for pause in health.PAUSES_US for _ in range(2)),
)

# Figures, distributions, and the causes of outliers
Seen = tuple[dict[str, float], dict[str, Distribution], dict[str, dict[str, tuple[Caused, ...]]]]


class Program:
    """A program that wants a CPU for this share of the time, in bursts of this length on average."""

    def __init__(self, chance: random.Random, share: float, burst_s: float) -> None:
        self._chance, self._share, self._burst_s = chance, share, burst_s
        self._on, self._left_s = chance.random() < share, 0.0

    def run(self, seconds: float) -> float:
        """Return the share of these seconds in which it wants a CPU."""
        if self._share >= 1:
            return 1.0
        wanted, at = 0.0, 0.0
        while at < seconds:
            if self._left_s <= 0:
                self._on = not self._on
                mean = self._burst_s * (1.0 if self._on else (1 - self._share) / self._share)
                self._left_s = self._chance.expovariate(1 / mean)
            step = min(self._left_s, seconds - at)
            wanted, at, self._left_s = wanted + step * self._on, at + step, self._left_s - step
        return wanted / seconds


class LoadedMachine:
    """Two CPUs, programs that keep some of them busy, and the truth about the machine without these programs.

    `wakes` are like an example's: after each idle time, with the CPU asleep and kept awake. `stolen` and `throttled`
    are shares of the time. All takes `slow` times as long as it should.

    Attributes:
        taken_s: the CPU time that others took so far, and all that there was.
    """

    def __init__(
        self,
        load: float,
        seed: int,
        wakes: Mapping[str, tuple[float, float]] | None = None,
        stolen: float = 0.0,
        throttled: float = 0.0,
        machine: Machine = examples.BARE,
        burst_s: float = 0.03,
        slow: float = 1.0,
    ) -> None:
        self.slow, self.chance, self.machine = slow, random.Random(f"{seed}/{load}"), machine
        self.wakes = {**examples.QUIET_WAKES, **(wakes or {})}
        self.stolen, self.throttled = stolen, throttled
        shares = [1.0] * floor(load) + ([load % 1] if load % 1 else [])
        self._programs = [Program(self.chance, share, burst_s) for share in shares]
        self.taken_s = (0.0, 0.0)
        self._busy_s = {(cpu, column): self.chance.random() for cpu in (0, 1) for column in ("user", "system")}

    def watch(self, seconds: float, ours_s: Mapping[int, float]) -> tuple[float, dict[int, float]]:
        """Pass this time, in which our threads want these seconds of each CPU.

        Returns:
            The share of those CPUs' time that others took, by ticks; and in which share of it they wanted each CPU.
        """
        wanted, taken = dict.fromkeys((0, 1), 0.0), 0.0
        for program in self._programs:
            loads = {cpu: wanted[cpu] + ours_s.get(cpu, 0.0) / seconds for cpu in wanted}
            astray = self.chance.random() < 0.15
            least = min(loads, key=lambda cpu: (loads[cpu], self.chance.random()))
            wanted[self.chance.choice([0, 1]) if astray else least] += program.run(seconds)
        before = self._counted(ours_s)
        for cpu, want in wanted.items():
            ours = min(1.0, ours_s.get(cpu, 0.0) / seconds)
            others = want if ours + want <= 1 else max(1 - ours, want / (1 + want))
            sampled = self.chance.gauss(0, KERNEL_TICK_S * (seconds / KERNEL_TICK_S * others * (1 - others)) ** 0.5)
            self._busy_s[cpu, "user"] += max(0.0, others * seconds + sampled) + 0.9 * ours * seconds
            self._busy_s[cpu, "system"] += 0.1 * ours * seconds
            taken += others if cpu in ours_s else 0.0
        ours_ns = sum(min(seconds, one) for one in ours_s.values()) * 1e9
        counted = (self._counted(ours_s) - before - ours_ns) / (seconds * 1e9 * len(ours_s))
        self.taken_s = self.taken_s[0] + taken * seconds, self.taken_s[1] + seconds * len(ours_s)
        return counted, {cpu: min(1.0, want) for cpu, want in wanted.items()}

    def _counted(self, cpus: Mapping[int, float]) -> int:
        return sum(int(of * 1e9) // TICK_NS * TICK_NS for (cpu, _), of in self._busy_s.items() if cpu in cpus)

    def trial(self, case: Case, length: Length, number: int) -> Observation:
        cpus, gaps = case.placement.used, case.experiment == "jitter"
        wakes_at_rest = not gaps and not case.busy.threads
        running = length.seconds * (0.02 if wakes_at_rest else 1.0)
        barrier = sum(program.run(0.05) for program in self._programs) / 2
        starting = START_S * (1 + barrier * (1 + self.chance.expovariate(0.4)))
        wall = self.slow * (starting + length.seconds * (1 + barrier * self.chance.random() / 2))
        others, wanted = self.watch(wall, {cpu: STARTING_S / len(cpus) + running for cpu in cpus})
        read = self._gaps if gaps else self._woken
        figures, distributions, caused = read(case, length.measure_s, wanted)
        throttled = round(self._about(self.throttled) * wall * 1e9 * len(cpus)) if gaps else 0
        return Observation(
            *(number, number, case, None, round(wall * 1e9), figures, distributions),
            caused=caused,
            others=max(-1.0, others),
            throttled_ns=throttled,
        )

    def _about(self, value: float, noise: float = 0.05) -> float:
        return value * (1 + noise * self.chance.uniform(-1, 1))

    def _gaps(self, case: Case, seconds: float, wanted: Mapping[int, float]) -> Seen:
        """Read the clock: slices of others, 50 ms in which a quota stops all, what the hypervisor takes."""
        every = Counter({self._near(2_000): 30 * case.threads, self._near(5_000): 2 * case.threads})
        causes: dict[str, list[int]] = {}
        for cpu in case.placement.used:
            left = seconds * wanted[cpu]
            while left > 0:
                causes.setdefault("preempted", []).append(self._near(3_500_000, 0.15))
                left -= 0.007
            taking = ("stolen", self.stolen, 3_000_000), ("scheduler-delay", self.throttled, 30_000_000)
            for cause, share, ns in taking:
                for _ in range(self._some(share * seconds * 1e9 / ns)):
                    causes.setdefault(cause, []).append(self._near(ns))
        every.update(chain(*causes.values()))
        watched = seconds * 1e9 * case.threads
        figures, found = examples.figures_of(every, watched)
        figures |= {"counters.measured_ns": seconds * 1e9, "clock_cost_ns": self._about(22.0)}
        figures["counters.steal_ns"] = round(self._about(self.stolen) * watched / TICK_NS) * TICK_NS
        return figures, found, {"stall_ns": {cause: tuple((ns, 1.0) for ns in of) for cause, of in causes.items()}}

    def _near(self, ns: float, noise: float = 0.05) -> int:
        return round(self._about(ns, noise))

    def _some(self, expected: float) -> int:
        return floor(expected) + (self.chance.random() < expected % 1)

    def _woken(self, case: Case, _seconds: float, wanted: Mapping[int, float]) -> Seen:
        """Wake a thread: on a CPU where another program runs it is quick, or waits for the rest of a slice."""
        pause = next(name for name, us in health.PAUSES_US.items() if us == case.params["pause"])
        asleep_ns, awake_ns = self.wakes[pause]
        waits = self.chance.uniform(0.1, 0.9)  # how far the thread has used up its right to a CPU, in this trial
        taken = self._some(self.throttled) if self.throttled else 0
        found = []
        for _ in range(NUMBER_OF_WAKES[pause]):
            base = self._about(awake_ns if case.busy.threads else asleep_ns, 0.1)
            if self.chance.random() < wanted[case.placement.used[1]]:
                base = self._about(awake_ns + 4_000, 0.1)
                base += self.chance.uniform(0.2e6, 3.8e6) if self.chance.random() < waits else 0.0
            if self.chance.random() < self.stolen or taken:
                base += self.chance.uniform(0.5e6, 3e6)
            found.append(base)
        return {"wake_ns.typical": median(found)}, {}, {}


def check_up(machine: LoadedMachine) -> DoctorResult:
    """Examine the machine: at rest, then as many rounds as the schedule makes of the budget."""
    at_rest, _ = machine.watch(0.25, {0: 0.0, 1: 0.0})
    each = len(CASES)
    seed = machine.chance.randrange(1_000)
    plan = Plan(CASES, (START_S,) * each, LENGTHS, (CALIBRATING_S,) * each, PLANNED, seed, FAR_APART, LOOKED_INTO)
    schedule, spent_s, seen = CheckupRounds(plan, BUDGET_S), 0.0, list[Observation]()
    while batch := schedule.next((), lambda _: ()):
        (turn,) = batch
        if 0 < turn.needs_s > max(BUDGET_S, schedule.seconds) - spent_s:
            break
        seen.append(machine.trial(CASES[turn.case], schedule.length(turn.case), len(seen) + 1))
        spent_s += seen[-1].wall_ns / 1e9
        ended = Ended(seen[-1], None, seen[-1].wall_ns / 1e9, (), ())
        schedule.ended(turn, ended, schedule.seconds - spent_s)
    question = Checkup("latency", None, {**examples.QUIET_SIGNS, "others_at_rest": at_rest, "at_rest_s": 0.25})
    here = replace(RUN, machine=machine.machine, runtimes=(examples.CPP,))
    run = replace(here, cases=CASES, rounds=PLANNED, study=question)
    return read_checkup(answer.Answer(run, tuple(map(answer.Observed, seen)), (), DECLARED))


STATES: Mapping[str, Mapping[str, Any]] = {
    "quiet": {},
    "idle-states": {"wakes": {"30ms": (140_000.0, 9_000.0)}},
    "idle-halt": {"wakes": {"1ms": (70_000.0, 24_000.0), "30ms": (120_000.0, 25_000.0)}, "machine": examples.VIRTUAL},
    "stolen": {"stolen": 0.05, "machine": examples.VIRTUAL},
    "quota": {"throttled": 0.45},
}
"""The truth about the machine without other programs."""
