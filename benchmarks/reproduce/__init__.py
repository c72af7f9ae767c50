"""Other tools themselves, alternating with our cases that repeat their numbers."""
