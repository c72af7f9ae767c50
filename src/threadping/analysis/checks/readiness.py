"""Whether the runtime was ready when the measuring began, and kept still."""

import math

from threadping.analysis.declaration import Check, Evidence, Facts
from threadping.model import DEFAULT_WARMUP

COMPILING_SHARE = 0.02
"""Of the measuring time: below it the JIT was at work on something rare, such as an exit that was seldom taken."""


STEADY, GRAVE = 0.02, 0.1
"""How far the last third of a trial may be from the first: as far as the warm-up allows between two stretches; and from
where on the difference is grave."""


def _warmup_cut(seen: Evidence) -> Facts | None:
    """Of one that was asked for: it is part of the question. What the usual one leaves behind is `not-steady`."""
    trials = seen.row.figures["counters.warmup_cut"]
    if not trials or seen.case.warmup == DEFAULT_WARMUP:
        return None
    done, asked = seen.row.figures["counters.warmup_ops"], seen.case.warmup.rounds * seen.case.warmup.ops
    numbers = {"cut": trials, "trials": seen.row.trials, "done": done, "asked": asked}
    return {**numbers, "op": seen.declared.op}


def _not_steady(seen: Evidence) -> Facts | None:
    """Whether trials become slower or quicker: the interval, or the range of fewer than six, lies beyond STEADY."""
    found = seen.row.intervals.get("drift")
    if found is None:
        return None
    low, high = found.ends
    if low <= STEADY and high >= -STEADY:
        return None
    grave = low > GRAVE or high < -GRAVE
    slower = low > 0
    facts = {"by": math.expm1(abs(seen.row.figures["drift"])), "way": "slower" if slower else "quicker"}
    return {**facts, "budget_s": 4 * seen.run.budget_s, "severity": "error" if grave else "warning"}


def _compiling(seen: Evidence) -> Facts | None:
    told = [one for one in seen.counted if "counters.compile_ns" in one.figures]
    busy = [
        one.figures["counters.compile_ns"]
        for one in told
        if one.figures["counters.compile_ns"] > COMPILING_SHARE * one.figures["counters.measured_ns"]
    ]
    if not busy:
        return None
    return {"busy": len(busy), "trials": len(told), "longest": max(busy), "budget_s": 4 * seen.run.budget_s}


CHECKS = (
    Check(
        code="warmup-cut",
        severity="warning",
        find=_warmup_cut,
        brief="{cut} of {trials} trials, after {done}",
        means="The warm-up was ended by its time limit in {cut} of {trials} trials, after {done} of {asked} {op}s: it "
        "is not the warm-up that was asked for, and what runs so seldom may not be compiled yet.",
        remedy="Name fewer cases, so that trials are longer, or a smaller --warmup.",
    ),
    Check(
        code="not-steady",
        severity="warning",
        find=_not_steady,
        brief="{by:share} {way} in the end",
        means="Trials were still getting {way}, by {by:share} from their first third to their last. The figure is of "
        "both, and hangs on how long a trial is.",
        remedy="Longer trials: --budget {budget_s:budget}, or fewer cases.",
    ),
    Check(
        code="jit-active",
        severity="warning",
        find=_compiling,
        brief="{busy} of {trials} trials, up to {longest:time}",
        means="The JIT was still compiling in {busy} of {trials} trials (up to {longest:time}): part of the figure is "
        "not compiled code.",
        remedy="Trials twice as long: --budget {budget_s:budget}, or fewer cases.",
    ),
    Check(
        code="gc-active",
        severity="warning",
        find=lambda seen: {"collections": ran} if (ran := seen.row.figures.get("counters.collections")) else None,
        brief="{collections} times",
        means="The collector ran {collections} times while measuring; the tail may be its own.",
        remedy="Give the JVM more heap, as in --runtime 'java-17 -Xmn512m'.",
    ),
)
