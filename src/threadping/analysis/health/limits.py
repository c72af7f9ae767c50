"""By which limits a machine is judged: chosen for each purpose, and never fitted to a machine."""

from collections.abc import Mapping, Sequence
from typing import Literal

from threadping.analysis.health.effects import CORE_TO_CORE, Effect
from threadping.analysis.ratio import is_beyond
from threadping.model.studies import Purpose

PURPOSES: Sequence[Purpose] = ("latency", "benchmark", "realtime")

US, MS = 1_000.0, 1_000_000.0

EVERYWHERE = {"clock": 100.0, "throttled": 0.001, "others": 0.05}

LIMITS: Mapping[str, Mapping[str, float]] = {
    "latency": {
        **EVERYWHERE,
        **{"late": 50 * US, "longest": 10 * MS, "lost": 0.01, "stolen": 0.005},
        **{"wake.10us": 50 * US, "wake.1ms": 50 * US, "wake.30ms": 100 * US},
    },
    "benchmark": {**EVERYWHERE, "late": 500 * US, "lost": 0.02, "stolen": 0.01, CORE_TO_CORE: 1.5},
    "realtime": {
        **EVERYWHERE,
        **{"late": 20 * US, "longest": 100 * US, "lost": 0.005, "stolen": 0.001},
        **{"wake.10us": 50 * US, "wake.1ms": 50 * US, "wake.30ms": 50 * US},
    },
}
"""For each purpose the most that each effect may be; what is not named may be as it likes."""

OF_LIMIT = ("late", "wake.10us", "wake.1ms", "wake.30ms")
"""What `--limit` says in place of the purpose: how late a thread may be that spins, and one that sleeps."""

FEWEST_TO_TELL = 3
"""Of fewer trials nothing is sure."""

HealthVerdict = Literal["fit", "doubt", "unfit"]
HEALTH_VERDICTS: Sequence[HealthVerdict] = ("fit", "doubt", "unfit")
"""From the mildest to the gravest."""


def limits_for(purpose: str, limit_ns: float | None = None) -> dict[str, float]:
    """The limits of a purpose, with that of a person where one was given."""
    found = dict(LIMITS[purpose])
    return found if limit_ns is None else found | dict.fromkeys(OF_LIMIT, limit_ns)


def judged(effect: Effect, limit: float) -> HealthVerdict:
    """Return whether an effect keeps within its limit: a doubt if its interval straddles that, or few trials say so.

    A pair of CPUs whose core-to-core latency stayed within its limit needs no second pair to say so.
    """
    beyond = is_beyond(effect.now.ends, limit)
    stayed = effect.name == CORE_TO_CORE and beyond is False
    if beyond is None or (len(effect.values) < FEWEST_TO_TELL and not stayed):
        return "doubt"
    return "unfit" if beyond else "fit"
