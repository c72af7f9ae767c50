"""Several runs: their rows by case and state, side by side, and how runs differ beyond their trials."""

from collections.abc import Callable, Mapping, Sequence
from math import exp, log
from statistics import fmean, stdev

from msgspec.structs import replace

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import BetweenRuns, Row
from threadping.analysis.states import states_of
from threadping.analysis.validity import is_usable
from threadping.model.base import Record, gathered
from threadping.model.cases import Case, Pair
from threadping.model.run import Run, State, is_same


class CaseInState(Record, frozen=True):
    """A case in a state, which is the same one in all runs: how far its CPUs were apart over all; None has no state."""

    case: Case
    core_to_core_ns: float | None


def rows_of(answers: Sequence[Answer]) -> list[dict[CaseInState, Row]]:
    """Return the rows of each run that have a headline, by their case and state.

    The states are those of the pings of all runs together, so that one that drifted a little is still the same. Of
    unlike machines, whose states are nothing to each other, the rows of the state that each was in for longest.
    """
    states = states_of(*(answer.states.pings for answer in answers))
    machines = [answer.run.machine for answer in answers]
    of_pair = states.of_pair if all(is_same(machines[0], one) for one in machines[1:]) else None
    # a case is that of the first run which has one of its title; what is of another version than there is left out
    firsts: dict[tuple[str, str], tuple[Case, str]] = {}
    found: list[dict[CaseInState, Row]] = [{} for _ in answers]
    for answer, rows in zip(answers, found, strict=True):
        for row in (row for row in answer.rows if row.headline and (of_pair or row.leads)):
            version = answer.run.version_of(row.case)
            case, first = firsts.setdefault((row.case.experiment, row.case.title), (row.case, version))
            if mean_alike(version, first):
                state = _nearest(row.state.core_to_core_ns, row.case, of_pair) if of_pair and row.state else None
                rows[CaseInState(case, state)] = row
    return found


def _nearest(ns: float, case: Case, of_pair: Callable[[Pair], Sequence[State]]) -> float:
    """Return how far a case's CPUs are apart in the states that are nearest to this one, over all runs."""
    known = (found for pair in case.placement.pairs if (found := of_pair(pair)))
    return fmean(min((one.core_to_core_ns for one in found), key=lambda other: abs(log(other / ns))) for found in known)


def mean_alike(version: str, other: str) -> bool:
    """Return whether figures of two versions of a mechanism mean the same: their first numbers are equal."""
    return version.partition(".")[0] == other.partition(".")[0]


class Changed(Record, frozen=True):
    """Mechanisms of a runtime that are something else in another run: of another version, or other code."""

    experiment: str  # by which they were measured
    runtime: str  # in which, by its label
    mechanisms: tuple[str, ...]  # their names
    of: tuple[tuple[int, str], tuple[int, str]]  # of the two runs their numbers, each with what they are there


def changed_between(
    answers: Sequence[Answer], what: Callable[[Run, Case], str], is_other: Callable[[str, str], bool]
) -> list[Changed]:
    """List what is something else than in the first run which has it; nothing where `what` is empty, not known."""
    firsts: dict[tuple[str, str, str], tuple[int, str]] = {}
    found = []
    for answer in answers:
        for case in dict.fromkeys(row.case for row in answer.rows if row.headline):
            if here := what(answer.run, case):
                first = firsts.setdefault((case.experiment, case.mechanism, case.runtime), (answer.run.id, here))
                if is_other(first[1], here):
                    found.append(((case.experiment, case.runtime, (first, (answer.run.id, here))), case.mechanism))
    return [
        Changed(experiment, runtime, tuple(dict.fromkeys(mechanisms)), of)
        for (experiment, runtime, of), mechanisms in gathered(found).items()
    ]


HOST = ("cpu_model", "kernel", "hypervisor", "os", "governor", "clock_source", "cpu_quota", "idle_states")


