"""Every fault of the table in docs/faults.md, by kind."""
