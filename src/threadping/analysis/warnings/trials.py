"""Whether there are trials, and whether they measured what was asked for."""

from statistics import fmean

from threadping import quantities
from threadping.analysis.declaration import Evidence, Facts, RowCheck
from threadping.model import DEFAULT_WARMUP, Failure

LOADED = 0.1
"""The share of its CPUs' time that others used: CPU time is known in ticks, which are off by up to 5% in one trial."""

REMEDIES = {
    "stalled": "A thread that gets no CPU cannot go on: if other programs had these CPUs, stop them.",
    "pin-failed": "A mask or a cpuset has changed, or a CPU has gone offline, since threadping read the topology: undo "
    "that, or name CPUs that may be used with --cpus.",
}
"""What to do about a failure, where the probe's sentence cannot know it."""


def _failures(seen: Evidence) -> list[Failure]:
    return [one.failure for one in seen.ended if one.failure is not None]


def _level(seen: Evidence) -> str:
    return "warning" if seen.counted else "error"


def _failed(seen: Evidence) -> Facts | None:
    if not (failures := _failures(seen)):
        return None
    first = failures[0]
    others = next((one.others or 0.0 for one in seen.ended if one.failure), 0.0)
    beside = f"Other programs used {quantities.percent(others)} of its CPUs' time meanwhile." if others > LOADED else ""
    said = " ".join(part for part in (first.message, beside, REMEDIES.get(first.code, "")) if part)
    numbers = {"failed": len(failures), "trials": len(seen.ended)}
    return {**numbers, "first": first.code, "said": said, "level": _level(seen)}


def _nothing_measured(seen: Evidence) -> Facts | None:
    empty = sum(one.failure is None and not one.figures for one in seen.ended)
    numbers = {"empty": empty, "trials": len(seen.ended)}
    return {**numbers, "level": _level(seen)} if empty else None


def _loaded(seen: Evidence) -> Facts | None:
    shares = [one.others for one in seen.counted if one.others is not None]
    return {"share": fmean(shares)} if shares and fmean(shares) > LOADED else None


def _pin_lost(seen: Evidence) -> Facts | None:
    threads = seen.value("counters.moved")
    trials = sum(value > 0 for value in seen.over_trials("counters.moved"))
    return {"threads": threads, "in_trials": trials} if threads else None


def _all_crossed(seen: Evidence) -> Facts | None:
    told = [one for one in seen.ended if one.figures]
    return {"trials": len(told)} if told and not seen.counted else None


def _warmup_cut(seen: Evidence) -> Facts | None:
    """Of a warm-up that was asked for: it is part of the question. What the usual one leaves behind is `not-steady`."""
    trials = seen.value("counters.warmup_cut")
    if not trials or seen.case.warmup == DEFAULT_WARMUP:
        return None
    done, asked = seen.value("counters.warmup_ops"), seen.case.warmup.rounds * seen.case.warmup.ops
    numbers = {"cut": trials, "trials": len(seen.counted), "done": done, "asked": asked}
    return {**numbers, "op": seen.declared.op}


CHECKS = (
    RowCheck(
        code="trial-failed",
        level="error",
        find=_failed,
        always=True,
        brief="{failed} of {trials} trials: {first}",
        means="{failed} of {trials} trials failed, the first so ({first}): {said}",
        remedy="`threadping show RUN --trials` tells how each one ended.",
    ),
    RowCheck(
        code="nothing-measured",
        level="error",
        find=_nothing_measured,
        always=True,
        brief="{empty} of {trials} trials",
        means="{empty} of {trials} trials ended without a single operation in their windows: nothing can be counted.",
        remedy="Give longer trials (--trial), or fewer cases.",
    ),
    RowCheck(
        code="not-reached",
        level="error",
        find=lambda seen: None if seen.ended else {},
        always=True,
        means="The run ended before this case was measured.",
    ),
    RowCheck(
        code="other-load",
        level="warning",
        find=_loaded,
        comparable=False,
        brief="{share:share} of the CPU time",
        means="Other programs used {share:share} of the time of these CPUs during the trials: the figure is of a busy "
        "machine, and is compared with nothing.",
        remedy="Stop them (`top` names them), or measure on other CPUs with --cpus.",
    ),
    RowCheck(
        code="all-crossed",
        level="error",
        find=_all_crossed,
        always=True,
        brief="{trials} trials",
        means="The state of the machine changed during each of the {trials} trials: none is of one state, so there is "
        "no figure.",
        remedy="Give shorter trials (--trial), more --budget, or --state near.",
    ),
    RowCheck(
        code="pin-lost",
        level="error",
        find=_pin_lost,
        brief="{threads} threads in {in_trials} trials",
        means="A thread's affinity changed while it was measured ({threads} threads in {in_trials} trials), by a "
        "cpuset or a taskset from outside, or because a CPU went offline: the placement did not hold.",
        remedy="Stop what changes it and measure again.",
    ),
    RowCheck(
        code="warmup-cut",
        level="warning",
        find=_warmup_cut,
        brief="{cut} of {trials} trials, after {done}",
        means="The warm-up was ended by its time limit in {cut} of {trials} trials, after {done} of {asked} {op}s: it "
        "is not the warm-up that was asked for, and what runs so seldom may not be compiled yet.",
        remedy="Give longer trials (--trial), or a smaller --warmup.",
    ),
)
