"""ring: streams of messages through the Disruptor and its rivals.

A producer sends numbered messages as fast as the queue takes them, a consumer takes what there is and checks each. How
many a second, how many at once, what that costs the CPU on either side, and how long single messages are under way:
with the queue full, or with so many in flight as was asked for.
"""

from collections.abc import Sequence

from threadping.analysis import causes, row_warnings
from threadping.analysis.causes import OUR_WAKES_A_WINDOW
from threadping.analysis.checks import Check, Facts
from threadping.analysis.declaration import Column, Declaration, Figure, Percentiles, Question, Row
from threadping.analysis.row_warnings import REGIME, ClosedLoop
from threadping.analysis.validity import is_usable
from threadping.experiments import common
from threadping.experiments.common import Experiment
from threadping.model import reading
from threadping.model.cases import Case
from threadping.model.quantities import compact
from threadping.planning.defaults import STREAM_COMPILING_S, CaseDefaults, DefaultCase, Pace, in_periods

MESSAGE_LATENCY = Percentiles(
    name="latency_ns",
    of="latency",
    noun="messages",
    head="latency",
    across=True,
    says="ring.latency_ns",
    applies=lambda case: int(case.params.get("in-flight", 0)) > 0,
    why_not="Time in a full queue is no latency: give --in-flight 1, or measure `threadping paced` at a rate.",
)
BATCHES = Percentiles(name="batch", of="batch", unit="count", noun="batches", head="batch")

FIGURES = (
    Figure("ops_per_s", "per_s", reading.rate, Column("messages/s"), better="more", says="ring.ops_per_s"),
    *common.mixture("per_s", reading.rate),
    *common.middle(MESSAGE_LATENCY),
    Figure("batch.mean", "index", lambda result: reading.mean_of(BATCHES.read(result)), Column("batch", 2)),
    Figure("producer_cpu_ns_per_op", "ns", reading.cpu_ns_of("producer"), Column("CPU sent", 4), better="less"),
    Figure("consumer_cpu_ns_per_op", "ns", reading.cpu_ns_of("consumer"), Column("CPU taken", 5), better="less"),
)


def _in_flight(case: Case) -> int:
    """Return how many messages are on their way at once: all that may be, since nothing else holds producers up."""
    return int(case.params.get("in-flight", 0)) * int(case.params.get("producers", 1))


LOOP = ClosedLoop(MESSAGE_LATENCY, _in_flight, besides=("latency_ns.typical", "latency_ns.mean"))


def _without_a_cpu(row: Row) -> str:
    if row.case.blocking:
        return "A thread that is woken may find no CPU free."
    return (
        "A thread that spins for a message, or for room, keeps the CPU from the one that it waits for until its time "
        "slice is over: let it yield or sleep."
    )


CLOSE, FAR = 10, 100
"""Maximum mean number of publications that a take of a consumer finds that keeps up with its producer, and minimum of
one that is backlogged. Measured on two virtual CPUs of a Xeon, 62 ns apart: 4 to 8 at once where one took 29
to 77 ns (`disruptor`; a bare ring whose producer has eight NOPs more), 700 to 33,000 where it took 1.2 to 14."""

AGREE = 0.9
"""A row is in a regime where so large a share of its trials is. Of a stream that is in either one every other trial,
25, 3 and 1% of rows of 3, 6 and 12 trials are said to be in one (simulated in the tests); with 0.8 it is 25, 22, 4%."""


def _behind(row: Row) -> Sequence[float]:
    """Return the publications a take found, of each trial whose two kinds of windows had one pace; none one in flight.

    Takes are counted in sampling windows: where those have another pace they say nothing of the rate.
    """
    if MESSAGE_LATENCY.applies(row.case):
        return ()
    at_once = int(row.case.params.get("batch", 1))
    return [
        trial.figures["batch.mean"] / at_once
        for trial in row.trials
        if "batch.mean" in trial.figures and 1 / REGIME <= trial.figures.get("sampling_pace", 1.0) <= REGIME
    ]


def _is_close(row: Row) -> Facts | None:
    found = _behind(row)
    those = sum(takes <= CLOSE for takes in found)
    return _taken(row) if found and those >= AGREE * len(row.trials) else None


def _is_far(row: Row) -> Facts | None:
    """Return whether a consumer is far behind; in a ring too small for that, by a quarter of it."""
    found = _behind(row)
    whole = int(row.case.params.get("size", FAR * 4)) / int(row.case.params.get("batch", 1))
    those = sum(takes > CLOSE and takes >= min(FAR, whole / 4) for takes in found)
    return _taken(row) if found and those >= AGREE * len(row.trials) else None


def _taken(row: Row) -> Facts:
    batch = row.number("batch.mean")
    return {"batch": round(batch, 1) if batch < FAR else round(batch)}


