"""What is said of mechanisms and parameters, once for all languages: `words.json`."""

from threadping.contract.message import Message, Name


class MechanismWords(Message, frozen=True):
    """A sentence on what a mechanism does, and one on what it costs the CPU and when to choose it."""

    summary: Name
    costs: Name


class ExperimentWords(Message, frozen=True):
    """What is said of an experiment's mechanisms, and a sentence on each parameter."""

    mechanisms: dict[str, MechanismWords]
    params: dict[str, Name]


class Words(Message, frozen=True):
    """All that is said; `timed` tells of each distribution, by its name, what was timed."""

    timed: dict[str, Name]
    experiments: dict[str, ExperimentWords]

    def of(self, experiment: str, mechanism: str) -> MechanismWords | None:
        """What is said of an experiment's mechanism; None of one that stands nowhere here."""
        known = self.experiments.get(experiment)
        return known.mechanisms.get(mechanism) if known else None
