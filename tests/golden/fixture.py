"""A made-up run with something of everything, for tests that need a run, observations or rows.

`RUN` has six cases of `signal` and eleven of `lock`, `OBSERVATIONS` their trials, `ANSWER` what comes of them: steady
and unsteady ones, two that failed once, two that always did, some that were too short for their tail. Foreign words
hold what a terminal or rich could misread.
"""

from datetime import datetime

from tests.conftest import make_distribution
from threadping.analysis.analyse import analyse
from threadping.experiments import declared
from threadping.model.cases import Case, Placement, Runtime, Skipped
from threadping.model.contract import SCHEMA, Cpu, Params, Topology
from threadping.model.run import Failure, Machine, Observation, Owner, ReferencePing, Run

DECLARED = declared()
ROUNDS = 6

MACHINE = Machine(
    hostname="bench-7",
    cpu_model="AMD EPYC 9B45",
    kernel="Linux 6.1.0-13-amd64",
    os="Debian GNU/Linux 12 (bookworm)",
    hypervisor="KVM",
    governor="powersave",
    clock_source="tsc",
    cpu_quota=None,
    memory_bytes=16 << 30,
    topology=Topology("hwloc 2.9", (Cpu(0, 0, 0, 0, 0, 0), Cpu(1, 1, 1, 0, 0, 0)), (0, 1), SCHEMA),
)

JAVA, PARALLEL = "java-17", "java-17 -XX:+UseParallelGC"
APART = Placement("same-l3", (0, 1))
TOGETHER = Placement("same-cpu", (1, 1))
ANYWHERE = Placement("unpinned", (None, None))

Six = tuple[float, float, float, float, float, float]
"""For each trial, or of a tail: least, p50, p90, p99, p99.9 and most, in nanoseconds."""
Three = tuple[float, float, float]

STEADY: Six = (1.0, 0.98, 1.02, 0.99, 1.01, 1.005)
"""By what the trials of a case differ; the lower of the two in the middle is 1."""
UNSTEADY: Six = (1.0, 0.95, 3.1, 0.97, 2.9, 3.05)
TAIL: Six = (10.0, 20.0, 30.0, 40.0, 50.0, 60.0)
EVEN: Three = (1.0, 0.5, 0.5)
MANY = 10_000

HUNG = Failure("hung", "The probe was killed [/proc/41]: it had not ended 4.2 s after its start.")
CRASHED = Failure("crashed", "The probe ended (signal 11, SIGSEGV) without a result.")
STALLED = Failure("stalled", "No thread gets the lock any more: a release was lost, or the lock deadlocks.")

NOTHING = ("migrations", "major_faults", "moved", "steal_ns", "cut", "warmup_cut")
USUAL = {"slept": 3.0, "preempted": 1.0, "interrupts": 12.0, "cpus": 2.0, "clock_step_ns": 1.0, "windows": 1_000.0}
LENGTHS = {"sampling_window_ns": 120_000.0, "measured_ns": 5e8, "warmup_ops": 1e6}
QUIET = {f"counters.{name}": count for name, count in (USUAL | LENGTHS | dict.fromkeys(NOTHING, 0.0)).items()}
"""The counters of a trial in which nothing happened."""


def make_case(mechanism: str, runtime: str, placement: Placement, params: Params | None = None) -> Case:
    """A case of `signal`; conditions block, everything else spins."""
    blocking = mechanism == "condition"
    lines = 1 if blocking else 256
    return Case("signal", mechanism, params or {}, runtime, placement, blocking, lines, tuple(params or ()))


def make_lock_case(mechanism: str, runtime: str, threads: int) -> Case:
    """A case of `lock` on CPUs 0 and 1 by turns; one thread stands on CPU 0."""
    name = "same-cpu" if threads == 1 else "same-l3"
    placement = Placement(name, tuple(number % 2 for number in range(threads)))
    lockless = mechanism in ("fetch-add", "unprotected")
    timed = "increment" if lockless else "wait for the lock"
    params: Params = {"critical": 0, "outside": 0}
    return Case("lock", mechanism, params, runtime, placement, mechanism == "mutex", 8, timed=timed)


def failed(case: Case, failure: Failure, *rounds: int) -> list[Observation]:
    return [Observation(number, 0, case, failure, 4_200_000_000) for number in rounds]


