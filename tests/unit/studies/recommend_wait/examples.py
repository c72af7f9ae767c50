"""Trials of made-up wait strategies, whose latencies and CPU times are what a test says."""

from random import Random

from msgspec.structs import replace

from tests.conftest import make_distribution
from threadping.model.cases import Case, Placement
from threadping.model.run import Observation, Requirement

TEN_US = Requirement(1000, 10_000.0)
CLOSE = Placement("same-l3", (0, 1))
CASE = Case("load", "futex", {"rate": 1000}, "cpp", CLOSE, True, 1, ("rate",), timed="message")


def way(mechanism: str, runtime: str = "cpp", **params: int | str) -> Case:
    of_way = {"params": {**CASE.params, **params}, "varied": (*params, *CASE.varied)}
    return replace(CASE, mechanism=mechanism, runtime=runtime, **of_way)


def trial(
    case: Case = CASE,
    p99: float = 5_000,
    cpu: float = 5.0,
    *,
    messages: int = 2_000,
    held: float = 1.0,
    others: float = 0.0,
    **figures: float,
) -> Observation:
    """A trial whose p99 is exactly this: 2% of its messages take so long, the others a quarter of it.

    The wait strategy takes all of it: the sender sends each message 30 ns after it is due.
    """
    late = max(1, messages // 50)
    latency = make_distribution([int(p99) // 4, int(p99)], [messages - late, late])
    rates = {"sustained_per_s": held * 1000, "offered_per_s": 1000.0, "counters.measured_ns": messages * 1e6}
    figures = {"cpu_percent": cpu, **rates, "clock_cost_ns": 20.0, **figures}
    times = dict.fromkeys(("latency_ns", "sent_to_received_ns"), latency)
    times["due_to_sent_ns"] = make_distribution([30], [messages])
    return Observation(1, 0, case, None, 300_000_000, figures, times, others=others)


def timed(one: Observation, latency: dict[int, int], own: dict[int, int], sender: dict[int, int]) -> Observation:
    """Return a trial with these times (ns) and their numbers of messages: total, the wait strategy's, the sender's."""
    each = zip(("latency_ns", "sent_to_received_ns", "due_to_sent_ns"), (latency, own, sender), strict=True)
    found = {name: make_distribution([*sorted(of)], [of[ns] for ns in sorted(of)]) for name, of in each}
    return replace(one, distributions=found)


def late_sender(case: Case = CASE, share: float = 0.1, late_ns: int = 2_000_000, held: float = 1.0) -> Observation:
    """Return a trial of 1,000 messages; the sender sent a share of them late; the wait strategy takes 1 us."""
    late = round(1_000 * share)
    whole = {1_030: 1_000 - late, late_ns + 1_000: late} if late else {1_030: 1_000}
    sent = {30: 1_000 - late, late_ns: late} if late else {30: 1_000}
    return timed(trial(case, messages=1_000, held=held), whole, {1_000: 1_000}, sent)


def trials(
    number: int, case: Case = CASE, p99: float = 5_000, cpu: float = 5.0, *, held: float = 1.0
) -> list[Observation]:
    return [trial(case, p99, cpu, held=held) for _ in range(number)]


def noisy(random: Random, case: Case, p99: float, cpu: float, messages: int) -> Observation:
    """Return a trial of a wait strategy with this true p99 and CPU time; they vary by 10% and 5% between trials."""
    return trial(case, p99 * random.lognormvariate(0, 0.1), cpu * random.lognormvariate(0, 0.05), messages=messages)
