"""Numbers in, numbers out; no I/O."""
