"""Run one measurement on many hosts, and find those that differ."""
