"""How the core-to-core latency changed: in a run, or in all runs of a machine."""
