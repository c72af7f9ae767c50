"""What a person asked for."""

from collections.abc import Mapping

from msgspec import Struct

from threadping.contract import Pin
from threadping.model import DEFAULT_WARMUP, WarmupPolicy

Values = Mapping[str, tuple[str, ...]]
"""For each parameter that was asked for the values it shall have, as they were written."""


class Asked(Struct, frozen=True, kw_only=True):
    """What was asked for; what is empty or None leaves the choice to us.

    Attributes:
        experiments: their names.
        mechanisms: to be measured, whatever else there is.
        placements: their names, in place of the usual ones.
        cpus: on which the threads stand, in place of placements.
        threads: how many of them, where that is part of the question.
        pairs: how many pairs of them, where they come in pairs.
        params: of the mechanisms.
        pins: each thread, or the process whole.
        warmups: one or several.
        lines: over how many cache lines, in place of what a mechanism says itself.
        homes: roles or NUMA nodes on whose CPUs the cells are made.
    """

    experiments: tuple[str, ...]
    mechanisms: tuple[str, ...] = ()
    placements: tuple[str, ...] = ()
    cpus: tuple[int, ...] | None = None
    threads: tuple[int, ...] = ()
    pairs: tuple[int, ...] = ()
    params: Values = {}
    pins: tuple[Pin, ...] = ("thread",)
    warmups: tuple[WarmupPolicy, ...] = (DEFAULT_WARMUP,)
    lines: int | None = None
    homes: tuple[str, ...] = ()
