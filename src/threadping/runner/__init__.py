"""Carry out a plan: trial after trial, each stored as it ends, reported as events; and ping pairs of CPUs."""

from threadping.runner.pings import Watch
from threadping.runner.replay import Heard, Past
from threadping.runner.runner import INTERRUPTED, Observe, Runner

__all__ = ["INTERRUPTED", "Heard", "Observe", "Past", "Runner", "Watch"]
