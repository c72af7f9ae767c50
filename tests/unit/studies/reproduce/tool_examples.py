"""A run of core-to-core-latency's numbers, whose figures are planted."""

from collections.abc import Sequence

from msgspec.structs import replace

from tests.unit.analysis.examples import DECLARED, RUN, observed, result
from tests.unit.studies.reproduce import examples as articles
from threadping.analysis.analyse import analyse
from threadping.analysis.answer import Answer
from threadping.model.cases import Case
from threadping.model.run import Failure, Observation, OtherTool
from threadping.studies.reproduce.stated import LEAST_BLOCK, LEAST_STRETCH, tools
from threadping.studies.reproduce.wanted import WantedCase

C2C = tools()["core-to-core-latency"]
ONE, TWO, THREE = C2C.numbers
STARTED = "2026-11-27T09:30:00+00:00"
STEADY = (1.0, 0.996, 1.004, 0.998, 1.002, 1.001)
"""Factors of the trials of a case."""


def case_of(wanted: WantedCase) -> Case:
    """The case that repeats it on a machine with eight cores."""
    return replace(articles.case_of(wanted), blocking=wanted.place == "unpinned")


def trials(wanted: WantedCase, ns: float | Failure, by: Sequence[float] = STEADY) -> list[Observation]:
    """Return trials with this mean handoff (ns); the fastest block takes 80% of it."""
    case = case_of(wanted)
    if isinstance(ns, Failure):
        return [Observation(1, 0, case, ns, 1)] * len(by)
    quiet, found = observed(case, result(case)), []
    for one in by:
        means = dict.fromkeys(("latency_ns.mean", "latency_ns.typical"), ns * one)
        leasts = {LEAST_BLOCK: 0.8 * ns * one, LEAST_STRETCH: 0.9 * ns * one}
        found.append(replace(quiet, started=STARTED, figures=quiet.figures | means | leasts))
    return found


def answer(*seen: list[Observation], tool: str = C2C.name) -> Answer:
    every = [trial for of_case in seen for trial in of_case]
    cases = tuple(dict.fromkeys(trial.case for trial in every))
    run = replace(RUN, cases=cases, study=OtherTool(tool), started=STARTED, id=7)
    return analyse(run, every, (), DECLARED)


ANSWER = answer(trials(ONE.case, 30.0), trials(TWO.case, 60.0), trials(THREE.case, 30.0))
