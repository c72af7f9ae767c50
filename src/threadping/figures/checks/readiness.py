"""Whether the runtime was ready when the measuring began, and kept still."""

from threadping.figures.declaration import Check, Evidence, Facts
from threadping.model import DEFAULT_WARMUP

COMPILING_SHARE = 0.02
"""Of the measuring time: below it the JIT was at work on something rare, such as an exit that was seldom taken."""


def _warmup_cut(seen: Evidence) -> Facts | None:
    """One that was asked for is part of the question, so its end is said whatever ran.

    The default is meant to fit: where it does not (an operation that sleeps), it only matters to a runtime that
    compiles what runs often.
    """
    trials = seen.row.figures["counters.warmup_cut"]
    chosen = seen.case.warmup != DEFAULT_WARMUP
    if not trials or not (chosen or "counters.collections" in seen.row.figures):
        return None
    done, asked = seen.row.figures["counters.warmup_ops"], seen.case.warmup.rounds * seen.case.warmup.ops
    numbers = {"cut": trials, "trials": seen.row.trials, "done": done, "asked": asked}
    return {**numbers, "op": seen.declared.op, "severity": "warning" if chosen else "info"}


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
        severity="info",
        find=_warmup_cut,
        brief="{cut} of {trials} trials, after {done}",
        means="The warm-up was ended by its time limit in {cut} of {trials} trials, after {done} of {asked} {op}s: it "
        "is not the warm-up that was asked for, and what runs so seldom may not be compiled yet.",
        remedy="Name fewer cases, so that trials are longer, or a smaller --warmup.",
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
