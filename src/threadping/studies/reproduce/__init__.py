"""Repeat published experiments, and hold their figures against those of this machine."""
