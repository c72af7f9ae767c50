"""The cases of a run, the length of a trial, and the order of trials."""
