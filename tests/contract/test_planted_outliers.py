"""A real probe finds a disturbance from outside as the cause of an outlier.

A thief takes a CPU from a spinning thread now and then. How long that takes is the scheduler's choice, so whatever took
a millisecond counts as planted: nothing else here takes so long often.
"""

import subprocess
import sys
from collections import Counter

import pytest
from msgspec.structs import replace

from tests.conftest import make_request
from tests.contract.real_probes import ALLOWED, FIRSTS, START_SECONDS
from tests.trials import run_trial
from threadping.analysis.causes import cause
from threadping.model.cases import Runtime
from threadping.model.contract import Outlier, OutliersRequest, Request

LONG_NS = 1_000_000
TRIALS = 2
SHARE = 0.9

THIEF = """
import os, sys, time
os.sched_setaffinity(0, {int(sys.argv[1])})
while True:
    end = time.monotonic() + 0.006
    while time.monotonic() < end:
        pass
    time.sleep(0.004)
"""

needs_two_cpus = pytest.mark.skipif(len(ALLOWED) < 2, reason="two spinning threads need a CPU each")


def request() -> Request:
    """Half a second in which every round trip of a visit but the lead-in's is timed."""
    usual = make_request("cas-one-line", (ALLOWED[0], ALLOWED[1]), lines=16)
    windows = replace(usual.windows, throughput=100, sampling=1000)
    asked = OutliersRequest(factor=10, least_ns=5_000, most=1000)
    times = {"measure_ns": 500_000_000, "bound_ns": 5_000_000_000}
    return replace(usual, windows=windows, outliers=asked, **times)


def long_ones(runtime: Runtime) -> list[Outlier]:
    found: list[Outlier] = []
    for seed in range(TRIALS):
        outcome = run_trial(runtime, replace(request(), seed=seed), start_seconds=START_SECONDS)
        assert outcome.result, outcome
        assert outcome.result.evidence
        found += [one for one in outcome.result.evidence.outliers if one.ns >= LONG_NS]
    return found


@needs_two_cpus
@pytest.mark.parametrize("victim", [0, 1], ids=["ping", "pong"])
@pytest.mark.parametrize("runtime", FIRSTS, ids=lambda runtime: runtime.label)
def test_a_thief_of_a_cpu_is_found(runtime: Runtime, victim: int) -> None:
    with subprocess.Popen([sys.executable, "-c", THIEF, str(ALLOWED[victim])]) as thief:
        try:
            found = long_ones(runtime)
        finally:
            thief.kill()
    causes = Counter(cause(one, (), blocking=False) for one in found if one.seen)
    assert sum(causes.values()) >= 10
    assert causes["preempted"] >= SHARE * sum(causes.values()), causes
