"""A run of three queues whose rates are planted: in each regime, in each way to use them."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from tests.golden.fixture import APART, DECLARED, QUIET, RUN, STEADY, TOGETHER
from threadping.analysis.analyse import analyse
from threadping.analysis.answer import Answer
from threadping.model.cases import Busy, Case, Placement, Runtime, Skipped
from threadping.model.contract import Params
from threadping.model.run import Failure, Observation, QueueChoice, ReferencePing

ANYWHERE, THREE = Placement("unpinned", (None, None)), Placement("unpinned", (None,) * 3)
ONE: Params = {"depth": 1}
WORK: Params = {"producer-work": 16}
HUNDRED: Params = {"batch": 100}
QUEUE, DEQUE, DISRUPTOR = "sequenced-ring", "mutex-deque", "disruptor"

Rates = float | Sequence[float]
"""The rate of every trial, with small differences, or one rate per trial."""


def case_of(
    mechanism: str, params: Params, place: Placement = APART, busy: int = 0, runtime: str = "cpp", producers: int = 1
) -> Case:
    several: Params = {"producers": producers} if producers > 1 else {}
    every, sleeps = {**several, **params}, mechanism == DEQUE
    case = Case("queue", mechanism, every, runtime, place, sleeps, 1, tuple(every), timed="message")
    return replace(case, busy=Busy(busy))


def trials(case: Case, rates: Rates) -> list[Observation]:
    each = [rates / by for by in STEADY] if isinstance(rates, int | float) else rates
    spent = {"producer_cpu_ns_per_op": 20.0, "consumer_cpu_ns_per_op": 30.0}
    figures = [{**QUIET, **spent, "drift": 0.0, "ops_per_s": rate} for rate in each]
    if case.params.get("depth") == 1:  # as long one way as from one message to the next; 0 where nothing passed
        latencies = [1e9 / rate if rate else 0.0 for rate in each]
        figures = [one | {"latency_ns.typical": ns} for one, ns in zip(figures, latencies, strict=True)]
    return [Observation(number, 0, case, None, 1, one, {}, 1) for number, one in enumerate(figures, 1)]


def answer(planted: Mapping[Case, Rates], pings: Sequence[ReferencePing] = (), *failed: Case) -> Answer:
    """Return the answer of a run of these cases, and of some that failed, round by round."""
    seen = [trial for case, rates in planted.items() for trial in trials(case, rates)]
    seen += [Observation(1, 0, case, Failure("hung", "It hung."), 1) for case in failed]
    runtimes = tuple(Runtime(label, label.split("-")[0], (), label) for label in ("cpp", "java-17"))
    skipped = (Skipped("6 cases of 'With busy threads'", "too much for this budget", "4m", 6),)
    asked = replace(RUN, study=QueueChoice(), arguments=("recommend", "queue"), skipped=skipped)
    run = replace(asked, cases=(*planted, *failed), runtimes=runtimes)
    return analyse(run, sorted(seen, key=lambda one: one.round), pings, DECLARED)


PLANTED: Mapping[Case, Rates] = {
    case_of(QUEUE, ONE): 4e6,
    case_of(DEQUE, ONE): 30e3,
    case_of(DISRUPTOR, ONE, runtime="java-17"): 4.01e6,
    case_of(QUEUE, WORK): 56e6,
    case_of(DEQUE, WORK): 20e6,
    case_of(DISRUPTOR, WORK, runtime="java-17"): 36e6,
    case_of(QUEUE, HUNDRED): 536e6,
    case_of(DISRUPTOR, HUNDRED, runtime="java-17"): 357e6,
    case_of(QUEUE, ONE, TOGETHER): 110.0,
    case_of(DEQUE, ONE, TOGETHER): 250e3,
    case_of(QUEUE, WORK, ANYWHERE): (56e6, 55e6, 57e6, 2e6, 56e6, 54e6),
    case_of(DEQUE, WORK, ANYWHERE): 20e6,
    case_of(DEQUE, WORK, ANYWHERE, busy=2): (5e6, 6e6),
    case_of(QUEUE, WORK, ANYWHERE, busy=2): (50e6, 60e6),
    case_of(DEQUE, WORK, THREE, producers=2): 9e6,
}
ANSWER = answer(PLANTED)
