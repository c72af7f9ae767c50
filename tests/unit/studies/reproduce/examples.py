"""An answer with planted figures, to compare with published ones."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from tests.conftest import make_distribution
from tests.unit.analysis.examples import DECLARED, MACHINE, RUN, observed, result
from threadping.analysis.analyse import analyse
from threadping.analysis.answer import Answer
from threadping.model.cases import Case, Placement
from threadping.model.contract import Params
from threadping.model.run import Failure, Observation, ReferencePing, Run
from threadping.probes.placements import placements, unpinned
from threadping.studies.reproduce.wanted import WantedCase, name_placement

FIGURES = {
    "signal": ("latency_ns.mean", "latency_ns.typical"),
    "lock": ("ops_per_s",),
    "wakeup": ("latency_ns.mean",),
    "queue": ("ops_per_s", "latency_ns.mean"),
}
LINES = {"signal": 256, "lock": 8, "wakeup": 1, "queue": 1}

STEADY = (1.0, 0.98, 1.02, 0.99, 1.01, 1.005)
"""Factors of the trials of a case."""

Planted = float | Sequence[float] | Failure
"""The figure of every trial, in which they differ little; or that of each; or why there is none."""


def case_of(of: WantedCase) -> Case:
    """The case that repeats it on a machine with eight cores."""
    name = name_placement(of.place, MACHINE.topology)
    params: Params = {name: value for one in of.params.split() for name, _, value in [one.partition("=")]}
    found: Placement = next((at for at in placements(MACHINE.topology)[0] if at.name == name), unpinned(2))
    runtime = " ".join(["java-17" if of.runtime == "java" else of.runtime, *of.flags])
    place = unpinned(of.threads) if name == "unpinned" else replace(found, pin=of.pin)
    sleeps = of.experiment in ("lock", "wakeup") or of.mechanism.startswith("condition")
    lines, group = of.lines or LINES.get(of.experiment, 256), 2 if of.experiment == "wakeup" else 1
    return Case(of.experiment, of.mechanism, params, runtime, place, sleeps, lines, tuple(params), group=group)


def trials(of: WantedCase, planted: Planted) -> list[Observation]:
    """Return planted trials; the figure of `wakeup` is p99.9, its others are 10% of it."""
    case = case_of(of)
    if isinstance(planted, Failure):
        return [Observation(1, 0, case, planted, 1)]
    quiet, found = observed(case, result(case)), []
    for value in [planted * by for by in STEADY] if isinstance(planted, int | float) else planted:
        of_name = dict.fromkeys(FIGURES[of.experiment], value / 10 if of.experiment == "wakeup" else value)
        timed = make_distribution((round(value / 10), round(value)), (9_900, 100))
        distributions = {"latency_ns": timed} if of.experiment == "wakeup" else quiet.distributions
        found.append(replace(quiet, figures=quiet.figures | of_name, distributions=distributions))
    return found


def answer(planted: Mapping[WantedCase, Planted], pings: Sequence[ReferencePing] = (), run: Run = RUN) -> Answer:
    run = replace(run, cases=tuple(map(case_of, planted)), id=7)
    observations = [trial for one, what in planted.items() for trial in trials(one, what)]
    return analyse(run, observations, pings, DECLARED)
