"""paced: what a message costs that comes on a schedule, and the CPU that waiting for it takes.

A sender has a time at which each message is due, sends it then, and never leaves one out; a receiver waits in the way
that is measured. Three times of each message: from due to sent, which is the sender's lateness, from sent to received,
which a closed loop would have shown, and their sum, the latency.
"""

from threadping.analysis import causes, row_warnings
from threadping.analysis.checks import Check, Facts
from threadping.analysis.declaration import Column, Curve, Declaration, Figure, Percentiles, Row, Shares, Tradeoff
from threadping.analysis.percentiles import sustains_rate
from threadping.experiments import common
from threadping.experiments.common import Experiment
from threadping.model import reading
from threadping.model.cases import Case
from threadping.model.contract import Params, Result
from threadping.model.run import Machine
from threadping.planning.defaults import CaseDefaults, DefaultCase, Pace, Sweep, on_schedule

LATENCY = Percentiles(name="latency_ns", of="latency", noun="messages", across=True, says="paced.latency_ns")
SENT = Percentiles(
    name="sent_to_received_ns",
    of="sent-to-received",
    noun="messages, once sent",
    head="closed loop",
    outliers="",
    across=True,
)
LATE = Percentiles(name="due_to_sent_ns", of="due-to-sent", noun="messages, until sent", head="late", outliers="")

GAPS = {
    **{"10us": 1e4, "30us": 3e4, "100us": 1e5, "300us": 3e5, "1ms": 1e6, "3ms": 3e6, "10ms": 1e7, "30ms": 3e7},
    **{"100ms": 1e8, "300ms": 3e8, "1s": 1e9},
}
"""The least gap of each part of the gap axis, in ns; gaps of one length have these, drawn ones end at 100 ms."""

AFTER_GAPS = tuple(
    Percentiles(
        name=f"latency_after_{gap}_ns",
        of=f"latency-after-{gap}",
        noun=f"messages after {gap} or more",
        says="latency_after_ns",
        outliers="",
        across=True,
        column=False,
    )
    for gap in GAPS
)

DEEPEST = tuple(f"{one.name}.deepest_idle" for one in AFTER_GAPS)


def _deepest(gap: str) -> reading.ResultReader:
    def read(result: Result) -> float | None:
        found = result.distributions.get(f"idle-after-{gap}")
        if not found or not found.counts:
            return None
        deepest = sum(count for value, count in zip(found.values, found.counts, strict=True) if value == 0)
        return 100 * deepest / sum(found.counts)

    return read


def _idle_states(machine: Machine) -> tuple[str, ...]:
    """Name idle states as a probe counts them, by how many are deeper: the CPU that left none was awake."""
    return (*machine.idle_states[::-1], "awake") if machine.idle_states else ()


def _said_of_idle_states(machine: Machine) -> str:
    if not machine.idle_states:
        return ""
    *lighter, deepest = machine.idle_states
    return f"The deepest idle state is {deepest}; the lighter ones are {', '.join(lighter)}."


IDLE = tuple(
    Shares(f"{one.name}.idle_states", f"idle-after-{gap}", _idle_states, "idle_states")
    for one, gap in zip(AFTER_GAPS, GAPS, strict=True)
)


def _energy(result: Result) -> float | None:
    spent = result.machine.energy_uj
    return spent / result.measured.ops if spent is not None and result.measured.ops else None


TIMED = (LATENCY, SENT, LATE, *AFTER_GAPS)


def _offered(params: Params) -> float | None:
    """Messages a second that are due; None where their gaps are drawn."""
    if params.get("arrivals") == "gaps":
        gap = GAPS.get(str(params.get("gaps")))
        return 1e9 / gap if gap else None
    return float(params["rate"]) if "rate" in params else None


FIGURES = (
    *common.middle(LATENCY, Column("median"), None),
    Figure("cpu_percent", "percent", reading.cpu_percent_of("receiver"), Column("CPU", 2), better="less"),
    Figure(
        "cpu_ns_per_op",
        "ns",
        reading.cpu_ns_of("receiver"),
        Column("CPU/op", 3),
        better="less",
        says="paced.cpu_ns_per_op",
    ),
    Figure("switches_per_op", "index", reading.switches_of("receiver"), Column("slept/op", 4), better="less"),
    Figure(
        "held_per_s",
        "per_s",
        lambda result: 1e9 * result.measured.ops / result.measured.ns,
        Column("held", 5, of_rows=False),
        better="more",
    ),
    Figure("energy_uj_per_op", "index", _energy, Column("µJ/op", 6, of_rows=False), better="less"),
    *(
        Figure(
            name, "percent", _deepest(gap), Column("deepest idle", of_rows=False, of_trials=False), says="deepest_idle"
        )
        for name, gap in zip(DEEPEST, GAPS, strict=True)
    ),
    Figure("offered_per_s", "per_s", lambda _: None, asked=lambda request: _offered(request.params)),
)


def _not_held(row: Row) -> Facts | None:
    offered, held = row.value("offered_per_s"), row.figures.get("held_per_s")
    if not offered or not held:
        return None
    if sustains_rate(row.case, held, offered, row.number("counters.measured_ns"), len(row.trials)):
        return None
    return {"held": held.value, "offered": offered}


LATE_NS, ON_TIME_UP_TO = 1_000, 100_000


def _late_sender(row: Row) -> Facts | None:
    late, offered = row.number(f"{LATE.name}.p99"), row.number("offered_per_s")
    return {"late": late} if late > LATE_NS and offered <= ON_TIME_UP_TO else None