def signals(
    case: Case, ns: float, tail: Six = TAIL, cpu: float = 9, vary: Six = STEADY, samples: int = MANY, steal: float = 0.0
) -> list[Observation]:
    """Trials of `signal`: `typical` is `ns` as trials `vary`, `mean` a twentieth more; the tail is of one way."""
    times = {"latency_ns.typical": ns, "latency_ns.mean": 1.05 * ns, "cpu_ns_per_op": cpu}
    made = []
    for number, fold in enumerate(vary, start=1):
        figures = {name: time * fold for name, time in times.items()} | {"ops_per_s": 1e9 / ns / fold}
        made.append(_observation(case, number, figures | {"counters.steal_ns": steal * 1e9}, tail, samples))
    return made


def locks(
    case: Case, ops: float, tail: Six = TAIL, cpu: float = 9, fair: Three = EVEN, lost: float = 0.0, samples: int = MANY
) -> list[Observation]:
    """Trials of `lock`: `fair` is Jain's index with the least and the most share; a lone thread shares with nobody."""
    same = {
        **{"lock.updates.lost": lost, "lock.updates.made": 4e7, "lock.updates.found": 4e7 * (1 - lost)},
        **{"sampling_every": 64.0, "sampling_pace": 1.018, "lock.fairness.window_ns": 6e6},
        **{"latency_ns.mean": 1.2 * tail[1], "cpu_ns_per_op": cpu},
    }
    if case.threads > 1:
        names = ("lock.fairness.jain", "lock.fairness.shares.min", "lock.fairness.shares.max")
        same |= dict(zip(names, fair, strict=True))
        same |= {"lock.consecutive": 12.4, "lock.wait_over_cycle": 0.73}
    return [
        _observation(case, number, {"ops_per_s": ops * fold} | same, tail, samples)
        for number, fold in enumerate(STEADY, start=1)
    ]


