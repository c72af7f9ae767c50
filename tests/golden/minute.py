"""A made-up first `threadping run`: every question of the first screen in C++ and Java, on CPUs that moved."""

from collections.abc import Mapping

from msgspec.structs import replace

from tests.conftest import make_distribution
from tests.golden.fixture import APART, FAR, MACHINE, NEAR, QUIET, RUN, STEADY
from threadping.analysis.analyse import analyse
from threadping.experiments import declared
from threadping.experiments.queues import PRODUCE_STEPS
from threadping.model.cases import Case, Placement, Runtime, Skipped
from threadping.model.contract import Distribution, Params
from threadping.model.run import Observation, ReferencePing

RUNTIMES = (
    Runtime("cpp", "cpp", ("/opt/threadping/threadping-probe",), "g++ 12.2.0 -std=c++20 -O3"),
    Runtime("java-17", "java", ("/usr/bin/java",), "OpenJDK 64-Bit Server VM (Debian) 17.0.15+6-Debian-1deb12u1"),
)
ALONE, PAIRS, ANYWHERE = (
    Placement("same-cpu", (0,)),
    Placement("same-l3", (0, 1) * 16),
    Placement("unpinned", (None, None)),
)
SLEEPING = ("condition", "monitor", "mutex", "reentrant-lock")
IN_FLIGHT: Params = {"depth": 1}
BY_100: Params = {"batch": 100}
AFTER_WORK: Params = {"producer-work": int(PRODUCE_STEPS)}

BEHIND = {"sequenced-ring": 2_400.0, "disruptor": 4.6}
"""How many messages the consumers of a stream at full speed take at once."""

Figures = tuple[float | None, float | None]
"""In C++ and in Java; None is not measured."""

MEASURED: tuple[tuple[str, str, Params, Placement, Figures], ...] = (
    ("signal", "cas-one-line", {}, APART, (27.6, 27.6)),
    ("signal", "condition", {}, APART, (24_200, 24_100)),
    ("signal", "release-one-line", {"wait": "pause"}, APART, (25.6, 26.3)),
    ("signal", "release-two-lines", {}, APART, (60.2, 50.6)),
    ("signal", "condition", {}, ANYWHERE, (31_400, 35_000)),
    ("wakeup", "condition", {}, PAIRS, (1_600, 1_880)),
    ("lock", "mutex", {}, ALONE, (86e6, None)),
    ("lock", "mutex", {}, APART, (21e6, None)),
    ("lock", "reentrant-lock", {}, ALONE, (None, 92e6)),
    ("lock", "reentrant-lock", {}, APART, (None, 28e6)),
    ("lock", "monitor", {}, ALONE, (None, 188e6)),
    ("lock", "monitor", {}, APART, (None, 143e6)),
    ("lock", "fetch-add", {}, ALONE, (199e6, None)),
    ("lock", "fetch-add", {}, APART, (139e6, None)),
    ("barrier", "spin-barrier", {}, APART, (310, 330)),
    ("queue", "sequenced-ring", BY_100, APART, (522e6, 489e6)),
    ("queue", "sequenced-ring", AFTER_WORK, APART, (41e6, 39e6)),
    ("queue", "sequenced-ring", {}, APART, (594e6, 182e6)),
    ("queue", "disruptor", BY_100, APART, (None, 321e6)),
    ("queue", "disruptor", {}, APART, (None, 21e6)),
    ("queue", "sequenced-ring", IN_FLIGHT, APART, (7.9e6, 7.6e6)),
    ("queue", "disruptor", IN_FLIGHT, APART, (None, 5.4e6)),
)
MOVES = {"signal": 4.4, "lock": 0.5, "queue": 0.6, "wakeup": 1.0, "barrier": 3.0}
"""How many times a figure is in the far state what it is in the near one."""


def _case(experiment: str, mechanism: str, params: Params, placement: Placement, runtime: str) -> Case:
    blocks, group = mechanism in SLEEPING, 2 if experiment == "wakeup" else 1
    return Case(experiment, mechanism, params, runtime, placement, blocks, 256, tuple(params), group=group)


