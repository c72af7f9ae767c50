"""Compare trials with trials of ten times the warm-up, and print the pace of each against time.

Each line is a mechanism of a runtime that compiles in one placement state: the median of its trials, of those with the
long warm-up, their ratio, and how many warm-ups ended at their limit. A trial is of a state if its own pings, right
before and after it measured, agree; others are left out, and counted. --curves prints below it, for a trial of each
length, the nanoseconds an operation took in every 20 ms of windows; `+34` is the milliseconds that the JIT compiled
meanwhile, and `|` where measuring begins. Time that the threads slept while it compiled is left out, and printed behind
the curve. --slowed runs a spinning process on each CPU, which leaves the trial half of it.
"""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from typing import NamedTuple

import click

from benchmarks.agreement.gathering import two_cpus
from benchmarks.cli import CPUS, run
from benchmarks.session import look_around
from benchmarks.trials import BOUND_NS, START_SECONDS, median_window
from tests.trials import run_trial
from threadping.analysis.states import alike
from threadping.experiments import EXPERIMENTS
from threadping.model.contract import SCHEMA, Params, Request, Result, ThreadRequest, WarmupRequest
from threadping.model.reading import FOLLOWING
from threadping.planning import defaults
from threadping.planning.plan import STEADY
from threadping.probes.runtimes import Described, describe

CASES: Sequence[tuple[str, str, Params]] = (
    ("queue", "sequenced-ring", {"batch": 1, "producer-work": 16}),
    ("queue", "sequenced-ring", {"batch": 100}),
    ("queue", "disruptor", {"batch": 100}),
    ("lock", "reentrant-lock", {}),
    ("signal", "cas-one-line", {}),
)
MEASURE_NS = round(1e9 * defaults.COMPILED_MEASURE_S)
LONGER = 10
BIN_NS = 20_000_000
NEVER = 10**12  # operations, the most of a request: warm-ups end at their limit before
SPIN = "import os, sys\nos.sched_setaffinity(0, {int(sys.argv[1])})\nwhile True: pass"


@contextmanager
def slowed_by_half(cpus: Sequence[int]) -> Iterator[None]:
    spinning = [subprocess.Popen([sys.executable, "-c", SPIN, str(cpu)], start_new_session=True) for cpu in cpus]
    try:
        yield
    finally:
        for one in spinning:
            one.kill()
            one.wait()


def measure(described: Described, case: tuple[str, str, Params], cpus: Sequence[int], longer: int, seed: int) -> Result:
    """Return the result of a trial as in a first minute, or with a warm-up `longer` times its limit.

    Raises SystemExit with the probe's sentence if there is none.
    """
    experiment, mechanism, params = case
    pace = EXPERIMENTS[experiment].pace
    limit_ns = round(1e9 * defaults.COMPILING_WARMUP_S)
    policy = pace.policy(MEASURE_NS, limit_ns, 1, False)
    offered = next(one for one in described.description.experiments if one.name == experiment)
    lines = next(one.lines for one in offered.mechanisms if one.name == mechanism)
    enough = WarmupRequest(0, 1, STEADY, limit_ns, policy.look_ns, uninterrupted=False)
    until_limit = WarmupRequest(1, NEVER, STEADY, longer * limit_ns, policy.look_ns, uninterrupted=False)
    request = Request(
        schema=SCHEMA,
        experiment=experiment,
        mechanism=mechanism,
        params=params,
        threads=tuple(ThreadRequest(cpu) for cpu in cpus),
        pin="thread",
        lines=lines,
        home=(cpus[0],),
        warmup=enough if longer == 1 else until_limit,
        windows=policy.windows,
        outliers=None,
        measure_ns=MEASURE_NS,
        bound_ns=BOUND_NS + 2 * longer * limit_ns,
        patience_ns=policy.patience_ns,
        seed=seed,
        pings=((cpus[0], cpus[1]),),
    )
    outcome = run_trial(described.runtime, request, start_seconds=START_SECONDS)
    if outcome.result is None:
        raise SystemExit(outcome.failure.message if outcome.failure else "The probe left no result.")
    return outcome.result