def _observation(case: Case, number: int, figures: dict[str, float], tail: Six, samples: int) -> Observation:
    """One trial of as many samples; of 10,000 each percentile is the time of its name."""
    managed = (
        {}
        if case.runtime == "cpp"
        else {"counters.compile_ns": 0.0, "counters.collections": 0.0, "counters.rested_ns": 0.0}
    )
    clock = {"lines": 256.0, "clock_cost_ns": 20.4 if case.runtime == "cpp" else 26.8}
    paces = {"drift": 0.004, "sampling_pace": 1.002, "sampling_every": 1.0}
    parts = 2 if case.experiment == "signal" else 1
    counts = [max(1, samples * share // MANY) for share in (100, 4_900, 4_000, 900, 90, 10)]
    times = make_distribution(tuple(round(parts * ns) for ns in tail), tuple(counts))
    every = QUIET | clock | paces | managed | figures
    of = {"round_trip_ns" if case.experiment == "signal" else "latency_ns": times}
    return Observation(number, 0, case, None, 612_000_000, every, of, 1, f"2026-03-01T09:30:{number:02}Z")


CONDITION = make_case("condition", JAVA, APART)
CAS = make_case("cas-one-line", "cpp", APART)
RELEASE = make_case("release-two-lines", PARALLEL, APART, {"spin": 100})
SLICED = make_case("cas-one-line", "cpp", TOGETHER)
BRACKETS = make_case("[bold]lock[/]", "cpp", ANYWHERE)
PAUSING = make_case("release-one-line", "cpp", APART, {"wait": "pause"})

SIGNALS = [
    *failed(CONDITION, CRASHED, 1),
    *signals(CONDITION, 28_112.5, (14_210, 27_400, 31_050, 44_310.5, 112_400, 2_410_007.5), 9_871.2)[1:],
    *signals(CAS, 59.274, (47.5, 68.5, 78, 98.5, 1_204.5, 88_112), 118.61, steal=0.024),
    *signals(RELEASE, 64.91, (51, 75.5, 84, 121, 4_410, 310_222.5), 129.9, steal=0.019),
    *signals(SLICED, 5_998_214.7, (3_998_000, 5_999_500, 6e6, 6_001_000, 8e6, 12_004_000), 5_991_000, samples=124),
    *failed(BRACKETS, HUNG, 1, 2),
    *signals(PAUSING, 20.41, (18, 22, 24.5, 61, 402, 51_200), 41.3, vary=UNSTEADY),
]

MUTEX = {threads: make_lock_case("mutex", "cpp", threads) for threads in (1, 2, 8)}
ADD = {threads: make_lock_case("fetch-add", "cpp", threads) for threads in (1, 2, 8)}
RACE = {threads: make_lock_case("unprotected", JAVA, threads) for threads in (1, 2)}
REENTRANT = {threads: make_lock_case("reentrant-lock", JAVA, threads) for threads in (1, 2)}
TICKET = make_lock_case("ticket-lock", "cpp", 8)

SLEEPING = (15, 31, 62, 22_400, 71_000, 8_230_000)

LOCKS = [
    *locks(MUTEX[1], 53_312_000, (11, 21, 22, 24, 61, 18_400), 18.8),
    *locks(ADD[1], 203_500_000, (12, 22, 23, 24, 52, 9_120), 4.91),
    *locks(RACE[1], 611_000_000, (12, 23, 25, 28, 55, 11_000), 1.64),
    *locks(REENTRANT[1], 48_210_000, (15, 29, 31, 34, 90, 22_050), 20.7),
    *locks(MUTEX[2], 14_120_000, (44, 88, 176, 1_310, 52_400, 4_110_000), 117.4, fair=(0.871, 0.31, 0.69)),
    *locks(ADD[2], 41_870_000, (29, 58, 116, 181, 402, 61_000), 47.7, fair=(0.998, 0.488, 0.512)),
    *locks(RACE[2], 388_400_000, (12, 24, 48, 71, 144, 20_400), 5.15, fair=(0.999, 0.5, 0.5), lost=0.365),
    *failed(REENTRANT[2], CRASHED, 3),
    *(one for one in locks(REENTRANT[2], 22_640_000, SLEEPING, 61.2, fair=(0.94, 0.5, 0.5)) if one.round != 3),
    *locks(
        MUTEX[8], 9_870_000, (72, 144, 288, 41_800, 1_240_000, 24e6), 202.5, fair=(0.62, 0.071, 0.188), samples=1_368
    ),
    *locks(ADD[8], 42_010_000, (28, 57, 114, 190, 8_004_000, 24_010_000), 47.6, fair=(0.991, 0.119, 0.132)),
    *failed(TICKET, STALLED, 1, 2),
]

OBSERVATIONS = tuple(sorted([*SIGNALS, *LOCKS], key=lambda one: one.round))
CASES = tuple(dict.fromkeys(one.case for one in [*SIGNALS, *LOCKS]))

RUN = Run(
    started="2026-03-01T09:30:00+00:00",
    machine=MACHINE,
    runtimes=(
        Runtime("cpp", "cpp", ("/opt/threadping/threadping-probe",), "g++ 12.2.0 -O3"),
        Runtime(JAVA, "java", ("/usr/bin/java", "-jar", "probe.jar"), "OpenJDK 17.0.14"),
        Runtime(PARALLEL, "java", ("/usr/bin/java", "-XX:+UseParallelGC", "-jar", "probe.jar"), "OpenJDK 17.0.14"),
    ),
    cases=CASES,
    skipped=(
        Skipped("smt", "no two of the CPUs 0-1 that may be used share a core"),
        Skipped("same-l2", "no two of the CPUs 0-1 that may be used share an L2"),
        Skipped("numa-near", "no two of the CPUs 0-1 that may be used share a core"),
        Skipped("java-8", "its probe answered [nothing]"),
    ),
    rounds=ROUNDS,
    budget_s=60.0,
    seed=424_242,
    version="0.1.0",
    arguments=("run", "--budget", "60s"),
    owner=Owner("bench-7", "6d1c0b3a-0000-4000-8000-000000000000", 4711, 123_456),
    status="complete",
    ended="2026-03-01T09:31:02.250+00:00",
    note=None,
    id=7,
)

NEAR, FAR = 26.25, 127.5


def pinged(*far_rounds: int) -> list[ReferencePing]:
    """Two pings between any two trials, as if the CPUs had stood far apart in these rounds."""
    begun = datetime.fromisoformat(RUN.started).timestamp()
    rounds = [one.round for one in OBSERVATIONS]
    sides = [(ended, rounds[min(ended, len(rounds) - 1)]) for ended in range(len(rounds) + 1)]
    return [
        ReferencePing((0, 1), begun + 0.62 * ended + late, ended, FAR if at in far_rounds else NEAR)
        for ended, at in sides
        for late in (0.0, 0.01)
    ]


ANSWER = analyse(RUN, OBSERVATIONS, (), DECLARED)

MOVED = analyse(RUN, OBSERVATIONS, pinged(3, 5, 6), DECLARED)
"""Of a machine that moved: PAUSING, the unsteady one, is one thing near and another far, all else is the same."""

ROW = {row.case: row for row in ANSWER.rows}
