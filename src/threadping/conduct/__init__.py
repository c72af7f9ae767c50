"""Carry out a plan: trial after trial, each stored as it ends, told as events to whoever listens."""

from threadping.conduct.conducting import conduct

__all__ = ["conduct"]
