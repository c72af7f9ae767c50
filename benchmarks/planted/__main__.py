"""Plant delays in a busy thread, and count which causes threadping finds.

Each line is what was planted next to `run jitter` of one CPU: nothing; a real-time process that takes the CPU for 2 ms
every 10 ms; a CPU quota of 60%; packets that another CPU sends and this one receives. It has the number of outliers
that are planted, the share of them with the right cause (recall), and the share of all with that cause that were
planted (precision; preemptions next to packets, which a thread of the kernel takes, are left out). A burst of the
process is known by its clock; of the others every outlier from `least_ns` on counts, less what comes without. Every
number is weighted as the sample is. It needs the rights of root.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import click
from msgspec import Struct

from benchmarks.cli import run
from benchmarks.session import look_around
from benchmarks.trials import BOUND_NS, START_SECONDS
from tests.trials import run_trial
from threadping.analysis.causes import (
    DELAYED,
    INTERRUPTED,
    MIGRATED,
    PREEMPTED,
    QUOTA,
    TIMER,
    UNKNOWN,
    at_a_timer,
    cause,
)
from threadping.experiments import EXPERIMENTS
from threadping.model.cases import Runtime
from threadping.model.contract import SCHEMA, Outlier, OutliersRequest, Request, ThreadRequest, WarmupRequest
from threadping.planning import defaults
from threadping.planning.plan import STEADY
from threadping.probes.runtimes import describe

MEASURE_NS = 2_000_000_000
GROUP = Path("/sys/fs/cgroup/cpu/threadping-planted")
RECEIVE = Path("/sys/class/net/lo/queues/rx-0/rps_cpus")
Bursts = list[tuple[int, int]]  # when each began and ended, by CLOCK_MONOTONIC

HOG = """
import os, sys, time
os.sched_setaffinity(0, {int(sys.argv[1])})
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
while True:
    time.sleep(0.008)
    begin = time.monotonic_ns()
    while time.monotonic_ns() < begin + 2_000_000: pass
    print(begin, time.monotonic_ns(), flush=True)
