"""Carry out a plan: trial after trial, each stored as it ends, told as events to whoever listens."""

from threadping.conduct.conducting import conduct
from threadping.conduct.watch import Watch

__all__ = ["Watch", "conduct"]
