"""Other tools themselves, in turn with our cases that repeat their numbers."""
