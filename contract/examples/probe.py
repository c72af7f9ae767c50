#!/usr/bin/env python3
"""A probe: a thread of Python wakes another by a semaphore, which wakes it back: docs/how-to/custom-mechanism.md."""

import json
import os
import resource
import sys
import threading
import time
from collections import Counter
from itertools import chain, pairwise

WORDS = {"summary": "Releases a semaphore of CPython", "costs": "Two threads that pass the interpreter on"}
SEMAPHORE = {"name": "python-semaphore", "blocking": True, "timed": ["round-trip"], "pinnable": True, "lines": 1}
ROLES = [{"name": "ping", "counts": True}, {"name": "pong", "counts": True}]
SIGNAL = {"name": "signal", "threads": [2, 2], "windows": "ops", "roles": ROLES}
SIGNAL |= {"mechanisms": [SEMAPHORE | {"params": [], "needs": None, "words": WORDS}]}
PYTHON = {"name": "CPython", "version": sys.version.split()[0], "flags": []}
PROBE = {"schema": 4, "probe": "python", "version": "1", "toolchain": PYTHON, "experiments": [SIGNAL]}
now = time.monotonic_ns


def used():  # by the thread that asks
    of = resource.getrusage(resource.RUSAGE_THREAD)
    switches = {"voluntary_switches": of.ru_nvcsw, "involuntary_switches": of.ru_nivcsw}
    faults = {"minor_faults": of.ru_minflt, "major_faults": of.ru_majflt}
    return {"cpu_ns": time.thread_time_ns(), **switches, **faults}


def clock():  # the cheapest of several batches: another program spoils the mean
    batches = [[later - sooner for sooner, later in pairwise([now() for _ in range(1_001)])] for _ in range(9)]
    cost = {"cost_ns": min(map(sum, batches)) / 1_000, "resolution_ns": min(filter(None, chain(*batches)))}
    return {"name": "time.monotonic_ns", **cost, "skew": None}


def measure(asked):
    ping, pong, trips, windows, began = threading.Semaphore(0), threading.Semaphore(0), Counter(), [], now()
    threads, marks, warmed, over = [{}, {}], ([], []), threading.Event(), threading.Event()
    warmup, bound = asked["warmup"], began + asked["bound_ns"]
    warm = 1 << 62 if warmup["steady"] else warmup["ops"] * warmup["rounds"]  # it does not look at its pace

    def turn():
        pong.release()
        ping.acquire()

    def window(kind, count):  # in a sampling window each turn is timed: from the end of one to the end of the next
        first, turns = now(), [turn() or (now() if kind == "sampling" else 0) for _ in range(count)]
        ends = [first, *turns] if kind == "sampling" else [first, now()]
        trips.update(later - sooner for sooner, later in pairwise(ends) if kind == "sampling")
        windows.append((kind, int(kind == "sampling"), ends[-1] - ends[0], count))

    def play(side):
        asked["threads"][side]["cpu"] is None or os.sched_setaffinity(0, {asked["threads"][side]["cpu"]})
        threads[side] = {"role": ROLES[side]["name"], "migrations": None}
        threads[side] |= dict.fromkeys(("cpus_start", "cpus_end"), sorted(os.sched_getaffinity(0)))
        (lead, follow)[side]()
        threads[side] |= {name: after - marks[side][0][name] for name, after in marks[side][1].items()}

    def lead():
        turns = 1
        while turns < warm and now() < min(bound, began + warmup["limit_ns"]):
            turn()
            turns += 1
        warmed.set()
        turn()
        marks[0].append(used())
        begins = now()
        while not windows or now() < min(begins + asked["measure_ns"], bound):
            for kind in ("throughput", "sampling"):
                window(kind, asked["windows"][kind])
        lasted, ops = now() - begins, 2 * sum(one[3] for one in windows)
        over.set()
        pong.release()
        marks[0].append(used())
        result["warmup"] = {"ops": 2 * turns, "ns": begins - began, "ended": "rounds" if turns >= warm else "limit"}
        result["measured"] = {"ops": ops, "ns": lasted, "cut": lasted < asked["measure_ns"]}

    def follow():
        for phase in (warmed, over):  # what a thread used is of the second alone
            while pong.acquire() and not phase.is_set():
                ping.release()
            marks[1].append(used())
            ping.release()

    result = {"schema": 4, "experiment": "signal", "mechanism": asked["mechanism"], "threads": threads, "managed": None}
    players = [threading.Thread(target=play, args=(side,)) for side in (0, 1)]
    _ = [one.start() for one in players], [one.join() for one in players]
    kinds, every, lasted, ops = map(list, zip(*windows, strict=True))
    made, times = result["warmup"]["ops"] + result["measured"]["ops"], sorted(trips)
    found = {"kind": kinds, "every": every, "ns": lasted, "ops": [ops, ops], "switches": None, "compile_ms": None}
    result |= {"windows": found | {"warmup": [False] * len(ops), "line": [0] * len(ops), "cpus": None}}
    round_trips = {"unit": "ns", "values": times, "counts": [trips[one] for one in times], "censored": 0, "negative": 0}
    result |= {"distributions": {"round-trip": round_trips}, "machine": {"steal_ns": None, "interrupts": None}}
    result |= {"counts": {"handoffs": {"made": made, "found": made, "exact": True}}, "home": {"nodes": None}}
    looks = {"look_ns": 0, "looks": 0, "interrupts": None, "lacking": ["This probe looks for no causes."]}
    result |= {"evidence": asked["outliers"] and looks | {"outliers": []}}
    return result | {"clock": clock()}


if sys.argv[1] == "describe":
    print(json.dumps(PROBE))
else:  # run --request FILE --result FILE --parent PID
    with open(sys.argv[3]) as request, open(sys.argv[5] + ".part", "w") as result:
        json.dump(measure(json.load(request)), result)
    os.rename(sys.argv[5] + ".part", sys.argv[5])
