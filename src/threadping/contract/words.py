"""What `words.json` says of mechanisms, once for all languages."""

from typing import Annotated

from msgspec import Meta

from threadping.contract.values import Message, Name


class MechanismWords(Message, frozen=True):
    """A sentence on what a mechanism does, and one on what it costs the CPU and when to choose it."""

    summary: Name
    costs: Name


class ExperimentWords(Message, frozen=True):
    """What is said of its mechanisms, or which experiment says the same of them; and a sentence on each parameter."""

    mechanisms: dict[str, MechanismWords | Name]
    params: dict[str, Name]


FIRST_VERSION = "1.0.0"
"""Of a mechanism that never changed."""


class MechanismChange(Message, frozen=True):
    """That mechanisms of a language became another version, and what changed.

    The first number counts up where figures mean something else: they are no more compared with those of before; the
    second where a parameter came, or means more than it did; the third where the machine code of a timed loop is
    another and its figures are as they were. `mechanisms` names those of the experiment; none named are all.
    """

    version: Annotated[str, Meta(pattern=r"^[0-9]+\.[0-9]+\.[0-9]+$")]
    experiment: Name
    probe: Name
    mechanisms: tuple[Name, ...]
    what: Name

    def is_of(self, experiment: str, mechanism: str, probe: str) -> bool:
        """Whether it changed this mechanism in this language."""
        of_it = not self.mechanisms or mechanism in self.mechanisms
        return of_it and (self.experiment, self.probe) == (experiment, probe)


class Words(Message, frozen=True):
    """All that is said; `timed` tells of each distribution, by its name, what was timed.

    `changes` are those of mechanisms, of each the oldest first.
    """

    timed: dict[str, Name]
    experiments: dict[str, ExperimentWords]
    changes: tuple[MechanismChange, ...]

    def version(self, experiment: str, mechanism: str, probe: str) -> str:
        """The version of an experiment's mechanism in a language."""
        changes = [one for one in self.changes if one.is_of(experiment, mechanism, probe)]
        return changes[-1].version if changes else FIRST_VERSION

    def of(self, experiment: str, mechanism: str) -> MechanismWords | None:
        """What is said of an experiment's mechanism; None of one that stands nowhere here."""
        known = self.experiments.get(experiment)
        found = known.mechanisms.get(mechanism) if known else None
        return self.of(found, mechanism) if isinstance(found, str) else found
