#!/usr/bin/env python3
"""A probe that measures nothing: it answers with exact figures, or misbehaves as its mechanism's name says.

Its own process, behind the real interface, so that the whole pipeline is tested without any timing. `steady` takes 100
ns one way on every line, `slow` 2 microseconds; both agree with themselves to the nanosecond. Its locks do 12 million
operations a second, however many threads there are, and these have equal shares. States of the machine are planted with
FAKE_APART, a file with a distance in nanoseconds on each line: pings tell them in turn, and fail where it is 0. With
FAKE_OF_L3 so many CPUs have an L3, and pairs are as far apart as that says.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False  # it starts hundreds of times: imports would take longer than all that it does
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Message = dict[str, Any]
    Window = tuple[int, str, int, list[int]]

PUBLISHED_SPINNING = ("xadd-one-line", "seqcst-one-line", "release-one-line")
PUBLISHED_BLOCKING = ("condition", "condition-released")
SPINNING = {
    "steady": "answers exactly",
    "tunable": "answers exactly, whatever its parameters",
    "cas-one-line": "answers exactly, under the name of a mechanism that is measured first",
    **dict.fromkeys(PUBLISHED_SPINNING, "answers exactly, under the name of one that repeats what was published"),
}
BLOCKING = {
    "slow": "answers exactly, and blocks",
    "floating": "answers exactly, from threads without a CPU of their own",
    "newer": "answers exactly, if the runtime were newer",
    "crashes": "ends by a signal before it has a result",
    "crashes-late": "writes a good result, then ends by a signal",
    "hangs": "never ends, and neither does its child",
    "speaks-schema-2": "is of an older build",
    "lies": "reports another mechanism",
    "lies-about-cpus": "reports other CPUs",
    "lies-about-time": "reports more time in its parts than in the whole",
    "chatters": "prints a lot around a good result",
    "floods": "prints until something stops it",
    "writes-half": "writes half a result",
    "writes-garbage": "writes what is not JSON",
    "writes-nothing": "ends well without a result",
    "refuses": "answers with the contract's error message",
    "fails-once": "fails in its first trial only",
    **dict.fromkeys(PUBLISHED_BLOCKING, "answers exactly, under the name of one that repeats what was published"),
}
LOCKS = {
    "mutex": "answers exactly, and blocks",
    "shared-mutex": "answers exactly, and lets readers in together",
    "ticket-lock": "answers exactly, and spins",
    "fetch-add": "answers exactly, without a lock",
    "monitor": "answers exactly",
    "reentrant-lock": "answers exactly",
    "unprotected": "loses a quarter of its increments, and says so",
    "loses-updates": "answers with the contract's error message for lost increments",
    "lies-about-its-count": "calls a count exact that is not",
    "stalls": "answers with the contract's error message for a deadlock",
}
CALLS = {
    "futex": "answers exactly, and has an outlier of each cause",
    "pipe": "answers exactly, and is never late",
    "monitor": "answers exactly",
    "condition": "answers exactly, and its waiter wakes as FAKE_WAKE_NS says",
}
CLOCKS = {"clock-monotonic": "has on each CPU the gaps that FAKE_GAPS_NS plants: 2000x100,150000x1"}
RINGS = {
    "disruptor": "answers exactly",
    "sequenced-ring": "answers exactly, to one consumer",
    "mutex-deque": "answers exactly, and sleeps",
}
CROWDS = {
    "std-barrier": "answers exactly, slower with every thread",
    "futex-all": "answers exactly, cheap for the caller and late for the last",
    "spin-all": "answers exactly, and spins",
}
PACED = {
    "release-one-line": "answers exactly, and spins",
    "disruptor": "answers exactly, and spins",
    "sequenced-ring": "answers exactly, and spins",
    "condition": "answers exactly, and sleeps",
    "spin-then-park": "answers exactly, and spins for 10 ns a look before it sleeps",
    "jlbh": "takes 150 ms for every tenth message, in the sender's thread, and 1 ms for all others",
    "stalled": "spins, and its sender stands still once, for ten messages",
    "drowning": "takes 16.34 us for each message, 61,200 a second",
}
CALIBRATED = {
    "release-two-lines": "takes 60 ns a round trip and what is planted, all of it FAKE_SLOPE times as long",
    "condition": "takes 50 us a round trip and what is planted, all of it FAKE_SLOPE times as long",
}
FOLLOWING = ("producer", "sender", "waiter", "member")
WITHOUT_A_LOCK = ("fetch-add", "unprotected")
SLEEPING = ("mutex", "monitor", "reentrant-lock")
NUMBER = {"choices": None, "range": [0, 1000000], "only_with": None}
WAIT = {"name": "wait", "default": "spin", "choices": ["spin", "pause", "yield"], "range": None, "only_with": None}
PAUSES = {"name": "pauses", "default": 1, "range": [1, 10000], "only_with": {"param": "wait", "value": "pause"}}
TUNABLE = [WAIT, {**NUMBER, **PAUSES}]


def named(variable: str, usual: str = "") -> list[str]:
    return [name for name in os.environ.get(variable, usual).split(",") if name]


def describe() -> Message:
    """Only the mechanisms that FAKE_MECHANISMS and its like name; without a lock, the probe cannot do `lock`."""
    wanted, signals = named("FAKE_MECHANISMS", "steady,slow"), {**SPINNING, **BLOCKING}
    experiments = [
        experiment(
            "signal", ["ping", "pong"], 2, [signal_mechanism(name) for name in signals if name in wanted], "ops"
        ),
        experiment("lock", ["worker"], 1, [lock_mechanism(name) for name in named("FAKE_LOCKS")]),
        experiment("notify", ["notifier", "waiter"], 2, [notify_mechanism(name) for name in named("FAKE_CALLS")]),
        experiment("ring", ["producer", "consumer"], 2, [ring_mechanism(name) for name in named("FAKE_RINGS")]),
        experiment("paced", ["sender", "receiver"], 2, [paced_mechanism(name) for name in named("FAKE_PACED")]),
        experiment("crowd", ["caller", "member"], 2, [crowd_mechanism(name) for name in named("FAKE_CROWDS")]),
        experiment("gaps", ["reader"], 1, [gaps_mechanism(name) for name in named("FAKE_CLOCKS")]),
        experiment(
            "calibration",
            ["ping", "pong"],
            2,
            [calibration_mechanism(name) for name in named("FAKE_CALIBRATED")],
            "ops",
        ),
        experiment("toy", ["adder"], 2, [toy_mechanism(name) for name in named("FAKE_TOYS")]),
    ]
    return {
        "schema": 4,
        "probe": "cpp",
        "version": "0.0.0",
        "toolchain": {"name": "fake", "version": "1", "flags": []},
        "experiments": [one for one in experiments if one["mechanisms"] or one["name"] == "signal"],
    }


def experiment(name: str, roles: list[str], fewest: int, mechanisms: list[Message], windows: str = "ns") -> Message:
    declared = [{"name": role, "counts": role not in FOLLOWING} for role in roles]
    threads = [fewest, 2 if name in ("signal", "paced", "toy") else 4096]
    return {"name": name, "roles": declared, "threads": threads, "windows": windows, "mechanisms": mechanisms}


def mechanism(name: str, summary: str, timed: list[str], lines: int, blocking: bool, **params: int) -> Message:
    return {
        "name": name,
        "blocking": blocking,
        "timed": timed,
        "pinnable": name != "floating",
        "lines": lines,
        "params": [{"name": param.replace("_", "-"), "default": value, **NUMBER} for param, value in params.items()],
        "needs": "Java 21" if name == "newer" else None,
        "words": {"summary": f"{name}: {summary}.", "costs": "Nothing."},
    }


def signal_mechanism(name: str) -> Message:
    blocking = name in BLOCKING
    found = mechanism(name, {**SPINNING, **BLOCKING}[name], ["round-trip"], 1 if blocking else 4, blocking)
    return {**found, "params": TUNABLE if name in ("tunable", "xadd-one-line") else []}


def lock_mechanism(name: str) -> Message:
    found = mechanism(name, LOCKS[name], [timed_by(name)], 8, name in SLEEPING, critical=0, outside=0)
    writers = {"name": "writers", "default": 4096, **NUMBER, "range": [0, 4096]}
    writes = {"name": "writes", "default": 100, **NUMBER, "range": [0, 100]}
    return {**found, "params": [*found["params"], writers, writes]} if name == "shared-mutex" else found


def notify_mechanism(name: str) -> Message:
    return mechanism(name, CALLS[name], ["call", "wake"], 1, True, buffer=4096, pause=1000, waiter_pause=10)


def crowd_mechanism(name: str) -> Message:
    found = mechanism(name, CROWDS[name], ["call"], 1, name != "spin-all", work=0, jobs=0, pause=0)
    join = {"name": "join", "default": "yes", "choices": ["yes", "no"], "range": None, "only_with": None}
    arrivals = {"name": "arrivals", "default": "gaps", "choices": ["gaps", "ticks"], "range": None, "only_with": None}
    return {**found, "params": [*found["params"], join, arrivals]}


def ring_mechanism(name: str) -> Message:
    """Only the disruptor publishes batches, to several consumers; only the others take several producers."""
    plural = {"batch": 1, "consumers": 1} if name == "disruptor" else {"producers": 1}
    return mechanism(name, RINGS[name], ["latency"], 1, name == "mutex-deque", in_flight=0, produce=0, **plural)


def paced_mechanism(name: str) -> Message:
    own = {"spins": 1000} if name == "spin-then-park" else {}
    found = mechanism(name, PACED[name], ["latency"], 1, name in ("condition", "spin-then-park"), **own)
    rate = {"name": "rate", "default": 10_000, **NUMBER, "range": [10, 20_000_000]}
    burst = {"name": "burst", "default": 10, **NUMBER, "only_with": {"param": "arrivals", "value": "bursts"}}
    words = ["constant", "poisson", "bursts", "gaps"]
    arrivals = {"name": "arrivals", "default": "constant", "choices": words, "range": None, "only_with": None}
    only = {"param": "arrivals", "value": "gaps"}
    gaps = {"name": "gaps", "default": "drawn", "choices": ["drawn", *PARTS], "range": None, "only_with": only}
    return {**found, "params": [*found["params"], arrivals, rate, burst, gaps]}


def gaps_mechanism(name: str) -> Message:
    return mechanism(name, CLOCKS[name], ["gap"], 1, False, least=1000)


def calibration_mechanism(name: str) -> Message:
    lines, blocking = (1, True) if name == "condition" else (64, False)
    return mechanism(name, CALIBRATED[name], ["round-trip"], lines, blocking, delay=0, stall_every=0, stall=0)


def toy_mechanism(name: str) -> Message:
    return mechanism(name, "adds exactly", ["add"], 2, False)


def timed_by(lock: str) -> str:
    return "increment" if lock in WITHOUT_A_LOCK else "acquire"


def topology() -> Message:
    count = int(os.environ.get("FAKE_CPUS", "2"))
    of_l3 = int(os.environ.get("FAKE_OF_L3", "0")) or count
    cpus = [{"cpu": c, "core": c, "l2": c, "l3": c // of_l3, "node": 0, "package": 0} for c in range(count)]
    named = {what: os.environ.get(f"FAKE_{what.upper()}") for what in ("allowed", "isolated")}
    told = {what: [*map(int, cpus.split(","))] for what, cpus in named.items() if cpus}
    return {"schema": 4, "source": "fake", "cpus": cpus, "allowed": list(range(count)), **told}


def exact_result(request: Message) -> Message:
    match request["experiment"]:
        case "signal":
            return exact_signal(request)
        case "lock":
            return exact_increments(request, "worker", timed_by(request["mechanism"]))
        case "notify":
            return exact_notify(request)
        case "ring":
            return exact_stream(request)
        case "paced":
            return exact_schedule(request)
        case "crowd":
            return exact_rounds(request)
        case "calibration":
            return exact_calibration(request)
        case "gaps":
            return exact_gaps(request)
        case _:  # what tests/fakes/toy.py declares
            return exact_increments(request, "adder", "add")


def thread(request: Message, role: str, cpu: int | None, cpu_ns: int) -> Message:
    named = sorted({thread["cpu"] for thread in request["threads"] if thread["cpu"] is not None})
    cpus = topology()["allowed"] if cpu is None else named if request["pin"] == "process" else [cpu]
    zeros = dict.fromkeys(
        ("voluntary_switches", "involuntary_switches", "migrations", "minor_faults", "major_faults"), 0
    )
    return {"role": role, "cpus_start": cpus, "cpus_end": cpus, "cpu_ns": cpu_ns, **zeros}


def result_of(
    request: Message, roles: list[str], cpu_ns: int, windows: list[Window], every: int = 1, **figures: Any
) -> Message:
    """A result of these windows: line, kind, length, and the operations of each thread."""
    line, kind, ns, ops = (list(column) for column in zip(*windows, strict=True))
    standing = zip(roles, request["threads"], strict=True)
    counted = [done for each in ops for role, done in zip(roles, each, strict=True) if role not in FOLLOWING]
    return {
        "schema": 4,
        "experiment": request["experiment"],
        "mechanism": request["mechanism"],
        "threads": [thread(request, role, one["cpu"], cpu_ns) for role, one in standing],
        "home": {"nodes": [0]},
        "clock": {"name": "fake", "cost_ns": 20.0, "resolution_ns": 1, "skew": None},
        "warmup": {"ops": 1000, "ns": 1000, "ended": "steady"},
        "measured": {"ops": sum(counted), "ns": sum(ns), "cut": False},
        "machine": {"steal_ns": 0, "interrupts": 0},
        "managed": None,
        "windows": {
            "warmup": [False] * len(line),
            "line": line,
            "kind": kind,
            "every": [every if one == "sampling" else 0 for one in kind],
            "ns": ns,
            "ops": [list(one) for one in zip(*ops, strict=True)],
            "switches": None,
            "compile_ms": None,
        },
        "evidence": evidence([]) if request["outliers"] else None,
        **figures,
    }


def evidence(outliers: list[Message]) -> Message:
    return {"look_ns": 700.0, "looks": 12, "interrupts": "trace-points", "lacking": [], "outliers": outliers}


SEEN: dict[str, Message] = {
    "migrated": {"cpu_before": 1, "involuntary_switches": 1, "run_delay_ns": 90_000},
    "preempted": {"involuntary_switches": 1, "run_delay_ns": 90_000},
    "page-fault": {"minor_faults": 3},
    "scheduler-delay": {"run_delay_ns": 60_000},
    "stolen": {"cpu_ns": 30_000},
    "idle-cpu": {"others_woken": True},
    "interrupts": {"interrupts": 2},
    "unknown": {},
}


def outlier(of: str, thread: int, at_ns: int, ns: int, seen: Message) -> Message:
    """One around which this was seen, and nothing else."""
    counts = ("voluntary_switches", "involuntary_switches", "minor_faults", "major_faults", "interrupts")
    quiet = {"ns": ns, "cpu_before": 0, "cpu": 0, "cpu_ns": ns, "run_delay_ns": 0, "others_run_delay_ns": 0}
    whole = {**quiet, **dict.fromkeys(counts, 0), **seen}
    return {"of": of, "thread": thread, "at_ns": at_ns, "ns": ns, "seen": whole}


def exact_notify(request: Message) -> Message:
    """Each notifier calls 1000 times in a throughput second and 10,000 times in ten sampling ones; every waiter wakes.

    A call takes 2 us and a wake-up 30. Of all calls of futex eight take 100 us, one for each cause but a safepoint, and
    two that were not kept take 50 us.
    """
    pairs = len(request["threads"]) // 2
    late = request["mechanism"] == "futex"
    calls_of = {"throughput": 1_000, "sampling": 10_000}
    windows = [(0, kind, 1_000_000 * ops, [ops, ops] * pairs) for kind, ops in calls_of.items()]
    calls = {2_000: 10_000 * pairs - 10, 50_000: 2, 100_000: 8} if late else {2_000: 10_000 * pairs}
    kept = [outlier("call", 0, place, 100_000, seen) for place, seen in enumerate(SEEN.values())] if late else []
    made = 1000 + 11_000 * pairs
    result = result_of(
        request,
        ["notifier", "waiter"] * pairs,
        500_000_000,
        windows,
        distributions={
            "call": distribution(calls),
            "wake": distribution({int(os.environ.get("FAKE_WAKE_NS", "30000")): 10_000 * pairs}),
        },
        counts={
            "calls": {"made": made, "found": made, "exact": True},
            "wake-ups": {"made": 10_000 * pairs, "found": 9_000 * pairs, "exact": False},
        },
    )
    return {**result, "evidence": evidence(kept) if request["outliers"] else None}


def exact_rounds(request: Message) -> Message:
    """A thousand rounds in a throughput window of 10 ms, half as many in a sampling one, each timed.

    The call of std-barrier takes 1 us for each member and its last runs 1 us later; of futex-all the call takes 500 ns
    and the last runs after 3 us for each member; of spin-all that is 50 ns, and 5 us where there are more than three.
    All are done 2 us after the last ran; of a hundred rounds one takes ten times as long.
    """
    members = len(request["threads"]) - 1
    call, last = {
        "std-barrier": (1_000 * members, 1_000 * members + 1_000),
        "futex-all": (500, 3_000 * members),
        "spin-all": (50, 100 if members <= 3 else 5_000 * members),
    }[request["mechanism"]]
    windows: list[Window] = [
        (0, kind, ns, [rounds] * (members + 1))
        for kind, ns, rounds in (("throughput", 10_000_000, 1_000), ("sampling", 5_000_000, 500))
    ]
    told = {"call": call, "first": min(900, last), "last": last, "spread": last - min(900, last), "done": last + 2_000}
    made = 2_500 * members
    return result_of(
        request,
        ["caller", *["member"] * members],
        3_000_000,
        windows,
        distributions={name: distribution({ns: 495, 10 * ns: 5} if ns else {0: 500}) for name, ns in told.items()},
        counts={"rounds": {"made": made, "found": made, "exact": True}},
    )


def exact_gaps(request: Message) -> Message:
    """Each reader reads every 20 ns, for 20 ms and then for 180, with the gaps that are planted; nobody looks."""
    readers = len(request["threads"])
    planted = [one.split("x") for one in named("FAKE_GAPS_NS", "2000x100")]
    gaps = {int(ns): readers * int(count) for ns, count in planted}
    lost = sum(ns * count for ns, count in gaps.items()) // readers
    windows = [(0, "throughput", 20_000_000, [1_000_000] * readers)]
    windows.append((0, "sampling", 180_000_000, [(180_000_000 - lost) // 20] * readers))
    made = 1000 + sum(sum(ops) for _, _, _, ops in windows)
    return result_of(
        request,
        ["reader"] * readers,
        200_000_000,
        windows,
        distributions={"gap": distribution(dict(sorted(gaps.items())))},
        counts={"readings in order": {"made": made, "found": made, "exact": True}},
    )


def exact_calibration(request: Message) -> Message:
    """A block of 1000 round trips for each line, and 300 one by one: of these three have a stall, if any has."""
    params, slope = request["params"], float(os.environ.get("FAKE_SLOPE", "1"))
    bare = 50_000 if request["mechanism"] == "condition" else 60
    trip = round(slope * (bare + params["delay"]))
    stalls = 3 if params["stall-every"] else 0
    singles = {trip: 300 - stalls, **({trip + params["stall"]: stalls} if stalls else {})}
    windows: list[Window] = [(line, "throughput", 1000 * trip, [1000, 1000]) for line in range(request["lines"])]
    windows.append((0, "sampling", sum(ns * count for ns, count in singles.items()), [300, 300]))
    made = 1000 + sum(sum(ops) for _, _, _, ops in windows)
    return result_of(
        request,
        ["ping", "pong"],
        round(made * trip / 2),
        windows,
        distributions={
            "round-trip": distribution(singles),
            "delay-alone": distribution({1000 * params["delay"]: 1}, "ps"),
        },
        counts={
            "hand-overs": {"made": made, "found": made, "exact": True},
            "stalls": {"made": stalls, "found": stalls, "exact": False},
        },
    )


def exact_stream(request: Message) -> Message:
    """Each consumer takes 100,000 messages in a throughput window of 10 ms, half as many in a sampling one of 5.

    In batches of ten or more it is ten times as many, and with one in flight half. Of 10,000 messages that carry a time
    ten took 640 ns and the others 80; the consumer took one message at once 30,000 times, and ten 2,000 times.
    """
    params, number = request["params"], len(request["threads"])
    consumers = params.get("consumers", 1)
    roles = ["producer", "consumer", *(["consumer"] if consumers > 1 else ["producer"]) * (number - 2)]
    fold = (10 if int(params.get("batch", 1)) >= 10 else 1) / (2 if int(params.get("in-flight", 0)) == 1 else 1)
    messages = int(100_000 * fold)
    lengths = {"throughput": (10_000_000, messages), "sampling": (5_000_000, messages // 2)}
    share = roles.count("producer")
    windows = [
        (0, kind, ns, [all_of_it // share if role == "producer" else all_of_it for role in roles])
        for kind, (ns, all_of_it) in lengths.items()
    ]
    made = 1000 + sum(all_of_it for _, all_of_it in lengths.values())
    return result_of(
        request,
        roles,
        15_000_000,
        windows,
        distributions={
            "latency": distribution({80: 9_990 * consumers, 640: 10 * consumers}),
            "batch": distribution({1: 30_000 * consumers, 10: 2_000 * consumers}, "messages"),
        },
        counts={"messages": {"made": made, "found": made, "exact": True}},
    )


PARTS = {"10us": 1e4, "30us": 3e4, "100us": 1e5, "300us": 3e5, "1ms": 1e6, "3ms": 3e6, "10ms": 1e7, "30ms": 3e7}
PARTS |= {"100ms": 1e8, "300ms": 3e8, "1s": 1e9}
DRAWN = tuple(PARTS)[:8]


def exact_schedule(request: Message) -> Message:
    """A thousand messages, simulated one by one; with gaps a hundred in each part of that axis, which take ever
    longer; where they are of one length all are in its part.

    A message is sent when it is due and the sender is free, and received when the receiver is: it takes `hand_over`
    when it waits, and so much CPU.
    """
    params, name = request["params"], request["mechanism"]
    length = params.get("gaps", "drawn")
    gap = 1_000_000_000 // params.get("rate", 10_000) if length == "drawn" else int(PARTS[length])
    spinning = 10 * params.get("spins", 0) >= gap or name not in ("condition", "spin-then-park")
    hand_over, cpu = (200, gap) if spinning else (20_000, 5_000 + min(gap, 10 * params.get("spins", 0)))
    received = min(1_000, 61_200 * 1_000 * gap // 1_000_000_000) if name == "drowning" else 1_000
    late, once_sent, free, last = [], [], 0, 0
    for number in range(1, received + 1):
        due = number * gap
        sent = max(due, free)
        takes = hand_over
        if name == "jlbh":
            takes = 1_000_000 if number % 10 else 150_000_000
            free = sent + takes
        elif name == "stalled" and number == 500:
            free = sent + 10 * gap
        last = max(last, sent) + 16_340 if name == "drowning" else sent + takes
        late.append(sent - due)
        once_sent.append(last - sent)
    half = 1_000 * gap // 2
    windows: list[Window] = [(0, kind, half, [500, received // 2]) for kind in ("throughput", "sampling")]
    distributions = {
        "latency": counted(map(sum, zip(late, once_sent, strict=True))),
        "due-to-sent": counted(late),
        "sent-to-received": counted(once_sent),
    }
    for place, part in enumerate(PARTS):
        there = params.get("arrivals") == "gaps" and (part in DRAWN if length == "drawn" else part == length)
        each = 1 if length == "drawn" else 10
        after = {20_000 + 5_000 * place: 90 * each, 40_000 + 5_000 * place: 10 * each} if there else {}
        distributions[f"latency-after-{part}"] = distribution(after)
        deep = {0: 10 * min(place, 8), 1: 80 - 10 * min(place, 8)} if after and not spinning else {}
        idle = {deeper: count for deeper, count in deep.items() if count}
        distributions[f"idle-after-{part}"] = distribution(idle, "deeper states")
    counts = {"messages": {"made": 2_000, "found": 2_000, "exact": True}}
    made = result_of(request, ["sender", "receiver"], 2 * half, windows, distributions=distributions, counts=counts)
    made["threads"][1] |= {"cpu_ns": 1_000 * cpu, "voluntary_switches": 0 if spinning else 1_000}
    return made


def counted(values: Iterable[int]) -> Message:
    found: dict[int, int] = {}
    for value in sorted(values):
        found[value] = found.get(value, 0) + 1
    return distribution(found)


def distribution(counts: dict[int, int], unit: str = "ns") -> Message:
    return {"unit": unit, "values": list(counts), "counts": list(counts.values()), "censored": 0, "negative": 0}


def exact_increments(request: Message, role: str, timed: str) -> Message:
    """At each line 12,000 operations in a millisecond, then as many in 1.05, in which one in 8 is timed.

    All threads do alike; what does not divide evenly falls to the first.
    """
    number, lines = len(request["threads"]), request["lines"]
    share = 12_000 // number
    ops = [12_000 - share * (number - 1), *[share] * (number - 1)]
    kinds = (("throughput", 1_000_000), ("sampling", 1_050_000))
    windows = [(line, kind, ns, ops) for line in range(lines) for kind, ns in kinds]
    waits = {50: 11_976, 100: 23, 5_000: 1} if lines == 8 else {50: 100}
    exact = request["mechanism"] != "unprotected"
    made = 1000 + 12_000 * len(windows)
    return result_of(
        request,
        [role] * number,
        lines * sum(ns for _, ns in kinds),
        windows,
        distributions={timed: distribution(waits)},
        counts={
            "increments": {"made": made, "found": made if exact else made - made // 4, "exact": exact},
            "hand-overs": {"made": 12_000 * lines, "found": 3_000 * lines, "exact": False},
        },
        every=8,
    )


def one_way_ns(request: Message) -> float:
    """A trial of cas-one-line takes what the last reference ping took; a ping has 64 lines."""
    planted = os.environ.get("FAKE_APART")
    if os.environ.get("FAKE_OF_L3"):
        return planted_ns([thread["cpu"] for thread in request["threads"]], request["seed"])
    if request["mechanism"] != "cas-one-line" or not planted:
        noise: float = float(os.environ.get("FAKE_NOISE", "0")) * (request["seed"] % 997) / 997
        longer: float = 1 + float(os.environ.get("FAKE_SLOWER", "0"))
        return (100.0 if request["mechanism"] in SPINNING else 2000.0) * (1 + noise) * longer
    count = f"{planted}.count"
    pinged = int(read(count)) if os.path.exists(count) else 0
    if request["lines"] == 64:
        pinged += 1
        write(count, str(pinged))
    levels = read(planted).split()
    return float(levels[(pinged - 1) % len(levels)])


def planted_ns(cpus: list[int | None], seed: int) -> float:
    """Pairs of one L3 are 24 ns apart, others 87, and FAKE_NOISE more or less; CPUs of FAKE_OFFLINE went away.

    The scheduler puts each thread on an L3 of its own.
    """
    gone = [int(cpu) for cpu in named("FAKE_OFFLINE")]
    if any(cpu in gone for cpu in cpus):
        return 0.0
    l3s = {-at if cpu is None else cpu // int(os.environ["FAKE_OF_L3"]) for at, cpu in enumerate(cpus, 1)}
    noise: float = float(os.environ.get("FAKE_NOISE", "0")) * (seed % 997) / 997
    return (24.0 if len(l3s) == 1 else 87.0) * (1 + noise)


def exact_signal(request: Message) -> Message:
    """Blocks of 1000 round trips, two for each line, and 10,000 single round trips in one window.

    A ping has a tenth of them: its process has to live as long as it says that it measured.
    """
    one_way = one_way_ns(request)
    singles = {round(2 * one_way): 9_980, round(4 * one_way): 19, round(40 * one_way): 1}
    single_ns = sum(value * count for value, count in singles.items())
    trips = 100 if request["lines"] == 64 else 1000
    block_ns = round(2 * trips * one_way)
    windows = [(line, "throughput", block_ns, [trips, trips]) for line in range(request["lines"]) for _ in range(2)]
    windows.append((0, "sampling", single_ns, [10_000, 10_000]))
    hand_overs = sum(sum(ops) for _, _, _, ops in windows)
    made = 1000 + hand_overs
    return result_of(
        request,
        ["ping", "pong"],
        round(hand_overs * one_way),
        windows,
        distributions={"round-trip": distribution(singles)},
        counts={"hand-overs": {"made": made, "found": made, "exact": True}},
    )


ERRORS = {
    "refuses": ("pin-failed", "CPU 9 cannot be used here."),
    "loses-updates": ("count-wrong", "17 of 97,000 increments were lost: 96,983 were found."),
    "stalls": ("stalled", "No thread gets the lock any more: a release was lost, or the lock deadlocks."),
}


def dumps(value: object) -> str:
    """Write JSON."""
    match value:
        case dict():
            return f"{{{','.join(f'{dumps(name)}:{dumps(one)}' for name, one in value.items())}}}"
        case list() | tuple():
            return f"[{','.join(map(dumps, value))}]"
        case None | True | False:
            return {None: "null", True: "true", False: "false"}[value]
        case str():
            escaped = value.replace("\\", "\\\\").replace('"', '\\"')
            return f'"{escaped}"'
    return repr(value)


def read(file: str) -> str:
    with open(file) as text:
        return text.read()


def write(file: str, text: str) -> None:
    with open(file, "w") as written:
        written.write(text)


def crash() -> None:
    import signal

    os.kill(os.getpid(), signal.SIGSEGV)


def run(request_file: str, result_file: str) -> int:
    request = eval(read(request_file), {"null": None, "true": True, "false": False})  # what JSON and Python share
    behaviour = request["mechanism"]
    result = exact_result(request)
    if not result["measured"]["ns"]:
        behaviour = "refuses"
    text = dumps(result)
    if pause := os.environ.get("FAKE_PAUSE"):
        time.sleep(float(pause))
    match behaviour:
        case "crashes":
            crash()
        case "hangs":
            import subprocess

            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            print(f"child {child.pid}", flush=True)
            time.sleep(600)
        case "speaks-schema-2":
            text = dumps({**result, "schema": 2})
        case "lies":
            text = dumps({**result, "mechanism": "steady"})
        case "lies-about-cpus":
            text = dumps({**result, "threads": [{**t, "cpus_start": [77]} for t in result["threads"]]})
        case "lies-about-time":
            text = dumps({**result, "measured": {**result["measured"], "ns": 5}})
        case "chatters":
            sys.stdout.write("WARNING: a JVM says [red]this[/red]\n" * 1000)
            sys.stderr.buffer.write(b"\xff\x00 not text \xfe\n")
        case "floods":
            while True:
                sys.stdout.write("x" * 1_000_000)
        case "writes-half":
            text = text[: len(text) // 2]
        case "writes-garbage":
            text = "Picked up JAVA_TOOL_OPTIONS\n"
        case "writes-nothing":
            return 0
        case "lies-about-its-count":
            result["counts"]["increments"]["found"] -= 17
            text = dumps(result)
        case "refuses" | "loses-updates" | "stalls":
            code, message = ERRORS[behaviour]
            write(result_file, dumps({"schema": 4, "error": {"code": code, "message": message}}))
            return 1
        case "fails-once":
            marker = os.environ["FAKE_MARKER"]
            if not os.path.exists(marker):
                write(marker, "")
                return 3
    write(result_file, text)
    if behaviour == "crashes-late":
        crash()
    return 0


def busy(nice: str, words: list[str]) -> int:
    """Say so in FAKE_BUSY, a folder, with how it was asked; take no CPU time, until somebody ends it."""
    if folder := os.environ.get("FAKE_BUSY"):
        write(f"{folder}/{os.getpid()}.{nice}", " ".join(words))
    time.sleep(60)
    return 0


def main() -> int:
    match sys.argv[1:]:
        case ["describe"]:
            print(os.environ.get("FAKE_DESCRIPTION") or dumps(describe()))
        case ["topology"]:
            print(dumps(topology()))
        case ["run", "--request", request, "--result", result, "--parent", _]:
            return run(request, result)
        case ["busy" | "hold", *nice]:
            return busy(nice[1] if nice[:1] == ["--nice"] else "0", nice)
        case _:
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
