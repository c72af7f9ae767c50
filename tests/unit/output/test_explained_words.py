"""Every word that is printed, that stands in options, or that the field uses can be explained; a miss is one line."""

import re
import tomllib

import msgspec
import pytest

from tests.conftest import ROOT
from tests.golden.fixture import ANSWER, DECLARED
from tests.unit.cli.test_help import each
from tests.unit.output.printing import printed
from threadping.analysis.checks import sentences
from threadping.model.contract import Words
from threadping.model.errors import UnknownName
from threadping.output.explanation import MOST_SUGGESTED, explanation, glossary, terms
from threadping.output.row_tables import numbered

SAID = msgspec.json.decode((ROOT / "contract" / "words.json").read_bytes(), type=Words)
COMMANDS = {context.info_name or "": "What it does." for context, _ in each()}

PRINTED = """
± ! ✗ ✓ i \N{EN DASH} … ⇄ # ns µs us ms k M G % x /s /op ops/s messages/s calls/s
meets, misses, open, beaten, cheapest, frontier, break-even, floor, verdict, requirement
spin, pause, yield, backoff, tpause, umwait, monitorx, busy-spin, no-op, yielding, sleeping, sleeping-millis,
blocking, lite-blocking, timeout-blocking, lite-timeout-blocking, phased-backoff
near, far, budget, longest, changes, one way, round trip, headline, cases, case, trial, round, run, row, state, states
times held, dwell median, of the time, pings, reference ping, core to core, cpp, java, cpp -march=native, probe
median, mean, typical, range, interval, 95% interval, min, max, p50, p90, p95, p99, p99.9, samples, drift, lines
vs top, ratio, like runs, 1 trial, 2 trials, last third, chance, by chance, error, warning, note, code
same-cpu, smt, same-l2, same-l3, same-node, cross-node, unpinned, process, home, placement, pin, busy, governor, KVM
A, B, B/A, block, would see, slower, faster, same, differs, cannot tell, margin, measured apart, carry-over
not-measured, not-reached, less-evidence, other-load, late-sender, placement-untrue, few-samples, wide, regime, modes
complete, running, interrupted, failed, host, started, status, experiments, trials, took, version, seed, store, last
published, here, group, fleet, exit, runtime, runtimes, machine, clock source, a clock reading, clock_cost_ns
closed loop, late, held, rate, CPU, CPU/op, deepest idle, outliers, cause, share, time, worst, stolen, preempted
migrated, safepoint, interrupts, page-fault, scheduler-delay, not-looked-at, unknown, warm-up, steady
constant, poisson, bursts, gaps, arrivals, payload, batch, in-flight, produce, work, critical, outside, size, wait
"""
FIELD = """
jitter, steal, steal time, noisy neighbour, percentile, percentiles, quantile, latency, throughput, bandwidth
coordinated omission, open loop, isolcpus, nohz_full, NUMA, TSC, rdtsc, rdtscp, THP, huge pages, warmup, warm up
lazySet, setRelease, volatile, SPSC, MPSC, SPMC, MPMC, false sharing, true sharing, cache line, cache coherence, MESI
store buffer, memory barrier, fence, acquire, release, relaxed, seq-cst, sequential consistency, memory ordering, TSO
CAS, compare-and-swap, fetch-and-add, lock-free, wait-free, atomic, data race, spinlock, futex, mutex, semaphore
condition variable, condvar, monitor, synchronized, ReentrantLock, StampedLock, LongAdder, park, unpark, LockSupport
context switch, migration, preemption, scheduler, affinity, pinning, taskset, cpuset, cgroup, container, docker
hyper-threading, hyperthreading, SMT, L1, L2, L3, LLC, TLB, prefetcher, padding, socket, package, node, core, hybrid
P-core, E-core, interrupt, IRQ, IPI, idle state, C-state, P-state, frequency, turbo, hypervisor, VM, vCPU
JVM, JIT, C2, GC, garbage collection, biased locking, coarsening, virtual thread, Loom, onSpinWait, JMH
HdrHistogram, HDR, histogram, distribution, tail latency, outlier, average, standard deviation, stddev, bootstrap
confidence interval, CI, A/A test, regression, benchmark, microbenchmark, fork, iteration
ping-pong, RTT, one-way, hand-over, handover, queue, ring buffer, producer, consumer, backpressure, batch, message
Disruptor, Aeron, Agrona, JCTools, wait strategy, idle strategy, BusySpinWaitStrategy, YieldingWaitStrategy
SleepingWaitStrategy, BlockingWaitStrategy, BusySpinIdleStrategy, BackoffIdleStrategy, busy wait, polling, spinning
contention, critical section, fairness, starvation, convoy, thundering herd, priority inversion, MCS, TTAS, rwlock
overhead, load, clock, nanoTime, energy, topology, distance, core-to-core latency, duration, threshold, wake-up
matrix, compare, advise, published, report, show, resume, list, import, explain, ping, mechanisms
"""