CHECKS = (
    common.oversubscribed("oversubscribed", _without_a_cpu),
    Check("close-behind", "note", _is_close, regime="close"),
    Check("far-behind", "note", _is_far, regime="far"),
)

PRODUCE_STEPS = "16"
"""Some 20 ns before each message, at 4 to 5 cycles a step: more than the queue's own work, as of a real producer."""

QUESTIONS = (
    Question(ask="stream by 100 (sequenced-ring, /s)", mechanism="sequenced-ring", params={"batch": "100"}),
    Question(
        ask=f"… by 1, after {PRODUCE_STEPS} steps each",
        whole=f"stream by 1, after {PRODUCE_STEPS} steps each (sequenced-ring, /s)",
        mechanism="sequenced-ring",
        params={"produce": PRODUCE_STEPS},
    ),
    Question(
        ask="… by 1, full speed; taken at once",
        whole="stream by 1, at full speed (sequenced-ring, /s)",
        mechanism="sequenced-ring",
        beside="batch.mean",
        rank=3,
    ),
    Question(ask="stream by 100 (disruptor, /s)", mechanism="disruptor", params={"batch": "100"}),
    Question(
        ask="… one in flight",
        whole="pass a message, one in flight (disruptor)",
        mechanism="disruptor",
        params={"in-flight": "1"},
        figure="latency_ns.typical",
        rank=2,
    ),
)

SHARES, LEAST_PACED, MOST_PACED = (0.5, 0.8, 0.95), 10, 20_000_000
"""Shares of the rate at full speed, and the minimum and maximum that `paced` takes."""


def _at_rates(rows: Sequence[Row]) -> dict[tuple[str, ...], str]:
    known = [row for row in rows if row.value("ops_per_s") and not MESSAGE_LATENCY.applies(row.case)]
    if not known:
        return {}
    best = max(known, key=lambda row: (is_usable(row, "rank"), row.figures["ops_per_s"].value))
    rates = [min(_round(best.figures["ops_per_s"].value * share), MOST_PACED) for share in SHARES]
    case, given = best.case, ",".join(dict.fromkeys(compact(rate) for rate in rates if rate >= LEAST_PACED))
    words = ("paced", "--mechanism", case.mechanism, "--runtime", case.runtime, "--rate", given)
    return {words: "its latency at rates below that"} if given else {}


def _round(rate: float) -> int:
    return int(float(f"{rate:.2g}"))


EXPERIMENT = Experiment(
    help="Measure streams of messages through a queue: how many a second, in what batches, at what latency and cost.",
    examples=[
        ("ring", "every queue"),
        ("ring --mechanism disruptor --batch 1,100", "by one, by 100"),
        ("ring --in-flight 1", "the latency of a hand-over"),
    ],
    defaults=CaseDefaults(
        threads=2,
        by_role=("producers", "consumers"),
        first=(
            # At full speed one by one it hangs on who is behind: no question of a first minute.
            DefaultCase("sequenced-ring", {"batch": "100"}),  # how many does a stream pass?
            DefaultCase("sequenced-ring", {"produce": PRODUCE_STEPS}),  # one by one, where making them takes time?
            DefaultCase("disruptor", {"batch": "100"}),  # what does the published one pass?
            DefaultCase("disruptor", {"in-flight": "1"}),  # at which latency?
        ),
    ),
    pace=Pace(
        in_periods, looks=MESSAGE_LATENCY.applies, compiling_warmup_s=STREAM_COMPILING_S, promised={"messages": True}
    ),
    figures=Declaration(
        title="messages/s that arrive",
        headline="ops_per_s",
        mixed="ops_per_s",
        by_state=lambda _: True,
        figures=(*FIGURES, *causes.outlier_figures(MESSAGE_LATENCY), *common.FIGURES_EVERYWHERE),
        distributions=(MESSAGE_LATENCY, BATCHES),
        checks=(*CHECKS, *LOOP.checks, *row_warnings.UNPACED),
        questions=QUESTIONS,
        op="message",
        measures="one-way",
        beside=("batch",),
        ours=OUR_WAKES_A_WINDOW,
        notes=(
            "time in a full queue is no latency: --in-flight 1 measures the hand-over, one way, from the sender's "
            "clock to the receiver's, and `threadping paced` the latency at a rate.",
        ),
        follows=_at_rates,
    ),
    options={
        "producers": "How many producers; N,M measures both.",
        "consumers": "How many consumers, each of which sees every message; N,M measures both.",
        "batch": "How many messages a producer publishes at once; N,M measures both.",
        "in-flight": "How many messages may be on their way; 1 measures the latency of a hand-over.",
        "size": "How many messages the ring holds.",
        "payload": "64-bit words in each message beside its number.",
        "produce": "Steps of work that the producer does before each message; N,M measures both.",
        "work": "Steps of work that the consumer does after each message; N,M measures both.",
        "wait": "How a spinning thread waits: spin, pause, yield, backoff, tpause; of the Disruptor its wait strategy.",
    },
)
