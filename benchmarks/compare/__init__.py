"""Check `threadping compare` on this machine: a mechanism against itself, and slower by a planted share."""
