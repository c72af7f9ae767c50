"""Whether there are trials, enough of them, and whether they agree."""

from threadping.analysis.declaration import Check, Evidence, Facts
from threadping.analysis.estimate import FEWEST_FOR_AN_INTERVAL
from threadping.model import Failure

REMEDIES = {
    "pin-failed": "A mask or a cpuset has changed, or a CPU has gone offline, since threadping read the topology: undo "
    "that, or name CPUs that may be used with --cpus.",
}
"""What to do about a failure, where the probe's sentence cannot know it."""

AGREEING = 1.5
"""Beyond it is more than another set of lines explains."""

WIDE = 0.2
"""The interval's width as a share of the figure."""


def _failures(seen: Evidence) -> list[Failure]:
    return [one.failure for one in seen.ended if one.failure is not None]


def _severity(seen: Evidence) -> str:
    return "warning" if seen.counted else "error"


def _failed(seen: Evidence) -> Facts | None:
    if not (failures := _failures(seen)):
        return None
    first = failures[0]
    said = " ".join(part for part in (first.message, REMEDIES.get(first.code, "")) if part)
    numbers = {"failed": len(failures), "trials": len(seen.ended)}
    return {**numbers, "first": first.code, "said": said, "severity": _severity(seen)}


def _nothing_measured(seen: Evidence) -> Facts | None:
    empty = sum(one.failure is None and not one.figures for one in seen.ended)
    numbers = {"empty": empty, "trials": len(seen.ended), "budget_s": 4 * seen.run.budget_s}
    return {**numbers, "severity": _severity(seen)} if empty else None


def _few(seen: Evidence) -> Facts | None:
    trials = len(seen.counted)
    if trials >= FEWEST_FOR_AN_INTERVAL or seen.row.one_of_several:  # which has a verdict of its own
        return None
    return {"trials": trials, "budget_s": seen.run.budget_s * FEWEST_FOR_AN_INTERVAL / trials}


def _disagree(seen: Evidence) -> Facts | None:
    values = seen.over_trials(seen.declared.headline)
    low, high = min(values), max(values)
    return {"fold": high / low} if low > 0 and high > AGREEING * low else None


def _wide(seen: Evidence) -> Facts | None:
    name = seen.declared.headline
    found, figure = seen.row.intervals.get(name), seen.row.figures[name]
    if found is None or found.ci95 is None or not figure:
        return None
    low, high = found.ci95
    half = (high - low) / 2 / figure
    return {"half": half} if 2 * half > WIDE else None


CHECKS = (
    Check(
        code="trial-failed",
        severity="error",
        find=_failed,
        always=True,
        brief="{failed} of {trials} trials: {first}",
        means="{failed} of {trials} trials failed, the first so ({first}): {said}",
        remedy="`threadping show RUN --trials` tells how each one ended.",
    ),
    Check(
        code="nothing-measured",
        severity="error",
        find=_nothing_measured,
        always=True,
        brief="{empty} of {trials} trials",
        means="{empty} of {trials} trials ended without a single operation in their windows: nothing can be counted.",
        remedy="Give a larger budget, such as --budget {budget_s:budget}.",
    ),
    Check(
        code="not-reached",
        severity="error",
        find=lambda seen: None if seen.ended else {},
        always=True,
        means="The run ended before this case was measured.",
    ),
    Check(
        code="few-trials",
        severity="info",
        find=_few,
        brief="{trials}; an interval needs 6",
        means="{trials} trials cannot carry an interval: with fewer than six not even all of them cover their median "
        "with 95% confidence, so the range of the trials is told instead.",
        remedy="Give --budget {budget_s:budget}, or name fewer cases.",
    ),
    Check(
        code="trials-disagree",
        severity="warning",
        find=_disagree,
        brief="{fold:fold}",
        means="Whole trials differ {fold:fold}: something changed between them (virtual CPUs moved to other cores, "
        "frequency, other load), and one figure cannot stand for all.",
        remedy="Look at `threadping show RUN --trials`; measure on CPUs that nobody moves.",
    ),
    Check(
        code="wide-interval",
        severity="warning",
        find=_wide,
        brief="known to {half:share}",
        means="The headline is known only to about {half:share}, half of its 95% interval.",
        remedy="Quieten the machine, or measure fewer cases in the same time.",
    ),
)