def _figures(case: Case, value: float, number: int) -> Mapping[str, float]:
    managed = (
        {}
        if case.runtime == "cpp"
        else {"counters.compile_ns": 0.0, "counters.collections": 0.0, "counters.rested_ns": 0.0}
    )
    found = (
        QUIET
        | managed
        | {"clock_cost_ns": 20.4, "sampling_pace": 1.0, "drift": 0.004, "lines": 256.0, "cpu_ns_per_op": 9.0}
    )
    if case.experiment == "signal":
        return found | {"latency_ns.typical": value, "latency_ns.mean": 1.1 * value, "ops_per_s": 1e9 / value}
    if case.experiment == "wakeup":
        return found | {"latency_ns.typical": value, "wake_ns.typical": 23 * value, "ops_per_s": 16e3}
    if case.experiment == "barrier":
        return found | {"done_ns.typical": value, "ops_per_s": 1e9 / value}
    if case.params == IN_FLIGHT and case.mechanism == "disruptor":  # it grows faster from window to window
        return found | {"ops_per_s": value, "latency_ns.typical": 1e9 / value, "drift": -0.05 - 0.002 * number}
    if case.experiment == "queue":
        found |= {"batch.mean": BEHIND[case.mechanism] if value > 2e8 or case.mechanism == "disruptor" else 5.1}
    return found | {"ops_per_s": value, "latency_ns.typical": 2e9 / value}


def _trial(case: Case, value: float, number: int, of: int) -> Observation:
    timed = declared()[case.experiment].timed
    places = {one.name: _times(case, value * (23 if one.name == "wake_ns" else 1)) for one in timed}
    figures = dict(_figures(case, value, number))
    return Observation(number, of, case, None, 612_000_000, figures, places, 1, f"2026-03-01T09:30:{number:02}Z")


def _times(case: Case, value: float) -> Distribution:
    middle = value if case.experiment in ("signal", "wakeup", "barrier") else 1e9 / value
    return make_distribution(tuple(round(fold * middle) for fold in (1, 2, 3, 4, 50)), (100, 4_900, 4_900, 90, 10))


def _run() -> tuple[list[Observation], list[ReferencePing]]:
    """Seven rounds, of which the CPUs were far from each other in the fourth."""
    trials: list[Observation] = []
    pings: list[ReferencePing] = []
    at = 1_772_357_400.0
    cases = [
        (_case(experiment, mechanism, params, placement, one.label), value)
        for experiment, mechanism, params, placement, values in MEASURED
        for one, value in zip(RUNTIMES, values, strict=True)
        if value is not None
    ]
    for number, vary in enumerate((*STEADY, 1.03), start=1):
        far = number == 4
        for place, (case, value) in enumerate(cases):
            pings += [ReferencePing((0, 1), at + late, len(trials), FAR if far else NEAR) for late in (0.0, 0.01)]
            moved = (
                MOVES[case.experiment] if far and case.placement == APART and case.mechanism not in SLEEPING else 1.0
            )
            trials.append(_trial(case, value * vary * moved, number, place))
            at += 0.4
    pings.append(ReferencePing((0, 1), at, len(trials), NEAR))
    return trials, pings


OBSERVATIONS, PINGS = _run()
LEFT = "too much for this budget; they fit into --budget 10m"
MINUTE = replace(
    RUN,
    machine=replace(MACHINE, cpu_model="AMD EPYC", governor=None),
    runtimes=RUNTIMES,
    rounds=7,
    cases=tuple(dict.fromkeys(one.case for one in OBSERVATIONS)),
    skipped=(
        *RUN.skipped[:2],
        Skipped("16 cases of other runtimes", LEFT, "10m", 16),
        Skipped("551 cases of further placements", LEFT, "10m", 551),
    ),
    id=1,
)
ANSWER = analyse(MINUTE, OBSERVATIONS, PINGS, declared())
