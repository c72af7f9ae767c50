"""Cost of an HTML report of stored runs: to write, store, send, open and import."""
