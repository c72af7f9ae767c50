"""Trials of made-up ways of waiting, whose latencies and CPU times are what a test says."""

from random import Random

from msgspec.structs import replace

from tests.conftest import make_distribution
from threadping.model.cases import Case, Placement
from threadping.model.studies import Requirement
from threadping.model.trials import Observation

TEN_US = Requirement(1000, 10_000.0)
CASE = Case(
    experiment="paced",
    mechanism="futex",
    params={"rate": 1000},
    runtime="cpp",
    placement=Placement("same-l3", (0, 1)),
    blocking=True,
    lines=1,
    varied=("rate",),
    timed="message",
)


def way(mechanism: str, runtime: str = "cpp", **params: int | str) -> Case:
    return replace(
        CASE,
        mechanism=mechanism,
        runtime=runtime,
        params={**CASE.params, **params},
        varied=(*params, *CASE.varied),
    )


def trial(
    case: Case = CASE,
    p99: float = 5_000,
    cpu: float = 5.0,
    *,
    messages: int = 2_000,
    held: float = 1.0,
    **figures: float,
) -> Observation:
    """A trial whose p99 is exactly this: 2% of its messages take so long, the others a quarter of it."""
    late = max(1, messages // 50)
    return Observation(
        round=1,
        position=0,
        case=case,
        failure=None,
        wall_ns=1,
        figures={
            "cpu_percent": cpu,
            "held_per_s": held * 1000,
            "offered_per_s": 1000.0,
            "counters.measured_ns": messages * 1e6,
            "clock_cost_ns": 20.0,
            **figures,
        },
        distributions={"latency_ns": make_distribution([int(p99) // 4, int(p99)], [messages - late, late])},
    )


def trials(
    number: int, case: Case = CASE, p99: float = 5_000, cpu: float = 5.0, *, held: float = 1.0
) -> list[Observation]:
    return [trial(case, p99, cpu, held=held) for _ in range(number)]


def noisy(random: Random, case: Case, p99: float, cpu: float, messages: int) -> Observation:
    """A trial of a way with this true p99 and CPU time: between trials they vary by a tenth, in each direction."""
    return trial(case, p99 * random.lognormvariate(0, 0.1), cpu * random.lognormvariate(0, 0.05), messages=messages)