def listed(text: str) -> list[str]:
    lines = text.strip().splitlines()
    marks = lines.pop(0).split() if "," not in lines[0] else []
    return [*marks, *(word.strip() for line in lines for word in line.split(",") if word.strip())]


def test_every_word_is_explained() -> None:
    missed, bare = [], []
    for word in listed(PRINTED) + listed(FIELD):
        try:
            said = printed(explanation(word, DECLARED, None, SAID, COMMANDS))
        except UnknownName:
            missed.append(word)
        else:
            bare += [word] if len(said) <= len(word) + 10 else []
    assert (missed, bare) == ([], [])


def test_other_words_lead_to_one_that_is_explained_and_none_is_said_twice() -> None:
    field = tomllib.loads((ROOT / "src/threadping/analysis/field.toml").read_text())
    ours = tomllib.loads((ROOT / "src/threadping/analysis/words.toml").read_text())
    known = {one.casefold() for one in (*terms(DECLARED, None, SAID), *COMMANDS)}
    assert {other for other in field["same"].values() if other.casefold() not in known} == set()
    assert {word for word in field["same"] if word.casefold() in known} == set()
    assert not {*field["words"]} & {*ours["words"]}


def test_a_percentile_begins_with_one_sentence() -> None:
    for word in sentences().first:
        said = printed(explanation(word, DECLARED, None, SAID)).splitlines()
        assert said[0] == word and said[1].endswith(".")


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("stolne", "Did you mean stolen"),
        ("budgt", "Did you mean budget"),
        ("turbulence", "`threadping explain` lists them all"),
        ("hyperviser", "Did you mean hypervisor"),
        ("tailing", "`threadping explain` lists them all"),
        ("mwait", "Did you mean umwait"),
    ],
)
def test_a_miss_is_one_line(word: str, near: str) -> None:
    with pytest.raises(UnknownName) as missed:
        explanation(word, DECLARED, None, SAID, COMMANDS)
    assert near in str(missed.value) and len(str(missed.value)) < 160
    assert len(missed.value.near) <= MOST_SUGGESTED


def test_a_word_that_others_speak_of_leads_to_them() -> None:
    with pytest.raises(UnknownName, match=r"Did you mean .*\bturbo\b"):
        explanation("heat", DECLARED, None, SAID, COMMANDS)


def test_without_a_word_all_are_listed() -> None:
    text = printed(glossary(DECLARED, SAID, COMMANDS))
    for word in ("advise", "other-load", "stolen", "cas-one-line", "cache coherence", "±"):
        assert word in text
    assert "latency_after" not in text


def test_a_row_is_said_whole() -> None:
    row = max(numbered(ANSWER), key=lambda one: len(one.findings))
    text = printed(explanation(f"#{row.place}", DECLARED, ANSWER, SAID))
    assert re.match(rf"#{row.place} ", text)
    assert len(row.findings) > 1 and all(f"{one.code}: " in text for one in row.findings)
    assert "median" in text and "counters." not in text
    with pytest.raises(Exception, match=r"Run 7 has no row #999: its rows are #1 to #\d+\."):
        explanation("#999", DECLARED, ANSWER, SAID)
