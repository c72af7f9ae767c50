"""What a check-up says: the effects by their limits, what is found, and what has changed."""

from collections.abc import Mapping

from threadping.analysis.answer import Answer
from threadping.analysis.checks import Finding
from threadping.analysis.health.checks import HealthLayer, findings_of
from threadping.analysis.health.effects import causes_of_lateness, effects_of
from threadping.analysis.health.health import Health
from threadping.experiments.gaps import lateness_without
from threadping.model.bounds import Record
from threadping.model.cases import Case
from threadping.model.studies import Checkup
from threadping.studies.doctor.since import Change, changes


class Examined(Record, frozen=True):
    """A machine as it was examined.

    Attributes:
        health: what was measured, and what files say.
        findings: by layer, what lies deeper first; remarks among them.
        changes: by effect, where it is held against another check-up.
        unseen: what could not be looked at.
        before: the run that it is held against; 0 for none.
    """

    health: Health
    findings: tuple[tuple[HealthLayer, Finding], ...]
    changes: Mapping[str, Change]
    unseen: tuple[str, ...]
    before: int = 0

    @property
    def grave(self) -> list[tuple[HealthLayer, Finding]]:
        """Those that are beyond a limit, or may be; what makes the machine unfit first."""
        found = [one for one in self.findings if one[1].level != "note"]
        return sorted(found, key=lambda one: one[1].level != "error")

    @property
    def remarks(self) -> list[tuple[HealthLayer, Finding]]:
        """What files say, of which no effect was measured."""
        return [one for one in self.findings if one[1].level == "note"]


def examined(answer: Answer) -> Examined:
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
    missing = [f"{case.title} (not measured)" for case in _unmeasured(answer)]
    return Examined(
        health,
        tuple(findings_of(health)),
        changes(health.effects, asked.effects_before),
        (*asked.unseen, *missing),
        asked.before,
    )


def _unmeasured(answer: Answer) -> list[Case]:
    known = {one.case for one in answer.observations if one.figures}
    return [case for case in answer.run.cases if case not in known]
