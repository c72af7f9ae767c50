"""Whether there are trials, and whether they measured what was asked for."""

from threadping import numbers, quantities
from threadping.analysis.checks import Facts
from threadping.analysis.declaration import Row, RowCheck
from threadping.analysis.health.in_passing import share_of_others
from threadping.model.cases import DEFAULT_WARMUP
from threadping.model.trials import Observation

MOVED = "counters.moved"
"""Threads that were on another CPU at their end than where they were pinned."""

LOADED = 0.1
"""The share of its CPUs' time that others used: CPU time is known in ticks, which are off by up to 5% in one trial."""

REMEDIES = {
    "stalled": "A thread that gets no CPU cannot go on: if other programs had these CPUs, stop them.",
    "pin-failed": "A mask or a cpuset has changed, or a CPU has gone offline, since threadping read the topology: undo "
    "that, or name CPUs that may be used with --cpus.",
}
"""What to do about a failure, where the probe's sentence cannot know it."""


def why_failed(trial: Observation) -> str:
    """Say why a trial failed, what other programs used meanwhile, and what to do; nothing of one that did not fail."""
    if trial.failure is None:
        return ""
    others = trial.others or 0.0
    beside = f"Other programs used {quantities.percent(others)} of its CPUs' time meanwhile." if others > LOADED else ""
    return " ".join(filter(None, (trial.failure.message, beside, REMEDIES.get(trial.failure.code))))


def _level(row: Row) -> str:
    return "warning" if row.trials else "error"


def _failed(row: Row) -> Facts | None:
    if not (failures := [one.failure for one in row.ended if one.failure is not None]):
        return None
    first = failures[0]
    said = why_failed(next(one for one in row.ended if one.failure))
    numbers = {"failed": len(failures), "trials": len(row.ended)}
    return {**numbers, "first": first.code, "said": said, "level": _level(row)}


def _nothing_measured(row: Row) -> Facts | None:
    empty = sum(one.failure is None and not one.figures for one in row.ended)
    numbers = {"empty": empty, "trials": len(row.ended)}
    return {**numbers, "level": _level(row)} if empty else None


def _loaded(row: Row) -> Facts | None:
    share = share_of_others(row.trials) or 0.0
    return {"share": share} if share > LOADED else None


def _pin_lost(row: Row) -> Facts | None:
    threads = row.number(MOVED)
    if not threads:
        return None
    return {"threads": threads, "in_trials": sum(value > 0 for value in row.over_trials(MOVED))}


def _all_crossed(row: Row) -> Facts | None:
    measured = [one for one in row.ended if one.figures]
    return {"trials": len(measured)} if measured and not row.trials else None


def _warmup_cut(row: Row) -> Facts | None:
    """Of a warm-up that was asked for: it is part of the question. What the usual one leaves behind is `not-steady`."""
    trials = row.number("counters.warmup_cut")
    if not trials or row.case.warmup == DEFAULT_WARMUP:
        return None
    done, asked = row.number("counters.warmup_ops"), row.case.warmup.rounds * row.case.warmup.ops
    numbers = {"cut": trials, "trials": len(row.trials), "done": done, "asked": asked}
    return {**numbers, "op": row.declared.op}


def _not_balanced(row: Row) -> Facts | None:
    return {"which": numbers.named(row.isolated)} if row.isolated else None


CHECKS = (
    RowCheck("trial-failed", "error", _failed, always=True),
    RowCheck("nothing-measured", "error", _nothing_measured, always=True),
    RowCheck("not-reached", "error", lambda row: None if row.ended else {}, always=True),
    RowCheck("other-load", "warning", _loaded),
    RowCheck("all-crossed", "error", _all_crossed, always=True),
    RowCheck("pin-lost", "error", _pin_lost),
    RowCheck("warmup-cut", "warning", _warmup_cut),
    RowCheck("not-balanced", "note", _not_balanced),
)