def curve(result: Result) -> str:
    """Return the pace in each BIN_NS of windows, both kinds for time and compilation, throughput for the pace."""
    windows, words, warm = result.windows, [], True
    counted = [each for each, of in zip(windows.ops, result.threads, strict=True) if of.role not in FOLLOWING]
    at_ns = in_bin_ns = ops = compiled_ms = 0
    for index, ns in enumerate(windows.ns):
        if warm and not windows.warmup[index]:
            words.append("|")
            warm = False
        at_ns += ns
        compiled_ms += windows.compile_ms[index] if windows.compile_ms else 0
        if windows.kind[index] == "throughput":
            in_bin_ns += ns
            ops += sum(each[index] for each in counted)
        if at_ns >= BIN_NS:
            pace = f"{in_bin_ns / ops:.3g}" if ops else "-"
            words.append(pace + (f"+{compiled_ms}" if compiled_ms else ""))
            at_ns = in_bin_ns = ops = compiled_ms = 0
    slept_ns = result.managed.rested_ns if result.managed else None
    return " ".join(words) + (f"  (slept {slept_ns / 1e6:.0f} ms)" if slept_ns is not None else "")


class Taken(NamedTuple):
    """A trial, whether it warmed up for long, and the core-to-core latency around it."""

    result: Result
    long: bool
    core_to_core_ns: float


def state_of(result: Result) -> float | None:
    """Return the core-to-core latency after a trial (ns, one way); None where it was another one before."""
    levels = [one.ns for one in result.pings if one.ns]
    return levels[-1] if len(levels) == 2 and alike(*levels) else None


def by_state(taken: Sequence[Taken]) -> Iterator[list[Taken]]:
    """Yield the trials of each state in which some of both lengths were measured, the nearest first."""
    left = sorted(taken, key=lambda one: one.core_to_core_ns)
    while left:
        within = [one for one in left if alike(left[0].core_to_core_ns, one.core_to_core_ns)]
        left = left[len(within) :]
        if len({one.long for one in within}) == 2:
            yield within


def compared(trials: Sequence[Taken]) -> str:
    """Return the line of a case, of trials of one state."""
    short, long = ([one.result for one in trials if one.long == which] for which in (False, True))
    one, ten = (median(map(median_window, of)) for of in (short, long))
    spread, spread_long = (", ".join(f"{median_window(each):.3g}" for each in of) for of in (short, long))
    cut = sum(each.warmup.ended == "limit" for each in short)
    return (
        f"{one:.3g} ns ({spread}); {LONGER}x the warm-up {ten:.3g} ns ({spread_long}); ratio {one / ten:.3f}; "
        f"cut {cut} of {len(short)}"
    )


@click.option("--trials", type=click.IntRange(1), default=6, help="Trials of each length, interleaved.")
@click.option("--runtime", multiple=True, default=("java-17",), help="As threadping's --runtime takes it.")
@click.option("--about", multiple=True, help="Only cases with this word in their names.")
@click.option("--slowed", is_flag=True, help="Leave the trials half of each CPU.")
@click.option("--curves", is_flag=True, help="Print the pace of the last trial of each length against time.")
@CPUS
def warmup(
    trials: int, runtime: Sequence[str], about: Sequence[str], slowed: bool, curves: bool, cpus: str | None
) -> None:
    runtimes, topology = look_around(runtime)
    pair = two_cpus(topology, cpus)
    with slowed_by_half(pair if slowed else ()):
        for described in map(describe, runtimes):
            for case in CASES:
                params = " ".join(f"{name}={value}" for name, value in case[2].items())
                label = f"{described.runtime.label} {case[1]} {params}".rstrip()
                if about and not any(word in label for word in about):
                    continue
                taken, last, changed = list[Taken](), dict[int, Result](), 0
                for seed in range(1, trials + 1):
                    for longer in (1, LONGER):
                        last[longer] = measure(described, case, pair, longer, seed)
                        state = state_of(last[longer])
                        if state is None:
                            changed += 1
                        else:
                            taken.append(Taken(last[longer], longer > 1, state))
                for of in by_state(taken):
                    print(f"{label} at {of[0].core_to_core_ns:.3g} ns: {compared(of)}", flush=True)
                if changed:
                    print(f"{label}: the state changed in {changed} of {2 * trials} trials", flush=True)
                for each in last.values() if curves else ():
                    print(f"    {curve(each)}", flush=True)


warmup.__doc__ = __doc__
run("warmup", warmup)
