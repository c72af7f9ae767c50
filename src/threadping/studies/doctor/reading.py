"""The reading of a check-up: effects by their limits, findings, and what has changed since another."""

from collections import Counter
from collections.abc import Mapping
from typing import Literal

from threadping.analysis.answer import Answer
from threadping.analysis.checks import Finding
from threadping.analysis.health import (
    FEWEST_TO_TELL,
    Effect,
    Health,
    HealthLayer,
    causes_of_lateness,
    effects_of,
    findings_of,
)
from threadping.analysis.percentiles import Estimate, estimate
from threadping.experiments.gaps import lateness_without
from threadping.model.base import Record
from threadping.model.run import Checkup

CHANGE_MATTERS = 0.1  # what has changed by less is called the same
GUESTS_SEE_NONE = ("frequencies", "boost")  # subjects that the hypervisor keeps to itself

ChangeVerdict = Literal["better", "worse", "same", "cannot tell"]


class Change(Record, frozen=True):
    """The former value of an effect; `better` or `worse` where the intervals lie apart, and far enough to matter."""

    before: Estimate
    verdict: ChangeVerdict


def changes(now: Mapping[str, Effect], before: Mapping[str, tuple[float, ...]]) -> dict[str, Change]:
    """Return the change of each effect that was measured both times. Of all of them less is better."""
    return {name: _change(effect, before[name]) for name, effect in now.items() if before.get(name)}


def _change(effect: Effect, values: tuple[float, ...]) -> Change:
    was, now = estimate(values), effect.now
    if min(len(values), len(effect.values)) < FEWEST_TO_TELL:
        return Change(was, "same" if was.value == now.value else "cannot tell")
    (low, high), (low_before, high_before) = now.ends, was.ends
    close = abs(now.value - was.value) <= CHANGE_MATTERS * max(now.value, was.value)
    apart = high < low_before or low > high_before
    if close:
        inside = max(high, high_before) - min(low, low_before) <= CHANGE_MATTERS * max(now.value, was.value)
        return Change(was, "same" if inside else "cannot tell")
    return Change(was, "cannot tell" if not apart else "better" if now.value < was.value else "worse")


class DoctorResult(Record, frozen=True):
    """The result of a check-up.

    Attributes:
        health: what was measured, and what files say.
        findings: by layer, what lies deeper first; advisories among them.
        changes: by effect, where it is held against another check-up.
        unseen: what could not be inspected.
        rounds: the number of rounds that were measured, and that were planned.
        before: the run that it is held against; 0 for none.
    """

    health: Health
    findings: tuple[tuple[HealthLayer, Finding], ...]
    changes: Mapping[str, Change]
    unseen: tuple[str, ...]
    rounds: tuple[int, int]
    before: int = 0

    @property
    def grave(self) -> list[tuple[HealthLayer, Finding]]:
        """The findings beyond a limit, or perhaps beyond it; what makes the machine unfit first."""
        found = [one for one in self.findings if one[1].level != "note"]
        return sorted(found, key=lambda one: one[1].level != "error")

    @property
    def advisories(self) -> list[tuple[HealthLayer, Finding]]:
        """The findings that files show, and of which no effect was measured."""
        return [one for one in self.findings if one[1].level == "note"]


def read_checkup(answer: Answer) -> DoctorResult:
    """Read a check-up."""
    asked = answer.run.study
    assert isinstance(asked, Checkup)
    health = Health(
        answer.run.machine,
        asked.purpose,
        asked.limit_ns,
        asked.signs,
        effects_of(answer),
        causes_of_lateness(answer, lateness_without),
    )
    tried = Counter(one.case for one in answer.observations)
    measured = {one.case for one in answer.observations if one.figures}
    hidden = [one for one in asked.unseen if one in GUESTS_SEE_NONE and answer.run.machine.hypervisor]
    unseen = [one for one in asked.unseen if one not in hidden]
    unseen += [f"{' and '.join(hidden)} (a virtual machine shows none)"] if hidden else []
    missing = (f"{case.title} (not measured)" for case in answer.run.cases if case not in measured)
    return DoctorResult(
        health,
        tuple(findings_of(health)),
        changes(health.effects, asked.effects_before),
        (*unseen, *missing),
        (min((tried[case] for case in measured), default=0), answer.run.rounds),
        asked.before,
    )
