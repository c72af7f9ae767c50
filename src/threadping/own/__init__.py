"""Mechanisms of the user's own: from a path on the command line to a probe that measures it, once it keeps its word."""
