"""Queues and streams: `queue` at full speed or at a given depth, `load` at a given rate.

- `queue`: a producer sends numbered messages as fast as the queue takes them, a consumer takes what there is and checks
  each. How many a second, how many at once, what that costs the CPU on either side, and how long single messages are
  under way.
- `load`: a sender has a time at which each message is due, sends it then, and never leaves one out; a receiver waits
  in the way that is measured. Three times of each message: from due to sent, which is the sender's lateness, from sent
  to received, which a closed loop would have shown, and their sum, the latency.
"""

from collections.abc import Iterator, Sequence

from threadping.analysis.causes import OUR_WAKES_A_WINDOW
from threadping.analysis.checks import Finding, finding
from threadping.analysis.declaration import OtherHeadline, Row, RowCheck
from threadping.analysis.percentiles import sustains_rate
from threadping.analysis.row_warnings import REGIME, ClosedLoop
from threadping.analysis.validity import is_usable
from threadping.experiments import common
from threadping.model.cases import Case
from threadping.model.contract import Params, Request, Result
from threadping.model.quantities import compact, time
from threadping.model.run import Machine
from threadping.planning import defaults

MESSAGE_LATENCY, _ = common.MEASURED["queue"].distributions


def _is_handoff(case: Case) -> bool:
    """Return whether one message is in flight: what is asked is the latency of a handoff."""
    return case.params.get("depth") == 1


KEEPS_UP, BACKLOG = 10, 100
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


def of_consumer(row: Row) -> Iterator[Finding]:
    """Find whether the consumer keeps up, or is backlogged: 100 publications a take, or a quarter of a smaller ring."""
    whole = int(row.case.params.get("size", BACKLOG * 4)) / int(row.case.params.get("batch", 1))
    found, batch = _behind(row), row.number("batch.mean")
    keeping_up = sum(takes <= KEEPS_UP for takes in found)
    backlogged = sum(takes > KEEPS_UP and takes >= min(BACKLOG, whole / 4) for takes in found)
    for code, trials in (("keeping-up", keeping_up), ("backlogged", backlogged)):
        if found and trials >= AGREE * len(row.trials):
            yield finding(code, batch=round(batch, 1) if batch < BACKLOG else round(batch))


PRODUCE_STEPS = "16"
"""Some 20 ns before each message, at 4 to 5 cycles a step: more than the queue's own work, as of a real producer."""

SHARES, LEAST_PACED, MOST_PACED = (0.5, 0.8, 0.95), 10, 20_000_000
"""Shares of the rate at full speed, and the minimum and maximum that `load` takes."""


def _at_rates(rows: Sequence[Row]) -> dict[tuple[str, ...], str]:
    known = [row for row in rows if row.value("ops_per_s") and not MESSAGE_LATENCY.applies(row.case)]
    if not known:
        return {}
    best = max(known, key=lambda row: (is_usable(row, "rank"), row.figures["ops_per_s"].value))
    per_s = best.figures["ops_per_s"].value
    rates = [min(int(float(f"{per_s * share:.2g}")), MOST_PACED) for share in SHARES]
    case, given = best.case, ",".join(dict.fromkeys(compact(rate) for rate in rates if rate >= LEAST_PACED))
    words = ("run", "load", "--mechanism", case.mechanism, "--runtime", case.runtime, "--rate", given)
    return {words: "its latency at rates below that"} if given else {}


def _there_and_back(rows: Sequence[Row]) -> Iterator[str]:
    """Relate a handoff to the latency of a line: with one message in flight the next one waits for the consumer."""
    known = [row for row in rows if row.leads and row.state and _is_handoff(row.case) and is_usable(row, "rank")]
    best = max(known, key=lambda row: row.number("ops_per_s"), default=None)
    if best and best.number("ops_per_s"):
        ns, line = 1e9 / best.number("ops_per_s"), best.state.core_to_core_ns if best.state else 0.0
        yield (
            f"There and back takes {time(ns)}, by the rate of {best.case.mechanism} without clock reads: "
            f"{ns / line:.1f} times the {time(line)} from core to core, as the queue's own lines move both ways."
        )


QUEUE = common.experiment(
    "queue",
    pace=defaults.Pace(
        defaults.in_periods,
        looks=MESSAGE_LATENCY.applies,
        compiling_rest_s=defaults.STREAM_COMPILING_REST_S,
        promised={"messages": True},
    ),
    other=OtherHeadline(_is_handoff, "from sender to receiver", "latency_ns.typical", mixed="latency_ns.mean"),
    by_state=lambda _: True,
    checks=(
        common.OVERSUBSCRIBED,
        RowCheck(of_consumer, ("keeping-up", "backlogged")),
        # All messages are on their way at once that may be, since nothing else holds producers up.
        *ClosedLoop(
            MESSAGE_LATENCY,
            lambda case: int(case.params.get("depth", 0)) * int(case.params.get("producers", 1)),
            besides=("latency_ns.typical", "latency_ns.mean"),
        ).checks,
    ),
    ours=OUR_WAKES_A_WINDOW,
    answers=_there_and_back,
    follows=_at_rates,
)


