"""Every fault of the table in docs/internals/faults.md, by kind."""
