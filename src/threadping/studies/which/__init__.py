"""Say which queue to take: which are best, and which fall apart, in the regimes that decide."""
