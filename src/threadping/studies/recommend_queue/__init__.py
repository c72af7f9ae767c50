"""Say which queue to take: which are best, and which collapse, in the regimes that decide."""
