"""Carry out a plan: trial after trial, each stored as it ends, told as events to whoever listens."""

from threadping.runner.runner import run_plan
from threadping.runner.watch import Watch

__all__ = ["Watch", "run_plan"]
