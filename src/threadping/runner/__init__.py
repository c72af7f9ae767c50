"""Carry out a plan: trial after trial, each stored as it ends, reported as events; and ping pairs of CPUs."""

from threadping.runner.pings import Watch
from threadping.runner.replay import Past
from threadping.runner.runner import Observe, Runner

__all__ = ["Observe", "Past", "Runner", "Watch"]
