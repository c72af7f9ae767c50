"""A made-up run of `lock`, as `fixture` is one of `signal`: exact figures, and something of everything.

`LOCK_ROWS` has two mechanisms with a lock, one without, one that loses updates, one trial that failed and one that was
too short for its tail; `LOCK_RUN` is their run.
"""

from msgspec import UNSET
from msgspec.structs import replace

from tests.conftest import Window, make_request, make_windows
from tests.golden.fixture import RUN, VIRTUALISED, make_latency
from threadping.contract import (
    SCHEMA,
    Clock,
    Distribution,
    Held,
    HomeResult,
    MachineCounters,
    Measured,
    Result,
    ThreadResult,
    Warmup,
)
from threadping.model import (
    Case,
    Contention,
    Failure,
    Fairness,
    Latency,
    Placement,
    Row,
    Sampling,
    Trial,
    Updates,
    Verdict,
)

LOCKLESS = ("fetch-add", "unprotected")

STALLED = Verdict(
    "trial-failed",
    "error",
    "Every trial failed (stalled): No thread gets the lock any more: a release was lost, or the lock deadlocks.",
)
OVERSUBSCRIBED = Verdict(
    "oversubscribed",
    "info",
    "8 threads share 2 CPUs: a thread that waits may wait for one that has no CPU.",
)


def make_lock_case(mechanism: str, runtime: str, threads: int) -> Case:
    """A case of `lock` on CPUs 0 and 1 by turns; one thread stands on CPU 0."""
    name = "same-cpu" if threads == 1 else "same-l3"
    placement = Placement(name, tuple(number % 2 for number in range(threads)))
    return Case("lock", mechanism, {"critical": 0, "outside": 0}, runtime, placement, mechanism == "mutex", 8)


def make_lock_row(
    case: Case,
    ops: float | None,
    wait: Latency | None = None,
    *verdicts: Verdict,
    jain: float = 1.0,
    shares: tuple[float, float] | None = None,
    cpu: float | None = None,
    lost: int = 0,
    failed: int = 0,
    samples: int = 131_072,
) -> Row:
    """The row of a case; its interval is 2% to both sides, its threads shared alike unless told."""
    threads = len(case.placement.cpus)
    made = 240_000_000
    lock = (
        Contention(
            ops_per_s_ci95=(0.98 * ops, 1.02 * ops),
            fairness=Fairness(jain, shares or (1 / threads, 1 / threads), 1e7 if threads <= 2 else 8e7),
            sampling=Sampling(8 if case.mechanism == "mutex" else 64, 0.018),
            updates=Updates(made, made - lost),
        )
        if ops
        else UNSET
    )
    return Row(
        experiment="lock",
        runtime=case.runtime,
        mechanism=case.mechanism,
        params=case.params,
        varied=case.varied,
        placement=case.placement.name,
        cpus=case.placement.cpus,
        pin=case.placement.pin,
        home=None,
        warmup=case.warmup.text,
        threads=threads,
        trials=12 - failed,
        failed_trials=failed,
        measures="increment" if case.mechanism in LOCKLESS else "wait for the lock",
        latency_ns=wait,
        ops_per_s=ops,
        cpu_ns_per_op=cpu,
        clock_cost_ns=None if ops is None else 19.5 if case.runtime == "cpp" else 26.8,
        samples=samples if ops else 0,
        censored=0,
        lines=96,
        line_ns=None,
        verdicts=(VIRTUALISED, *verdicts),
        lock=lock,
    )


def wait(p50: float, p99: float, p99_9: float, longest: float) -> Latency:
    """Waits: their mean is a fifth above their median."""
    mean = 1.2 * p50
    return make_latency(
        mean, 0.97 * mean, 1.03 * mean, min=p50 / 2, p50=p50, p90=2 * p50, p99=p99, p99_9=p99_9, max=longest
    )


