"""A made-up run with something of everything: exact figures, for whoever needs a run, rows or trials in a test.

`RUN` has five cases, `ROWS` a row for each, `TRIALS` a few of its trials, two of which failed. Foreign words hold what
a terminal or rich could misread.
"""

from collections.abc import Mapping

from msgspec import UNSET, UnsetType

from tests.conftest import Window, make_request, make_windows
from threadping.contract import (
    SCHEMA,
    Clock,
    Cpu,
    Distribution,
    HomeResult,
    MachineCounters,
    Measured,
    Params,
    Result,
    ThreadResult,
    Topology,
    Warmup,
)
from threadping.model import (
    Case,
    Failure,
    Latency,
    Machine,
    Owner,
    Placement,
    Row,
    Run,
    Runtime,
    Skipped,
    Trial,
    Verdict,
)

TOPOLOGY = Topology("hwloc 2.9", (Cpu(0, 0, 0, 0, 0, 0), Cpu(1, 1, 1, 0, 0, 0)), (0, 1), SCHEMA)

MACHINE = Machine(
    hostname="bench-7",
    cpu_model="AMD EPYC 9B45",
    kernel="Linux 6.1.0-13-amd64",
    os="Debian GNU/Linux 12 (bookworm)",
    hypervisor="KVM",
    governor=None,
    clock_source="tsc",
    cpu_quota=None,
    memory_bytes=16 << 30,
    topology=TOPOLOGY,
)

PARALLEL = "java-17 -XX:+UseParallelGC"
APART = Placement("same-l3", (0, 1))
TOGETHER = Placement("same-cpu", (1, 1))
ANYWHERE = Placement("unpinned", (None, None))

VIRTUALISED = Verdict(
    "virtualised",
    "info",
    "This is a virtual machine: its CPUs may share a core with a neighbour. Measure on bare metal for exact figures.",
)
STEAL = Verdict(
    "steal",
    "warning",
    "The hypervisor kept these CPUs from running for 2.4% of the time; the tail is partly its own. Use a machine with "
    "CPUs of its own, or a quieter hour.",
)
FEW_SAMPLES = Verdict(
    "few-samples",
    "info",
    "744 single round trips do not carry every percentile (p99.9 needs 10000). Give a larger --budget.",
)
HUNG = Verdict(
    "trial-failed",
    "error",
    "Every trial failed (hung): The probe was killed [/proc/41]: it had not ended 4.2 s after its start.",
)
ONE_FAILED = Verdict(
    "trial-failed",
    "warning",
    "1 of 12 trials failed, the first so (crashed): The probe ended (signal 11, SIGSEGV) without a result.",
)


def make_case(mechanism: str, runtime: str, placement: Placement, params: Params | None = None) -> Case:
    """A case of `signal`; conditions block, everything else spins."""
    blocking = mechanism == "condition"
    lines = 1 if blocking else 256
    return Case("signal", mechanism, params or {}, runtime, placement, blocking, lines, tuple(params or ()))


CASES = (
    make_case("condition", "java-17", APART),
    make_case("cas-one-line", "cpp", APART),
    make_case("release-two-lines", PARALLEL, APART, {"spin": 100}),
    make_case("cas-one-line", "cpp", TOGETHER),
    make_case("[bold]lock[/]", "cpp", ANYWHERE),
)


def make_latency(mean: float, low: float, high: float, **percentiles: float) -> Latency:
    """A distribution; `p99_9` and whatever else is not given is absent."""
    names = ("min", "p50", "p90", "p99", "p99_9", "max")
    values: Mapping[str, float | UnsetType] = {name: percentiles.get(name, UNSET) for name in names}
    return Latency(mean=mean, ci95=(low, high), **values)


def make_row(
    case: Case,
    latency: Latency | None,
    *verdicts: Verdict,
    trials: int = 12,
    failed: int = 0,
    samples: int = 1_200_000,
    clock: float = 20.4,
    cpu: float | None = None,
) -> Row:
    """The row of a case."""
    return Row(
        experiment=case.experiment,
        runtime=case.runtime,
        mechanism=case.mechanism,
        params=case.params,
        varied=case.varied,
        placement=case.placement.name,
        cpus=case.placement.cpus,
        pin=case.placement.pin,
        home=None,
        warmup=case.warmup.text,
        threads=2,
        trials=trials,
        failed_trials=failed,
        measures="one-way",
        latency_ns=latency,
        ops_per_s=1e9 / latency.mean if latency else None,
        cpu_ns_per_op=cpu,
        clock_cost_ns=clock if latency else None,
        samples=samples if latency else 0,
        censored=0,
        lines=trials * case.lines,
        line_ns=(latency.mean * 0.9, latency.mean * 1.2) if latency and not case.blocking else None,
        verdicts=verdicts,
    )