def _one_cpu(row: Row) -> str:
    return (
        "A message waits until the receiver gets the CPU, and the next one until the sender has it again: --sender "
        "sleep leaves it to the receiver in between."
    )


def _shares(row: Row) -> list[float]:
    return [one.value for name in DEEPEST if (one := row.figures.get(name))]


def _idle_unknown(row: Row) -> Facts | None:
    asked = row.case.blocking and row.case.params.get("arrivals") == "gaps"
    return {} if asked and not _shares(row) else None


def _never_deep(row: Row) -> Facts | None:
    return {} if row.case.blocking and (shares := _shares(row)) and not any(shares) else None


CHECKS = (
    Check("not-held", "error", _not_held, hides=tuple(one.name for one in TIMED)),
    Check("late-sender", "warning", _late_sender),
    Check("idle-unknown", "note", _idle_unknown),
    Check("never-deep", "note", _never_deep),
    common.oversubscribed("oversubscribed", _one_cpu),
)

FEW, MANY, SHORTEST_S, LONGEST_S = 250, 1_250, 0.1, 3.0
"""Messages of a trial: six trials of the fewest carry p99, and of the most each trial by itself, which its interval
needs."""

FEWEST_MESSAGES = 10  # Messages of a trial, however long that takes
GAPS_A_SECOND = 92  # Gaps that are drawn evenly by their logarithm from 10 us to 100 ms are 10.9 ms on average
FEW_BURSTS, MANY_BURSTS = 5, 25  # Messages of a burst tell of each other: so many bursts too


def _lasts(case: Case) -> tuple[float, float]:
    rate, burst = _offered(case.params) or GAPS_A_SECOND, int(case.params.get("burst", 1))
    messages = max(FEW, FEW_BURSTS * burst), max(MANY, MANY_BURSTS * burst)
    longest = max(LONGEST_S, FEWEST_MESSAGES / rate)
    fewest, most = (min(max(SHORTEST_S, number / rate), longest) for number in messages)
    return fewest, most


def _every_s(case: Case) -> float:
    """Messages of throughput windows are timed too, which are as long as sampling windows."""
    return 0.5 / (_offered(case.params) or GAPS_A_SECOND)


CURVES = (
    Curve(
        name="gap",
        title="latency by the time since the last message",
        along="time since the last message",
        unit="ns",
        figures=("p50", "p90", "p99", "deepest_idle"),
        groups=dict(zip(GAPS.values(), (one.name for one in AFTER_GAPS), strict=True)),
        param="gaps",
        beneath=_said_of_idle_states,
    ),
    Curve(
        name="spins",
        title="what spinning before it sleeps gives a receiver, and costs",
        along="spins",
        unit="count",
        figures=("latency_ns.p50", "latency_ns.p99", "cpu_percent"),
        param="spins",
        doubles=(
            "cpu_ns_per_op",
            "break-even, where spinning costs as much CPU as the sleep that it is to save: to spin so long is never "
            "more than twice as dear as the better choice.",
        ),
    ),
)

EXPERIMENT = Experiment(
    help="Measure messages on a schedule: their latency from when they are due, and the CPU that waiting takes.",
    examples=[
        ("paced --rate 10k", "10,000 messages a second"),
        ("paced --mechanism condition --rate 1k,100k", "at two rates"),
        ("paced --mechanism condition --gaps 1ms,10ms,100ms", "by idle time"),
    ],
    own_command=True,
    looks=False,
    defaults=CaseDefaults(
        threads=2,
        sweep=Sweep("rate", ("1k", "10k", "100k"), unless=("arrivals", "gaps")),
        at_home_with=("arrivals", "gaps"),
        first=(
            DefaultCase("release-one-line"),  # what is the quickest?
            DefaultCase("spin-then-park"),  # what do most locks and queues do?
            DefaultCase("condition"),  # what does it cost to sleep?
        ),
    ),
    pace=Pace(on_schedule, lasts=_lasts, promised={"messages": True}, every_s=_every_s),
    figures=Declaration(
        title="latency of messages from when they are due",
        headline="latency_ns.typical",
        figures=(*common.beside(FIGURES), *causes.outlier_figures(LATENCY)),
        distributions=TIMED,
        shares=IDLE,
        checks=(*CHECKS, *row_warnings.ON_SCHEDULE),
        op="message",
        measures="one-way",
        along="rate",
        tradeoff=Tradeoff("latency_ns.p99", "cpu_percent"),
        curves=CURVES,
        notes=(
            "latency is from when a message is due to when it is received, late or not; closed loop is from when it "
            "was sent: what a benchmark shows if its sender waits for its turn.",
            "CPU is the receiver's, in per cent of a core; the sender spins until the next message is due.",
        ),
    ),
    options={
        "rate": "Messages a second: 500, 10k, 1M; N,M measures both. By default 1k, 10k and 100k.",
        "arrivals": "When messages are due: constant, poisson, bursts, or gaps of 10 us to 100 ms, drawn.",
        "gaps": "Messages after gaps of this length, 10us to 1s, each measured by itself: 1ms,10ms,100ms; or drawn.",
        "burst": "How many messages are due at once with --arrivals bursts; the mean rate stays.",
        "spins": "How often a receiver looks before it sleeps; N,M measures both.",
        "wait": common.WAIT,
        "size": "How many messages may be on their way.",
        "sender": "How the sender waits until a message is due: spin, or sleep where both share a CPU.",
    },
)