LOCK_ROWS = (
    make_lock_row(make_lock_case("mutex", "cpp", 1), 53_312_000.0, wait(21, 24, 61, 18_400), cpu=18.8),
    make_lock_row(make_lock_case("fetch-add", "cpp", 1), 203_500_000.0, wait(22, 24, 52, 9_120), cpu=4.91),
    make_lock_row(make_lock_case("unprotected", "java-17", 1), 611_000_000.0, wait(23, 28, 55, 11_000), cpu=1.64),
    make_lock_row(make_lock_case("reentrant-lock", "java-17", 1), 48_210_000.0, wait(29, 34, 90, 22_050), cpu=20.7),
    make_lock_row(
        make_lock_case("mutex", "cpp", 2),
        14_120_000.0,
        wait(88, 1_310, 52_400, 4_110_000),
        jain=0.871,
        shares=(0.31, 0.69),
        cpu=117.4,
    ),
    make_lock_row(
        make_lock_case("fetch-add", "cpp", 2),
        41_870_000.0,
        wait(58, 181, 402, 61_000),
        jain=0.998,
        shares=(0.488, 0.512),
        cpu=47.7,
    ),
    make_lock_row(
        make_lock_case("unprotected", "java-17", 2),
        388_400_000.0,
        wait(24, 71, 144, 20_400),
        jain=0.999,
        shares=(0.496, 0.504),
        cpu=5.15,
        lost=87_600_000,
    ),
    make_lock_row(
        make_lock_case("reentrant-lock", "java-17", 2),
        22_640_000.0,
        wait(31, 22_400, 71_000, 8_230_000),
        jain=0.94,
        shares=(0.44, 0.56),
        cpu=61.2,
        failed=1,
    ),
    make_lock_row(
        make_lock_case("mutex", "cpp", 8),
        9_870_000.0,
        replace(wait(144, 41_800, 1_240_000, 24_000_000), p99_9=UNSET),
        OVERSUBSCRIBED,
        jain=0.62,
        shares=(0.071, 0.188),
        cpu=202.5,
        samples=8_210,
    ),
    make_lock_row(
        make_lock_case("fetch-add", "cpp", 8),
        42_010_000.0,
        wait(57, 190, 8_004_000, 24_010_000),
        OVERSUBSCRIBED,
        jain=0.991,
        shares=(0.119, 0.132),
        cpu=47.6,
    ),
    make_lock_row(make_lock_case("ticket-lock", "cpp", 8), None, None, STALLED, failed=12),
)

LOCK_CASES = tuple(make_lock_case(row.mechanism, row.runtime, row.threads) for row in LOCK_ROWS)

LOCK_RUN = replace(RUN, cases=LOCK_CASES, seed=515_151, id=8, arguments=("run", "lock", "--budget", "60s"))


def make_lock_trial(case: Case, round_number: int, *, failure: Failure | None = None, lost: int = 0) -> Trial:
    """A trial of three windows, in the plain ones of which the first thread did 3 of 4 operations; or the failure."""
    threads = len(case.placement.cpus)
    uneven = (300_000, *([100_000 // max(1, threads - 1)] * (threads - 1)))
    result = Result(
        experiment=case.experiment,
        mechanism=case.mechanism,
        threads=(ThreadResult("worker", (0,), (0,), 20_000_000, 4, 2, 0, 0, 0),) * threads,
        home=HomeResult((0,)),
        clock=Clock("clock_gettime", 19.5, 1),
        warmup=Warmup(1_000_000, 60_000_000, True),
        measured=Measured(1_000_000, 25_000_000, False),
        machine=MachineCounters(0, 12),
        managed=None,
        windows=make_windows(
            Window(3, "plain", 10_000_000, uneven),
            Window(3, "timed", 5_000_000, (100_000,) * threads),
            Window(1, "plain", 10_000_000, uneven),
            every=64,
            threads=threads,
        ),
        distributions={"acquire": Distribution((21, 88, 4_110), (400, 500, 1), 0)},
        counts={"increments": Held(1_000_000, 1_000_000 - lost, exact=lost == 0)},
        schema=SCHEMA,
    )
    return Trial(
        round=round_number,
        position=0,
        case=case,
        request=make_request(case.mechanism, case.placement.cpus, case.lines, "lock"),
        result=None if failure else result,
        failure=failure,
        log="",
        started=f"2026-03-01T09:30:{round_number:02}.000+00:00",
        wall_ns=612_000_000,
    )


LOCK_TRIALS = (
    make_lock_trial(LOCK_CASES[4], 1),
    make_lock_trial(LOCK_CASES[6], 1, lost=365_000),
    make_lock_trial(LOCK_CASES[10], 2, failure=Failure("stalled", "No thread gets the lock any more: a release …")),
)
