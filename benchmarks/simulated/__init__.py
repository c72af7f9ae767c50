"""Simulate the error rates of `compare`, and the effects it detects, on machines with a known truth."""
