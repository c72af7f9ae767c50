"""What can be said of any experiment's figures: what was seen, what it does to the figure, and the remedy.

Each experiment's own `trust` puts these together, with what only it can see. Thresholds are ours, chosen where the
effect on a mean or on p99 becomes visible; each stands beside its verdict.
"""

from threadping.experiments.trust.failures import failures
from threadping.experiments.trust.interference import cut, paging, pin_lost, preempted, stolen
from threadping.experiments.trust.readiness import runtime_at_work, warmup
from threadping.experiments.trust.spread import (
    censored,
    coarse_clock,
    disagreement,
    few_samples,
    few_trials,
    wide_interval,
)

__all__ = [
    "censored",
    "coarse_clock",
    "cut",
    "disagreement",
    "failures",
    "few_samples",
    "few_trials",
    "paging",
    "pin_lost",
    "preempted",
    "runtime_at_work",
    "stolen",
    "warmup",
    "wide_interval",
]
