"""The fake probe's description of its mechanisms and CPUs."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # it starts hundreds of times: imports would take longer than all that it does
if TYPE_CHECKING:
    from typing import Any

    Message = dict[str, Any]

PARTS = {"10us": 1e4, "30us": 3e4, "100us": 1e5, "300us": 3e5, "1ms": 1e6, "3ms": 3e6, "10ms": 1e7, "30ms": 3e7}
PARTS |= {"100ms": 1e8, "300ms": 3e8, "1s": 1e9}
DRAWN = tuple(PARTS)[:8]

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
BARRIERS = {
    "std-barrier": "answers exactly, slower with every thread",
    "futex-all": "answers exactly, cheap for the coordinator and late for the last",
    "spin-all": "answers exactly, and spins",
}
LOAD = {
    "release-one-line": "answers exactly, and spins",
    "disruptor": "answers exactly, and spins",
    "sequenced-ring": "answers exactly, and spins",
    "condition": "answers exactly, and sleeps",
    "spin-then-park": "answers exactly, and spins for 10 ns a look before it sleeps",
    "jlbh": "takes 150 ms for every tenth message, in the sender's thread, and 1 ms for all others",
    "stalled": "spins, and its sender stalls once, for ten messages, or FAKE_STALLED",
    "drowning": "takes 16.34 us for each message, 61,200 a second",
}
CALIBRATED = {
    "release-two-lines": "takes 60 ns a round trip and what is planted, all of it FAKE_SLOPE times as long",
    "condition": "takes 50 us a round trip and what is planted, all of it FAKE_SLOPE times as long",
}
FOLLOWING = ("producer", "sender", "waiter", "worker")
WITHOUT_A_LOCK = ("fetch-add", "unprotected")
SLEEPING = ("mutex", "monitor", "reentrant-lock")
NUMBER = {"choices": None, "range": [0, 1000000], "only_with": None}
WAIT = {"name": "wait", "default": "spin", "choices": ["spin", "pause", "yield"], "range": None, "only_with": None}
PAUSES = {"name": "pauses", "default": 1, "range": [1, 10000], "only_with": {"param": "wait", "value": "pause"}}
TUNABLE = [WAIT, {**NUMBER, **PAUSES}]


def named(variable: str, usual: str = "") -> list[str]:
    return [name for name in os.environ.get(variable, usual).split(",") if name]


def describe(own: str = "") -> Message:
    """Only the mechanisms that FAKE_MECHANISMS and its like name; without a lock, the probe cannot do `lock`.

    For `own`, FAKE_MECHANISMS counts as that name.
    """
    wanted, signals = [own] if own else named("FAKE_MECHANISMS", "steady,slow"), {**SPINNING, **BLOCKING}
    experiments = [
        experiment(
            "signal", ["ping", "pong"], 2, [signal_mechanism(name) for name in signals if name in wanted], "ops"
        ),
        experiment("lock", ["contender"], 1, [lock_mechanism(name) for name in named("FAKE_LOCKS")]),
        experiment("wakeup", ["notifier", "waiter"], 2, [wakeup_mechanism(name) for name in named("FAKE_CALLS")]),
        experiment("queue", ["producer", "consumer"], 2, [queue_mechanism(name) for name in named("FAKE_RINGS")]),
        experiment("load", ["sender", "receiver"], 2, [load_mechanism(name) for name in named("FAKE_PACED")]),
        experiment(
            "barrier", ["coordinator", "worker"], 2, [barrier_mechanism(name) for name in named("FAKE_BARRIERS")]
        ),
        experiment("jitter", ["reader"], 1, [jitter_mechanism(name) for name in named("FAKE_CLOCKS")]),
        experiment(
            "self-test", ["ping", "pong"], 2, [self_test_mechanism(name) for name in named("FAKE_CALIBRATED")], "ops"
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
    threads = [fewest, 2 if name in ("signal", "load", "toy") else 4096]
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


def wakeup_mechanism(name: str) -> Message:
    return mechanism(name, CALLS[name], ["call", "wake"], 1, True, message_bytes=4096, pause=1000, waiter_pause=10)


def barrier_mechanism(name: str) -> Message:
    found = mechanism(name, BARRIERS[name], ["call"], 1, name != "spin-all", work=0, jobs=0, pause=0)
    join = {"name": "join", "default": "yes", "choices": ["yes", "no"], "range": None, "only_with": None}
    pacing = {"name": "pacing", "default": "pause", "choices": ["pause", "period"], "range": None, "only_with": None}
    return {**found, "params": [*found["params"], join, pacing]}


def queue_mechanism(name: str) -> Message:
    """Only the disruptor publishes batches, to several consumers; only the others take several producers."""
    plural = {"batch": 1, "consumers": 1} if name == "disruptor" else {"producers": 1}
    return mechanism(name, RINGS[name], ["latency"], 1, name == "mutex-deque", depth=0, producer_work=0, **plural)


def load_mechanism(name: str) -> Message:
    own = {"spins": 1000} if name == "spin-then-park" else {}
    found = mechanism(name, LOAD[name], ["latency"], 1, name in ("condition", "spin-then-park"), **own)
    rate = {"name": "rate", "default": 10_000, **NUMBER, "range": [10, 20_000_000]}
    burst = {"name": "burst", "default": 10, **NUMBER, "only_with": {"param": "arrivals", "value": "bursts"}}
    words = ["constant", "poisson", "bursts", "idle"]
    arrivals = {"name": "arrivals", "default": "constant", "choices": words, "range": None, "only_with": None}
    only = {"param": "arrivals", "value": "idle"}
    gaps = {"name": "idle", "default": "drawn", "choices": ["drawn", *PARTS], "range": None, "only_with": only}
    return {**found, "params": [*found["params"], arrivals, rate, burst, gaps]}


def jitter_mechanism(name: str) -> Message:
    return mechanism(name, CLOCKS[name], ["gap"], 1, False, min_stall=1000)


def self_test_mechanism(name: str) -> Message:
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
    listed = {what: [*map(int, cpus.split(","))] for what, cpus in named.items() if cpus}
    return {"schema": 4, "source": "fake", "cpus": cpus, "allowed": list(range(count)), **listed}