"""
SEND = """
import os, socket, sys
os.sched_setaffinity(0, {int(sys.argv[1])})
to = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
to.bind(("127.0.0.1", 0))
by = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
while True: by.sendto(bytes(60_000), to.getsockname())
"""


@contextmanager
def hog(cpu: int, _: int, bursts: Bursts) -> Iterator[None]:
    command = [sys.executable, "-u", "-c", HOG, str(cpu)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield
        finally:
            process.kill()
            lines = process.stdout.read().splitlines() if process.stdout else []
            bursts += [(int(begin), int(end)) for begin, end in (line.split() for line in lines)]


@contextmanager
def quota(*_: object) -> Iterator[None]:
    GROUP.mkdir()
    try:
        (GROUP / "cpu.cfs_period_us").write_text("20000")
        (GROUP / "cpu.cfs_quota_us").write_text("12000")
        (GROUP / "cgroup.procs").write_text(str(os.getpid()))
        yield
    finally:
        (GROUP.parent / "cgroup.procs").write_text(str(os.getpid()))
        GROUP.rmdir()


@contextmanager
def flood(cpu: int, other: int, _: Bursts) -> Iterator[None]:
    before = RECEIVE.read_text()
    RECEIVE.write_text(f"{1 << cpu:x}")
    try:
        with subprocess.Popen([sys.executable, "-c", SEND, str(other)]) as process:
            try:
                yield
            finally:
                process.kill()
    finally:
        RECEIVE.write_text(before)


class Plant(Struct, frozen=True):
    """A disturbance that is planted, the causes by which it is rightly called, and from what length on it counts.

    It has causes `besides` too: outliers of these next to it do not count against another plant's precision.
    """

    begin: Callable[[int, int, Bursts], AbstractContextManager[None]]
    right: tuple[str, ...]
    least_ns: int
    besides: tuple[str, ...] = ()


PLANTS = {
    "nothing": Plant(lambda *_: nullcontext(), (), 20_000),
    "hog": Plant(hog, (PREEMPTED, DELAYED, MIGRATED), 500_000),
    "quota": Plant(quota, (QUOTA,), 1_000_000),
    # Packets that come faster than interrupts can take them are left to a thread of the kernel, which preempts.
    "packets": Plant(flood, (INTERRUPTED,), 20_000, besides=(PREEMPTED,)),
}


def measure(runtime: Runtime, cpu: int, seed: int) -> Sequence[Outlier]:
    pace = EXPERIMENTS["jitter"].pace
    warmup_ns = round(1e9 * defaults.COMPILING_WARMUP_S)
    policy = pace.policy(MEASURE_NS, warmup_ns, 1, False)
    request = Request(
        schema=SCHEMA,
        experiment="jitter",
        mechanism="clock-monotonic",
        params={},
        threads=(ThreadRequest(cpu),),
        pin="thread",
        lines=1,
        home=None,
        warmup=WarmupRequest(0, 1, STEADY, warmup_ns, policy.look_ns, uninterrupted=False),
        windows=policy.windows,
        outliers=OutliersRequest(factor=1, least_ns=20_000, most=4096),
        measure_ns=MEASURE_NS,
        bound_ns=BOUND_NS + 5 * MEASURE_NS,
        patience_ns=policy.patience_ns,
        seed=seed,
    )
    outcome = run_trial(runtime, request, start_seconds=START_SECONDS)
    if outcome.result is None or outcome.result.evidence is None:
        raise SystemExit(outcome.failure.message if outcome.failure else "The probe left no evidence.")
    return [one for one in outcome.result.evidence.outliers if one.weight and one.seen]


def overlaps(one: Outlier, bursts: Bursts) -> bool:
    end = one.at_ns + one.ns
    return any(min(end, last) - max(one.at_ns, first) >= one.ns / 2 for first, last in bursts)


@click.option("--trials", type=click.IntRange(1), default=3, help="Trials with each, interleaved.")
@click.option("--runtime", default="cpp", help="As threadping's --runtime takes it.")
def planted(trials: int, runtime: str) -> None:
    (one,), topology = look_around((runtime,))
    described, (cpu, other) = describe(one), topology.allowed[:2]
    found: dict[str, list[tuple[Outlier, str, bool]]] = {name: [] for name in PLANTS}
    for seed in range(1, trials + 1):
        for name, plant in PLANTS.items():
            bursts: Bursts = []
            with plant.begin(cpu, other, bursts):
                outliers = measure(described.runtime, cpu, seed)
            named = [(each, cause(each, (), blocking=False)) for each in outliers]
            at_ticks = at_a_timer(
                [((each.thread, each.draw or 0), each.at_ns) for each, of_it in named if of_it == UNKNOWN]
            )
            for each, of_it in named:
                is_planted = overlaps(each, bursts) if name == "hog" else name != "nothing"
                of_it = TIMER if of_it == UNKNOWN and each.at_ns in at_ticks else of_it
                found[name].append((each, of_it, is_planted and each.ns >= plant.least_ns))
    for name, plant in PLANTS.items():
        causes: dict[str, float] = {}
        for each, of_it, _ in found[name]:
            causes[of_it] = causes.get(of_it, 0.0) + each.weight
        all_of_it = ", ".join(f"{of_it} {number:.0f}" for of_it, number in sorted(causes.items(), key=lambda x: -x[1]))
        print(f"{name}: {all_of_it or 'no outliers'}")
        if not plant.right:
            continue
        without = sum(each.weight for each, _, _ in found["nothing"] if each.ns >= plant.least_ns and name != "hog")
        number = sum(each.weight for each, _, is_planted in found[name] if is_planted)
        right = sum(each.weight for each, of_it, is_planted in found[name] if is_planted and of_it in plant.right)
        called = sum(
            each.weight
            for other_name, of in found.items()
            for each, of_it, _ in of
            if of_it in plant.right and of_it not in PLANTS[other_name].besides
        )
        recall, precision = right / max(1.0, number - without), right / max(1.0, called)
        print(f"    planted {number - without:.0f}: recall {min(1.0, recall):.0%}, precision {precision:.0%}")


planted.__doc__ = __doc__
if __name__ == "__main__":
    run("planted", planted)
