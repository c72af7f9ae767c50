"""Compare runs that were killed and resumed with uninterrupted runs of the same seed."""
