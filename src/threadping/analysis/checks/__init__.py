"""What may be wrong with any experiment's figures: what was seen, what it does to them, and the remedy.

Thresholds are ours, chosen where the effect on a headline or on p99 becomes visible; each stands beside its check.
"""

from threadping.analysis.checks import interference, machine, readiness, samples, states, trials

EVERYWHERE = (*trials.CHECKS, *states.CHECKS, *interference.CHECKS, *readiness.CHECKS, *samples.CHECKS, *machine.CHECKS)
"""The checks that every experiment makes, beside its own."""
