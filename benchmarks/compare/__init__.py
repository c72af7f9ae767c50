"""What `threadping compare` promises, tried on this machine: a thing against itself, and slower by a planted share."""