def host_changes(run: Run, earlier: Run) -> str:
    """Say in what this host has changed since an earlier run of it; empty if in nothing that is known."""
    fields = ((name.replace("_", " "), getattr(run.machine, name), getattr(earlier.machine, name)) for name in HOST)
    said = [f"{name} {now or 'unknown'}, was {before or 'unknown'}" for name, now, before in fields if now != before]
    return f"This host changed since run {earlier.id}: {'; '.join(said)}." if said else ""


def values_of(rows: Mapping[CaseInState, Row]) -> dict[CaseInState, float]:
    """The headline of each row; one that is nothing has no ratio to others."""
    return {key: one.value for key, row in rows.items() if (one := row.headline) is not None and one.value > 0}


FEWEST_LIKE, MOST_LIKE = 3, 8
"""Minimum and maximum number of runs, this one among them, that tell how runs differ: `show` stays quick."""


def with_like_runs(answer: Answer, others: Sequence[Answer]) -> Answer:
    """A run whose rows say how they differ from run to run, as far as the others have them.

    The variance of runs is a level of its own above that of trials: runs are as far from each other as neither more
    trials nor longer ones tell (Kalibera and Jones, Rigorous benchmarking in reasonable time, 2013).
    """
    each = rows_of((answer, *others))
    keys = {id(row): key for key, row in each[0].items()}
    rows = []
    for row in answer.rows:
        key = keys.get(id(row))
        like = [found for of_run in each if key and (found := of_run.get(key)) and is_usable(found, "compare")]
        headlines = [one.value for found in like if found.leading == row.leading and (one := found.headline)]
        if len(headlines) >= FEWEST_LIKE and row.headline and is_usable(row, "compare"):
            over_runs = interval_over_runs(headlines, row.headline.ends)
            between = BetweenRuns(len(headlines), min(headlines), max(headlines), over_runs)
            row = replace(row, between_runs=between)
        rows.append(row)
    return replace(answer, rows=tuple(rows))


# Quantiles of Student's t at 97.5%, by the number of runs, with one degree of freedom less
STUDENT_OVER_RUNS = {3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365}


def interval_over_runs(headlines: Sequence[float], within: tuple[float, float]) -> tuple[float, float]:
    """Return the 95% interval of the median of like runs, around the headline of the first, which is this run.

    This run is as far from that median as runs are from each other: the standard deviation of their logarithms, itself
    an estimate, in which is the variance within runs. Where runs agree by chance, the interval is `within`.
    """
    if min(headlines) <= 0:
        return min(*headlines, *within), max(*headlines, *within)
    reach = STUDENT_OVER_RUNS[len(headlines)] * stdev(map(log, headlines))
    return min(within[0], headlines[0] * exp(-reach)), max(within[1], headlines[0] * exp(reach))


class CaseAcrossRuns(Record, frozen=True):
    """A case in a state, as several runs have it."""

    key: CaseInState  # the case and the state
    rows: tuple[Row | None, ...]  # that of each run; None where it has none

    def ratio(self, place: int) -> float | None:
        """The headline of a run over that of the first; None where they may not be compared."""
        one, other = self.rows[0], self.rows[place]
        if one is None or other is None or one.headline is None or other.headline is None:
            return None
        if not is_usable((one, other), "compare"):
            return None
        alike = one.declared.headline_of(one.case) == other.declared.headline_of(other.case)
        return other.headline.value / one.headline.value if alike and one.headline.value > 0 else None


def beside_each_other(*answers: Answer) -> list[CaseAcrossRuns]:
    """The rows of runs that are of the same case and state, in two runs at least, in the order of the first."""
    of_runs = rows_of(answers)
    keys = dict.fromkeys(key for rows in of_runs for key in rows)
    found = (CaseAcrossRuns(key, tuple(rows.get(key) for rows in of_runs)) for key in keys)
    return [one for one in found if sum(row is not None for row in one.rows) > 1]
