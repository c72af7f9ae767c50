"""A run whose figures are planted, for whoever sets them beside published ones."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace
from threadping.analysis.rows import rows_of

from tests.conftest import make_distribution
from tests.unit.analysis.examples import DECLARED, MACHINE, RUN, observed, result
from threadping.analysis.states import NO_STATES, States
from threadping.contract import Distribution
from threadping.machine.crews import unpinned
from threadping.machine.placements import placements
from threadping.model import Case, Failure, Observation, Placement, Run, Runtime
from threadping.published.catalogue import JAVA, Build, Repetition, place
from threadping.published.comparison import Measured

FIGURES = {
    "signal": ("latency_ns.mean", "latency_ns.typical"),
    "lock": ("ops_per_s",),
    "notify": ("latency_ns.mean",),
    "ring": ("ops_per_s", "latency_ns.mean"),
}
TIMED = {"signal": "round trip", "lock": "wait for the lock", "notify": "call", "ring": "message"}
LINES = {"signal": 256, "lock": 8, "notify": 1, "ring": 1}
SLEEPING = ("condition", "condition-released")

STEADY = (1.0, 0.98, 1.02, 0.99, 1.01, 1.005)
"""By what the trials of a case differ."""

Planted = float | Sequence[float]
"""The figure of every trial, in which they differ little, or that of each."""


def label(build: Build) -> str:
    return " ".join(["java-17" if build.probe == JAVA.probe else build.probe, *build.flags])


def standing(of: Repetition) -> Placement:
    name = place(of.standing.where, MACHINE.topology)
    found = next((at for at in placements(MACHINE.topology, 2)[0] if at.name == name), unpinned(of.threads))
    return unpinned(of.threads) if name == "unpinned" else replace(found, pin=of.standing.pin)


def case_of(of: Repetition) -> Case:
    """The case that repeats it on a machine with eight cores."""
    way = of.way
    return Case(
        experiment=of.experiment,
        mechanism=way.mechanism,
        params=dict(way.params),
        runtime=label(way.build),
        placement=standing(of),
        blocking=of.experiment in ("lock", "notify") or way.mechanism in SLEEPING,
        lines=1 if way.mechanism in SLEEPING else of.lines or LINES[of.experiment],
        varied=tuple(name for name, _ in way.params),
        timed=TIMED[of.experiment],
        crew=2 if of.experiment == "notify" else 1,
    )


def distribution(*samples: tuple[float, int]) -> Distribution:
    return make_distribution(tuple(round(ns) for ns, _ in samples), tuple(count for _, count in samples))


def trials(of: Repetition, planted: Planted) -> list[Observation]:
    """Of `notify` the figure is p99.9; the others are a tenth of it."""
    case = case_of(of)
    quiet = observed(case, result(case))
    values = [planted * by for by in STEADY] if isinstance(planted, int | float) else planted
    found = []
    for value in values:
        of_name = dict.fromkeys(FIGURES[of.experiment], value / 10 if of.experiment == "notify" else value)
        timed = distribution((value / 10, 9_900), (value, 100))
        distributions = {"latency_ns": timed} if of.experiment == "notify" else quiet.distributions
        found.append(replace(quiet, figures=quiet.figures | of_name, distributions=distributions))
    return found


def measured(planted: Mapping[Repetition, Planted | Failure], states: States = NO_STATES, run: Run = RUN) -> Measured:
    """A run of these repetitions, each with six trials of its figure, or failed ones."""
    cases = tuple(case_of(one) for one in planted)
    runtimes = tuple(Runtime(name, name.partition("-")[0], (name,), "") for name in {case.runtime for case in cases})
    observations: list[Observation] = []
    for one, what in planted.items():
        failed = [Observation(1, 0, case_of(one), what, 1)] if isinstance(what, Failure) else []
        observations += failed or trials(one, what)  # type: ignore[arg-type]
    run = replace(run, cases=cases, runtimes=runtimes, id=7)
    return Measured(run, rows_of(run, observations, DECLARED, states), observations, DECLARED)
