"""What is known of a machine in a check-up: all that findings are made of."""

from collections.abc import Mapping

from threadping.analysis.health.effects import CauseOfLateness, Effect
from threadping.analysis.health.limits import HEALTH_VERDICTS, HealthVerdict, judged, limits_for
from threadping.model.bounds import Record
from threadping.model.run import Machine


class Health(Record, frozen=True):
    """A machine, what its files say, and what was measured.

    Attributes:
        machine: as its run describes it.
        purpose: for which it is judged.
        limit_ns: how late a thread may be; None where the purpose says it.
        signs: what files say, by name.
        effects: what was measured, by name.
        causes: of lateness on all CPUs at once, that first which makes most of it.
    """

    machine: Machine
    purpose: str
    limit_ns: float | None
    signs: Mapping[str, float | str]
    effects: Mapping[str, Effect]
    causes: tuple[CauseOfLateness, ...] = ()

    @property
    def limits(self) -> Mapping[str, float]:
        """What each effect may be at most; of what is not named nothing is asked."""
        return limits_for(self.purpose, self.limit_ns)

    def verdict(self, name: str) -> HealthVerdict | None:
        """Whether an effect keeps within its limit; None where it was not measured, or nothing is asked of it."""
        effect, limit = self.effects.get(name), self.limits.get(name)
        return None if effect is None or limit is None else judged(effect, limit)

    @property
    def whole(self) -> HealthVerdict:
        """The worst of all; a doubt where lateness, the least that is asked, was not measured."""
        found = [one for name in self.limits if (one := self.verdict(name))]
        unknown: list[HealthVerdict] = [] if "late" in self.effects else ["doubt"]
        return max([*found, *unknown], key=HEALTH_VERDICTS.index)

    def number(self, sign: str) -> float | None:
        """A sign that is a number; None where it is not told."""
        value = self.signs.get(sign)
        return value if isinstance(value, int | float) else None

    def numbers(self, group: str) -> Mapping[int, float]:
        """The signs of a group by CPU: of `interrupts_per_s` those of `interrupts_per_s.0` and its like."""
        named = ((name.rpartition("."), value) for name, value in self.signs.items())
        return {
            int(cpu): value
            for (of, _, cpu), value in named
            if of == group and cpu.isdecimal() and isinstance(value, int | float)
        }