GAP_LENGTHS_NS = {
    **{"10us": 1e4, "30us": 3e4, "100us": 1e5, "300us": 3e5, "1ms": 1e6, "3ms": 3e6, "10ms": 1e7, "30ms": 3e7},
    **{"100ms": 1e8, "300ms": 3e8, "1s": 1e9},
}
"""The least gap of each part of the gap axis, in ns; gaps of one length have these, drawn ones end at 100 ms."""

TIMED = tuple(one.name for one in common.MEASURED["load"].distributions)
LATE, *AFTER_GAPS = TIMED[2:]
DEEPEST = [f"{name}.deepest_idle" for name in AFTER_GAPS]


def own(result: Result, request: Request) -> dict[str, float | None]:
    """Return the energy of a message, the rate that was due, and how often a CPU was in its deepest idle state."""
    spent, ops, percents = result.machine.energy_uj, result.measured.ops, dict[str, float | None]()
    for name, gap in zip(DEEPEST, GAP_LENGTHS_NS, strict=True):
        found = result.timed(f"idle-after-{gap}")
        deepest = sum(count for value, count in zip(found.values, found.counts, strict=True) if value == 0)
        percents[name] = 100 * deepest / sum(found.counts) if found.counts else None
    energy_uj = spent / ops if spent is not None and ops else None
    return {**percents, "energy_uj_per_op": energy_uj, "offered_per_s": _offered(request.params)}


def _said_of_idle_states(machine: Machine) -> str:
    if not machine.idle_states:
        return ""
    *lighter, deepest = machine.idle_states
    return f"The deepest idle state is {deepest}; the lighter ones are {', '.join(lighter)}."


def _offered(params: Params) -> float | None:
    """Messages a second that are due; None where their gaps are drawn."""
    if params.get("arrivals") == "idle":
        gap = GAP_LENGTHS_NS.get(str(params.get("idle")))
        return 1e9 / gap if gap else None
    return float(params["rate"]) if "rate" in params else None


def _not_held(row: Row) -> Iterator[Finding]:
    offered, held = row.value("offered_per_s"), row.figures.get("sustained_per_s")
    measured_ns = row.number("counters.measured_ns")
    if offered and held and not sustains_rate(row.case, held, offered, measured_ns, len(row.trials)):
        yield finding("not-held", held=held.value, offered=offered)


LATE_NS, ON_TIME_UP_TO = 1_000, 100_000


def of_schedule(row: Row) -> Iterator[Finding]:
    """Find whether the sender was late, and whether the receiver's CPU slept deeply enough."""
    late, offered = row.number(f"{LATE}.p99"), row.number("offered_per_s")
    if late > LATE_NS and offered <= ON_TIME_UP_TO:
        yield finding("late-sender", late=late)
    shares = [one.value for name in DEEPEST if (one := row.figures.get(name))]
    if row.trials and row.case.blocking and not any(shares):
        if shares:
            yield finding("never-deep")
        elif row.case.params.get("arrivals") == "idle":
            yield finding("idle-unknown")


FEW, MANY, SHORTEST_S, LONGEST_S = 250, 1_250, 0.1, 3.0
"""Messages of a trial: six trials of the fewest carry p99, and of the most each trial by itself, which its interval
needs."""

FEWEST_MESSAGES = 10  # Messages of a trial, however long that takes
GAPS_A_SECOND = 92  # Gaps that are drawn evenly by their logarithm from 10 us to 100 ms are 10.9 ms on average
FEW_BURSTS, MANY_BURSTS = 5, 25  # Messages of a burst depend on each other, so bursts count too


def _lasts(case: Case) -> tuple[float, float]:
    rate, burst = _offered(case.params) or GAPS_A_SECOND, int(case.params.get("burst", 1))
    messages = max(FEW, FEW_BURSTS * burst), max(MANY, MANY_BURSTS * burst)
    longest = max(LONGEST_S, FEWEST_MESSAGES / rate)
    fewest, most = (min(max(SHORTEST_S, number / rate), longest) for number in messages)
    return fewest, most


def _every_s(case: Case) -> float:
    """Return the seconds of a timed message; throughput windows, as long as sampling windows, have timed ones too."""
    return 0.5 / (_offered(case.params) or GAPS_A_SECOND)


LOAD = common.experiment(
    "load",
    own=own,
    pace=defaults.Pace(defaults.on_schedule, lasts=_lasts, promised={"messages": True}, every_s=_every_s),
    on_schedule=True,
    checks=(
        RowCheck(_not_held, ("not-held",), hides=TIMED),
        RowCheck(of_schedule, ("late-sender", "idle-unknown", "never-deep")),
        common.OVERSUBSCRIBED,
    ),
    curves={
        "gap": {"groups": dict(zip(GAP_LENGTHS_NS.values(), AFTER_GAPS, strict=True)), "beneath": _said_of_idle_states}
    },
)
