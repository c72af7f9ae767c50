#!/usr/bin/env python3
"""A probe: a thread of Python wakes another by a semaphore, which wakes it in turn. See docs/own-probe.md."""

import json
import os
import sys
import threading
import time
from collections import Counter
from itertools import pairwise

WORDS = {"summary": "Releases a semaphore of CPython", "costs": "Two threads that pass the interpreter on"}
SEMAPHORE = {"name": "python-semaphore", "blocking": True, "timed": ["round-trip"], "pinnable": True, "lines": 1}
ROLES = [{"name": "ping", "counts": True}, {"name": "pong", "counts": True}]
SIGNAL = {"name": "signal", "threads": [2, 2], "windows": "ops", "roles": ROLES}
SIGNAL |= {"mechanisms": [SEMAPHORE | {"params": [], "needs": None, "words": WORDS}]}
PYTHON = {"name": "CPython", "version": sys.version.split()[0], "flags": []}
PROBE = {"schema": 4, "probe": "python", "version": "1", "toolchain": PYTHON, "experiments": [SIGNAL]}
UNCOUNTED = dict.fromkeys(("voluntary_switches", "involuntary_switches", "minor_faults", "major_faults"), 0)
now = time.monotonic_ns


def measure(asked):
    ping, pong, trips, windows, began = threading.Semaphore(0), threading.Semaphore(0), Counter(), [], now()
    threads, warm, over = [{}, {}], asked["warmup"]["ops"] * max(1, asked["warmup"]["rounds"]), threading.Event()

    def turn():
        pong.release()
        ping.acquire()
        return now()

    def window(kind, count):  # in a sampling window each turn is timed: from the end of one to the end of the next
        ends = [now(), *(turn() for _ in range(count))]
        trips.update(later - sooner for sooner, later in pairwise(ends) if kind == "sampling")
        windows.append((kind, int(kind == "sampling"), ends[-1] - ends[0], count))

    def play(side):
        asked["threads"][side]["cpu"] is None or os.sched_setaffinity(0, {asked["threads"][side]["cpu"]})
        threads[side] = {"role": ROLES[side]["name"], "migrations": None, **UNCOUNTED}
        threads[side] |= dict.fromkeys(("cpus_start", "cpus_end"), sorted(os.sched_getaffinity(0)))
        began_ns = time.thread_time_ns()
        lead() if side == 0 else follow()
        threads[side]["cpu_ns"] = time.thread_time_ns() - began_ns

    def lead():
        warmed = [turn() for _ in range(warm)][-1]
        while now() < min(warmed + asked["measure_ns"], began + asked["bound_ns"]):
            for kind in ("throughput", "sampling"):
                window(kind, asked["windows"][kind])
        result["warmup"] = {"ops": 2 * warm, "ns": warmed - began, "ended": "rounds"}
        result["measured"] = {"ops": 2 * sum(one[3] for one in windows), "ns": now() - warmed, "cut": False}
        over.set()
        pong.release()

    def follow():
        while pong.acquire() and not over.is_set():
            ping.release()

    result = {"schema": 4, "experiment": "signal", "mechanism": asked["mechanism"], "threads": threads, "managed": None}
    players = [threading.Thread(target=play, args=(side,)) for side in (0, 1)]
    _ = [one.start() for one in players], [one.join() for one in players]
    kinds, every, lasted, ops = map(list, zip(*windows, strict=True))
    made, times = 2 * (warm + sum(ops)), sorted(trips)
    found = {"kind": kinds, "every": every, "ns": lasted, "ops": [ops, ops], "switches": None, "compile_ms": None}
    result |= {"windows": found | {"warmup": [False] * len(ops), "line": [0] * len(ops), "cpus": None}}
    round_trips = {"unit": "ns", "values": times, "counts": [trips[one] for one in times], "censored": 0, "negative": 0}
    result |= {"distributions": {"round-trip": round_trips}, "machine": {"steal_ns": None, "interrupts": None}}
    result |= {"counts": {"hand-overs": {"made": made, "found": made, "exact": True}}, "home": {"nodes": None}}
    looks = {"look_ns": 0, "looks": 0, "interrupts": None, "lacking": ["This probe looks for no causes."]}
    result |= {"evidence": asked["outliers"] and looks | {"outliers": []}}
    return result | {"clock": {"name": "time.monotonic_ns", "cost_ns": 50, "resolution_ns": 1, "skew": None}}


if sys.argv[1] == "describe":
    print(json.dumps(PROBE))
else:  # run --request FILE --result FILE --parent PID
    with open(sys.argv[3]) as request, open(sys.argv[5] + ".part", "w") as result:
        json.dump(measure(json.load(request)), result)
    os.rename(sys.argv[5] + ".part", sys.argv[5])
