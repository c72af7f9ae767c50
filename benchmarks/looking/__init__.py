"""Check that finding the causes of outliers does not change the figures."""
