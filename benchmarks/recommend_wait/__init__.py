"""Confirm each recommended wait strategy with a run of its own."""
