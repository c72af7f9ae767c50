"""The same measurement on many hosts: which of them differ, and how far they are from each other."""
