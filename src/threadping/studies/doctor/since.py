"""What has changed since another check-up: by intervals, since the two were measured apart."""

from collections.abc import Mapping
from typing import Literal

from threadping.analysis.estimate import Estimate, estimate
from threadping.analysis.health.effects import Effect
from threadping.analysis.health.limits import FEWEST_TO_TELL
from threadping.model.bounds import Record

CHANGE_MATTERS = 0.1
"""What has changed by less is called the same."""

ChangeVerdict = Literal["better", "worse", "same", "cannot tell"]


class Change(Record, frozen=True):
    """How an effect has changed.

    Attributes:
        before: what it was.
        verdict: `better` or `worse` where the intervals lie apart, and far enough to matter.
    """

    before: Estimate
    verdict: ChangeVerdict


def changes(now: Mapping[str, Effect], before: Mapping[str, tuple[float, ...]]) -> dict[str, Change]:
    """Of each effect that was measured both times. Of all of them less is better."""
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