ROWS = (
    make_row(
        CASES[0],
        make_latency(
            28_112.5,
            27_350.25,
            28_990.75,
            min=14_210.0,
            p50=27_400.0,
            p90=31_050.0,
            p99=44_310.5,
            p99_9=112_400.0,
            max=2_410_007.5,
        ),
        VIRTUALISED,
        ONE_FAILED,
        trials=11,
        failed=1,
        samples=98_304,
        clock=26.8,
        cpu=9_871.2,
    ),
    make_row(
        CASES[1],
        make_latency(59.274, 58.118, 60.441, min=47.5, p50=68.5, p90=78.0, p99=98.5, p99_9=1_204.5, max=88_112.0),
        VIRTUALISED,
        STEAL,
        cpu=118.61,
    ),
    make_row(
        CASES[2],
        make_latency(64.91, 62.7, 67.2, min=51.0, p50=75.5, p90=84.0, p99=121.0, p99_9=4_410.0, max=310_222.5),
        VIRTUALISED,
        STEAL,
        clock=26.8,
        cpu=129.9,
    ),
    make_row(
        CASES[3],
        make_latency(5_998_214.7, 5_871_200.0, 6_131_020.0, min=3_998_000.0, p50=5_999_500.0, max=12_004_000.0),
        VIRTUALISED,
        FEW_SAMPLES,
        samples=744,
        cpu=5_991_000.0,
    ),
    make_row(CASES[4], None, VIRTUALISED, HUNG, trials=0, failed=2),
)

RUN = Run(
    started="2026-03-01T09:30:00+00:00",
    machine=MACHINE,
    runtimes=(
        Runtime("cpp", "cpp", ("/opt/threadping/threadping-probe",), "g++ 12.2.0 -O3"),
        Runtime("java-17", "java", ("/usr/bin/java", "-jar", "probe.jar"), "OpenJDK 17.0.14"),
        Runtime(PARALLEL, "java", ("/usr/bin/java", "-XX:+UseParallelGC", "-jar", "probe.jar"), "OpenJDK 17.0.14"),
    ),
    cases=CASES,
    skipped=(
        Skipped("smt", "no two of the CPUs 0-1 that may be used share a core"),
        Skipped("same-l2", "no two of the CPUs 0-1 that may be used share an L2"),
        Skipped("java-8", "its probe answered [nothing]"),
    ),
    rounds=12,
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


def make_trial(case: Case, round_number: int, position: int, *, failure: Failure | None = None) -> Trial:
    """A trial of half a second: a thousand blocks of a thousand round trips of 120 ns, or the failure."""
    thread = ThreadResult("ping", (0,), (0,), 120_000_000, 3, 1, 0, 0, 0)
    result = Result(
        experiment=case.experiment,
        mechanism=case.mechanism,
        threads=(thread, thread),
        home=HomeResult((0,)),
        clock=Clock("clock_gettime", 20.4, 1),
        warmup=Warmup(1_000_000, 60_000_000, True),
        measured=Measured(2_000_000, 121_000_000, False),
        machine=MachineCounters(0, 12),
        managed=None,
        windows=make_windows(*[Window(0, "plain", 120_000, (1_000, 1_000))] * 1_000),
        distributions={"round-trip": Distribution((100, 137, 250), (400, 500, 100), 0)},
        counts={},
        schema=SCHEMA,
    )
    return Trial(
        round=round_number,
        position=position,
        case=case,
        request=make_request(case.mechanism, case.placement.cpus),
        result=None if failure else result,
        failure=failure,
        log="chatter with [brackets]\n" if failure else "",
        started=f"2026-03-01T09:30:{round_number:02}.000+00:00",
        wall_ns=612_000_000,
    )


TRIALS = (
    make_trial(CASES[1], 1, 0),
    make_trial(CASES[4], 1, 1, failure=Failure("hung", "The probe was killed [/proc/41]: it had not ended.")),
    make_trial(CASES[4], 2, 0, failure=Failure("hung", "The probe was killed [/proc/41]: it had not ended.")),
    make_trial(CASES[1], 2, 1),
)
