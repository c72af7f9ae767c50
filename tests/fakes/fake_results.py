"""The exact result of each experiment's trial, which the fake probe answers with."""

from __future__ import annotations

import os

from tests.fakes.fake_description import DRAWN, PARTS, named, timed_by
from tests.fakes.fake_distances import one_way_ns
from tests.fakes.fake_messages import SEEN, counted, distribution, evidence, outlier, result_of

TYPE_CHECKING = False  # it starts hundreds of times: imports would take longer than all that it does
if TYPE_CHECKING:
    from typing import Any

    Message = dict[str, Any]
    Window = tuple[int, str, int, list[int]]


def exact_result(request: Message) -> Message:
    match request["experiment"]:
        case "signal":
            return exact_signal(request)
        case "lock":
            return exact_increments(request, "contender", timed_by(request["mechanism"]))
        case "wakeup":
            return exact_notify(request)
        case "queue":
            return exact_stream(request)
        case "load":
            return exact_schedule(request)
        case "barrier":
            return exact_rounds(request)
        case "self-test":
            return exact_calibration(request)
        case "jitter":
            return exact_gaps(request)
        case _:  # what tests/fakes/toy.py declares
            return exact_increments(request, "adder", "add")


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

    The call of std-barrier takes 1 us for each worker and its last runs 1 us later; of futex-all the call takes 500 ns
    and the last runs after 3 us for each worker; of spin-all that is 50 ns, and 5 us where there are more than three.
    All are done 2 us after the last ran; of a hundred rounds one takes ten times as long.
    """
    workers = len(request["threads"]) - 1
    call, last = {
        "std-barrier": (1_000 * workers, 1_000 * workers + 1_000),
        "futex-all": (500, 3_000 * workers),
        "spin-all": (50, 100 if workers <= 3 else 5_000 * workers),
    }[request["mechanism"]]
    windows: list[Window] = [
        (0, kind, ns, [rounds] * (workers + 1))
        for kind, ns, rounds in (("throughput", 10_000_000, 1_000), ("sampling", 5_000_000, 500))
    ]
    spent = {"call": call, "first": min(900, last), "last": last, "spread": last - min(900, last), "done": last + 2_000}
    made = 2_500 * workers
    return result_of(
        request,
        ["coordinator", *["worker"] * workers],
        3_000_000,
        windows,
        distributions={name: distribution({ns: 495, 10 * ns: 5} if ns else {0: 500}) for name, ns in spent.items()},
        counts={"rounds": {"made": made, "found": made, "exact": True}},
    )


def exact_gaps(request: Message) -> Message:
    """Each reader reads every 20 ns, for 20 ms and then for 180 (few: 0.7 s together), with the planted gaps."""
    readers = len(request["threads"])
    watched = max(180_000_000, 700_000_000 // readers)
    planted = [one.split("x") for one in named("FAKE_GAPS_NS", "2000x100")]
    gaps = {int(ns): readers * int(count) for ns, count in planted}
    lost = sum(ns * count for ns, count in gaps.items()) // readers
    windows = [(0, "throughput", 20_000_000, [1_000_000] * readers)]
    windows.append((0, "sampling", watched, [(watched - lost) // 20] * readers))
    made = 1000 + sum(sum(ops) for _, _, _, ops in windows)
    return result_of(
        request,
        ["reader"] * readers,
        watched + 20_000_000,
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
            "handoffs": {"made": made, "found": made, "exact": True},
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
    fold = (10 if int(params.get("batch", 1)) >= 10 else 1) / (2 if int(params.get("depth", 0)) == 1 else 1)
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


SIMULATED: dict[tuple[str, int, int, int, int], Message] = {}
"""Schedules that this process has simulated: trials of a case have the same."""


def simulated(name: str, gap: int, handoff: int, received: int, stall: int) -> Message:
    """The times of messages that are due every `gap` ns; a stall lasts for so many of them."""
    late, once_sent, free, last = [], [], 0, 0
    for number in range(1, received + 1):
        due = number * gap
        sent = max(due, free)
        takes = handoff
        if name == "jlbh":
            takes = 1_000_000 if number % 10 else 150_000_000
            free = sent + takes
        elif name == "stalled" and number == 500:
            free = sent + stall * gap
        last = max(last, sent) + 16_340 if name == "drowning" else sent + takes
        late.append(sent - due)
        once_sent.append(last - sent)
    return {
        "latency": counted(map(sum, zip(late, once_sent, strict=True))),
        "due-to-sent": counted(late),
        "sent-to-received": counted(once_sent),
    }


def exact_schedule(request: Message) -> Message:
    """A thousand messages, simulated one by one; with gaps a hundred in each part of that axis, which take ever
    longer; where they are of one length all are in its part.

    A message is sent when it is due and the sender is free, and received when the receiver is: it takes `handoff`
    when it waits, and so much CPU.
    """
    params, name = request["params"], request["mechanism"]
    length = params.get("idle", "drawn")
    stall = int(os.environ.get("FAKE_STALLED", "10"))
    gap = 1_000_000_000 // params.get("rate", 10_000) if length == "drawn" else int(PARTS[length])
    spinning = 10 * params.get("spins", 0) >= gap or name not in ("condition", "spin-then-park")
    handoff, cpu = (200, gap) if spinning else (20_000, 5_000 + min(gap, 10 * params.get("spins", 0)))
    received = min(1_000, 61_200 * 1_000 * gap // 1_000_000_000) if name == "drowning" else 1_000
    if (which := (name, gap, handoff, received, stall)) not in SIMULATED:
        SIMULATED[which] = simulated(*which)
    half = 1_000 * gap // 2
    windows: list[Window] = [(0, kind, half, [500, received // 2]) for kind in ("throughput", "sampling")]
    distributions = {**SIMULATED[which]}
    for place, part in enumerate(PARTS):
        there = params.get("arrivals") == "idle" and (part in DRAWN if length == "drawn" else part == length)
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
            "handoffs": {"made": 12_000 * lines, "found": 3_000 * lines, "exact": False},
        },
        every=8,
    )


def exact_signal(request: Message) -> Message:
    """Blocks of 1000 round trips, two for each line, and 10,000 single round trips in one window.

    A ping has 10% of them: its process must live as long as it claims to have measured.
    """
    one_way = one_way_ns(request)
    singles = {round(2 * one_way): 9_980, round(4 * one_way): 19, round(40 * one_way): 1}
    single_ns = sum(value * count for value, count in singles.items())
    trips = 100 if request["lines"] == 64 else 1000
    block_ns = round(2 * trips * one_way)
    windows = [(line, "throughput", block_ns, [trips, trips]) for line in range(request["lines"]) for _ in range(2)]
    windows.append((0, "sampling", single_ns, [10_000, 10_000]))
    handoffs = sum(sum(ops) for _, _, _, ops in windows)
    made = 1000 + handoffs
    return result_of(
        request,
        ["ping", "pong"],
        round(handoffs * one_way),
        windows,
        distributions={"round-trip": distribution(singles)},
        counts={"handoffs": {"made": made, "found": made, "exact": True}},
    )
