"""Measure the latency between every two CPUs."""
