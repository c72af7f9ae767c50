"""Whether a run that was killed and resumed is what it would have been."""
