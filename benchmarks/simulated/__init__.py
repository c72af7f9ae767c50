"""How often `compare` errs, and what it sees, on machines whose truth is known."""
